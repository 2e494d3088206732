//! The page of a reproduced paper: its claims next to what was measured, and further sections.
//!
//! The claims come first and the provenance last; between them are the [`Section`]s that the caller makes of text,
//! tables and pictures. Every picture becomes a file next to the page, and so does every table of numbers.

pub mod claims;
pub mod content;
pub mod over_time;
pub mod result;

pub use content::{Entry, Listing, Part, Section};
pub use over_time::RunsOfFigure;
pub use result::{
    Badge, Cause, CauseKind, CellResult, ClaimResult, Ground, OtherProgram, Tone, UnderReading, Verdict,
    tally, tally_with_readings,
};

use crate::escape::Text;
use crate::export::{self, table::Table};
use crate::files::{File, ReportError};
use crate::page::html::{page, warnings};
use crate::page::{provenance, timeline};
use crate::picture::Picture;
use crate::provenance::Provenance;
use std::fmt::Write;

/// Everything about a reproduced paper.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PaperReport {
    /// The paper's title.
    pub title: String,
    /// Authors, where and when.
    pub citation: String,
    /// How much was run, in a line.
    pub facts: String,
    /// What a reader should know before believing it, each with its fix.
    pub warnings: Vec<String>,
    /// Its claims.
    pub claims: Vec<ClaimResult>,
    /// What else there is to show, in order.
    pub sections: Vec<Section>,
    /// Runs over time, shown where a section has [`Part::TimePanels`].
    pub over_time: Vec<RunsOfFigure>,
    /// The numbers, for notebooks.
    pub tables: Vec<Table>,
    /// Where they come from.
    pub provenance: Provenance,
}

impl PaperReport {
    /// Everything to write: tables, pictures and, last, the page, so that a page which is there has its companions
    /// next to it.
    ///
    /// # Errors
    /// When a table cannot be written in its format, which is a bug of this program.
    pub fn files(&self) -> Result<Vec<File>, ReportError> {
        let mut files = vec![export::provenance(&self.provenance)];
        for table in &self.tables {
            files.extend(export::of_table(table, &self.provenance)?);
        }
        files.extend(self.pictures().into_iter().map(|picture| picture.file(&self.provenance)));
        let over_time = self.over_time.iter().flat_map(RunsOfFigure::pictures);
        files.extend(over_time.map(|picture| picture.file(&self.provenance)));
        files.push(File::text("report.html", html(self)));
        Ok(files)
    }

    /// All pictures of sections, in the order of the page.
    pub fn pictures(&self) -> Vec<&Picture> {
        self.sections.iter().flat_map(Section::pictures).collect()
    }
}

/// The whole page.
pub fn html(paper: &PaperReport) -> String {
    let mut body = summary(paper);
    body += &contents(paper);
    body += &claims::claims_section(&paper.claims);
    let encoded = over_time::encoded(&paper.over_time);
    let panels = if encoded.runs.is_empty() { String::new() } else { timeline::panels(&encoded) };
    body.extend(paper.sections.iter().map(|section| section.html(&panels)));
    body += &provenance(&paper.provenance);
    page(&paper.title, &header(paper), &body, &timeline::script_of(&encoded))
}

fn header(paper: &PaperReport) -> String {
    format!(
        "<div class=\"brand\">Seamline: a paper reproduced</div><h1>{}</h1><p class=\"facts\">{}<br>{}</p>",
        Text(&paper.title),
        Text(&paper.citation),
        Text(&paper.facts)
    )
}

fn summary(paper: &PaperReport) -> String {
    let mut html = format!("<p class=\"words\">{}</p>\n", Text(&tally(&paper.claims)));
    html.extend(
        tally_with_readings(&paper.claims).map(|line| format!("<p class=\"words\">{}</p>\n", Text(&line))),
    );
    html += &claims::at_a_glance(&paper.claims);
    html += &warnings(&paper.warnings);
    format!("<section class=\"verdict\" id=\"verdict\" aria-label=\"Verdict\">\n{html}</section>\n")
}

fn contents(paper: &PaperReport) -> String {
    let mut html = String::from(
        "<nav class=\"contents\" aria-label=\"Contents\"><a href=\"#claims\">Claim by claim</a>",
    );
    for section in &paper.sections {
        let _ = write!(html, "<a href=\"#{}\">{}</a>", section.id, Text(&section.title));
    }
    html + "<a href=\"#provenance\">How to run it again</a></nav>\n"
}
