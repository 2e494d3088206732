//! Tables for a terminal.

use crate::case::Case;
use crate::summary::{Cell, Median, QUANTITIES};
use std::fmt::Write;

/// What a number of runs is shown as: its median, and its interval unless all are the same.
pub(crate) fn shown(median: &Median) -> String {
    let number = |value: f64| if value.is_finite() { format!("{value:.0}") } else { "never".to_owned() };
    let [low, middle, high] = [median.low, median.median, median.high].map(number);
    if low == high { middle } else { format!("{middle} ({low} to {high})") }
}

/// The heads of the columns after those of outage and remedy.
pub(crate) fn heads() -> Vec<String> {
    let heads = QUANTITIES.iter().map(|quantity| format!("{} ({})", quantity.name, quantity.unit));
    heads.chain(["runs".to_owned()]).collect()
}

/// The cells of a row after those of outage and remedy.
pub(crate) fn row(cell: &Cell) -> Vec<String> {
    let medians = cell.medians.iter().map(|median| median.as_ref().map_or("-".to_owned(), shown));
    medians.chain([cell.runs.to_string()]).collect()
}

/// Cells whose conditions are the same, in their order.
pub(crate) fn by_conditions(cells: &[Cell]) -> Vec<(String, Vec<&Cell>)> {
    let mut groups: Vec<(String, Vec<&Cell>)> = Vec::new();
    for cell in cells.iter().filter(|cell| cell.runs > 0) {
        let conditions = Case::conditions(&cell.case);
        match groups.iter_mut().find(|(name, _)| *name == conditions) {
            Some((_, cells)) => cells.push(cell),
            None => groups.push((conditions, vec![cell])),
        }
    }
    groups
}

/// All of it.
pub fn text(cells: &[Cell]) -> String {
    let mut text = String::new();
    for (conditions, cells) in by_conditions(cells) {
        let mut rows = vec![[vec!["outage".to_owned(), "remedy".to_owned()], heads()].concat()];
        let mut last = None;
        for cell in cells {
            let outage = seconds(cell.case.outage_ms);
            let shown = if last == Some(cell.case.outage_ms) { String::new() } else { outage };
            last = Some(cell.case.outage_ms);
            rows.push([vec![shown, cell.case.remedy.name.to_owned()], row(cell)].concat());
        }
        let _ = writeln!(text, "{conditions}");
        let widths: Vec<usize> = (0..rows[0].len())
            .map(|column| rows.iter().map(|row| row[column].len()).max().unwrap_or(0))
            .collect();
        for row in rows {
            let columns = row.iter().zip(&widths).enumerate().map(|(place, (word, width))| match place {
                0 | 1 => format!("{word:<width$}"),
                _ => format!("{word:>width$}"),
            });
            let _ = writeln!(text, "  {}", columns.collect::<Vec<_>>().join("  ").trim_end());
        }
        text.push('\n');
    }
    text
}

/// An outage in seconds, as short as it can be said.
pub(crate) fn seconds(milliseconds: u64) -> String {
    format!("{} s", milliseconds as f64 / 1000.0)
}
