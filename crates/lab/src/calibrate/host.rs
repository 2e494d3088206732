//! Whether the host had time for a calibration.

use crate::system::kernel_release;
use serde::Serialize;
use std::fs;
use std::io;

/// A share of the processors' time that others may use without showing in the figures, in per cent.
const QUIET_PERCENT: f64 = 10.0;

/// Where it was measured, and what else went on there.
#[derive(Clone, Debug, Serialize)]
pub struct HostState {
    /// The kernel's release.
    pub kernel: String,
    /// How many processors it has.
    pub processors: usize,
    /// The emulator's priority.
    pub priority: String,
    /// How much of the processors' time went to others than the calibration, in per cent.
    pub used_by_others_percent: f64,
    /// Whether that was too much for the figures to describe the emulator.
    pub was_busy: bool,
}

/// Begins to watch.
#[derive(Debug)]
pub(super) struct Watch(Times);

impl Watch {
    pub(super) fn begin() -> io::Result<Self> {
        Times::now().map(Watch)
    }

    pub(super) fn end(self, priority: String) -> io::Result<HostState> {
        let (begin, end) = (self.0, Times::now()?);
        let all = (end.all - begin.all).max(1);
        let others = (end.busy - begin.busy).saturating_sub(end.own - begin.own);
        let used_by_others_percent = 100.0 * others as f64 / all as f64;
        Ok(HostState {
            kernel: kernel_release()?,
            processors: std::thread::available_parallelism()?.get(),
            priority,
            used_by_others_percent,
            was_busy: used_by_others_percent > QUIET_PERCENT,
        })
    }
}

/// Ticks of the processors since the machine began: all of them, those that were used, and those that this process used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Times {
    all: u64,
    busy: u64,
    own: u64,
}

impl Times {
    fn now() -> io::Result<Self> {
        let [machine, process] = ["/proc/stat", "/proc/self/stat"].map(fs::read_to_string);
        Times::parse(&machine?, &process?).ok_or_else(|| io::Error::other("/proc/stat has another form"))
    }

    fn parse(machine: &str, process: &str) -> Option<Self> {
        // proc_stat(5): user nice system idle iowait irq softirq steal, then guests, who are in `user`, too.
        let line = machine.lines().next()?.strip_prefix("cpu ")?;
        let ticks: Vec<u64> =
            line.split_whitespace().take(8).filter_map(|field| field.parse().ok()).collect();
        let all = ticks.iter().sum();
        let busy = all - ticks.get(3)? - ticks.get(4)?;
        // proc_pid_stat(5): utime and stime are fields 14 and 15; the second is a name in parentheses.
        let (_, fields) = process.rsplit_once(')')?;
        let own =
            fields.split_whitespace().skip(11).take(2).filter_map(|field| field.parse::<u64>().ok()).sum();
        Some(Times { all, busy, own })
    }
}

#[cfg(test)]
mod tests {
    use super::Times;

    #[test]
    fn idle_time_is_not_used_and_ours_is_known() {
        let machine = "cpu  10 1 5 100 20 2 3 4 0 0\ncpu0 1 1 1 1 1 1 1 1 0 0\n";
        let process = "7 (a) name) S 1 2 3 4 5 6 7 8 9 10 30 12 0 0 20\n";
        assert_eq!(Times::parse(machine, process), Some(Times { all: 145, busy: 25, own: 42 }));
        assert_eq!(Times::parse("intr 1\n", process), None);
    }
}
