//! Round-trip times as a passive observer at the sender measures them.

use seamline_wire::{Duration, Instant, SequenceNumber};
use std::collections::VecDeque;

/// Pairs segments with the acknowledgments that first cover them. A retransmission discards all outstanding segments,
/// because their acknowledgments would be ambiguous (Karn and Partridge 1987).
#[derive(Debug, Default)]
pub(crate) struct RoundTripProbe {
    outstanding: VecDeque<(SequenceNumber, Instant)>,
    sum_nanos: u128,
    samples: u64,
    minimum: Option<Duration>,
}

impl RoundTripProbe {
    /// A segment that ends before sequence number `end` is sent for the first time.
    pub(crate) fn sent(&mut self, now: Instant, end: SequenceNumber) {
        self.outstanding.push_back((end, now));
    }
    /// A segment is retransmitted.
    pub(crate) fn retransmitted(&mut self) {
        self.outstanding.clear();
    }
    /// Everything before `acknowledgment` is acknowledged. The sample is used, and returned, only if `counts`.
    pub(crate) fn acknowledged(
        &mut self,
        now: Instant,
        acknowledgment: SequenceNumber,
        counts: bool,
    ) -> Option<Duration> {
        let mut newest = None;
        while let Some((_, sent)) =
            self.outstanding.pop_front_if(|(end, _)| acknowledgment.is_at_or_after(*end))
        {
            newest = Some(sent);
        }
        let sample = now - newest.filter(|_| counts)?;
        self.sum_nanos += u128::from(sample.as_nanos());
        self.samples += 1;
        self.minimum = Some(self.minimum.map_or(sample, |least| least.min(sample)));
        Some(sample)
    }
    /// The sum of the samples in nanoseconds, and their number.
    pub(crate) fn sum(&self) -> (u128, u64) {
        (self.sum_nanos, self.samples)
    }
    /// The smallest sample.
    pub(crate) fn minimum(&self) -> Option<Duration> {
        self.minimum
    }
}
