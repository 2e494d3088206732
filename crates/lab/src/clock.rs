//! The clock of the lab: `CLOCK_MONOTONIC`, which nobody sets and which all processes of a host share.

use nix::time::{ClockId, clock_gettime};
use seamline_wire::Instant;

/// Nanoseconds of `CLOCK_MONOTONIC`, as a point in time.
pub fn monotonic() -> Instant {
    let now = clock_gettime(ClockId::CLOCK_MONOTONIC).unwrap_or_else(|_| nix::sys::time::TimeSpec::new(0, 0));
    let seconds = u64::try_from(now.tv_sec()).unwrap_or(0);
    let nanos = u64::try_from(now.tv_nsec()).unwrap_or(0);
    Instant::from_nanos(seconds.saturating_mul(1_000_000_000).saturating_add(nanos))
}
