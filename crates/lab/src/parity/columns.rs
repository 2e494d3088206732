//! Numbers and marks as both tables show them.

use crate::parity::compare::{Comparison, Mark, Pair, Row};
use crate::parity::differences::{Differing, Judged};
use crate::parity::runs::Arm;
use seamline_report::quantity::digits;
use seamline_report::text_table::TextTable;
use std::fmt::Write;

/// A table of these rows.
pub(crate) fn table<'a>(rows: impl Iterator<Item = &'a Row>) -> TextTable {
    let heads = [""].into_iter().chain(Arm::ALL.map(Arm::name)).chain(Pair::ALL.map(Pair::name));
    TextTable::new("lr", heads).with(rows.map(cells))
}

fn cells(row: &Row) -> Vec<String> {
    let values =
        row.values.iter().map(|value| value.as_ref().map_or("–".to_owned(), |value| value.to_text(digits)));
    let ratios = row.comparisons.iter().map(ratio);
    std::iter::once(row.name.clone()).chain(values).chain(ratios).collect()
}

fn ratio(comparison: &Comparison) -> String {
    let mark = match comparison.mark {
        Mark::Absent | Mark::Within => "",
        Mark::Undecided => " ?",
        Mark::Beyond => " !",
    };
    let Some(ratio) = &comparison.ratio else {
        return match comparison.mark {
            Mark::Absent => "–".to_owned(),
            Mark::Within => "equal".to_owned(),
            Mark::Undecided | Mark::Beyond => format!("only one{mark}"),
        };
    };
    let interval = match (ratio.low, ratio.high) {
        (Some(low), Some(high)) => format!(" ({low:.2}-{high:.2})"),
        _ => String::new(),
    };
    format!("{:.2}{interval}{mark}", ratio.mean)
}

/// What the marks mean.
pub(crate) const LEGEND: &str = "Means over seeds with their 95 % intervals; ratios of means over the seeds that both have, with theirs. \
     `!` differs by more than 5 %, the interval included; `?` may do so or not, since the runs of one place differ as much among each \
     other. Counts whose means differ by no more than half an event are equal.";

/// How many rows are as they should be.
pub(crate) fn tally(judged: &Judged, rows: usize) -> String {
    let explained = judged.found.iter().filter(|found| !found.explained_by.is_empty()).count();
    let (unexplained, undecided) = (judged.unexplained().count(), judged.undecided().count());
    let within = rows - judged.found.len();
    format!(
        "Of {rows} comparisons {within} are within 5 %; {explained} differ and are explained, {undecided} cannot be distinguished from the spread \
         of the runs, {unexplained} differ without an explanation."
    )
}

/// `handovers, cubic, 1 s: recovery (ms), handover 1 (0.71)`
pub(crate) fn named(differing: &Differing) -> String {
    let mut text = format!("{}, {}: {}", differing.scenario, differing.cell, differing.row);
    if let Some(ratio) = differing.ratio {
        let _ = write!(text, " ({ratio:.2})");
    }
    text
}
