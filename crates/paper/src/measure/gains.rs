//! Gains compared with gains: between two cells, and along a curve.

use super::crossing::mean_without;
use super::paired::{Extreme, extreme_of, paired};
use super::{BySeed, Measure, Measured};
use crate::evaluate::CellResult;
use crate::records::CellRecords;
use seamline_experiment::statistics::{ERROR_95, estimate, estimate_at, jackknife, mean};

/// Gains of `of` over `over`, seed by seed, mean over the cells with this value; the cells go to `behind`.
fn gains(
    measure: &Measure,
    cells: &[&CellRecords],
    (key, value): (&str, &str),
    behind: &mut Vec<CellResult>,
) -> Option<Vec<f64>> {
    let (over_key, over) = measure.over()?;
    let over = over.first()?;
    let mut own = measure.cells_of(cells, &measure.of);
    own.retain(|cell| cell.is(key, value));
    let found = BySeed::of(own, measure.unit_of_gains(), |of| {
        let gain = |of, over| measure.gain.of(of, over);
        let numbers = paired(measure, of, of.counterpart(&[(over_key, over)], cells)?, gain)?;
        Some((format!("{} over {over}", of.name()), numbers))
    })?;
    let means = found.means().filter(|means| !means.is_empty());
    behind.extend(found.cells);
    means
}

/// The gain where the key of `among` has its first value, less that where it has its second, seed by seed.
pub(super) fn difference(measure: &Measure, cells: &[&CellRecords]) -> Option<Measured> {
    let (key, values) = measure.among.iter().next()?;
    let mut behind = Vec::new();
    let mut of = |value: &String| gains(measure, cells, (key, value), &mut behind);
    let (first, second) = (of(values.first()?)?, of(values.get(1)?)?);
    let differences: Vec<f64> = first.iter().zip(&second).map(|(first, second)| first - second).collect();
    Some(Measured { value: estimate(&differences)?, cells: behind })
}

/// Gains over the axis, in its order: the value of the axis, and a number for each seed.
pub(super) type Curve = Vec<(f64, Vec<f64>)>;

pub(super) fn curve(
    measure: &Measure,
    cells: &[&CellRecords],
    behind: &mut Vec<CellResult>,
) -> Option<Curve> {
    let axis = measure.axis.as_ref()?;
    let own = measure.cells_of(cells, &measure.of);
    let mut values: Vec<&String> = own.iter().filter_map(|cell| cell.values.get(axis)).collect();
    values.sort();
    values.dedup();
    let point = |value: &String| {
        let found = gains(measure, cells, (axis, value), behind)?;
        Some((value.parse().ok()?, found))
    };
    let mut curve: Curve = values.into_iter().map(point).collect::<Option<_>>()?;
    curve.sort_by(|(a, _), (b, _)| a.total_cmp(b));
    Some(curve)
}

/// How far the curve lies below the line between its ends, in percent of its rise. The interval is the jackknife's over the
/// seeds: the rise of a single seed may be close to zero.
pub(super) fn sag(measure: &Measure, cells: &[&CellRecords]) -> Option<Measured> {
    let mut behind = Vec::new();
    let curve = curve(measure, cells, &mut behind)?;
    let seeds = curve.iter().map(|(_, gains)| gains.len()).min()?;
    let value = jackknife(seeds, |left_out| {
        let point = |(at, gains): &(f64, Vec<f64>)| Some((*at, mean_without(&gains[..seeds], left_out)?));
        sag_of(&curve.iter().map(point).collect::<Option<Vec<_>>>()?)
    })?;
    Some(Measured { value, cells: behind })
}

fn sag_of(points: &[(f64, f64)]) -> Option<f64> {
    let [(from, low), between @ .., (to, high)] = points else { return None };
    let below = |(at, gain): &(f64, f64)| low + (high - low) * (at - from) / (to - from) - gain;
    Some(100.0 * mean(&between.iter().map(below).collect::<Vec<_>>())? / (high - low))
}

/// The largest gain less the smallest. The same runs show which two are farthest apart, so the intervals of all pairs hold
/// together at 95 %.
pub(super) fn spread(measure: &Measure, cells: &[&CellRecords]) -> Option<Measured> {
    let mut behind = Vec::new();
    let mut curve = curve(measure, cells, &mut behind)?;
    curve.sort_by(|(_, a), (_, b)| mean(a).unwrap_or(f64::NAN).total_cmp(&mean(b).unwrap_or(f64::NAN)));
    let pairs = curve.len() * curve.len().saturating_sub(1) / 2;
    let mut all = Vec::new();
    for (place, (_, larger)) in curve.iter().enumerate() {
        for (_, smaller) in &curve[..place] {
            let apart: Vec<f64> =
                larger.iter().zip(smaller).map(|(larger, smaller)| larger - smaller).collect();
            all.push(estimate_at(&apart, ERROR_95 / pairs as f64)?);
        }
    }
    Some(Measured { value: extreme_of(&all, Extreme::Greatest)?, cells: behind })
}
