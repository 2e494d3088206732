//! Round-trip time estimation and the retransmission timeout (RFC 6298; 4.3BSD's integer form for
//! the profiles that follow ns-2; twice the smoothed round-trip time, as before Jacobson).

use crate::parameters::Parameters;
use seamline_wire::{Duration, Instant};
use std::sync::Arc;

parameters! {
    /// How the round-trip time is measured and turned into a retransmission timeout.
    pub struct RoundTripParameters {
        /// The arithmetic of the estimator.
        pub estimator: Estimator = Estimator::RFC_6298,
        /// Lower bound of the retransmission timeout before back-off (RFC 6298 section 2.4: 1 s).
        pub minimum_timeout: Duration = Duration::from_secs(1),
        /// Whether the minimum holds for the variation term alone, so that a timeout is at least the smoothed round-trip time and the
        /// minimum together: Linux's `tcp_rtt_estimator`. Only the estimator of RFC 6298 has such a term.
        pub minimum_bounds_variation: bool = false,
        /// Whether the minimum bounds the timeout after back-off, not before it (ns-2 before March 2002, `rfc2988_`).
        pub minimum_bounds_backed_off: bool = false,
        /// Whether every acknowledgment that advances gives a sample by its timestamp (RFC 7323 section 4.1), as in Linux; otherwise a
        /// timestamp gives one only while no segment is being timed, so that there is one sample for each round trip.
        pub samples_every_acknowledgment: bool = false,
        /// Whether a sample is the age of an echoed timestamp where there is one (RFC 7323 section 4.1), as in BSD; otherwise a segment that is sent
        /// once is timed. A sender with a record of each segment has times of its own.
        pub by_timestamps: bool = false,
        /// Upper bound of the retransmission timeout after back-off (RFC 6298 section 2.5: at least 60 s).
        pub maximum_timeout: Duration = Duration::from_secs(60),
        /// Added to every timeout but the one before the first sample and back-off, for peers that delay acknowledgments (FreeBSD:
        /// `net.inet.tcp.rexmit_slop`).
        pub timeout_margin: Duration = Duration::ZERO,
        /// The timeout before the first sample (RFC 6298 section 2.1: 1 s).
        pub initial_timeout: Duration = Duration::from_secs(1),
        /// After this many doublings the smoothed round-trip time is forgotten, because it must be badly
        /// wrong (RFC 6298 section 5, last paragraph, permits it; 4.3BSD does it after the third).
        pub forget_after_backoffs: Option<u32> = None,
        /// How often timeouts in a row double the timeout ([`crate::backoff`]).
        pub most_doublings: u32 = u32::MAX,
    }
}

/// The arithmetic of a round-trip time estimator.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Estimator {
    /// RFC 6298 section 2, in nanoseconds, with clock granularity G.
    Rfc6298 {
        /// The clock granularity G: the variation term of the timeout never falls below it.
        granularity: Duration,
    },
    /// 4.3BSD's integers: time is counted in clock ticks, the smoothed value with three binary
    /// places and the variation with two (Jacobson 1988, appendix A).
    Ticks {
        /// Length of a tick.
        tick: Duration,
        /// Where the clock's ticks stand at time zero, 0 up to one tick.
        phase: Duration,
    },
    /// Twice the smoothed round-trip time, which is all that is kept: relation 1 of paper cross-layer-handover, after Karn and Partridge (ACM
    /// TOCS 9(4), 1991, section 2), the beta of RFC 793 section 3.7 being 2.
    KarnPartridge {
        /// The weight of what was known before, the alpha of the relation: from 0 up to 1.
        smoothing: f64,
    },
}

impl Estimator {
    /// Karn and Partridge's with the weight that Jacobson (1988) took for it, within the 0.8 to 0.9 of RFC 793.
    pub const KARN_PARTRIDGE: Estimator = Estimator::KarnPartridge { smoothing: 0.875 };
    /// RFC 6298 with a clock of a millisecond.
    pub const RFC_6298: Estimator = Estimator::Rfc6298 { granularity: Duration::from_millis(1) };
}

