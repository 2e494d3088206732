//! Round-trip times as an onlooker at the sender sees them.

use seamline_wire::{Duration, Instant, SequenceNumber};
use std::collections::VecDeque;

/// Pairs segments with the acknowledgments that first cover them. After a retransmission everything
/// outstanding is left out, because the acknowledgment would be ambiguous (Karn and Partridge 1987).
#[derive(Debug, Default)]
pub(crate) struct RoundTripProbe {
    outstanding: VecDeque<(SequenceNumber, Instant)>,
    sum_nanos: u128,
    samples: u64,
    minimum: Option<Duration>,
}

impl RoundTripProbe {
    /// A segment that ends before sequence number `end` leaves for the first time.
    pub(crate) fn sent(&mut self, now: Instant, end: SequenceNumber) {
        self.outstanding.push_back((end, now));
    }
    /// A segment is sent again.
    pub(crate) fn sent_again(&mut self) {
        self.outstanding.clear();
    }
    /// Everything before `acknowledgment` is acknowledged. The sample counts when `counts`.
    pub(crate) fn acknowledged(&mut self, now: Instant, acknowledgment: SequenceNumber, counts: bool) {
        let mut newest = None;
        while let Some((_, sent)) =
            self.outstanding.pop_front_if(|(end, _)| acknowledgment.is_at_or_after(*end))
        {
            newest = Some(sent);
        }
        let Some(sent) = newest.filter(|_| counts) else { return };
        let sample = now - sent;
        self.sum_nanos += u128::from(sample.as_nanos());
        self.samples += 1;
        self.minimum = Some(self.minimum.map_or(sample, |least| least.min(sample)));
    }
    /// Sum in nanoseconds and number of samples.
    pub(crate) fn sum(&self) -> (u128, u64) {
        (self.sum_nanos, self.samples)
    }
    /// The smallest sample.
    pub(crate) fn minimum(&self) -> Option<Duration> {
        self.minimum
    }
}
