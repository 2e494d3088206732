//! The round-trip time over the air.

use super::SnoopParameters;
use seamline_wire::Duration;

/// Smoothed round-trip time and variation, from the agent to the mobile node and back.
#[derive(Debug)]
pub(super) struct RoundTrip {
    smoothed: f64,
    variation: f64,
    shortest: Option<Duration>,
    sample_weight: f64,
    minimum_timeout: Duration,
}

/// The share of a new deviation in the variation.
const DEVIATION_WEIGHT: f64 = 0.125;

impl RoundTrip {
    pub(super) fn new(parameters: &SnoopParameters) -> Self {
        RoundTrip {
            smoothed: parameters.initial_round_trip_time.as_secs_f64(),
            variation: parameters.initial_variation.as_secs_f64(),
            shortest: None,
            sample_weight: parameters.sample_weight,
            minimum_timeout: parameters.minimum_timeout,
        }
    }
    pub(super) fn sample(&mut self, round_trip_time: Duration) {
        let sample = round_trip_time.as_secs_f64();
        if sample <= 0.0 {
            return;
        }
        self.shortest = Some(self.shortest.map_or(round_trip_time, |known| known.min(round_trip_time)));
        self.smoothed += self.sample_weight * (sample - self.smoothed);
        let deviation = (sample - self.smoothed).abs();
        self.variation += DEVIATION_WEIGHT * (deviation - self.variation);
    }
    /// It is about another cell from now on: what it takes at least is not known there.
    pub(super) fn begin_elsewhere(&mut self) {
        self.shortest = None;
    }
    /// How long an answer has taken at least; nothing as long as none is known.
    pub(super) fn shortest(&self) -> Duration {
        self.shortest.unwrap_or(Duration::ZERO)
    }
    pub(super) fn timeout(&self) -> Duration {
        Duration::from_secs_f64(self.smoothed + 4.0 * self.variation).max(self.minimum_timeout)
    }
}