/// What is known of a path's round-trip time, for strategies and traces. All zero before the first
/// sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct RoundTrip {
    /// SRTT.
    pub smoothed: Duration,
    /// RTTVAR.
    pub variation: Duration,
    /// The latest sample.
    pub latest: Duration,
    /// The smallest sample so far.
    pub minimum: Duration,
}

/// A smoothed round-trip time and its variation, in nanoseconds (RFC 6298 sections 2.2 and 2.3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Smoothed {
    /// SRTT.
    pub mean: Duration,
    /// RTTVAR.
    pub variation: Duration,
}

impl Smoothed {
    fn first(sample: Duration) -> Smoothed {
        Smoothed { mean: sample, variation: sample / 2 }
    }
    /// With alpha 1/8 and beta 1/4.
    fn and(self, sample: Duration) -> Smoothed {
        Smoothed {
            mean: (self.mean * 7 + sample) / 8,
            variation: (self.variation * 3 + self.mean.abs_diff(sample)) / 4,
        }
    }
}

/// The retransmission timeout and what it is computed from.
#[derive(Clone, Debug)]
pub struct RoundTripEstimator {
    parameters: Arc<Parameters>,
    round_trip: RoundTrip,
    fine: Smoothed,
    has_sample: bool,
    smoothed_ticks: i32,
    variation_ticks: i32,
    base_timeout: Duration,
    backoff: u32,
    /// What follows from all that. Each acknowledgment asks for it, and few change it.
    timeout: Duration,
}

/// The timeout of data after a handshake without a round-trip time (RFC 6298 section 5.7; Linux, TCP_TIMEOUT_FALLBACK).
pub(crate) const AFTER_LOST_SYN: Duration = Duration::from_secs(3);

impl RoundTripEstimator {
    /// An estimator without samples.
    pub fn new(parameters: Arc<Parameters>) -> Self {
        let base_timeout = parameters.round_trip.initial_timeout;
        let mut estimator = RoundTripEstimator {
            parameters,
            round_trip: RoundTrip::default(),
            fine: Smoothed::default(),
            has_sample: false,
            smoothed_ticks: 0,
            variation_ticks: 0,
            base_timeout,
            backoff: 1,
            timeout: base_timeout,
        };
        estimator.settle();
        estimator
    }
    fn parameters(&self) -> &RoundTripParameters {
        &self.parameters.round_trip
    }
    /// What is known of the round-trip time.
    pub fn round_trip(&self) -> RoundTrip {
        self.round_trip
    }
    /// The same in nanoseconds, whatever clock the timeout is measured with; `None` before the first sample.
    pub fn fine(&self) -> Option<Smoothed> {
        self.has_sample.then_some(self.fine)
    }
    /// The factor of the exponential back-off: 1, 2, 4, ...
    pub fn backoff(&self) -> u32 {
        self.backoff
    }
    /// Take a sample: a segment sent at `sent` was acknowledged `elapsed` later.
    pub fn sample(&mut self, sent: Instant, elapsed: Duration) {
        self.round_trip.latest = elapsed;
        let first = self.round_trip.minimum.is_zero();
        self.round_trip.minimum = if first { elapsed } else { self.round_trip.minimum.min(elapsed) };
        let fine = self.fine().map_or_else(|| Smoothed::first(elapsed), |known| known.and(elapsed));
        self.fine = fine;
        match self.parameters().estimator {
            Estimator::Rfc6298 { granularity } => {
                let bounds = self.parameters().minimum_bounds_variation;
                let minimum = if bounds { self.parameters().minimum_timeout } else { Duration::ZERO };
                self.take_fine(fine, granularity.max(minimum));
            }
            Estimator::Ticks { tick, phase } => self.sample_ticks(sent, elapsed, tick, phase),
            Estimator::KarnPartridge { smoothing } => self.sample_smoothed(elapsed, smoothing),
        }
        self.has_sample = true;
        self.settle();
    }

