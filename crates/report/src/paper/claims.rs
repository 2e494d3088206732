//! The claims of a paper, next to what was measured.

use super::badge::Badge;
use super::content::{Entry, Listing};
use crate::escape::Text;
use crate::page::html::{folded, section};
use crate::picture::forest::{Scale, strip};
use crate::quantity::digits;
use crate::statistics::Estimate;
use std::fmt::Write;

/// One claim of a paper.
#[derive(Clone, Debug, PartialEq)]
pub struct Claim {
    /// Its name: `E3`.
    pub id: String,
    /// What the paper says.
    pub statement: String,
    /// Where it says so.
    pub place: String,
    /// The paper's number or word.
    pub published: Published,
    /// What is accepted as the same, ends included; an end may be infinite.
    pub accepted: (f64, f64),
    /// How cells became one number.
    pub aggregate: String,
    /// What was measured; `None` for nothing.
    pub measured: Option<Estimate>,
    /// The unit of all of these: `%`, `Mbit/s`; empty for a factor.
    pub unit: String,
    /// What the comparison says.
    pub verdict: Badge,
    /// What was found out about it; may be empty.
    pub note: String,
    /// The cells and conditions behind the number.
    pub behind: Vec<Behind>,
}

/// What a paper says of a quantity.
#[derive(Clone, Debug, PartialEq)]
pub enum Published {
    /// A number.
    Value(f64),
    /// From one number to another.
    Range(f64, f64),
    /// A word: `above`.
    Word(String),
}

/// A cell, a pair of cells, or a further condition behind a claim.
#[derive(Clone, Debug, PartialEq)]
pub struct Behind {
    /// What it is.
    pub name: String,
    /// What was measured; `None` where that has no number.
    pub measured: Option<Estimate>,
    /// Its unit.
    pub unit: String,
    /// What the paper has in this place, if it has a number.
    pub published: Option<f64>,
    /// Bounds, if this one has its own.
    pub accepted: Option<(f64, f64)>,
    /// What the comparison with them says.
    pub verdict: Option<Badge>,
}

impl Published {
    /// Its numbers.
    pub fn values(&self) -> Vec<f64> {
        match self {
            Published::Value(value) => vec![*value],
            Published::Range(low, high) => vec![*low, *high],
            Published::Word(_) => Vec::new(),
        }
    }

    fn words(&self, unit: &str) -> String {
        match self {
            Published::Value(value) => format!("{value}{unit}"),
            Published::Range(low, high) => format!("{low} to {high}{unit}"),
            Published::Word(word) => word.clone(),
        }
    }
}

/// How many claims came out how, in the order of the first of each kind by tone: `6 reproduced, 3 inconclusive`.
pub fn tally(claims: &[Claim]) -> String {
    let mut kinds: Vec<&Badge> = Vec::new();
    for claim in claims {
        if !kinds.contains(&&claim.verdict) {
            kinds.push(&claim.verdict);
        }
    }
    kinds.sort_by_key(|badge| badge.tone);
    let counts = kinds.iter().map(|kind| {
        let count = claims.iter().filter(|claim| claim.verdict == **kind).count();
        format!("{count} {}", kind.words)
    });
    format!("{} claims: {}", claims.len(), counts.collect::<Vec<_>>().join(", "))
}

/// A sign for each claim, leading to its row.
pub(super) fn at_a_glance(claims: &[Claim]) -> String {
    let mut html = String::from("<ul class=\"glance\" aria-label=\"Claims at a glance\">");
    for claim in claims {
        let (class, sign) = (claim.verdict.tone.class(), claim.verdict.tone.sign());
        let (id, words) = (Text(&claim.id), Text(&claim.verdict.words));
        let _ = write!(
            html,
            "<li><a class=\"{class}\" href=\"#claim-{id}\" title=\"{id}: {words}\">{id} <b>{sign}</b></a></li>"
        );
    }
    html + "</ul>\n"
}

/// The section of the claims.
pub(super) fn claims_section(claims: &[Claim]) -> String {
    let mut html = String::from(
        "<div class=\"table\"><table class=\"claims\"><thead><tr><th scope=\"col\"></th>\
         <th scope=\"col\" class=\"left\">Claim</th><th scope=\"col\" class=\"left\">Paper</th>\
         <th scope=\"col\" class=\"left\">Measured, 95 % interval</th><th scope=\"col\" class=\"left\">Verdict</th>\
         <th scope=\"col\" class=\"left\">What was found out</th></tr></thead><tbody>\n",
    );
    html.extend(claims.iter().map(row));
    html += "</tbody></table></div>\n<p class=\"caption\">The little pictures: the shaded band is what is accepted as \
             the same, fixed before the first run; the line is the measured interval (Student's t over the seeds, which \
             all cells share), the dot its mean, and the hollow diamond the paper's number.</p>\n";
    let behind: usize = claims.iter().map(|claim| claim.behind.len()).sum();
    if behind > 0 {
        html += &folded(
            &format!("What is behind the claims ({behind} cells and conditions)"),
            &table_behind(claims),
        );
    }
    section("claims", "Claim by claim", html)
}

