//! The clock that fine-grained timers read.

use seamline_wire::Instant;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The clock that fine-grained timers read, in seconds.
#[derive(Clone, Debug, Default)]
pub enum FineClock {
    /// The time of the run, as the nearest floating-point number.
    #[default]
    Exact,
    /// What somebody else keeps up to date before each step: the bits of an `f64`. A comparison with a
    /// simulator whose clock is a sum of floating-point numbers needs it where that clock's rounding
    /// decides between equals.
    Kept(Arc<AtomicU64>),
}

impl FineClock {
    pub(super) fn read(&self, now: Instant) -> f64 {
        match self {
            FineClock::Exact => now.as_secs_f64(),
            FineClock::Kept(bits) => f64::from_bits(bits.load(Ordering::Relaxed)),
        }
    }
    /// The time between two readings: from the exact times where there are any, so that equal spans
    /// are equal.
    pub(super) fn between(
        &self,
        earlier: Instant,
        earlier_reading: f64,
        later: Instant,
        later_reading: f64,
    ) -> f64 {
        match self {
            FineClock::Exact => later.saturating_since(earlier).as_secs_f64(),
            FineClock::Kept(_) => later_reading - earlier_reading,
        }
    }
}

impl PartialEq for FineClock {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (FineClock::Exact, FineClock::Exact) => true,
            (FineClock::Kept(ours), FineClock::Kept(theirs)) => Arc::ptr_eq(ours, theirs),
            _ => false,
        }
    }
}
