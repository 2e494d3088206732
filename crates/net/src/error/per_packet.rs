//! Losses that depend on the order of packets: independent ones, bursts of one length, lists and recordings.

use super::{Arrival, ErrorModel};
use seamline_wire::random::Stream;
use std::sync::Arc;

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

/// Loses the packets whose arrival index is listed: zero for the first packet the model is asked about,
/// as in ns-2's `ErrorModel/List`.
#[derive(Clone, Debug)]
pub struct DropList {
    /// In descending order, so that the next one is at the end.
    remaining: Vec<u64>,
}

impl DropList {
    /// Losses at these indices, in any order; naming one twice changes nothing.
    pub fn new(indices: impl IntoIterator<Item = u64>) -> Self {
        let mut remaining: Vec<u64> = indices.into_iter().collect();
        remaining.sort_unstable_by(|a, b| b.cmp(a));
        remaining.dedup();
        DropList { remaining }
    }
}

impl ErrorModel for DropList {
    fn loses(&mut self, arrival: Arrival<'_>) -> bool {
        self.remaining.pop_if(|next| *next == arrival.index).is_some()
    }
}

/// Replays a recorded sequence of losses, from the start again at its end. An empty one loses nothing.
#[derive(Clone, Debug)]
pub struct LossTrace {
    lost: Arc<[bool]>,
    next: usize,
}

impl LossTrace {
    /// The fate of each packet in turn: `true` is lost.
    pub fn new(lost: impl Into<Arc<[bool]>>) -> Self {
        LossTrace { lost: lost.into(), next: 0 }
    }
}

impl ErrorModel for LossTrace {
    fn loses(&mut self, _: Arrival<'_>) -> bool {
        let Some(&lost) = self.lost.get(self.next) else { return false };
        self.next += 1;
        if self.next == self.lost.len() {
            self.next = 0;
        }
        lost
    }
}
