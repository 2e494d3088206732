//! What the two threads of a traffic share with each other and with their owner.

use crate::traffic::Outcome;
use crate::traffic::poller::Waker;
use std::collections::BTreeSet;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// Shared by the threads and their owner.
#[derive(Debug)]
pub(super) struct Control {
    is_ending: AtomicBool,
    never_coming: Mutex<BTreeSet<u32>>,
    wakers: Vec<Waker>,
}

impl Control {
    pub(super) fn new(wakers: Vec<Waker>) -> Self {
        Control { is_ending: AtomicBool::new(false), never_coming: Mutex::default(), wakers }
    }

    /// Whether every connection is to end at once.
    pub(super) fn is_ending(&self) -> bool {
        self.is_ending.load(Ordering::Acquire)
    }

    /// End every connection at once.
    pub(super) fn end(&self) {
        self.is_ending.store(true, Ordering::Release);
        self.wakers.iter().for_each(Waker::wake);
    }

    /// How a connection ended that has failed: once everything ends, the other end's reset is no failure.
    pub(super) fn failed(&self, what: &str, error: &io::Error) -> Outcome {
        if self.is_ending() { Outcome::Unfinished } else { Outcome::Failed(format!("{what}: {error}")) }
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
