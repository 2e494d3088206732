//! The kernel's clocks.

use nix::time::{ClockId, clock_gettime};
use seamline_wire::Instant;

/// `CLOCK_MONOTONIC`, which is never set and is the same in all processes of a host.
pub fn monotonic() -> Instant {
    read(ClockId::CLOCK_MONOTONIC)
}

/// `CLOCK_REALTIME`: the time since 1970. The kernel stamps packets with it, and satellites follow it.
pub fn wall() -> Instant {
    read(ClockId::CLOCK_REALTIME)
}

fn read(clock: ClockId) -> Instant {
    let now = clock_gettime(clock).unwrap_or_else(|_| nix::sys::time::TimeSpec::new(0, 0));
    let part = |value: i64| u64::try_from(value).unwrap_or(0);
    Instant::from_nanos(part(now.tv_sec()).saturating_mul(1_000_000_000).saturating_add(part(now.tv_nsec())))
}
