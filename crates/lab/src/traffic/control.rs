//! What the two threads of a traffic share with each other and with their owner.

use crate::traffic::Outcome;
use crate::traffic::poller::Waker;
use std::collections::BTreeSet;
use std::io;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Mutex, PoisonError};

/// How far a traffic has come. It only goes forward.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Phase {
    /// Sources start and write.
    Sending = 0,
    /// Sources write no more; what is written still arrives.
    Draining = 1,
    /// Everything ends at once.
    Ending = 2,
}

/// Shared by the threads and their owner.
#[derive(Debug)]
pub(super) struct Control {
    phase: AtomicU8,
    never_coming: Mutex<BTreeSet<u32>>,
    wakers: Vec<Waker>,
}

impl Control {
    pub(super) fn new(wakers: Vec<Waker>) -> Self {
        Control { phase: AtomicU8::new(Phase::Sending as u8), never_coming: Mutex::default(), wakers }
    }

    pub(super) fn phase(&self) -> Phase {
        match self.phase.load(Ordering::Acquire) {
            0 => Phase::Sending,
            1 => Phase::Draining,
            _ => Phase::Ending,
        }
    }

    pub(super) fn advance_to(&self, phase: Phase) {
        self.phase.fetch_max(phase as u8, Ordering::AcqRel);
        self.wakers.iter().for_each(Waker::wake);
    }

    /// How a connection ended that has failed: once everything ends, the other end's reset is no failure.
    pub(super) fn failed(&self, what: &str, error: &io::Error) -> Outcome {
        match self.phase() {
            Phase::Ending => Outcome::Unfinished,
            Phase::Sending | Phase::Draining => Outcome::Failed(format!("{what}: {error}")),
        }
    }

    /// A source ends without having connected: its sink need not wait for it.
    pub(super) fn never_comes(&self, connection: u32) {
        self.never_coming.lock().unwrap_or_else(PoisonError::into_inner).insert(connection);
        self.wakers.iter().for_each(Waker::wake);
    }

    /// The connections reported by [`Self::never_comes`] since the last call.
    pub(super) fn take_never_coming(&self) -> BTreeSet<u32> {
        std::mem::take(&mut self.never_coming.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
