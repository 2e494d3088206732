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

/// What an experiment comes to before any of it has run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Costs {
    runs: usize,
    cells: usize,
    /// How many seconds all runs simulate.
    simulated_s: f64,
    /// Intervals that records keep.
    intervals: f64,
    largest: Option<Largest>,
}

/// The run that may take the most memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Largest {
    pub(crate) bytes: u64,
    /// Its grid cell, from 1.
    pub(crate) cell: usize,
    /// Whether the scenario runs in a guest.
    pub(crate) is_of_kernel: bool,
}

impl Costs {
    pub(crate) fn of(plan: &Plan) -> Self {
        let mut costs = Costs::default();
        plan.cells.iter().for_each(|cell| costs.add(&cell.scenario));
        costs
    }

    /// Add the next grid cell.
    pub(crate) fn add(&mut self, scenario: &Scenario) {
        let seeds = scenario.seeds.len();
        self.runs += seeds;
        self.cells += 1;
        self.simulated_s += scenario.duration.as_secs_f64() * seeds as f64;
        let kept = if scenario.output.intervals_of_every_run { seeds } else { 1 };
        let intervals = scenario.duration.as_nanos().div_ceil(scenario.output.interval.as_nanos());
        self.intervals += intervals as f64 * scenario.flows.len() as f64 * kept as f64;
        let (bytes, is_of_kernel) = (estimate(scenario, true), scenario.kernel().is_some());
        self.largest = self.largest.max(Some(Largest { bytes, cell: self.cells, is_of_kernel }));
    }

    /// How many seconds all runs simulate.
    pub(crate) fn simulated_s(&self) -> f64 {
        self.simulated_s
    }

    /// The run that may take the most memory; `None` without any.
    pub(crate) fn largest(&self) -> Option<Largest> {
        self.largest
    }

    /// What the records take, in bytes: intervals, and handovers, of which a run had so many in a part of this length.
    fn records(&self, tried: &RunRecord, part: Duration) -> f64 {
        let handovers: usize = tried.flows.iter().map(|flow| flow.handovers.len()).sum();
        let handovers = handovers as f64 * self.simulated_s / part.as_secs_f64();
        self.intervals * size_of::<IntervalRecord>() as f64 + handovers * size_of::<HandoverRecord>() as f64
    }
}

/// State about how much time a long experiment takes, and memory if all records are kept, judged by the beginning of its first run.
/// `first` has its first grid cell, and `try_out` makes the first run of a plan that is as short as that.
pub(crate) fn state(
    first: &Plan,
    costs: &Costs,
    keeps_records: bool,
    workers: usize,
    try_out: impl Fn(&Plan) -> Option<RunRecord>,
) {
    let Some(cell) = first.cells.first() else { return };
    let tried = TRIED.min(cell.scenario.duration);
    let try_out = |duration| try_out(&shortened(first, duration));
    let Costs { runs, simulated_s, .. } = *costs;
    let Some((total, record)) = (Ahead { runs, simulated_s, workers }).judge(tried, try_out) else { return };
    let memory = match keeps_records {
        true => format!(" and {} of memory for records", bytes(costs.records(&record, tried) as u64)),
        false => String::new(),
    };
    note(
        "note",
        format!(
            "{} will take about {} on {}{memory}, judged by the first {tried} of one run",
            plural(runs, "run"),
            time(total),
            plural(workers, "processor"),
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