    /// RFC 6298 sections 2.2 and 2.3 with K 4.
    fn take_fine(&mut self, fine: Smoothed, least_term: Duration) {
        self.round_trip.smoothed = fine.mean;
        self.round_trip.variation = fine.variation;
        self.base_timeout = fine.mean + (fine.variation * 4).max(least_term);
    }

    fn sample_smoothed(&mut self, elapsed: Duration, smoothing: f64) {
        let known = &mut self.round_trip;
        let sample = elapsed.as_nanos() as f64;
        let before = if self.has_sample { known.smoothed.as_nanos() as f64 } else { sample };
        let smoothed = smoothing * before + (1.0 - smoothing) * sample;
        known.smoothed = Duration::from_nanos(libm::round(smoothed) as u64);
        self.base_timeout = known.smoothed * 2;
    }

    fn sample_ticks(&mut self, sent: Instant, elapsed: Duration, tick: Duration, phase: Duration) {
        let tick_nanos = tick.as_nanos().max(1);
        let since_tick = (sent.as_nanos() + phase.as_nanos()) % tick_nanos;
        const MOST: u64 = 1 << 25;
        let measured = ((elapsed.as_nanos() + since_tick) / tick_nanos).clamp(1, MOST) as i32;
        if self.has_sample {
            let mut delta = measured - (self.smoothed_ticks >> 3);
            self.smoothed_ticks = (self.smoothed_ticks + delta).max(1);
            delta = delta.abs() - (self.variation_ticks >> 2);
            self.variation_ticks = (self.variation_ticks + delta).max(1);
        } else {
            self.smoothed_ticks = measured << 3;
            self.variation_ticks = measured << 1;
        }
        let timeout_ticks = ((self.variation_ticks << 3) + self.smoothed_ticks) >> 3;
        let in_ticks = |n: i32| Duration::from_nanos(u64::from(n.unsigned_abs()).saturating_mul(tick_nanos));
        self.base_timeout = in_ticks(timeout_ticks);
        self.round_trip.smoothed = in_ticks(self.smoothed_ticks >> 3);
        self.round_trip.variation = in_ticks(self.variation_ticks) / 4;
    }

    /// The retransmission timeout now, with its bounds and back-off.
    pub fn timeout(&self) -> Duration {
        self.timeout
    }
    fn settle(&mut self) {
        let is_first = !self.has_sample && self.backoff == 1;
        let margin = if is_first { Duration::ZERO } else { self.parameters().timeout_margin };
        self.timeout = self.timeout_with(margin);
    }
    /// The same for a listener's answer to a SYN, which has no margin (FreeBSD: syncache_timeout).
    pub fn timeout_of_answer(&self) -> Duration {
        self.timeout_with(Duration::ZERO)
    }
    fn timeout_with(&self, margin: Duration) -> Duration {
        let minimum = self.parameters().minimum_timeout;
        let bounds_later = self.parameters().minimum_bounds_backed_off;
        let floored = if bounds_later { self.base_timeout } else { self.base_timeout.max(minimum) };
        let backed_off = (floored * u64::from(self.backoff) + margin).max(minimum);
        let backed_off = backed_off.min(self.parameters().maximum_timeout);
        match self.parameters().estimator {
            Estimator::Ticks { tick, .. } => backed_off.max(tick * 2),
            Estimator::Rfc6298 { .. } | Estimator::KarnPartridge { .. } => backed_off,
        }
    }
    /// Double the timeout (RFC 6298 section 5.5), unless that has been done as often as it may.
    pub fn back_off(&mut self) {
        if self.backoff.ilog2() < self.parameters().most_doublings {
            self.double();
        }
    }
    /// Double the timeout, however often that has been done.
    pub fn double(&mut self) {
        const ALWAYS_DOUBLED_BELOW: u32 = 64;
        if self.backoff < ALWAYS_DOUBLED_BELOW || self.timeout() < self.parameters().maximum_timeout {
            self.backoff = self.backoff.saturating_mul(2);
        }
        let limit = self.parameters().forget_after_backoffs;
        if limit.is_some_and(|doublings| self.backoff > 1u32.checked_shl(doublings).unwrap_or(u32::MAX)) {
            self.forget_mean();
        }
        self.settle();
    }
    /// End the back-off: a segment sent once was acknowledged (Karn and Partridge 1987).
    pub fn reset_backoff(&mut self) {
        if self.backoff > 1 {
            self.backoff = 1;
            self.settle();
        }
    }
    /// The handshake is over. When its segment was `sent_again`, and so gave no sample, the timeout is three
    /// seconds unless it begins larger anyway (RFC 6298 section 5.7).
    pub fn end_handshake(&mut self, sent_again: bool) {
        if !self.has_sample && sent_again && self.parameters().initial_timeout < AFTER_LOST_SYN {
            self.base_timeout = AFTER_LOST_SYN;
            self.backoff = 1;
            self.settle();
        }
    }

