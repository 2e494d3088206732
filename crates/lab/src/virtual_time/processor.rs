//! Which processor of the host each guest gets.

use nix::sched::{CpuSet, sched_getaffinity, sched_getcpu};
use nix::unistd::Pid;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// By processor that this process may use: its number, and how many guests it has.
static GUESTS: Mutex<Vec<(usize, usize)>> = Mutex::new(Vec::new());

fn guests() -> MutexGuard<'static, Vec<(usize, usize)>> {
    GUESTS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A processor for one guest, for as long as this value.
#[derive(Debug)]
pub(super) struct Processor(usize);

impl Processor {
    /// The one with the fewest guests of this process; of several, the one on which this thread runs, because the host chose it and knows of
    /// other processes. `None` when the host does not say which there are.
    pub(super) fn take() -> Option<Self> {
        let mut guests = guests();
        if guests.is_empty() {
            let allowed = sched_getaffinity(Pid::from_raw(0)).ok()?;
            let numbers = (0..CpuSet::count()).filter(|number| allowed.is_set(*number).unwrap_or(false));
            *guests = numbers.map(|number| (number, 0)).collect();
        }
        let here = sched_getcpu().ok();
        let (number, count) =
            guests.iter_mut().min_by_key(|(number, count)| (*count, Some(*number) != here))?;
        *count += 1;
        Some(Processor(*number))
    }

    pub(super) fn number(&self) -> usize {
        self.0
    }
}

impl Drop for Processor {
    fn drop(&mut self) {
        if let Some((_, count)) = guests().iter_mut().find(|(number, _)| *number == self.0) {
            *count -= 1;
        }
    }
}
