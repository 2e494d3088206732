//! Losses that come in bursts of one length.

use super::{Arrival, ErrorModel};
use seamline_wire::random::Stream;

/// The burst errors of paper ehn-2004 (section 4): with a given probability an error starts at a packet, and it
/// takes that packet and the following ones, `length` in all. No error starts inside another; one draw per
/// packet all the same. The share lost in the long run is `n p / (1 + (n - 1) p)`.
#[derive(Clone, Debug)]
pub struct Burst {
    start_probability: f64,
    length: u32,
    left: u32,
    stream: Stream,
}

impl Burst {
    /// Errors that start with `start_probability` (0 to 1) and take `length` packets each.
    pub fn new(start_probability: f64, length: u32, stream: Stream) -> Self {
        Burst { start_probability, length, left: 0, stream }
    }
}

impl ErrorModel for Burst {
    fn loses(&mut self, _: Arrival<'_>) -> bool {
        let starts = self.stream.chance(self.start_probability);
        if self.left == 0 && starts {
            self.left = self.length;
        }
        let lost = self.left > 0;
        self.left = self.left.saturating_sub(1);
        lost
    }
}
