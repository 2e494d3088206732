//! ns-2's clock, kept alongside ours.
//!
//! ns-2 counts seconds in doubles and adds delays to them one by one. Round-trip times and timeouts of
//! the reference scenarios are multiples of common units, so now and then two times that are equal, or a
//! rate that falls just between two decisions, differ only by the rounding of those sums. Where ns-2's
//! outcome hangs on that, [`super::timed_link`] and [`super::timed_host`] compute the same sums.

use super::setup::Setup;
use seamline_wire::Duration;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The time of the event being handled, in ns-2's doubles. Shared by all elements of a world, which are
/// stepped one after the other.
#[derive(Clone, Debug, Default)]
pub(super) struct Ns2Clock(pub(super) Arc<AtomicU64>);

impl Ns2Clock {
    /// Seconds.
    pub(super) fn read(&self) -> f64 {
        f64::from_bits(self.0.load(Ordering::Relaxed))
    }
    /// The next event happens at `seconds`.
    pub(super) fn set(&self, seconds: f64) {
        self.0.store(seconds.to_bits(), Ordering::Relaxed);
    }
}

/// A retransmission timeout as ns-2 computes it: a whole number of ticks, or the minimum, times the
/// back-off.
pub(super) fn timeout_seconds(setup: &Setup, timeout: Duration, backoff: u32) -> f64 {
    let base = timeout / u64::from(backoff.max(1));
    let is = |seconds: f64, span: Duration| Duration::from_secs_f64(seconds) == span;
    let ticks = (base.as_secs_f64() / setup.tick).round();
    let factor = f64::from(backoff);
    if is(setup.minrto * factor, timeout) {
        setup.minrto * factor
    } else if is(ticks * setup.tick * factor, timeout) {
        ticks * setup.tick * factor
    } else {
        timeout.as_secs_f64()
    }
}

#[cfg(test)]
mod tests {
    use super::super::setup::Chain;
    use super::*;

    #[test]
    fn timeouts_are_products_not_nearest_numbers() {
        let setup = Setup::common(Chain::ThreeHops);
        let of = |millis: u64, backoff: u32| timeout_seconds(&setup, Duration::from_millis(millis), backoff);
        assert_eq!(of(200, 1), 0.2);
        assert_eq!(of(350, 1), 0.350_000_000_000_000_03);
        assert_ne!(of(350, 1), 0.35);
        assert_eq!(of(700, 2), 0.700_000_000_000_000_1);
        assert_eq!(of(60_000, 256), 60.0);
    }
}
