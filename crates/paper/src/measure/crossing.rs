//! Where a curve over a parameter crosses a line.
//!
//! The curve and the line are means over all seeds: the curve of a single seed scatters by more than the curves differ, and may
//! cross the line several times or never. The interval is the jackknife's: a seed is left out of the curves and of the line at once.

use super::{Measure, Measured};
use crate::evaluate::CellResult;
use crate::records::{self, CellRecords};
use seamline_experiment::statistics::{Estimate, jackknife, mean};
use serde::Deserialize;
use std::collections::BTreeMap;

/// On which side of the crossing the curve lies below the line, so that what the axis shows pays off.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum PaysOff {
    /// Up to the crossing, like t*_MAX: it is the first one. A curve that lies below everywhere is given the last value of the
    /// axis, one that begins above the first.
    #[default]
    UpTo,
    /// From the crossing on, like T_WLAN_MIN: it is the last one. A curve that lies below everywhere is given the first value of
    /// the axis, one that ends above the last.
    From,
}

/// Where the curve of `of` over `axis` crosses the line.
pub(super) fn crossing(measure: &Measure, cells: &[&CellRecords], line: &[&CellRecords]) -> Option<Measured> {
    let line = records::level(line, measure.number())?;
    let curve = Curve::of(measure, &measure.of, cells)?;
    let value = pooled(&[&curve], &line, |left_out, height| curve.crossing(left_out, height))?;
    let behind = measure.cells_on_axis(cells, &measure.of)?.into_iter().map(|(_, cell)| {
        let value = cell.estimate(measure.number())?;
        Some(CellResult::new(cell.name(), measure.quantity.unit(), Some(value)))
    });
    Some(Measured { value, cells: behind.collect::<Option<_>>()? })
}

/// By how much the crossing of `over` exceeds that of `of`.
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
    let value = pooled(&[&of, &over], &line, |left_out, height| {
        Some(over.crossing(left_out, height)? - of.crossing(left_out, height)?)
    })?;
    let behind = [("of", &of), ("over", &over)].into_iter().filter_map(|(which, curve)| {
        let value = pooled(&[curve], &line, |left_out, height| curve.crossing(left_out, height))?;
        Some(CellResult::new(format!("crossing of `{which}`"), measure.unit(), Some(value)))
    });
    Some(Measured { value, cells: behind.collect() })
}

/// A number that depends on the means of curves and of the line. Unless the line has as many runs as the curves, it is unknown
/// which belong together, so there is no interval.
fn pooled(
    curves: &[&Curve],
    line: &[f64],
    number: impl Fn(Option<usize>, f64) -> Option<f64>,
) -> Option<Estimate> {
    let seeds = curves.iter().map(|curve| curve.seeds).min()?;
    jackknife(seeds, |left_out| {
        if left_out.is_some() && line.len() != seeds {
            return None;
        }
        number(left_out, mean_without(line, left_out)?)
    })
}

/// The mean of all seeds but one.
pub(super) fn mean_without(seeds: &[f64], left_out: Option<usize>) -> Option<f64> {
    let kept = seeds.iter().enumerate().filter(|(seed, _)| Some(*seed) != left_out);
    mean(&kept.map(|(_, number)| *number).collect::<Vec<_>>())
}

/// A number for each seed over a parameter.
struct Curve {
    /// In the order of the axis.
    points: Vec<(f64, Vec<f64>)>,
    seeds: usize,
    pays_off: PaysOff,
}

impl Curve {
    /// `None` when there is no such cell, or a run without the number.
    fn of(measure: &Measure, of: &BTreeMap<String, String>, cells: &[&CellRecords]) -> Option<Self> {
        let cells = measure.cells_on_axis(cells, of)?.into_iter();
        let points: Option<Vec<(f64, Vec<f64>)>> =
            cells.map(|(at, cell)| Some((at, cell.numbers(measure.number())?))).collect();
        let points = points?;
        let seeds = points.iter().map(|(_, numbers)| numbers.len()).min()?;
        Some(Curve { points, seeds, pays_off: measure.pays_off })
    }

    /// The crossing of the mean curve.
    fn crossing(&self, left_out: Option<usize>, height: f64) -> Option<f64> {
        let above = |(at, numbers): &(f64, Vec<f64>)| Some((*at, mean_without(numbers, left_out)? - height));
        let mut points: Vec<(f64, f64)> = self.points.iter().map(above).collect::<Option<_>>()?;
        if self.pays_off == PaysOff::From {
            points.reverse();
        }
        Some(end_of_what_is_below(&points))
    }
}

/// How far the points lie below zero from the first one on, by linear interpolation; as far as they go when none is above.
fn end_of_what_is_below(points: &[(f64, f64)]) -> f64 {
    let below = points.iter().take_while(|(_, above)| *above < 0.0).count();
    match (below.checked_sub(1).map(|last| points[last]), points.get(below)) {
        (Some((from, from_above)), Some((to, above))) => {
            from + (to - from) * from_above / (from_above - above)
        }
        (Some((last, _)), None) => last,
        (None, _) => points.first().map_or(f64::NAN, |(first, _)| *first),
    }
}
