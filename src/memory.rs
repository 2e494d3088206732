//! Runs at a time: no more than fit into memory.

use crate::estimate::{Costs, Largest};
use crate::terminal::note;
use seamline_report::quantity::bytes;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// What of the memory that is free when runs begin they may take, in percent: others need some, too.
const SHARE: u64 = 90;

/// The memory of a guest.
#[cfg(target_os = "linux")]
const GUEST_MEMORY: u64 = seamline_kernel::guest::MEMORY;
/// There are no guests elsewhere.
#[cfg(not(target_os = "linux"))]
const GUEST_MEMORY: u64 = u64::MAX;

/// How a run takes less memory.
const LESS: &str =
    "raise its `output.interval`, or lower its `count` of flows, `tcp.receive_buffer` or `queue` limits";

/// The memory that runs share.
#[derive(Debug)]
pub(crate) struct Room {
    most: u64,
    used: Mutex<u64>,
    freed: Condvar,
}

/// A part of it that a run has, until it is dropped.
#[derive(Debug)]
pub(crate) struct Place<'a> {
    room: &'a Room,
    bytes: u64,
}

impl Room {
    /// As much as there is now.
    pub(crate) fn now() -> Self {
        Room::of(available().map_or(u64::MAX, |free| free / 100 * SHARE))
    }
    fn of(most: u64) -> Self {
        Room { most, used: Mutex::new(0), freed: Condvar::new() }
    }
    fn used(&self) -> MutexGuard<'_, u64> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }
    /// Wait until so many bytes are free, or all of it is: one run always may run.
    pub(crate) fn wait_for(&self, bytes: u64) -> Place<'_> {
        let is_full = |used: &mut u64| *used > 0 && used.saturating_add(bytes) > self.most;
        let mut used = self.freed.wait_while(self.used(), is_full).unwrap_or_else(PoisonError::into_inner);
        *used = used.saturating_add(bytes);
        Place { room: self, bytes }
    }

    /// State that fewer than `workers` runs fit at a time, or that not even one does. `in_guests` is whether all run in guests,
    /// even where the scenario names no kernel.
    pub(crate) fn state(&self, costs: &Costs, workers: usize, in_guests: bool) {
        let Some(Largest { bytes, cell, is_of_kernel }) = costs.largest() else { return };
        let of_guest = (in_guests || is_of_kernel).then(|| said_of_guest(bytes, cell)).flatten();
        if let Some((kind, text)) = of_guest.or_else(|| said(bytes, self.most, workers, cell)) {
            note(kind, text);
        }
    }
}

/// What to say when a run of so many bytes does not fit into its guest.
fn said_of_guest(one: u64, cell: usize) -> Option<(&'static str, String)> {
    (one > GUEST_MEMORY).then(|| {
        let (one, most) = (bytes(one), bytes(GUEST_MEMORY));
        (
            "warning",
            format!(
                "a run of grid cell {cell} may take {one} of memory, but its guest has only {most}: the run may fail; {LESS}"
            ),
        )
    })
}

/// What to say when runs of so many bytes share so much memory.
fn said(one: u64, most: u64, workers: usize, cell: usize) -> Option<(&'static str, String)> {
    let fit = most / one.max(1);
    match fit {
        0 => Some((
            "warning",
            format!(
                "a run of grid cell {cell} may take {} of memory, but only {} is available: the system may kill it; {LESS}, \
                 or use a machine with more memory",
                bytes(one),
                bytes(most)
            ),
        )),
        _ if fit < workers as u64 => Some((
            "note",
            format!(
                "as few as {fit} runs at a time instead of {workers}: a run may take {} of memory, and {} is available",
                bytes(one),
                bytes(most)
            ),
        )),
        _ => None,
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        *self.room.used() -= self.bytes;
        self.room.freed.notify_all();
    }
}

/// Memory that this process can still get: that of the host, or less by the limits of its control groups.
#[cfg(target_os = "linux")]
fn available() -> Option<u64> {
    use seamline_host::cgroup::{memory_limit, own_groups};
    use seamline_host::meminfo::meminfo;
    let of_host = meminfo(&std::fs::read_to_string("/proc/meminfo").ok()?, "MemAvailable");
    let groups = own_groups().unwrap_or_default();
    let of_groups =
        groups.iter().filter_map(|group| memory_limit(group)).map(|it| it.most.saturating_sub(it.used));
    of_host.into_iter().chain(of_groups).min()
}

/// Not known elsewhere.
#[cfg(not(target_os = "linux"))]
fn available() -> Option<u64> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU64, Ordering};

    /// Sixteen runs of 30 in a room of 100: never more than three at a time, and more than one.
    #[test]
    fn no_more_runs_than_fit() {
        let (room, now, most) = (Room::of(100), AtomicU64::new(0), AtomicU64::new(0));
        let first = room.wait_for(30);
        std::thread::scope(|scope| {
            for _ in 0..16 {
                scope.spawn(|| {
                    let _place = room.wait_for(30);
                    most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    (0..1000).for_each(|_| std::thread::yield_now());
                    now.fetch_sub(1, Ordering::SeqCst);
                });
            }
            // While one run holds its place only two more fit.
            while most.load(Ordering::SeqCst) < 2 {
                std::thread::yield_now();
            }
            assert_eq!(most.load(Ordering::SeqCst), 2);
            drop(first);
        });
        assert!((2..=3).contains(&most.into_inner()));
        assert_eq!(*room.used(), 0);
    }

    #[test]
    fn one_run_always_runs() {
        let room = Room::of(100);
        drop(room.wait_for(1_000));
        drop(room.wait_for(u64::MAX));
        assert_eq!(*room.used(), 0);
    }

    #[test]
    fn what_does_not_fit_is_said_with_numbers() {
        assert_eq!(said(10, 100, 8, 1), None);
        let (kind, text) = said(40_000_000, 100_000_000, 8, 1).unwrap();
        assert_eq!(kind, "note");
        assert!(
            text.contains("as few as 2 runs at a time instead of 8") && text.contains("40.0 MB"),
            "{text}"
        );
        let (kind, text) = said(400_000_000, 100_000_000, 8, 3).unwrap();
        assert_eq!(kind, "warning");
        assert!(text.contains("grid cell 3") && text.contains("receive_buffer"), "{text}");
    }

    #[test]
    fn what_does_not_fit_into_a_guest_is_said_with_numbers() {
        assert_eq!(said_of_guest(GUEST_MEMORY, 1), None);
        let (kind, text) = said_of_guest(4_300_000_000, 2).unwrap();
        assert_eq!(kind, "warning");
        assert!(text.contains("grid cell 2 may take 4.30 GB") && text.contains("has only 1.07 GB"), "{text}");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_host_says_what_is_free() {
        assert!(available().is_some_and(|free| free > 1 << 20));
    }
}
