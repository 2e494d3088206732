//! Where a curve over a parameter crosses a line.

use super::{Behind, Measure, Measured};
use crate::records::CellRecords;
use seamline_scenario::statistics::{estimate, mean};
use std::collections::BTreeMap;

/// Where the curve of `of` over `axis` crosses the mean of the line, for each seed.
pub(super) fn crossing(measure: &Measure, cells: &[&CellRecords], line: &[&CellRecords]) -> Option<Measured> {
    let found = crossings(measure, &measure.of, cells, height(measure, line)?)?;
    Some(Measured { value: estimate(&found)?, behind: points(measure, cells)? })
}

/// By how much the crossing of `over` exceeds that of `of`, seed by seed.
pub(super) fn difference(
    measure: &Measure,
    cells: &[&CellRecords],
    line: &[&CellRecords],
) -> Option<Measured> {
    let height = height(measure, line)?;
    let over: Option<BTreeMap<String, String>> = measure
        .over
        .iter()
        .map(|(key, values)| Some((key.clone(), values.as_slice().first()?.clone())))
        .collect();
    let of = crossings(measure, &measure.of, cells, height)?;
    let over = crossings(measure, &over?, cells, height)?;
    let differences: Vec<f64> = of.iter().zip(&over).map(|(of, over)| over - of).collect();
    let behind = [("of", &of), ("over", &over)].into_iter().filter_map(|(which, found)| {
        let name = format!("crossing of `{which}`");
        Some(Behind { name, value: estimate(found)?, unit: measure.unit() })
    });
    Some(Measured { value: estimate(&differences)?, behind: behind.collect() })
}

/// The mean of the line's runs.
fn height(measure: &Measure, line: &[&CellRecords]) -> Option<f64> {
    let numbers: Option<Vec<Vec<f64>>> = line.iter().map(|cell| cell.numbers(measure.number())).collect();
    mean(&numbers?.concat())
}

/// The cells of a curve in the order of the axis.
fn curve<'a>(
    measure: &Measure,
    of: &BTreeMap<String, String>,
    cells: &[&'a CellRecords],
) -> Option<Vec<(f64, &'a CellRecords)>> {
    let axis = measure.axis.as_ref()?;
    let own = cells.iter().filter(|cell| {
        measure.admits(cell) && cell.values.contains_key(axis) && of.iter().all(|(key, it)| cell.is(key, it))
    });
    let mut curve: Vec<(f64, &CellRecords)> =
        own.map(|cell| Some((cell.values[axis].parse().ok()?, *cell))).collect::<Option<_>>()?;
    curve.sort_by(|(a, _), (b, _)| a.total_cmp(b));
    (!curve.is_empty()).then_some(curve)
}

/// The first crossing of each seed's curve; `None` when one has none.
fn crossings(
    measure: &Measure,
    of: &BTreeMap<String, String>,
    cells: &[&CellRecords],
    height: f64,
) -> Option<Vec<f64>> {
    let curve = curve(measure, of, cells)?;
    let numbers: Option<Vec<(f64, Vec<f64>)>> =
        curve.iter().map(|(at, cell)| Some((*at, cell.numbers(measure.number())?))).collect();
    let numbers = numbers?;
    let seeds = numbers.iter().map(|(_, numbers)| numbers.len()).min()?;
    (0..seeds).map(|seed| first(numbers.iter().map(|(at, it)| (*at, it[seed] - height)))).collect()
}

/// Where the first two neighbours with different signs have zero between them.
fn first(points: impl Iterator<Item = (f64, f64)>) -> Option<f64> {
    let mut before: Option<(f64, f64)> = None;
    for (at, above) in points {
        if above == 0.0 {
            return Some(at);
        }
        if let Some((from, from_above)) = before.filter(|(_, it)| (*it < 0.0) != (above < 0.0)) {
            return Some(from + (at - from) * from_above / (from_above - above));
        }
        before = Some((at, above));
    }
    None
}

fn points(measure: &Measure, cells: &[&CellRecords]) -> Option<Vec<Behind>> {
    let curve = curve(measure, &measure.of, cells)?;
    curve
        .iter()
        .map(|(_, cell)| {
            let value = cell.estimate(measure.number())?;
            Some(Behind { name: cell.name(), value, unit: measure.quantity.unit() })
        })
        .collect()
}
