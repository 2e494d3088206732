//! The round-trip time over the part of the way that an agent mends.

use seamline_wire::Duration;

/// Smoothed round-trip time and variation as of RFC 6298 section 2, with its back-off (section 5.5): a repair that had to be sent twice gives
/// no sample, so the longer timeout stays until one comes at once.
#[derive(Debug)]
pub(super) struct RoundTrip {
    estimate: Option<(f64, f64)>,
    minimum_timeout: Duration,
    backed_off: u32,
}

/// Timeouts are doubled no more often than this.
const MOST_BACKED_OFF: u32 = 6;

impl RoundTrip {
    pub(super) fn new(minimum_timeout: Duration) -> Self {
        RoundTrip { estimate: None, minimum_timeout, backed_off: 0 }
    }
    pub(super) fn sample(&mut self, round_trip_time: Duration) {
        let sample = round_trip_time.as_secs_f64();
        self.backed_off = 0;
        self.estimate = Some(match self.estimate {
            None => (sample, sample / 2.0),
            Some((smoothed, variation)) => {
                let deviation = (smoothed - sample).abs();
                (0.875 * smoothed + 0.125 * sample, 0.75 * variation + 0.25 * deviation)
            }
        });
    }
    /// How long an answer takes at least, as far as is known.
    pub(super) fn smoothed(&self) -> Option<Duration> {
        self.estimate.map(|(smoothed, _)| Duration::from_secs_f64(smoothed))
    }
    pub(super) fn timeout(&self) -> Duration {
        let (smoothed, variation) = self.estimate.unwrap_or_default();
        let plain = Duration::from_secs_f64(smoothed + 4.0 * variation).max(self.minimum_timeout);
        Duration::from_nanos(plain.as_nanos() << self.backed_off)
    }
    /// No answer came in time.
    pub(super) fn back_off(&mut self) {
        self.backed_off = (self.backed_off + 1).min(MOST_BACKED_OFF);
    }
}
