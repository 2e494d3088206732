//! Find bounds by simulation: a grid, then bisection. All probes of a scheme have the same losses, so the mean gain
//! is a function of the interruption, or of the stay, that can be searched.

use crate::error::AdviseError;
use crate::runs::{Point, Runs};
use crate::scenario::Way;
use seamline_report::statistics::{Estimate, estimate, mean};
use seamline_wire::Duration;
use serde::Serialize;

/// The result of a search.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Bound {
    /// The gain becomes zero here.
    At {
        /// Where the mean gain becomes zero, in seconds.
        seconds: f64,
        /// The mean and interval of the place at which the gain of each seed becomes zero; `None` when it does not
        /// for some seed.
        over_seeds: Option<Estimate>,
        /// The distance between the two probes around it, in seconds.
        resolution_s: f64,
    },
    /// The handover pays off in the whole range.
    Always {
        /// Where the range ends, in seconds.
        probed_to_s: f64,
    },
    /// The handover pays off nowhere in the range.
    Never {
        /// Where the range ends, in seconds.
        probed_to_s: f64,
    },
}

impl Bound {
    /// Where the handover pays off: at some places, always or never.
    pub fn kind(&self) -> &'static str {
        match self {
            Bound::At { .. } => "up to a bound",
            Bound::Always { .. } => "always",
            Bound::Never { .. } => "never",
        }
    }
}

/// How thoroughly to search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Effort {
    /// Seeds per probe.
    pub seeds: usize,
    /// Probes of the grid, both ends included.
    pub grid: usize,
    /// Bisection steps.
    #[serde(rename = "halvings")]
    pub bisections: usize,
}

/// The places to probe. They start where the handover most likely pays off; the search finds where it ceases to.
pub(crate) struct Axis<'a> {
    /// Best first.
    pub(crate) grid: Vec<f64>,
    pub(crate) way: &'a dyn Fn(f64) -> Way,
    /// The midpoint of two places.
    pub(crate) between: fn(f64, f64) -> f64,
}

/// The result for one scheme: the bound, and all probes in axis order.
pub(crate) struct Found {
    pub(crate) bound: Bound,
    pub(crate) probes: Vec<f64>,
}

/// Search for all schemes at once, so that every round uses all processors.
pub(crate) fn search(
    runs: &mut Runs<'_>,
    schemes: usize,
    axis: &Axis<'_>,
    effort: Effort,
) -> Result<Vec<Found>, AdviseError> {
    let point = |scheme: usize, at: f64| Point { scheme, way: Some((axis.way)(at)) };
    let first: Vec<Point> =
        (0..schemes).flat_map(|scheme| axis.grid.iter().map(move |at| point(scheme, *at))).collect();
    runs.ensure(&first, effort.seeds)?;
    let mut probes = vec![axis.grid.clone(); schemes];
    for _ in 0..effort.bisections {
        let middles: Vec<Option<f64>> = (0..schemes)
            .map(|scheme| {
                let (worth, not) = bracket(runs, &probes[scheme], |at| point(scheme, at))?;
                Some((axis.between)(worth, not))
            })
            .collect();
        let wanted: Vec<Point> =
            middles.iter().enumerate().filter_map(|(scheme, at)| Some(point(scheme, (*at)?))).collect();
        runs.ensure(&wanted, effort.seeds)?;
        for (probes, middle) in probes.iter_mut().zip(middles) {
            insert(probes, middle);
        }
    }
    let found = probes.into_iter().enumerate();
    Ok(found.map(|(scheme, probes)| conclude(runs, probes, |at| point(scheme, at))).collect())
}

/// Insert a probe in order, whether the axis rises or falls.
fn insert(probes: &mut Vec<f64>, at: Option<f64>) {
    let Some(at) = at.filter(|at| !probes.contains(at)) else { return };
    let rises = probes.first() < probes.last();
    let place = probes.iter().position(|known| (*known > at) == rises).unwrap_or(probes.len());
    probes.insert(place, at);
}

