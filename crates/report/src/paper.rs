//! The page of a reproduced paper: what it claims beside what was measured, and any pictures.

use crate::escape::Text;
use crate::model::Provenance;
use crate::page::html::{figure, page, section, table};
use crate::page::{provenance, script_of};
use crate::picture::Picture;
use crate::quantity::digits;
use seamline_record::statistics::Estimate;
use serde::Serialize;

/// Whether a measurement bears a claim out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The measured mean and its interval lie within what is accepted.
    Confirmed,
    /// The mean does, the interval reaches beyond.
    Likely,
    /// The mean lies outside of what is accepted, its interval reaches into it.
    Unclear,
    /// The interval lies outside of what is accepted.
    Refuted,
    /// Nothing was measured.
    NotMeasured,
}

impl Verdict {
    /// How a measurement compares with an interval that is accepted, ends included. Without an interval of
    /// its own the mean alone decides.
    pub fn of(measured: Option<&Estimate>, accepted: (f64, f64)) -> Verdict {
        let Some(measured) = measured else { return Verdict::NotMeasured };
        let within = |value: f64| accepted.0 <= value && value <= accepted.1;
        let (low, high) = measured.ends();
        let apart = high < accepted.0 || accepted.1 < low;
        match (within(measured.mean), within(low) && within(high)) {
            (true, true) => Verdict::Confirmed,
            (true, false) => Verdict::Likely,
            (false, _) if apart => Verdict::Refuted,
            (false, _) => Verdict::Unclear,
        }
    }

    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Verdict::Confirmed => "confirmed",
            Verdict::Likely => "likely",
            Verdict::Unclear => "unclear",
            Verdict::Refuted => "refuted",
            Verdict::NotMeasured => "not measured",
        }
    }

    /// A sign beside the word, so that a table can be read at a glance and without colour.
    fn sign(self) -> &'static str {
        match self {
            Verdict::Confirmed => "✓",
            Verdict::Likely => "≈",
            Verdict::Unclear => "?",
            Verdict::Refuted => "✗",
            Verdict::NotMeasured => "–",
        }
    }

    fn class(self) -> &'static str {
        match self {
            Verdict::Confirmed | Verdict::Likely => "better",
            Verdict::Refuted => "worse",
            Verdict::Unclear | Verdict::NotMeasured => "",
        }
    }
}

/// One claim of a paper.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Claim {
    /// Its name: `E3`.
    pub id: String,
    /// What the paper says.
    pub statement: String,
    /// The paper's number; `None` when it gives none.
    pub published: Option<f64>,
    /// What is accepted as the same, ends included.
    pub accepted: (f64, f64),
    /// What was measured.
    pub measured: Option<Estimate>,
    /// The unit of all of these: `%`, `Mbit/s`; empty for a factor.
    pub unit: String,
    /// What the comparison says.
    pub verdict: Verdict,
    /// What a reader should know: deviations, and why.
    pub note: String,
}

/// Everything about a reproduced paper.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PaperReport {
    /// The paper's title.
    pub title: String,
    /// Authors, where and when.
    pub citation: String,
    /// Its claims.
    pub claims: Vec<Claim>,
    /// What was drawn, in order.
    pub pictures: Vec<Picture>,
    /// What differs from the paper's set-up, a sentence each.
    pub deviations: Vec<String>,
    /// Where the numbers come from.
    pub provenance: Provenance,
}

/// The whole page.
pub fn html(paper: &PaperReport) -> String {
    let header = format!(
        "<div class=\"brand\">Seamline: a paper reproduced</div><h1>{}</h1><p class=\"facts\">{}</p>",
        Text(&paper.title),
        Text(&paper.citation)
    );
    let mut body = section("claims", &summary(&paper.claims), claims_table(&paper.claims));
    for picture in &paper.pictures {
        body += &format!("<section>{}</section>\n", figure(&picture.svg, &picture.caption));
    }
    if !paper.deviations.is_empty() {
        let items: Vec<String> =
            paper.deviations.iter().map(|text| format!("<li>{}</li>", Text(text))).collect();
        body += &section("deviations", "What differs from the paper", format!("<ul>{}</ul>", items.concat()));
    }
    body += &provenance(&paper.provenance);
    page(&paper.title, &header, &body, &script_of(&[], &[]))
}

/// `9 of 12 claims confirmed, 1 likely, 2 refuted`.
pub fn summary(claims: &[Claim]) -> String {
    let count = |verdict| claims.iter().filter(|claim| claim.verdict == verdict).count();
    let mut parts = vec![format!("{} of {} claims confirmed", count(Verdict::Confirmed), claims.len())];
    for verdict in [Verdict::Likely, Verdict::Unclear, Verdict::Refuted, Verdict::NotMeasured] {
        if let number @ 1.. = count(verdict) {
            parts.push(format!("{number} {}", verdict.words()));
        }
    }
    parts.join(", ")
}

/// The claims as a table of a page.
pub fn claims_table(claims: &[Claim]) -> String {
    let columns = ["", "Claim", "Paper", "Accepted", "Measured, 95 % interval", "Verdict", "Note"];
    let rows: Vec<Vec<String>> = claims.iter().map(row).collect();
    table(&columns, &rows, 2)
}

fn row(claim: &Claim) -> Vec<String> {
    let unit = if claim.unit.is_empty() { String::new() } else { format!(" {}", claim.unit) };
    let (low, high) = claim.accepted;
    let measured = claim.measured.map_or("–".to_owned(), |measured| {
        let interval = match (measured.low, measured.high) {
            (Some(low), Some(high)) => format!(" [{}, {}]", digits(low), digits(high)),
            _ => String::new(),
        };
        format!(
            "<strong>{}</strong>{interval}{} (n = {})",
            digits(measured.mean),
            Text(&unit),
            measured.samples
        )
    });
    vec![
        format!("<strong>{}</strong>", Text(&claim.id)),
        Text(&claim.statement).to_string(),
        claim.published.map_or("–".to_owned(), |value| format!("{}{}", digits(value), Text(&unit))),
        format!("{} to {}{}", end(low), end(high), Text(&unit)),
        measured,
        format!(
            "<span class=\"badge {}\">{} {}</span>",
            claim.verdict.class(),
            claim.verdict.sign(),
            claim.verdict.words()
        ),
        format!("<span class=\"note\">{}</span>", Text(&claim.note)),
    ]
}

/// An end of an interval, which may be open.
fn end(value: f64) -> String {
    match value {
        f64::INFINITY => "∞".to_owned(),
        f64::NEG_INFINITY => "−∞".to_owned(),
        value => digits(value),
    }
}
