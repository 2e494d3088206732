//! What a long experiment will take, stated before it begins.

use crate::terminal::note;
use seamline_experiment::memory::estimate;
use seamline_report::quantity::{bytes, plural};
use seamline_report::record::{HandoverRecord, IntervalRecord, RunRecord};
use seamline_scenario::schema::Scenario;
use seamline_scenario::{Cell, Plan};
use seamline_wire::Duration;

/// The simulated part of the first run that is tried.
const TRIED: Duration = Duration::from_secs(20);
/// An experiment that simulates less time on each processor is not tried: that would add more than three percent to it.
const LONG: Duration = Duration::from_secs(600);
/// Estimates below this many seconds are not stated.
const WORTH_STATING_S: f64 = 60.0;

/// State about how much time and memory a long experiment takes, judged by the beginning of its first run. `try_out` makes the first run
/// of a plan that is as short as that.
pub(crate) fn state(plan: &Plan, workers: usize, try_out: impl Fn(&Plan) -> Option<RunRecord>) {
    let Some(first) = plan.cells.first() else { return };
    let tried = TRIED.min(first.scenario.duration);
    let try_out = |duration| try_out(&shortened(plan, duration));
    let ahead = Ahead { runs: plan.runs(), simulated_s: simulated_s(plan), workers };
    let Some((total, record)) = ahead.judge(tried, try_out) else { return };
    let share = tried.as_secs_f64();
    let memory: f64 = plan.cells.iter().map(|cell| memory(&cell.scenario, &record, share)).sum();
    note(
        "note",
        format!(
            "{} will take about {} on {} and {} of memory for records, judged by the first {tried} of one run",
            plural(plan.runs(), "run"),
            time(total),
            plural(workers, "processor"),
            bytes(memory as u64),
        ),
    );
}

/// State about how much time and memory at most so many runs of one scenario take, whose records are not kept, likewise. `try_out` makes
/// one that is as long as it is told.
pub(crate) fn state_runs(
    scenario: &Scenario,
    runs: usize,
    workers: usize,
    try_out: impl Fn(Duration) -> Option<RunRecord>,
) {
    let tried = TRIED.min(scenario.duration);
    let ahead = Ahead { runs, simulated_s: scenario.duration.as_secs_f64() * runs as f64, workers };
    let Some((total, _)) = ahead.judge(tried, try_out) else { return };
    note(
        "note",
        format!(
            "up to {} will take up to {} on {} and {} of memory, judged by the first {tried} of one run",
            plural(runs, "run"),
            time(total),
            plural(workers, "processor"),
            bytes(estimate(scenario, false).saturating_mul(workers as u64)),
        ),
    );
}

/// What there is to do.
struct Ahead {
    runs: usize,
    simulated_s: f64,
    workers: usize,
}

impl Ahead {
    /// How many seconds it takes, if that is long, and the record of the part that was tried. Two runs of different lengths tell what a run
    /// takes to begin from what it takes to go on.
    fn judge(
        &self,
        tried: Duration,
        try_out: impl Fn(Duration) -> Option<RunRecord>,
    ) -> Option<(f64, RunRecord)> {
        let Ahead { runs, simulated_s, workers } = *self;
        if simulated_s / (workers as f64) < LONG.as_secs_f64() {
            return None;
        }
        let short = tried / 20;
        let (begins, _) = timed(|| try_out(short))?;
        let (seconds, record) = timed(|| try_out(tried))?;
        let rate = (seconds - begins).max(0.0) / (tried - short).as_secs_f64();
        let total = (begins * runs as f64 + rate * simulated_s) / workers as f64;
        (total >= WORTH_STATING_S).then_some((total, record))
    }
}

#[expect(clippy::disallowed_methods, reason = "how long the host takes is the question")]
fn timed<T>(work: impl FnOnce() -> Option<T>) -> Option<(f64, T)> {
    let begun = std::time::Instant::now();
    let result = work()?;
    Some((begun.elapsed().as_secs_f64(), result))
}

/// The first run of a plan, and only as much of it.
fn shortened(plan: &Plan, duration: Duration) -> Plan {
    let mut cells: Vec<Cell> = plan.cells.first().cloned().into_iter().collect();
    cells.iter_mut().for_each(|cell| cell.scenario.duration = duration);
    Plan {
        sources: plan.sources.clone(),
        base: plan.base.clone(),
        axes: plan.axes.clone(),
        cells,
        refused: plan.refused.clone(),
    }
}

/// How many seconds all runs of a plan simulate.
pub(crate) fn simulated_s(plan: &Plan) -> f64 {
    let scenarios = plan.cells.iter().map(|cell| &cell.scenario);
    scenarios.map(|it| it.duration.as_secs_f64() * it.seeds.len() as f64).sum()
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
pub(crate) fn time(seconds: f64) -> String {
    if seconds < 120.0 {
        return format!("{seconds:.0} s");
    }
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
        assert_eq!(
            [61.0, 150.0, 3600.0, 5400.0, 360_030.0].map(time),
            ["61 s", "3 min", "1 h", "1 h 30 min", "100 h"]
        );
    }
}
