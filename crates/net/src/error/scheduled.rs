//! Losses whose probability changes over time.

use super::{Arrival, ErrorModel};
use crate::schedule::Steps;
use seamline_wire::random::Stream;

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