/// The first pair of neighbours of which the first pays off and the second does not.
fn bracket(runs: &Runs<'_>, probes: &[f64], point: impl Fn(f64) -> Point) -> Option<(f64, f64)> {
    let worth = |at: f64| mean(&runs.gains(point(at))).is_some_and(|gain| gain > 0.0);
    probes
        .windows(2)
        .find(|pair| worth(pair[0]) && !worth(pair[1]))
        .map(|pair| (pair[0], pair[1]))
        .filter(|_| probes.first().is_some_and(|best| worth(*best)))
}

fn conclude(runs: &Runs<'_>, probes: Vec<f64>, point: impl Fn(f64) -> Point) -> Found {
    let gains: Vec<(f64, Vec<f64>)> = probes.iter().map(|at| (*at, runs.gains(point(*at)))).collect();
    let means: Vec<(f64, f64)> = gains.iter().filter_map(|(at, gains)| Some((*at, mean(gains)?))).collect();
    let last = probes.last().copied().unwrap_or_default();
    let bound = match (means.first(), crossing(means.iter().copied())) {
        (Some((best, gain)), _) if *gain <= 0.0 => Bound::Never { probed_to_s: *best },
        (_, None) => Bound::Always { probed_to_s: last },
        (_, Some((seconds, resolution_s))) => {
            let seeds = gains.iter().map(|(_, gains)| gains.len()).min().unwrap_or(0);
            let of_seed = |seed: usize| crossing(gains.iter().map(|(at, gains)| (*at, gains[seed])));
            let each: Option<Vec<f64>> = (0..seeds).map(|seed| Some(of_seed(seed)?.0)).collect();
            Bound::At { seconds, over_seeds: each.and_then(|each| estimate(&each)), resolution_s }
        }
    };
    Found { bound, probes }
}

/// Where an initially positive gain becomes zero, by linear interpolation between its neighbours, and the distance
/// between them.
fn crossing(gains: impl Iterator<Item = (f64, f64)>) -> Option<(f64, f64)> {
    let mut before: Option<(f64, f64)> = None;
    for (at, gain) in gains {
        match before {
            Some((from, from_gain)) if gain <= 0.0 => {
                return Some((from + (at - from) * from_gain / (from_gain - gain), (at - from).abs()));
            }
            None if gain <= 0.0 => return None,
            _ => before = Some((at, gain)),
        }
    }
    None
}

/// Seconds as a duration; negative values become zero.
pub(crate) fn span(seconds: f64) -> Duration {
    Duration::from_secs_f64(seconds.max(0.0))
}

#[cfg(test)]
mod tests {
    use super::{crossing, insert};

    #[test]
    fn the_first_crossing_is_interpolated_linearly() {
        assert_eq!(crossing([(0.0, 2.0), (1.0, 1.0), (3.0, -1.0), (4.0, 5.0)].into_iter()), Some((2.0, 2.0)));
        assert_eq!(crossing([(8.0, 3.0), (4.0, -1.0)].into_iter()), Some((5.0, 4.0)), "downwards");
        assert_eq!(crossing([(0.0, -2.0), (1.0, 1.0)].into_iter()), None);
        assert_eq!(crossing([(0.0, 2.0), (1.0, 1.0)].into_iter()), None);
    }

    #[test]
    fn probes_stay_in_order() {
        let (mut up, mut down) = (vec![0.0, 2.0, 4.0], vec![4.0, 2.0, 0.0]);
        for at in [Some(3.0), Some(1.0), None, Some(2.0)] {
            insert(&mut up, at);
            insert(&mut down, at);
        }
        assert_eq!(up, [0.0, 1.0, 2.0, 3.0, 4.0]);
        assert_eq!(down, [4.0, 3.0, 2.0, 1.0, 0.0]);
    }
}
