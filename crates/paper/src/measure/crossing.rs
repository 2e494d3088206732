//! Where a curve over a parameter crosses a line.
//!
//! The line is a mean of runs, too, and no more certain than these. So the intervals are the jackknife's: a seed is left out of
//! the curves and of the line at once.

use super::{Measure, Measured};
use crate::evaluate::CellResult;
use crate::records::{self, CellRecords};
use seamline_experiment::statistics::{Estimate, jackknife, mean};
use std::collections::BTreeMap;

/// Where the curve of `of` over `axis` crosses the mean of the line, mean over the seeds.
pub(super) fn crossing(measure: &Measure, cells: &[&CellRecords], line: &[&CellRecords]) -> Option<Measured> {
    let line = records::level(line, measure.number())?;
    let curve = Curve::of(measure, &measure.of, cells)?;
    let value = over_seeds(&[&curve], &line, |seed, height| curve.crossing(seed, height))?;
    let behind = measure.cells_on_axis(cells, &measure.of)?.into_iter().map(|(_, cell)| {
        let value = cell.estimate(measure.number())?;
        Some(CellResult::new(cell.name(), measure.quantity.unit(), Some(value)))
    });
    Some(Measured { value, cells: behind.collect::<Option<_>>()? })
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
        Some(CellResult::new(format!("crossing of `{which}`"), measure.unit(), Some(value)))
    });
    Some(Measured { value, cells: behind.collect() })
}

/// The mean over the seeds of a number that depends on the mean of the line. Unless the line has as many runs as the curves, it
/// is unknown which belong together, so there is no interval.
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
        let cells = measure.cells_on_axis(cells, of)?.into_iter();
        let points: Option<Vec<(f64, Vec<f64>)>> =
            cells.map(|(at, cell)| Some((at, cell.numbers(measure.number())?))).collect();
        let points = points?;
        let seeds = points.iter().map(|(_, numbers)| numbers.len()).min()?;
        Some(Curve { points, seeds })
    }

    /// The first crossing of a seed's curve; `None` when it has none.
    fn crossing(&self, seed: usize, height: f64) -> Option<f64> {
        first_zero(self.points.iter().map(|(at, numbers)| (*at, numbers[seed] - height)))
    }
}

/// The first zero between two neighbours with different signs, by linear interpolation.
fn first_zero(points: impl Iterator<Item = (f64, f64)>) -> Option<f64> {
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
