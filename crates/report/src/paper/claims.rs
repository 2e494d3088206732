//! The claims of a paper, next to what was measured.

use super::content::{Entry, Listing};
use super::result::{Badge, ClaimResult};
use crate::escape::Text;
use crate::page::html::{TABLE, folded, section};
use crate::picture::forest::{Scale, strip};
use crate::quantity::digits;
use crate::statistics::Estimate;
use std::fmt::Write;

/// A sign for each claim, leading to its row.
pub(super) fn at_a_glance(claims: &[ClaimResult]) -> String {
    let mut html = String::from("<ul class=\"glance\" aria-label=\"Claims at a glance\">");
    for claim in claims {
        let (class, sign) = (claim.verdict.tone().class(), claim.verdict.tone().sign());
        let (id, words) = (Text(&claim.id), claim.verdict);
        let _ = write!(
            html,
            "<li><a class=\"{class}\" href=\"#claim-{id}\" title=\"{id}: {words}\">{id} <b>{sign}</b></a></li>"
        );
    }
    html + "</ul>\n"
}

/// The section of the claims.
pub(super) fn claims_section(claims: &[ClaimResult]) -> String {
    let mut html = TABLE.to_owned()
        + "<table class=\"claims\"><thead><tr><th scope=\"col\"></th>\
         <th scope=\"col\" class=\"left\">Claim</th><th scope=\"col\" class=\"left\">Paper</th>\
         <th scope=\"col\" class=\"left\">Measured, 95 % interval</th><th scope=\"col\" class=\"left\">Verdict</th>\
         <th scope=\"col\" class=\"left\">Findings</th></tr></thead><tbody>\n";
    html.extend(claims.iter().map(row));
    html += "</tbody></table></div>\n<p class=\"caption\">In the small pictures, the shaded band is the accepted range, \
     fixed before the first run; the line is the measured 95 % interval (Student's t over the seeds, which all cells \
     share), the dot the mean, and the hollow diamond the paper's number.</p>\n";
    let behind: usize = claims.iter().map(|claim| claim.cells.len()).sum();
    if behind > 0 {
        html += &folded(&format!("Cells and conditions behind the claims ({behind})"), &table_behind(claims));
    }
    section("claims", "Claim by claim", html)
}

fn row(claim: &ClaimResult) -> String {
    let unit = spaced(claim.unit);
    let note = if claim.note.is_empty() { "–".to_owned() } else { Text(&claim.note).to_string() };
    format!(
        "<tr id=\"claim-{id}\"><td><strong>{id}</strong></td>\
         <td class=\"left statement\">{}<small>{}; {}</small></td>\
         <td class=\"left\" data-name=\"Paper\"><div><strong>{}</strong><small>accepted: {}</small></div></td>\
         <td class=\"left\" data-name=\"Measured\"><div>{}</div></td>\
         <td class=\"left\" data-name=\"Verdict\"><div>{}</div></td>\
         <td class=\"left found\" data-name=\"Findings\"><div>{note}</div></td></tr>\n",
        Text(&claim.statement),
        Text(&claim.r#where),
        Text(&claim.aggregate),
        Text(&claim.format_published(&unit)),
        Text(&format!("{}{unit}", bounds(claim.accept))),
        measured(claim, &unit),
        Badge::from(claim.verdict).html() + &below_verdict(claim),
        id = Text(&claim.id),
    )
}

/// What belongs next to the verdict.
fn below_verdict(claim: &ClaimResult) -> String {
    claim.below_verdict().iter().map(|line| format!("<small>{}</small>", Text(line))).collect()
}

fn measured(claim: &ClaimResult, unit: &str) -> String {
    let Some(value) = claim.estimate() else { return "nothing".to_owned() };
    let samples = match (value.low == value.high && value.low.is_some(), value.samples) {
        (true, _) => "exact".to_owned(),
        (false, 1) => "one seed: no interval".to_owned(),
        (false, seeds) => format!("{seeds} seeds"),
    };
    let scale = Scale::of(ends(claim.accept), &claim.published(), [value]);
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
pub fn bounds(accept: [Option<f64>; 2]) -> String {
    match accept.map(|bound| bound.map(end)) {
        [Some(low), Some(high)] => format!("{low} to {high}"),
        [Some(low), None] => format!("above {low}"),
        [None, Some(high)] => format!("below {high}"),
        [None, None] => "anything".to_owned(),
    }
}

/// Bounds as numbers; an open end is infinite.
pub fn ends([low, high]: [Option<f64>; 2]) -> (f64, f64) {
    (low.unwrap_or(f64::NEG_INFINITY), high.unwrap_or(f64::INFINITY))
}

/// A bound as it was written, but no longer than two decimals.
fn end(value: f64) -> String {
    let text = format!("{value:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn spaced(unit: &str) -> String {
    if unit.is_empty() { String::new() } else { format!(" {unit}") }
}

fn table_behind(claims: &[ClaimResult]) -> String {
    let columns = ["Claim", "Cell or condition", "Measured, 95 % interval", "Paper", "Accepted", "Verdict"];
    let mut listing =
        Listing { columns: columns.map(str::to_owned).to_vec(), words: 2, ..Listing::default() };
    for (claim, part) in claims.iter().flat_map(|claim| claim.cells.iter().map(move |part| (claim, part))) {
        let unit = spaced(part.unit);
        listing.rows.push(vec![
            Entry::Strong(claim.id.clone()),
            Entry::plain(&part.cell),
            Entry::Plain(part.estimate().map_or("nothing".to_owned(), |value| {
                format!("{}{}{unit}", digits(value.mean), interval(&value))
            })),
            Entry::Plain(part.paper.map_or("–".to_owned(), |value| format!("{value}{unit}"))),
            Entry::Plain(part.accept.map_or("–".to_owned(), |accept| bounds(accept) + &unit)),
            part.verdict.map_or(Entry::plain(""), |verdict| Entry::Badge(verdict.into())),
        ]);
    }
    listing.html()
}
