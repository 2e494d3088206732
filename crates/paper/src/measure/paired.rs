//! Cells compared with cells, seed by seed.

use super::{BySeed, Measure, Measured, Statistic};
use crate::evaluate::CellResult;
use crate::records::CellRecords;
use seamline_experiment::statistics::{ERROR_95, Estimate, estimate_at, mean};

/// By how many percent the first exceeds the second.
pub(super) fn percent(of: f64, over: f64) -> f64 {
    100.0 * (of / over - 1.0)
}

/// Which of several comparisons counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extreme {
    /// The one with the smallest mean: above all of them.
    Least,
    /// The one with the largest mean: below all of them.
    Greatest,
}

/// The number of `of` with each value of `over`, and of those the extreme one.
pub(super) fn extreme(
    measure: &Measure,
    cells: &[&CellRecords],
    number: impl Fn(f64, f64) -> f64,
    which: Extreme,
) -> Option<Measured> {
    let (key, values) = measure.over()?;
    let mut all = Vec::new();
    let mut behind = Vec::new();
    for value in values {
        let found = compared(measure, (key, value), cells, &number)?;
        behind.extend(found.cells);
        all.push(found.value);
    }
    Some(Measured { value: extreme_of(&all, which)?, cells: behind })
}

/// The extreme mean. Its interval reaches as far as that of any comparison: a number is above all of them only when each
/// interval is. A comparison without a finite number (a gain over zero) has no extreme and is returned itself.
pub(super) fn extreme_of(all: &[Estimate], which: Extreme) -> Option<Estimate> {
    if let Some(nothing) = all.iter().find(|it| !it.mean.is_finite()) {
        return Some(*nothing);
    }
    let means = |a: &&Estimate, b: &&Estimate| a.mean.total_cmp(&b.mean);
    let farthest = |end: fn(&Estimate) -> Option<f64>, take: fn(f64, f64) -> f64| {
        let ends: Option<Vec<f64>> = all.iter().map(end).collect();
        ends?.into_iter().reduce(take)
    };
    Some(match which {
        Extreme::Least => Estimate { low: farthest(|it| it.low, f64::min), ..*all.iter().min_by(means)? },
        Extreme::Greatest => {
            Estimate { high: farthest(|it| it.high, f64::max), ..*all.iter().max_by(means)? }
        }
    })
}

/// The cells of `of` with those that differ from them in `key = value` alone.
fn compared(
    measure: &Measure,
    (key, value): (&str, &str),
    cells: &[&CellRecords],
    number: impl Fn(f64, f64) -> f64,
) -> Option<Measured> {
    let named = |of: &CellRecords| {
        let numbers = paired(measure, of, of.counterpart(&[(key, value)], cells)?, &number)?;
        let name = match measure.statistic {
            Statistic::Difference => format!("{value} less {}", of.name()),
            _ => format!("{} over {value}", of.name()),
        };
        Some((name, numbers))
    };
    BySeed::of(measure.cells_of(cells, &measure.of), measure.unit(), named)?.measured()
}

/// A number for each seed that both cells have.
pub(super) fn paired(
    measure: &Measure,
    of: &CellRecords,
    over: &CellRecords,
    number: impl Fn(f64, f64) -> f64,
) -> Option<Vec<f64>> {
    let (of, over) = (of.numbers(measure.number())?, over.numbers(measure.number())?);
    Some(of.iter().zip(over).map(|(of, over)| number(*of, over)).collect())
}

/// The largest relative difference between the means of `among`, over all groups of other cells. The same runs show which two
/// are farthest apart, so the intervals of all pairs hold together at 95 %, and the upper end is the highest of them.
pub(super) fn spread(measure: &Measure, cells: &[&CellRecords]) -> Option<Measured> {
    let (key, values) = measure.among.iter().next()?;
    let mut firsts = measure.cells_of(cells, &measure.of);
    firsts.retain(|cell| cell.is(key, &values[0]));
    let pairs = firsts.len() * values.len() * (values.len().max(1) - 1) / 2;
    let (mut behind, mut all) = (Vec::new(), Vec::new());
    for first in firsts {
        let group = group(measure, first, (key, values), cells)?;
        let own = pairs_of(measure, &group, ERROR_95 / pairs as f64)?;
        let name = format!("{} to {}", group.first()?.name(), group.last()?.name());
        behind.push(CellResult::new(name, measure.unit(), Some(extreme_of(&own, Extreme::Greatest)?)));
        all.extend(own);
    }
    Some(Measured { value: extreme_of(&all, Extreme::Greatest)?, cells: behind })
}

/// By how many percent each cell exceeds each before it.
fn pairs_of(measure: &Measure, group: &[&CellRecords], error: f64) -> Option<Vec<Estimate>> {
    let pairs =
        group.iter().enumerate().flat_map(|(n, most)| group[..n].iter().map(move |least| (most, least)));
    pairs.map(|(most, least)| estimate_at(&paired(measure, most, least, percent)?, error)).collect()
}

/// The cells that differ from this one in the values of `among` alone, by their means.
fn group<'a>(
    measure: &Measure,
    first: &CellRecords,
    (key, values): (&String, &[String]),
    cells: &[&'a CellRecords],
) -> Option<Vec<&'a CellRecords>> {
    let with_mean = |value: &String| {
        let cell = first.counterpart(&[(key, value)], cells)?;
        Some((mean(&cell.numbers(measure.number())?)?, cell))
    };
    let mut group: Vec<(f64, &CellRecords)> = values.iter().map(with_mean).collect::<Option<_>>()?;
    group.sort_by(|(a, _), (b, _)| a.total_cmp(b));
    Some(group.into_iter().map(|(_, cell)| cell).collect())
}
