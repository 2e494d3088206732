//! Gains compared with gains: between two cells, and along a curve.

use super::paired::{Extreme, extreme_of, other, paired, percent};
use super::{Behind, BySeed, Measure, Measured};
use crate::records::CellRecords;
use seamline_experiment::statistics::{ERROR_95, estimate, estimate_at, jackknife, mean};

/// Gains of `of` over `over`, seed by seed, mean over the cells that a condition admits; the cells go to `behind`.
fn gains(
    measure: &Measure,
    cells: &[&CellRecords],
    admits: impl Fn(&CellRecords) -> bool,
    behind: &mut Vec<Behind>,
) -> Option<Vec<f64>> {
    let (key, over) = measure.over.iter().next()?;
    let over = over.as_slice().first()?;
    let mut seeds = BySeed::default();
    for of in cells.iter().filter(|cell| measure.is_of(cell) && admits(cell)) {
        let numbers = paired(measure, of, other(of, key, over, cells)?, percent)?;
        let name = format!("{} over {over}", of.name());
        behind.push(Behind { name, value: estimate(&numbers)?, unit: "%" });
        seeds.add(numbers);
    }
    seeds.means().filter(|means| !means.is_empty())
}

/// The gain where the key of `among` has its first value, less that where it has its second, seed by seed.
pub(super) fn difference(measure: &Measure, cells: &[&CellRecords]) -> Option<Measured> {
    let (key, values) = measure.among.iter().next()?;
    let mut behind = Vec::new();
    let mut of = |value: &String| gains(measure, cells, |cell| cell.is(key, value), &mut behind);
    let (first, second) = (of(values.first()?)?, of(values.get(1)?)?);
    let differences: Vec<f64> = first.iter().zip(&second).map(|(first, second)| first - second).collect();
    Some(Measured { value: estimate(&differences)?, behind })
}

/// Gains over the axis, in its order: place, and a number for each seed.
pub(super) type Curve = Vec<(f64, Vec<f64>)>;

pub(super) fn curve(measure: &Measure, cells: &[&CellRecords], behind: &mut Vec<Behind>) -> Option<Curve> {
    let axis = measure.axis.as_ref()?;
    let of_these = cells.iter().filter(|cell| measure.is_of(cell));
    let mut values: Vec<&String> = of_these.filter_map(|cell| cell.values.get(axis)).collect();
    values.sort();
    values.dedup();
    let point = |value: &String| {
        let found = gains(measure, cells, |cell| cell.is(axis, value), behind)?;
        Some((value.parse().ok()?, found))
    };
    let mut curve: Curve = values.into_iter().map(point).collect::<Option<_>>()?;
    curve.sort_by(|(a, _), (b, _)| a.total_cmp(b));
    Some(curve)
}

/// How far the curve hangs below the line between its ends, in percent of its rise. The interval is the jackknife's over the seeds: of a
/// single seed the rise may be next to nothing.
pub(super) fn sag(measure: &Measure, cells: &[&CellRecords]) -> Option<Measured> {
    let mut behind = Vec::new();
    let curve = curve(measure, cells, &mut behind)?;
    let seeds = curve.iter().map(|(_, gains)| gains.len()).min()?;
    let value = jackknife(seeds, |left_out| {
        let kept = |gains: &Vec<f64>| {
            let own = gains.iter().take(seeds).enumerate().filter(|(seed, _)| Some(*seed) != left_out);
            mean(&own.map(|(_, gain)| *gain).collect::<Vec<_>>())
        };
        let points: Option<Vec<(f64, f64)>> =
            curve.iter().map(|(at, gains)| Some((*at, kept(gains)?))).collect();
        sag_of(&points?)
    })?;
    Some(Measured { value, behind })
}

fn sag_of(points: &[(f64, f64)]) -> Option<f64> {
    let [(from, low), between @ .., (to, high)] = points else { return None };
    let below = |(at, gain): &(f64, f64)| low + (high - low) * (at - from) / (to - from) - gain;
    Some(100.0 * mean(&between.iter().map(below).collect::<Vec<_>>())? / (high - low))
}

/// The largest gain less the smallest. Which two are farthest apart is seen in the same runs, so the intervals of all pairs hold
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
    Some(Measured { value: extreme_of(&all, Extreme::Greatest)?, behind })
}
