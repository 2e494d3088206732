//! A clock that adds up floating-point numbers, as ns-2's does.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Seconds since the start of the run, as the bits of an `f64`. The driver of the endpoint sets it before each step. A comparison
/// with ns-2 needs it where the rounding of ns-2's sums decides between two equal times.
#[derive(Clone, Debug, Default)]
pub struct DrivenClock(pub Arc<AtomicU64>);

impl DrivenClock {
    pub(crate) fn seconds(&self) -> f64 {
        f64::from_bits(self.0.load(Ordering::Relaxed))
    }
}

impl PartialEq for DrivenClock {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}
