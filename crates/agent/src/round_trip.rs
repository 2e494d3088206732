//! The round-trip time over the part of the path that an agent repairs.

use seamline_wire::Duration;

/// Smoothed round-trip time and variation as of RFC 6298 section 2, with its back-off (section 5.5): a repair that had to be sent twice gives
/// no sample, so the longer timeout stays until a repair is answered at once, or the caller resets it.
///
/// The variation of a steady way is next to nothing. Without the granularity the timer would then expire together with the answer.
#[derive(Debug)]
pub(crate) struct RoundTrip {
    estimate: Option<(f64, f64)>,
    shortest: Option<Duration>,
    initial_timeout: Duration,
    granularity: Duration,
    minimum_timeout: Duration,
    backed_off: u32,
}

/// The timeout of data before the first sample (RFC 6298 section 2.1): sooner, a way with a queue would be taken for one that loses.
const INITIAL_TIMEOUT: Duration = Duration::from_secs(1);

/// That of requests. They are short, so a needless one costs little; and if no agent answers, the sender should not wait.
const INITIAL_TIMEOUT_OF_REQUESTS: Duration = Duration::from_millis(100);

/// Timeouts are doubled no more often than this.
const MOST_BACKED_OFF: u32 = 6;

impl RoundTrip {
    /// Of data and its acknowledgments: `granularity` is the least by which a timeout exceeds the smoothed round-trip time.
    pub(crate) fn of_data(minimum_timeout: Duration, granularity: Duration) -> Self {
        RoundTrip {
            estimate: None,
            shortest: None,
            initial_timeout: INITIAL_TIMEOUT,
            granularity,
            minimum_timeout,
            backed_off: 0,
        }
    }
    /// Of requests and their repairs.
    pub(crate) fn of_requests(minimum_timeout: Duration, granularity: Duration) -> Self {
        RoundTrip {
            initial_timeout: INITIAL_TIMEOUT_OF_REQUESTS,
            ..Self::of_data(minimum_timeout, granularity)
        }
    }
    pub(crate) fn sample(&mut self, round_trip_time: Duration) {
        let sample = round_trip_time.as_secs_f64();
        self.backed_off = 0;
        self.shortest = Some(self.shortest.map_or(round_trip_time, |known| known.min(round_trip_time)));
        self.estimate = Some(match self.estimate {
            None => (sample, sample / 2.0),
            Some((smoothed, variation)) => {
                let deviation = (smoothed - sample).abs();
                (0.875 * smoothed + 0.125 * sample, 0.75 * variation + 0.25 * deviation)
            }
        });
    }
    /// How long an answer has taken at least; nothing as long as none is known.
    pub(crate) fn shortest(&self) -> Duration {
        self.shortest.unwrap_or(Duration::ZERO)
    }
    /// How long an answer takes in general, as far as is known.
    pub(crate) fn smoothed(&self) -> Option<Duration> {
        self.estimate.map(|(smoothed, _)| Duration::from_secs_f64(smoothed))
    }
    pub(crate) fn timeout(&self) -> Duration {
        let plain = match self.estimate {
            None => self.initial_timeout,
            Some((smoothed, variation)) => {
                Duration::from_secs_f64(smoothed)
                    + Duration::from_secs_f64(4.0 * variation).max(self.granularity)
            }
        };
        let plain = plain.max(self.minimum_timeout);
        Duration::from_nanos(plain.as_nanos() << self.backed_off)
    }
    /// No answer came in time.
    pub(crate) fn back_off(&mut self) {
        self.backed_off = (self.backed_off + 1).min(MOST_BACKED_OFF);
    }
    /// It is about another link from now on: what it takes at least is not known there.
    pub(crate) fn begin_elsewhere(&mut self) {
        (self.shortest, self.backed_off) = (None, 0);
    }
    /// Answers come again.
    pub(crate) fn end_back_off(&mut self) {
        self.backed_off = 0;
    }
}
