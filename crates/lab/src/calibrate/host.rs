//! Whether the host had time for a calibration.

use crate::lateness::Lateness;
use crate::system::kernel_release;
use seamline_wire::Duration;
use serde::Serialize;
use std::fs;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

/// A share of the processors' time that others may use without showing in the figures, in per cent.
const QUIET_PERCENT: f64 = 10.0;
/// A thread of the emulator's priority may sleep so much longer than it asked for without showing in the figures. A quick calibration
/// measures a rate over 400 ms, of which several such stalls are less than the 2 % that a rate may be wrong.
const QUIET_STALL: Duration = Duration::from_millis(2);

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
    /// The longest time for which a thread of the emulator's priority did not run although it was due, in milliseconds: a virtual machine
    /// stands still while its host runs others.
    pub longest_stall_ms: f64,
    /// Whether either was too much for the figures to describe the emulator.
    pub was_busy: bool,
}

/// Watches from its beginning to its end.
#[derive(Debug)]
pub(super) struct Watch {
    begin: Times,
    ends: Arc<AtomicBool>,
    longest_stall: JoinHandle<Duration>,
}

impl Watch {
    pub(super) fn begin() -> io::Result<Self> {
        let ends = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&ends);
        let watching = thread::Builder::new().name("watch".to_owned());
        let longest_stall =
            watching.spawn(move || Lateness::of_naps(|| !seen.load(Ordering::Relaxed)).maximum())?;
        Ok(Watch { begin: Times::now()?, ends, longest_stall })
    }

    pub(super) fn end(self, priority: String) -> io::Result<HostState> {
        let (begin, end) = (self.begin, Times::now()?);
        self.ends.store(true, Ordering::Relaxed);
        let stall =
            self.longest_stall.join().map_err(|_| io::Error::other("the thread that watches ended"))?;
        let all = (end.all - begin.all).max(1);
        let others = (end.busy - begin.busy).saturating_sub(end.own - begin.own);
        let used_by_others_percent = 100.0 * others as f64 / all as f64;
        Ok(HostState {
            kernel: kernel_release()?,
            processors: thread::available_parallelism()?.get(),
            priority,
            used_by_others_percent,
            longest_stall_ms: stall.as_nanos() as f64 / 1e6,
            was_busy: used_by_others_percent > QUIET_PERCENT || stall > QUIET_STALL,
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
