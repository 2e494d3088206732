//! How far the runs of a plan have come, on standard error if that is a terminal: a single run may take hours.

use crate::terminal::progress_bar;
use indicatif::ProgressBar;
use seamline_experiment::run::Advanced;
use seamline_scenario::Plan;
use seamline_wire::Duration;
use std::sync::atomic::{AtomicU64, Ordering};

/// The bar stands for simulated time, by which the time that is left is estimated.
#[derive(Debug)]
pub(crate) struct RunProgress {
    bar: ProgressBar,
    /// How many runs there are, and how much time they simulate in nanoseconds.
    runs: u64,
    all: u64,
    finished: AtomicU64,
    simulated: AtomicU64,
    segments: AtomicU64,
}

impl RunProgress {
    pub(crate) fn new(plan: &Plan, quiet: bool) -> Self {
        let simulated = plan
            .cells
            .iter()
            .map(|cell| cell.scenario.duration.as_nanos() * cell.scenario.seeds.len() as u64);
        let all = simulated.fold(0, u64::saturating_add);
        // A narrow terminal shows the beginning of the message.
        let bar = progress_bar(all, "{bar:10} {eta} left, {wide_msg}", quiet);
        let runs = plan.runs() as u64;
        let it = RunProgress {
            bar,
            runs,
            all,
            finished: AtomicU64::new(0),
            simulated: AtomicU64::new(0),
            segments: AtomicU64::new(0),
        };
        it.show();
        it
    }

    /// A run has come further.
    pub(crate) fn advanced(&self, by: Advanced) {
        self.simulated.fetch_add(by.simulated.as_nanos(), Ordering::Relaxed);
        self.segments.fetch_add(by.segments, Ordering::Relaxed);
        self.show();
    }

    /// A run has finished; those of kernels do not tell how far they are meanwhile.
    pub(crate) fn finished_one(&self) {
        let finished = self.finished.fetch_add(1, Ordering::Relaxed) + 1;
        let share = (self.all as f64 * (finished as f64 / self.runs.max(1) as f64)) as u64;
        self.simulated.fetch_max(share.min(self.all), Ordering::Relaxed);
        self.show();
    }

    pub(crate) fn clear(&self) {
        self.bar.finish_and_clear();
    }

    fn show(&self) {
        if self.bar.is_hidden() {
            return;
        }
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let simulated = read(&self.simulated).min(self.all);
        self.bar.set_position(simulated);
        self.bar.set_message(message(
            read(&self.finished),
            self.runs,
            [simulated, self.all],
            read(&self.segments),
        ));
    }
}

/// `1/12 runs, 35 of 1200 s simulated, 12.3 M segments`
fn message(finished: u64, runs: u64, [simulated, all]: [u64; 2], segments: u64) -> String {
    let seconds = |nanos: u64| Duration::from_nanos(nanos).as_secs_f64();
    let digits = if seconds(all) < 100.0 { 1 } else { 0 };
    let runs = if runs == 1 { String::new() } else { format!("{finished}/{runs} runs, ") };
    format!(
        "{runs}{:.digits$} of {:.digits$} s simulated, {:.1} M segments",
        seconds(simulated),
        seconds(all),
        segments as f64 / 1e6
    )
}

#[cfg(test)]
mod tests {
    use super::message;

    #[test]
    fn it_says_how_much_is_done_of_how_much() {
        const S: u64 = 1_000_000_000;
        assert_eq!(message(0, 1, [35 * S, 60 * S], 12_340_000), "35.0 of 60.0 s simulated, 12.3 M segments");
        assert_eq!(
            message(1, 12, [35 * S + S / 5, 1200 * S], 0),
            "1/12 runs, 35 of 1200 s simulated, 0.0 M segments"
        );
    }
}
