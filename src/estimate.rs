//! What a long experiment will take, stated before it begins.

use crate::terminal::note;
use seamline_experiment::run_seed;
use seamline_report::quantity::{bytes, plural};
use seamline_report::record::{HandoverRecord, IntervalRecord, RunRecord};
use seamline_scenario::Plan;
use seamline_scenario::schema::Scenario;
use seamline_wire::Duration;
use std::sync::atomic::AtomicBool;

/// Experiments with less simulated time in all are not worth an estimate.
const LONG: Duration = Duration::from_secs(36_000);
/// The simulated part of the first run that is tried.
const TRIED: Duration = Duration::from_secs(20);
/// Estimates below this many seconds are not stated.
const WORTH_STATING_S: f64 = 60.0;

/// State about how much time and memory a long experiment takes, judged by the beginning of its first run.
pub(crate) fn state(plan: &Plan, workers: usize, stop: &AtomicBool) {
    if plan.cells.iter().any(|cell| cell.scenario.kernel().is_some()) {
        return;
    }
    let simulated: f64 = plan.cells.iter().map(|cell| simulated(&cell.scenario)).sum();
    if simulated < LONG.as_secs_f64() {
        return;
    }
    let Some(first) = plan.cells.first() else { return };
    let tried = Scenario { duration: TRIED.min(first.scenario.duration), ..first.scenario.clone() };
    let Some((seconds, record)) = try_out(&tried, stop) else { return };
    let share = tried.duration.as_secs_f64();
    let total = seconds * simulated / share / workers as f64;
    if total < WORTH_STATING_S {
        return;
    }
    let memory: f64 = plan.cells.iter().map(|cell| memory(&cell.scenario, &record, share)).sum();
    note(
        "note",
        format!(
            "{} will take about {} on {} and {} of memory for records, judged by the first {} of one run",
            plural(plan.runs(), "run"),
            time(total),
            plural(workers, "processor"),
            bytes(memory as u64),
            tried.duration
        ),
    );
}

fn simulated(scenario: &Scenario) -> f64 {
    scenario.duration.as_secs_f64() * scenario.seeds.len() as f64
}

#[expect(clippy::disallowed_methods, reason = "how long the host takes is the question")]
fn try_out(scenario: &Scenario, stop: &AtomicBool) -> Option<(f64, RunRecord)> {
    let begun = std::time::Instant::now();
    let record = run_seed(scenario, *scenario.seeds.first()?, stop)?;
    Some((begun.elapsed().as_secs_f64(), record))
}

/// What the records of a grid cell take, in bytes: intervals of the first run or of all, and the handovers of all.
fn memory(scenario: &Scenario, tried: &RunRecord, share: f64) -> f64 {
    let seeds = scenario.seeds.len() as f64;
    let kept = if scenario.output.intervals_of_every_run { seeds } else { 1.0 };
    let intervals = scenario.duration.as_nanos().div_ceil(scenario.output.interval.as_nanos()) as f64;
    let handovers: usize = tried.flows.iter().map(|flow| flow.handovers.len()).sum();
    let handovers = handovers as f64 * scenario.duration.as_secs_f64() / share;
    intervals * scenario.flows.len() as f64 * kept * size_of::<IntervalRecord>() as f64
        + handovers * seeds * size_of::<HandoverRecord>() as f64
}

/// Seconds, for people.
fn time(seconds: f64) -> String {
    let minutes = (seconds / 60.0).round() as u64;
    match (minutes / 60, minutes % 60) {
        (0, minutes) => format!("{minutes} min"),
        (hours, 0) => format!("{hours} h"),
        (hours @ ..24, minutes) => format!("{hours} h {minutes} min"),
        (hours, _) => format!("{hours} h"),
    }
}

#[cfg(test)]
mod tests {
    use super::time;

    #[test]
    fn times_are_for_people() {
        assert_eq!([61.0, 3600.0, 5400.0, 360_030.0].map(time), ["1 min", "1 h", "1 h 30 min", "100 h"]);
    }
}