fn row(claim: &Claim) -> String {
    let unit = spaced(&claim.unit);
    let note = if claim.note.is_empty() { "–".to_owned() } else { Text(&claim.note).to_string() };
    format!(
        "<tr id=\"claim-{id}\"><td><strong>{id}</strong></td>\
         <td class=\"left statement\">{}<small>{}; {}</small></td>\
         <td class=\"left\" data-name=\"Paper\"><div><strong>{}</strong><small>accepted: {}</small></div></td>\
         <td class=\"left\" data-name=\"Measured\"><div>{}</div></td>\
         <td class=\"left\" data-name=\"Verdict\"><div>{}</div></td>\
         <td class=\"left found\" data-name=\"Found out\"><div>{note}</div></td></tr>\n",
        Text(&claim.statement),
        Text(&claim.place),
        Text(&claim.aggregate),
        Text(&claim.published.words(&unit)),
        Text(&format!("{}{unit}", bounds(claim.accepted))),
        measured(claim, &unit),
        claim.verdict.html(),
        id = Text(&claim.id),
    )
}

fn measured(claim: &Claim, unit: &str) -> String {
    let Some(value) = claim.measured else { return "nothing".to_owned() };
    let samples = match (value.low == value.high && value.low.is_some(), value.samples) {
        (true, _) => "exact".to_owned(),
        (false, 1) => "one seed: no interval".to_owned(),
        (false, seeds) => format!("{seeds} seeds"),
    };
    let scale = Scale::of(claim.accepted, &claim.published.values(), [value]);
    let picture = strip(&format!("{} measured", claim.id), &scale, &value);
    format!(
        "{}{}<small>{samples}</small><span class=\"picture strip\">{picture}</span>",
        strong_and_interval(&value),
        Text(unit)
    )
}

fn strong_and_interval(value: &Estimate) -> String {
    format!("<strong>{}</strong>{}", digits(value.mean), interval(value))
}

/// ` [40.1, 42.3]`; nothing for what has no interval or is exact.
pub fn interval(value: &Estimate) -> String {
    match (value.low, value.high) {
        (Some(low), Some(high)) if low < high => format!(" [{}, {}]", digits(low), digits(high)),
        _ => String::new(),
    }
}

/// `40 to 60`, `above 0`.
pub fn bounds((low, high): (f64, f64)) -> String {
    match (low.is_finite(), high.is_finite()) {
        (true, true) => format!("{} to {}", end(low), end(high)),
        (true, false) => format!("above {}", end(low)),
        (false, true) => format!("below {}", end(high)),
        (false, false) => "anything".to_owned(),
    }
}

/// A bound as it was written, but no longer than two decimals.
fn end(value: f64) -> String {
    let text = format!("{value:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn spaced(unit: &str) -> String {
    if unit.is_empty() { String::new() } else { format!(" {unit}") }
}

fn table_behind(claims: &[Claim]) -> String {
    let columns = ["Claim", "Cell or condition", "Measured, 95 % interval", "Paper", "Accepted", "Verdict"];
    let mut listing =
        Listing { columns: columns.map(str::to_owned).to_vec(), words: 2, ..Listing::default() };
    for (claim, part) in claims.iter().flat_map(|claim| claim.behind.iter().map(move |part| (claim, part))) {
        let unit = spaced(&part.unit);
        listing.rows.push(vec![
            Entry::Strong(claim.id.clone()),
            Entry::plain(&part.name),
            Entry::Plain(part.measured.map_or("nothing".to_owned(), |value| {
                format!("{}{}{unit}", digits(value.mean), interval(&value))
            })),
            Entry::Plain(part.published.map_or("–".to_owned(), |value| format!("{value}{unit}"))),
            Entry::Plain(part.accepted.map_or("–".to_owned(), |accepted| bounds(accepted) + &unit)),
            part.verdict.clone().map_or(Entry::plain(""), Entry::Badge),
        ]);
    }
    listing.html()
}
