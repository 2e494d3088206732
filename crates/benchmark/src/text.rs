//! Tables for a terminal.

use crate::case::Case;
use crate::summary::{Cell, QUANTITIES};
use seamline_report::export::table::{Data, Table};
use seamline_report::statistics::Median;
use seamline_report::text_table::TextTable;
use std::fmt::Write;

/// What a number of runs is shown as: its median, and its interval unless all are the same.
pub(crate) fn shown(median: &Median) -> String {
    let number = |value: f64| if value.is_finite() { format!("{value:.0}") } else { "never".to_owned() };
    let [low, middle, high] = [median.low, median.median, median.high].map(number);
    if low == high { middle } else { format!("{middle} ({low} to {high})") }
}

/// A table without rows: two columns that name a row, and numbers.
pub(crate) fn table() -> TextTable {
    let quantities = QUANTITIES.iter().map(|quantity| format!("{} ({})", quantity.name, quantity.unit));
    let [outage, remedy, runs] = ["outage", "remedy", "runs"].map(str::to_owned);
    TextTable::new("llr", [outage, remedy].into_iter().chain(quantities).chain([runs]))
}

/// The cells of a row.
pub(crate) fn row(cell: &Cell) -> Vec<String> {
    let names = [seconds(cell.case.outage_ms), cell.case.remedy.name.to_owned()];
    let medians = cell.medians.iter().map(|median| median.as_ref().map_or("-".to_owned(), shown));
    names.into_iter().chain(medians).chain([cell.runs.to_string()]).collect()
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
        let mut last = None;
        let rows = cells.into_iter().map(|cell| {
            let mut row = row(cell);
            if last.replace(cell.case.outage_ms) == Some(cell.case.outage_ms) {
                row[0].clear();
            }
            row
        });
        let _ = writeln!(text, "{conditions}\n{}", table().with(rows).to_text());
    }
    text
}

/// A row for each case that was run; `inf` is what never came.
pub fn to_table(cells: &[Cell]) -> Table {
    let rows = || cells.iter().filter(|cell| cell.runs > 0);
    let table = Table::new("handovers")
        .text("conditions", rows().map(|cell| Case::conditions(&cell.case)))
        .whole("outage_ms", rows().map(|cell| cell.case.outage_ms))
        .text("remedy", rows().map(|cell| cell.case.remedy.name.to_owned()))
        .whole("runs", rows().map(|cell| cell.runs as u64));
    QUANTITIES.iter().enumerate().fold(table, |table, (place, quantity)| {
        let column = |part: &str| format!("{}_{part}_{}", quantity.name.replace(' ', "_"), quantity.unit);
        let numbers = |of: fn(&Median) -> f64| {
            Data::Real(rows().map(|cell| cell.medians[place].as_ref().map(of)).collect())
        };
        table
            .with(column("median"), numbers(|median| median.median))
            .with(column("low"), numbers(|median| median.low))
            .with(column("high"), numbers(|median| median.high))
    })
}

/// An outage in seconds, in its shortest form.
pub(crate) fn seconds(milliseconds: u64) -> String {
    format!("{} s", milliseconds as f64 / 1000.0)
}
