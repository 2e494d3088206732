//! Lifetimes as messages carry them.

use seamline_wire::{Duration, Instant};

/// Seconds that stand for "without end" (RFC 5944 section 3.3).
pub(crate) const WITHOUT_END: u16 = u16::MAX;

/// When a lifetime that begins at `now` is over; `None` when it never is.
pub(crate) fn end(now: Instant, lifetime_s: u16) -> Option<Instant> {
    (lifetime_s != WITHOUT_END).then(|| now + Duration::from_secs(u64::from(lifetime_s)))
}
