//! What a section of the page is made of. Everything here is plain text; the page escapes it.

use super::result::{Badge, Tone};
use crate::escape::Text;
use crate::page::html;
use crate::picture::Picture;

/// A section of the page: a card with a title.
#[derive(Clone, Debug, PartialEq)]
pub struct Section {
    /// What a link to it ends with; unique among the sections, letters and hyphens.
    pub id: &'static str,
    /// Its title.
    pub title: String,
    /// Its parts, from the top.
    pub parts: Vec<Part>,
}

/// A part of a section.
#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    /// A paragraph.
    Words(String),
    /// A smaller paragraph: how to read the part above it.
    Caption(String),
    /// A heading within the section.
    Heading(String),
    /// A table.
    Table(Listing),
    /// Pictures side by side, as many as there is room for. Each becomes a file, too.
    Pictures(Vec<Picture>),
    /// A picture as wide as the page. It becomes a file, too.
    WidePicture(Picture),
    /// The time panels of the paper's runs, with their controls. A page has them once.
    TimePanels,
    /// Parts under a line that unfolds them.
    Folded(String, Vec<Part>),
}

/// A table of a page.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Listing {
    /// The names of its columns.
    pub columns: Vec<String>,
    /// The number of columns, from the left, that hold text; the others hold numbers.
    pub words: usize,
    /// Its rows, with an entry for each column.
    pub rows: Vec<Vec<Entry>>,
}

/// An entry of a table.
#[derive(Clone, Debug, PartialEq)]
pub enum Entry {
    /// Words or a number.
    Plain(String),
    /// What matters most in its row.
    Strong(String),
    /// A name, and below it what it means.
    Named(String, String),
    /// Text of a file or a command line.
    Code(String),
    /// A number and what is thought of it.
    Judged(String, Tone),
    /// A judgement.
    Badge(Badge),
}

impl Section {
    /// As HTML, with the time panels where they belong.
    pub(crate) fn html(&self, time_panels: &str) -> String {
        let parts: String = self.parts.iter().map(|part| part.html(time_panels)).collect();
        html::section(self.id, &self.title, parts)
    }

    /// Its pictures, folded ones included.
    pub fn pictures(&self) -> Vec<&Picture> {
        self.parts.iter().flat_map(Part::pictures).collect()
    }
}

impl Part {
    fn html(&self, time_panels: &str) -> String {
        match self {
            Part::Words(text) => format!("<p>{}</p>\n", Text(text)),
            Part::Caption(text) => format!("<p class=\"caption\">{}</p>\n", Text(text)),
            Part::Heading(text) => format!("<h3 class=\"within\">{}</h3>\n", Text(text)),
            Part::Table(listing) => listing.html(),
            Part::Pictures(pictures) => {
                let figures: String = pictures.iter().map(|it| html::figure(&it.svg, &it.caption)).collect();
                format!("<div class=\"gallery\">\n{figures}</div>\n")
            }
            Part::WidePicture(picture) => {
                format!("<div class=\"wide\">{}</div>\n", html::figure(&picture.svg, &picture.caption))
            }
            Part::TimePanels => time_panels.to_owned(),
            Part::Folded(title, parts) => {
                html::folded(title, &parts.iter().map(|part| part.html(time_panels)).collect::<String>())
            }
        }
    }

    fn pictures(&self) -> Vec<&Picture> {
        match self {
            Part::Pictures(pictures) => pictures.iter().collect(),
            Part::WidePicture(picture) => vec![picture],
            Part::Folded(_, parts) => parts.iter().flat_map(Part::pictures).collect(),
            _ => Vec::new(),
        }
    }
}

impl Listing {
    /// As HTML.
    pub(super) fn html(&self) -> String {
        let columns: Vec<&str> = self.columns.iter().map(String::as_str).collect();
        let rows: Vec<Vec<String>> =
            self.rows.iter().map(|row| row.iter().map(Entry::html).collect()).collect();
        html::table(&columns, &rows, self.words)
    }
}

impl Entry {
    /// A word or a number as it is.
    pub fn plain(text: impl Into<String>) -> Self {
        Entry::Plain(text.into())
    }

    fn html(&self) -> String {
        match self {
            Entry::Plain(text) => Text(text).to_string(),
            Entry::Strong(text) => format!("<strong>{}</strong>", Text(text)),
            Entry::Named(name, meaning) => {
                format!("<strong>{}</strong><small>{}</small>", Text(name), Text(meaning))
            }
            Entry::Code(text) => format!("<code>{}</code>", breakable(text)),
            Entry::Judged(text, tone) => {
                format!("{} <span class=\"{}\">{}</span>", Text(text), tone.class(), tone.sign())
            }
            Entry::Badge(badge) => badge.html(),
        }
    }
}

/// Keys may be broken after their dots and bars.
fn breakable(text: &str) -> String {
    Text(text).to_string().replace('.', ".<wbr>").replace('_', "_<wbr>")
}
