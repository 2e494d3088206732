//! Where a curve over a parameter crosses a line.
//!
//! The line is a mean of runs, too, and known no better than these tell. So the intervals are the jackknife's: a seed is left out
//! of the curves and of the line at once.

use super::{Behind, Measure, Measured};
use crate::records::{self, CellRecords};
use seamline_experiment::statistics::{Estimate, jackknife, mean};
use std::collections::BTreeMap;

/// Where the curve of `of` over `axis` crosses the mean of the line, mean over the seeds.
pub(super) fn crossing(measure: &Measure, cells: &[&CellRecords], line: &[&CellRecords]) -> Option<Measured> {
    let line = records::level(line, measure.number())?;
    let curve = Curve::of(measure, &measure.of, cells)?;
    let value = over_seeds(&[&curve], &line, |seed, height| curve.crossing(seed, height))?;
    Some(Measured { value, behind: points(measure, cells)? })
}

/// By how much the crossing of `over` exceeds that of `of`, seed by seed.
pub(super) fn difference(
    measure: &Measure,
    cells: &[&CellRecords],
    line: &[&CellRecords],
) -> Option<Measured> {
    let line = records::level(line, measure.number())?;
    let over: Option<BTreeMap<String, String>> = measure
        .over
        .iter()
        .map(|(key, values)| Some((key.clone(), values.as_slice().first()?.clone())))
        .collect();
    let (of, over) = (Curve::of(measure, &measure.of, cells)?, Curve::of(measure, &over?, cells)?);
    let value = over_seeds(&[&of, &over], &line, |seed, height| {
        Some(over.crossing(seed, height)? - of.crossing(seed, height)?)
    })?;
    let behind = [("of", &of), ("over", &over)].into_iter().filter_map(|(which, curve)| {
        let value = over_seeds(&[curve], &line, |seed, height| curve.crossing(seed, height))?;
        Some(Behind { name: format!("crossing of `{which}`"), value, unit: measure.unit() })
    });
    let behind = behind.collect();
    Some(Measured { value, behind })
}

/// The mean over the seeds of a number that hangs on the mean of the line. Without as many runs of the line as of the curves
/// there is no telling which belong together, hence no interval.
fn over_seeds(
    curves: &[&Curve],
    line: &[f64],
    number: impl Fn(usize, f64) -> Option<f64>,
) -> Option<Estimate> {
    let seeds = curves.iter().map(|curve| curve.seeds).min()?;
    let kept = |count: usize, left_out: Option<usize>| (0..count).filter(move |seed| Some(*seed) != left_out);
    jackknife(seeds, |left_out| {
        if left_out.is_some() && line.len() != seeds {
            return None;
        }
        let height = mean(&kept(line.len(), left_out).map(|seed| line[seed]).collect::<Vec<_>>())?;
        let numbers: Option<Vec<f64>> = kept(seeds, left_out).map(|seed| number(seed, height)).collect();
        mean(&numbers?)
    })
}

/// A number for each seed over a parameter.
struct Curve {
    /// In the order of the axis.
    points: Vec<(f64, Vec<f64>)>,
    seeds: usize,
}

impl Curve {
    /// `None` when there is no such cell, or a run without the number.
    fn of(measure: &Measure, of: &BTreeMap<String, String>, cells: &[&CellRecords]) -> Option<Self> {
        let cells = cells_of(measure, of, cells)?;
        let points: Option<Vec<(f64, Vec<f64>)>> =
            cells.iter().map(|(at, cell)| Some((*at, cell.numbers(measure.number())?))).collect();
        let points = points?;
        let seeds = points.iter().map(|(_, numbers)| numbers.len()).min()?;
        Some(Curve { points, seeds })
    }

    /// The first crossing of a seed's curve; `None` when it has none.
    fn crossing(&self, seed: usize, height: f64) -> Option<f64> {
        first(self.points.iter().map(|(at, it)| (*at, it[seed] - height)))
    }
}

/// The cells of a curve in the order of the axis.
fn cells_of<'a>(
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
    let curve = cells_of(measure, &measure.of, cells)?;
    curve
        .iter()
        .map(|(_, cell)| {
            let value = cell.estimate(measure.number())?;
            Some(Behind { name: cell.name(), value, unit: measure.quantity.unit() })
        })
        .collect()
}
