//! The parts of the range that a claim is about.

use super::Measure;
use crate::records::CellRecords;
use seamline_report::summary::distinct;

/// The key that stands for the scenario.
const FIGURE: &str = "figure";

/// The value of a key, in a cell.
fn value<'a>(cell: &'a CellRecords, key: &str) -> Option<&'a String> {
    if key == FIGURE { Some(&cell.figure) } else { cell.values.get(key) }
}

/// For each value of the keys in `each`, what it is called (`loss 0.05`) and its cells; nothing of a claim about an average.
pub(crate) fn parts<'a>(measure: &Measure, cells: &[&'a CellRecords]) -> Vec<(String, Vec<&'a CellRecords>)> {
    if measure.each.is_empty() {
        return Vec::new();
    }
    let name = |cell: &CellRecords| {
        let values = measure.each.iter().filter_map(|key| Some(format!("{key} {}", value(cell, key)?)));
        values.collect::<Vec<_>>().join(", ")
    };
    let counting = measure.cells_of(cells, &measure.of);
    let part = |wanted: String| {
        let own = cells.iter().copied().filter(|cell| name(cell) == wanted).collect();
        (wanted, own)
    };
    distinct(counting.iter().map(|cell| name(cell))).into_iter().map(part).collect()
}
