//! Losses that depend on the time: outages at fixed intervals, and probabilities that change.

use super::{Arrival, ErrorModel};
use crate::schedule::Steps;
use seamline_wire::Duration;
use seamline_wire::random::Stream;

/// Loses every packet that arrives in `[k * period, k * period + length)` for k = 1, 2, 3, ...: the first
/// period is free of outages. The end that counts is the arrival at the model, so after propagation a
/// packet sent before an outage may still be caught by it.
#[derive(Clone, Copy, Debug)]
pub struct PeriodicOutage {
    period: Duration,
    length: Duration,
}

impl PeriodicOutage {
    /// An outage of `length` at the start of every `period` but the first. A period of zero never has an outage; a length
    /// of a period or more loses everything from the first one on.
    pub fn new(period: Duration, length: Duration) -> Self {
        PeriodicOutage { period, length }
    }
}

impl ErrorModel for PeriodicOutage {
    fn loses(&mut self, arrival: Arrival<'_>) -> bool {
        let at = arrival.at.as_nanos();
        match at.checked_rem(self.period.as_nanos()) {
            Some(phase) => at >= self.period.as_nanos() && phase < self.length.as_nanos(),
            None => false,
        }
    }
}

/// Each packet is lost with the probability that holds when it arrives; one draw per packet.
#[derive(Clone, Debug)]
pub struct ScheduledLoss {
    probability: Steps<f64>,
    stream: Stream,
}

impl ScheduledLoss {
    /// Losses with a probability (0 to 1) over time.
    pub fn new(probability: Steps<f64>, stream: Stream) -> Self {
        ScheduledLoss { probability, stream }
    }
}

impl ErrorModel for ScheduledLoss {
    fn loses(&mut self, arrival: Arrival<'_>) -> bool {
        let probability = self.probability.at(arrival.at);
        self.stream.chance(probability)
    }
}
