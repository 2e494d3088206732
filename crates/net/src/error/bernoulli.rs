//! Independent losses.

use super::{Arrival, ErrorModel};
use seamline_wire::random::Stream;

/// Each packet is lost with the same probability, independently of all others. One draw per packet; it
/// is lost when the draw is below the probability (as in ns-2's `ErrorModel` with a uniform variable).
#[derive(Clone, Debug)]
pub struct Bernoulli {
    probability: f64,
    stream: Stream,
}

impl Bernoulli {
    /// Losses with `probability` (0 to 1).
    pub fn new(probability: f64, stream: Stream) -> Self {
        Bernoulli { probability, stream }
    }
}

impl ErrorModel for Bernoulli {
    fn loses(&mut self, _: Arrival<'_>) -> bool {
        self.stream.chance(self.probability)
    }
}
