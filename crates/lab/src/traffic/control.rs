//! How the owner of a traffic ends its two threads.

use crate::traffic::Outcome;
use crate::traffic::poller::Waker;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

/// Shared by the threads and their owner.
#[derive(Debug)]
pub(super) struct Control {
    is_ending: AtomicBool,
    wakers: Vec<Waker>,
}

impl Control {
    pub(super) fn new(wakers: Vec<Waker>) -> Self {
        Control { is_ending: AtomicBool::new(false), wakers }
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
}
