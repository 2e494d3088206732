//! Losses by the clock.

use super::{Arrival, ErrorModel};
use seamline_wire::Duration;

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
