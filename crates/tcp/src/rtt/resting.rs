//! What an estimator has learned, without the parameters that it shares with others.

use super::{RoundTrip, RoundTripEstimator, RoundTripParameters};
use seamline_wire::Duration;

#[derive(Debug)]
pub(crate) struct RestingEstimate {
    round_trip: RoundTrip,
    base_timeout: Duration,
    smoothed_ticks: i32,
    variation_ticks: i32,
    backoff: u32,
    has_sample: bool,
}

impl RoundTripEstimator {
    /// `None` when a number is too large to be kept small.
    pub(crate) fn rest(&self) -> Option<RestingEstimate> {
        Some(RestingEstimate {
            round_trip: self.round_trip,
            base_timeout: self.base_timeout,
            smoothed_ticks: i32::try_from(self.smoothed_ticks).ok()?,
            variation_ticks: i32::try_from(self.variation_ticks).ok()?,
            backoff: self.backoff,
            has_sample: self.has_sample,
        })
    }
    pub(crate) fn wake(resting: RestingEstimate, parameters: RoundTripParameters) -> Self {
        RoundTripEstimator {
            parameters,
            round_trip: resting.round_trip,
            has_sample: resting.has_sample,
            smoothed_ticks: resting.smoothed_ticks.into(),
            variation_ticks: resting.variation_ticks.into(),
            base_timeout: resting.base_timeout,
            backoff: resting.backoff,
        }
    }
}
