//! Linux's retransmission timeout (`tcp_rtt_estimator`): RFC 6298 with three differences. The variation falls slowly when samples
//! fall; what counts is the largest variation of a round trip; and the minimum bounds the variation, not the timeout.

use crate::offset::Offset;
use crate::rtt::{AFTER_LOST_SYN, RoundTrip, RoundTripParameters};
use seamline_wire::Duration;

/// In microseconds, like the kernel's: the smoothed value in eighths, the variations in quarters.
#[derive(Clone, Debug)]
pub(super) struct RetransmissionTimeout {
    smoothed: i64,
    deviation: i64,
    largest_deviation: i64,
    variation: i64,
    /// The round trip whose largest deviation is being taken ends when this is acknowledged.
    round_ends: Offset,
    minimum: i64,
    maximum: Duration,
    initial: Duration,
    most_doublings: u32,
    tick: Duration,
    /// With the back-off of the timer, as `icsk_rto`.
    current: Duration,
    doublings: u32,
    latest: Duration,
    smallest: Duration,
}

fn micros(duration: Duration) -> i64 {
    duration.as_micros() as i64
}

impl RetransmissionTimeout {
    pub(super) fn new(parameters: &RoundTripParameters, tick: Duration) -> Self {
        RetransmissionTimeout {
            smoothed: 0,
            deviation: 0,
            largest_deviation: 0,
            variation: 0,
            round_ends: Offset::SYN,
            minimum: micros(parameters.minimum_timeout),
            maximum: parameters.maximum_timeout,
            initial: parameters.initial_timeout,
            most_doublings: parameters.most_doublings,
            tick,
            current: parameters.initial_timeout,
            doublings: 0,
            latest: Duration::ZERO,
            smallest: Duration::ZERO,
        }
    }
    /// The handshake gave no sample (`tcp_init_metrics`).
    pub(super) fn begin_without_sample(&mut self) {
        self.current = self.initial.max(AFTER_LOST_SYN);
    }
    pub(super) fn has_sample(&self) -> bool {
        self.smoothed != 0
    }
    /// The smoothed round-trip time, zero without a sample.
    pub(super) fn smoothed(&self) -> Duration {
        Duration::from_nanos((self.smoothed / 8 * 1000) as u64)
    }
    /// The same with its eighths of a microsecond.
    pub(super) fn smoothed_exactly(&self) -> Duration {
        Duration::from_nanos((self.smoothed * 125) as u64)
    }
    /// In eighths of a microsecond.
    pub(super) fn smoothed_in_eighths(&self) -> u64 {
        self.smoothed as u64
    }
    /// The timeout, with its back-off.
    pub(super) fn current(&self) -> Duration {
        self.current
    }
    pub(super) fn doublings(&self) -> u32 {
        self.doublings
    }
    pub(super) fn minimum(&self) -> Duration {
        Duration::from_nanos(self.minimum as u64 * 1000)
    }
    pub(super) fn round_trip(&self) -> RoundTrip {
        RoundTrip {
            smoothed: self.smoothed(),
            variation: Duration::from_nanos((self.variation / 4 * 1000) as u64),
            latest: self.latest,
            minimum: self.smallest,
        }
    }

    /// A segment was acknowledged so long after it was sent; `unacknowledged` is what is acknowledged by then, `next` what has been
    /// sent.
    pub(super) fn sample(&mut self, elapsed: Duration, unacknowledged: Offset, next: Offset) {
        self.latest = elapsed;
        self.smallest = if self.smallest.is_zero() { elapsed } else { self.smallest.min(elapsed) };
        let mut error = micros(elapsed).max(1);
        if self.smoothed == 0 {
            self.smoothed = error << 3;
            self.deviation = error << 1;
            self.variation = self.deviation.max(self.minimum);
            self.largest_deviation = self.variation;
            self.round_ends = next;
            return self.settle();
        }
        error -= self.smoothed >> 3;
        self.smoothed = (self.smoothed + error).max(1);
        if error < 0 {
            error = -error - (self.deviation >> 2);
            // A round-trip time that falls is no reason to wait longer.
            if error > 0 {
                error >>= 3;
            }
        } else {
            error -= self.deviation >> 2;
        }
        self.deviation += error;
        if self.deviation > self.largest_deviation {
            self.largest_deviation = self.deviation;
            self.variation = self.variation.max(self.largest_deviation);
        }
        if unacknowledged > self.round_ends {
            if self.largest_deviation < self.variation {
                self.variation -= (self.variation - self.largest_deviation) >> 2;
            }
            self.round_ends = next;
            self.largest_deviation = self.minimum;
        }
        self.settle();
    }
    /// The timeout that follows from the samples; ends the back-off.
    fn settle(&mut self) {
        self.doublings = 0;
        let exact = Duration::from_nanos((((self.smoothed >> 3) + self.variation) * 1000) as u64);
        let rounded = match self.tick {
            Duration::ZERO => exact,
            tick => tick * exact.as_nanos().div_ceil(tick.as_nanos()),
        };
        self.current = rounded.min(self.maximum);
    }
    pub(super) fn reset_backoff(&mut self) {
        if self.has_sample() {
            self.settle();
        } else {
            self.doublings = 0;
            self.current = self.initial;
        }
    }
    pub(super) fn back_off(&mut self) {
        if self.doublings >= self.most_doublings {
            return;
        }
        self.doublings += 1;
        self.current = (self.current * 2).min(self.maximum);
    }
    pub(super) fn forget(&mut self) {
        self.smoothed = 0;
        self.smallest = Duration::ZERO;
        self.latest = Duration::ZERO;
        self.variation = 0;
        self.reset_backoff();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Worked by hand: samples of 100, 140 and 105 ms give 100, 105 and 105 ms; four times the deviation stays below 200 ms.
    #[test]
    fn the_minimum_bounds_the_variation() {
        let parameters = RoundTripParameters {
            minimum_timeout: Duration::from_millis(200),
            maximum_timeout: Duration::from_secs(120),
            ..RoundTripParameters::default()
        };
        let mut timeout = RetransmissionTimeout::new(&parameters, Duration::from_millis(1));
        assert_eq!(timeout.current(), Duration::from_secs(1));
        timeout.sample(Duration::from_millis(100), Offset(1), Offset(10));
        // 100 ms + the larger of 200 ms and twice the sample.
        assert_eq!(timeout.current(), Duration::from_millis(300));
        timeout.sample(Duration::from_millis(140), Offset(5), Offset(10));
        assert_eq!(timeout.smoothed(), Duration::from_millis(105));
        assert_eq!(timeout.current(), Duration::from_millis(305));
        timeout.back_off();
        assert_eq!(timeout.current(), Duration::from_millis(610));
        timeout.sample(Duration::from_millis(105), Offset(6), Offset(10));
        assert_eq!(timeout.current(), Duration::from_millis(305));
    }
}