    /// Begin as without samples: they were of another path.
    pub fn forget(&mut self) {
        *self = RoundTripEstimator::new(Arc::clone(&self.parameters));
    }

    fn forget_mean(&mut self) {
        self.variation_ticks += self.smoothed_ticks >> 3;
        self.smoothed_ticks = 0;
        self.has_sample = false;
        if let Estimator::Ticks { tick, .. } = self.parameters().estimator {
            self.round_trip.variation = tick * u64::from(self.variation_ticks.unsigned_abs()) / 4;
        }
        self.round_trip.smoothed = Duration::ZERO;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn estimator(round_trip: RoundTripParameters) -> RoundTripEstimator {
        RoundTripEstimator::new(Arc::new(Parameters { round_trip, ..(crate::profile::RFC.parameters)() }))
    }

    fn rfc() -> RoundTripEstimator {
        estimator(RoundTripParameters {
            minimum_timeout: Duration::from_millis(200),
            ..RoundTripParameters::default()
        })
    }

    /// As `ss -i` shows it on Linux over a path of a constant 80 ms: `rto:280`.
    #[test]
    fn the_minimum_may_hold_for_the_variation_alone() {
        let parameters = RoundTripParameters { minimum_bounds_variation: true, ..rfc().parameters().clone() };
        let mut estimator = estimator(parameters);
        let mut without = rfc();
        for _ in 0..100 {
            estimator.sample(Instant::ZERO, Duration::from_millis(80));
            without.sample(Instant::ZERO, Duration::from_millis(80));
        }
        assert_eq!(estimator.timeout(), Duration::from_millis(280));
        assert_eq!(without.timeout(), Duration::from_millis(200));
        estimator.sample(Instant::ZERO, Duration::from_millis(480));
        // Smoothed 130 ms, variation 100 ms: four times that is above the minimum.
        assert_eq!(estimator.timeout(), Duration::from_millis(530));
    }

    /// ns-2 before `rfc2988_`: smoothed 100 ms and variation 50 ms make 300 ms, doubled 600 ms and 1200 ms.
    #[test]
    fn the_minimum_may_bound_what_is_backed_off() {
        for (late, expected) in [(false, [1000, 2000, 4000]), (true, [1000, 1000, 1200])] {
            let mut estimator = estimator(RoundTripParameters {
                minimum_bounds_backed_off: late,
                ..RoundTripParameters::default()
            });
            estimator.sample(Instant::ZERO, Duration::from_millis(100));
            for millis in expected {
                assert_eq!(estimator.timeout(), Duration::from_millis(millis), "{late}");
                estimator.back_off();
            }
        }
    }

    /// Worked by hand from relation 1 of paper cross-layer-handover with alpha = 0.75: 100 ms; 75 + 45 = 120 ms; 90 + 10 = 100 ms.
    #[test]
    fn karn_and_partridge_worked_example() {
        let kind = Estimator::KarnPartridge { smoothing: 0.75 };
        let mut estimator = estimator(RoundTripParameters { estimator: kind, ..rfc().parameters().clone() });
        assert_eq!(estimator.timeout(), Duration::from_secs(1));
        for (sample, smoothed) in [(100, 100), (180, 120), (40, 100)] {
            estimator.sample(Instant::ZERO, Duration::from_millis(sample));
            assert_eq!(estimator.round_trip().smoothed, Duration::from_millis(smoothed));
            assert_eq!(estimator.timeout(), Duration::from_millis(2 * smoothed));
            assert_eq!(estimator.round_trip().variation, Duration::ZERO);
        }
        estimator.back_off();
        assert_eq!(estimator.timeout(), Duration::from_millis(400));
    }

    /// What is forgotten leaves nothing: neither mean, nor smallest sample, nor back-off.
    #[test]
    fn forgetting_begins_again() {
        for kind in [Estimator::RFC_6298, Estimator::KARN_PARTRIDGE] {
            let mut estimator =
                estimator(RoundTripParameters { estimator: kind, ..rfc().parameters().clone() });
            estimator.sample(Instant::ZERO, Duration::from_millis(550));
            estimator.back_off();
            estimator.forget();
            assert_eq!(estimator.timeout(), Duration::from_secs(1));
            assert_eq!(estimator.round_trip(), RoundTrip::default());
            estimator.sample(Instant::ZERO, Duration::from_millis(160));
            assert_eq!(estimator.round_trip().smoothed, Duration::from_millis(160));
            assert_eq!(estimator.round_trip().minimum, Duration::from_millis(160));
        }
    }

    /// Worked by hand: tick 100 ms, sent 55.6 ms into a tick, answered 211.6 ms later = 2 ticks.
    #[test]
    fn ticks_round_down_from_the_clock_phase() {
        let mut estimator = estimator(RoundTripParameters {
            estimator: Estimator::Ticks {
                tick: Duration::from_millis(100),
                phase: Duration::from_micros(55_588),
            },
            initial_timeout: Duration::from_secs(3),
            forget_after_backoffs: Some(3),
            ..RoundTripParameters::default()
        });
        estimator.sample(Instant::ZERO, Duration::from_micros(211_640));
        assert_eq!(estimator.round_trip().smoothed, Duration::from_millis(200));
        assert_eq!(estimator.round_trip().variation, Duration::from_millis(100));
        estimator.sample(Instant::from_nanos(211_640_000), Duration::from_micros(211_640));
        assert_eq!(estimator.round_trip().variation, Duration::from_millis(75));
        assert_eq!(estimator.timeout(), Duration::from_secs(1));
        // Two samples of 211.640 ms: the variation has fallen to three quarters of half of it.
        let fine =
            Smoothed { mean: Duration::from_micros(211_640), variation: Duration::from_micros(79_365) };
        assert_eq!(estimator.fine(), Some(fine));
    }

    #[test]
    fn a_badly_wrong_mean_is_forgotten_after_three_doublings() {
        let mut parameters = rfc().parameters().clone();
        parameters.forget_after_backoffs = Some(3);
        let mut estimator = estimator(parameters);
        estimator.sample(Instant::ZERO, Duration::from_millis(100));
        (0..3).for_each(|_| estimator.back_off());
        assert_eq!(estimator.round_trip().smoothed, Duration::from_millis(100));
        estimator.back_off();
        assert_eq!((estimator.round_trip().smoothed, estimator.fine()), (Duration::ZERO, None));
        estimator.sample(Instant::ZERO, Duration::from_millis(700));
        assert_eq!(estimator.round_trip().smoothed, Duration::from_millis(700));
    }
}
