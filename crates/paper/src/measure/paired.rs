//! Cells compared with cells, seed by seed.

use super::{Behind, BySeed, Measure, Measured, Statistic};
use crate::records::CellRecords;
use seamline_scenario::statistics::{estimate, mean};
use std::collections::BTreeMap;

/// By how many percent the first exceeds the second.
pub(super) fn percent(of: f64, over: f64) -> f64 {
    100.0 * (of / over - 1.0)
}

/// The number of `of` with each value of `over`, and of those the one that no other is better than.
pub(super) fn extreme(
    measure: &Measure,
    cells: &[&CellRecords],
    number: impl Fn(f64, f64) -> f64,
    better: impl Fn(f64, f64) -> bool,
) -> Option<Measured> {
    let (key, values) = measure.over.iter().next()?;
    let mut chosen: Option<Measured> = None;
    let mut behind = Vec::new();
    for value in values.as_slice() {
        let mut found = compared(measure, (key, value), cells, &number)?;
        behind.append(&mut found.behind);
        if chosen.as_ref().is_none_or(|old| better(found.value.mean, old.value.mean)) {
            chosen = Some(found);
        }
    }
    Some(Measured { value: chosen?.value, behind })
}

/// The cells of `of` with those that differ from them in `key = value` alone.
fn compared(
    measure: &Measure,
    (key, value): (&String, &str),
    cells: &[&CellRecords],
    number: impl Fn(f64, f64) -> f64,
) -> Option<Measured> {
    let mut seeds = BySeed::default();
    let mut behind = Vec::new();
    for of in cells.iter().filter(|cell| measure.is_of(cell)) {
        let over = other(of, key, value, cells)?;
        let numbers = paired(measure, of, over, &number)?;
        let name = match measure.statistic {
            Statistic::Difference => format!("{value} less {}", of.name()),
            _ => format!("{} over {value}", of.name()),
        };
        behind.push(Behind { name, value: estimate(&numbers)?, unit: measure.unit() });
        seeds.add(numbers);
    }
    Some(Measured { value: seeds.estimate()?, behind })
}

/// The cell that differs from this one in `key = value` alone.
fn other<'a>(of: &CellRecords, key: &str, value: &str, cells: &[&'a CellRecords]) -> Option<&'a CellRecords> {
    let mut wanted: BTreeMap<String, String> = of.values.clone();
    wanted.insert(key.to_owned(), value.to_owned());
    cells.iter().copied().find(|other| other.figure == of.figure && other.values == wanted)
}

/// A number for each seed that both cells have.
fn paired(
    measure: &Measure,
    of: &CellRecords,
    over: &CellRecords,
    number: impl Fn(f64, f64) -> f64,
) -> Option<Vec<f64>> {
    let (of, over) = (of.numbers(measure.number())?, over.numbers(measure.number())?);
    Some(of.iter().zip(over).map(|(of, over)| number(*of, over)).collect())
}

/// The largest relative difference between the means of `among`, over all groups of other cells.
pub(super) fn spread(measure: &Measure, cells: &[&CellRecords]) -> Option<Measured> {
    let (key, values) = measure.among.iter().next()?;
    let mut behind = Vec::new();
    for first in cells.iter().filter(|cell| measure.is_of(cell) && cell.is(key, &values[0])) {
        let group: Option<Vec<(f64, &CellRecords)>> = values
            .iter()
            .map(|value| {
                let cell = other(first, key, value, cells)?;
                Some((mean(&cell.numbers(measure.number())?)?, cell))
            })
            .collect();
        let mut group = group?;
        group.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        let ((_, least), (_, most)) = (group.first()?, group.last()?);
        let differences = paired(measure, most, least, percent)?;
        let name = format!("{} to {}", least.name(), most.name());
        behind.push(Behind { name, value: estimate(&differences)?, unit: measure.unit() });
    }
    let largest = behind.iter().map(|group| group.value).max_by(|a, b| a.mean.total_cmp(&b.mean))?;
    Some(Measured { value: largest, behind })
}
