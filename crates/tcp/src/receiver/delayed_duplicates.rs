//! Delayed duplicate acknowledgments (Vaidya, Mehta, Perkins and Montenegro, "Delayed duplicate acknowledgements: a TCP-unaware approach to
//! improve performance of TCP over wireless", Texas A&M University, Technical Report 99-003, 1999; Wireless Communications and Mobile
//! Computing 2, 2002).
//!
//! The link layer below this receiver repairs losses out of order. The first two duplicates for a gap leave at once; the third and each further
//! one wait, so that a repair can come first. When the gap is filled they are dropped, and the acknowledgment of the repair leaves instead.
//! Reading: each waits for its own time, so that those that leave in the end keep their spacing.

use seamline_wire::{Duration, Instant};
use std::collections::VecDeque;

/// Duplicates that leave at once: with fewer than three no sender retransmits (RFC 5681 section 3.2).
const AT_ONCE: u32 = 2;

/// The duplicates for the current gap.
#[derive(Debug)]
pub(super) struct DelayedDuplicates {
    delay: Duration,
    /// How many the gap has caused, up to [`AT_ONCE`].
    caused: u32,
    /// When those that wait are due.
    due: VecDeque<Instant>,
}

impl DelayedDuplicates {
    pub(super) fn new(delay: Duration) -> Self {
        DelayedDuplicates { delay, caused: 0, due: VecDeque::new() }
    }

    /// A segment causes a duplicate. Returns whether that waits.
    pub(super) fn waits(&mut self, now: Instant) -> bool {
        let waits = self.caused >= AT_ONCE;
        if waits {
            self.due.push_back(now + self.delay);
        } else {
            self.caused += 1;
        }
        waits
    }

    /// Something has come in order: what waits says nothing any more.
    pub(super) fn forget(&mut self) {
        self.caused = 0;
        self.due.clear();
    }

    /// When the first one is due.
    pub(super) fn due_at(&self) -> Option<Instant> {
        self.due.front().copied()
    }

    /// Takes out those that are due, and returns how many they are.
    pub(super) fn take_due(&mut self, now: Instant) -> usize {
        let count = self.due.partition_point(|at| *at <= now);
        self.due.drain(..count).count()
    }
}
