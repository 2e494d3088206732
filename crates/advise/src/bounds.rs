//! The bounds of an answer: over which range, and how thoroughly, they are searched.

use crate::advice::SchemeAdvice;
use crate::closed_form::{ClosedForm, parameters, segment};
use crate::error::AdviseError;
use crate::question::{Question, Traffic};
use crate::runs::{Point, Runs, STAYS, known, schemes, values};
use crate::scenario::Way;
use crate::search::{Axis, Bound, Effort, Found, search, span};
use crate::solve::as_requested;
use seamline_report::statistics::Estimate;
use seamline_wire::Duration;

/// A budget of a few seconds of simulation. A search that exceeds it uses fewer seeds, then fewer probes.
const PACKETS: f64 = 20e6;
/// The same for a kernel, whose packets take a hundred times as long.
const PACKETS_OF_KERNEL: f64 = 200e3;
/// The fixed cost of a run, in packets.
const PACKETS_TO_BEGIN: f64 = 1000.0;
/// Fewer seeds are not meaningful.
const LEAST_SEEDS: usize = 3;
/// The shortest stay that is probed.
const SHORTEST_STAY_S: f64 = 1e-3;
/// Grid probes and bisections, from thorough to quick.
const SEARCHES: [(usize, usize); 4] = [(8, 5), (5, 3), (4, 2), (3, 2)];

/// How thoroughly the bounds will be searched: as a few seconds allow, but at least with the quickest search and a
/// few seeds.
pub fn effort(question: &Question) -> Effort {
    let (form, schemes) = (ClosedForm::of(question), schemes(question).len());
    let [payload, _] = segment(&parameters(question));
    let bytes = match question.traffic {
        Traffic::File(bytes) => bytes as f64,
        Traffic::Horizon(_) => form.stays.max(form.moves),
    };
    let packets = PACKETS_TO_BEGIN + bytes / payload;
    let all = question.seeds as usize;
    let budget = if question.stack.is_some() { PACKETS_OF_KERNEL } else { PACKETS };
    let affordable = |(grid, bisections): (usize, usize)| {
        let probes = probes(schemes, grid, bisections);
        ((budget / packets) as usize).saturating_sub(schemes * all) / probes
    };
    let least = LEAST_SEEDS.min(all);
    let quickest = SEARCHES[SEARCHES.len() - 1];
    let search = SEARCHES.into_iter().find(|search| affordable(*search) >= least).unwrap_or(quickest);
    let (grid, bisections) = search;
    Effort { seeds: affordable(search).clamp(least, all), grid, bisections }
}

/// How many probes both bounds take.
fn probes(schemes: usize, grid: usize, bisections: usize) -> usize {
    schemes * 2 * (grid + bisections)
}

/// No answer to this question takes more runs.
pub fn most_runs(question: &Question) -> usize {
    let Effort { seeds, grid, bisections } = effort(question);
    let schemes = schemes(question).len();
    // Staying and the handover as requested; a stay without an end, and the probes.
    (1 + schemes) * question.seeds as usize + (schemes + probes(schemes, grid, bisections)) * seeds
}

/// Search both bounds for all schemes.
pub(crate) fn search_bounds(
    question: &Question,
    runs: &mut Runs<'_>,
    effort: Effort,
    schemes: &mut [SchemeAdvice],
) -> Result<(), AdviseError> {
    let interruptions = search_interruption(question, runs, effort, schemes.len())?;
    for (scheme, (advice, found)) in schemes.iter_mut().zip(interruptions).enumerate() {
        advice.over_interruption = curve(question, runs, scheme, &found, effort.seeds);
        advice.longest_interruption = Some(found.bound);
    }
    let stays = search_stay(question, runs, effort, schemes.len())?;
    for (advice, bound) in schemes.iter_mut().zip(stays) {
        advice.shortest_stay = Some(bound);
    }
    Ok(())
}

/// The outcome over the interruption, with as many seeds as every probe has.
fn curve(
    question: &Question,
    runs: &Runs<'_>,
    scheme: usize,
    found: &Found,
    seeds: usize,
) -> Vec<(f64, Estimate)> {
    let point = |at: f64| {
        let way = Way { at: question.at, interruption: span(at), stay: question.stay };
        let samples = runs.of(Point { scheme, way: Some(way) });
        known(&samples[..seeds.min(samples.len())])
    };
    let mut probes = found.probes.clone();
    if as_requested(question, scheme).is_some() {
        probes.push(question.interruption.as_secs_f64());
    }
    probes.sort_by(f64::total_cmp);
    probes.dedup();
    probes.into_iter().map(|at| (at, point(at))).collect()
}

/// The time in seconds from the handover to the end of the longest transfer on the old link, or of the horizon. No
/// longer interruption pays off under any seed.
fn remaining_seconds(question: &Question, runs: &Runs<'_>) -> f64 {
    let whole = match question.traffic {
        Traffic::File(_) => values(runs.of(STAYS)).into_iter().fold(0.0, f64::max),
        Traffic::Horizon(span) => span.as_secs_f64(),
    };
    (whole - question.at.as_secs_f64()).max(0.0)
}

fn search_interruption(
    question: &Question,
    runs: &mut Runs<'_>,
    effort: Effort,
    schemes: usize,
) -> Result<Vec<Found>, AdviseError> {
    let longest =
        remaining_seconds(question, runs).min(question.stay.map_or(f64::INFINITY, Duration::as_secs_f64));
    let steps = (effort.grid - 1) as f64;
    let grid = (0..effort.grid).map(|n| longest * n as f64 / steps).collect();
    let way = |at: f64| Way { at: question.at, interruption: span(at), stay: question.stay };
    search(runs, schemes, &Axis { grid, way: &way, between: f64::midpoint }, effort)
}

/// The range is from a stay in which the file completes, or that exceeds the horizon, to the interruption itself.
fn search_stay(
    question: &Question,
    runs: &mut Runs<'_>,
    effort: Effort,
    schemes: usize,
) -> Result<Vec<Bound>, AdviseError> {
    let shortest = question.interruption.as_secs_f64().max(SHORTEST_STAY_S);
    let forever = Way { at: question.at, interruption: question.interruption, stay: None };
    let points: Vec<Point> = (0..schemes).map(|scheme| Point { scheme, way: Some(forever) }).collect();
    runs.ensure(&points, effort.seeds)?;
    let longest = match question.traffic {
        Traffic::Horizon(span) => (span - question.at).as_secs_f64(),
        Traffic::File(_) => {
            let done = points.iter().flat_map(|point| runs.of(*point)).map(|sample| sample.value);
            done.fold(0.0, f64::max) - question.at.as_secs_f64()
        }
    };
    if longest <= shortest {
        return Ok(vec![Bound::Never { probed_to_s: longest.max(0.0) }; schemes]);
    }
    let steps = (effort.grid - 1) as f64;
    let part = |n: usize| libm::pow(longest / shortest, n as f64 / steps);
    let mut grid: Vec<f64> = (0..effort.grid).map(|n| longest / part(n)).collect();
    if let Some(last) = grid.last_mut() {
        *last = shortest;
    }
    let way = |stay: f64| Way {
        at: question.at,
        interruption: question.interruption,
        stay: Some(span(stay).max(question.interruption)),
    };
    let found = search(runs, schemes, &Axis { grid, way: &way, between: |a, b| (a * b).sqrt() }, effort)?;
    Ok(found.into_iter().map(|found| found.bound).collect())
}
