//! What the receiver reports about data beyond gaps: SACK blocks, duplicates and losses.

use super::Receiver;
use crate::offset::Offset;
use seamline_wire::{Loss, LossCause, Losses, SackBlock, SackBlocks};

impl Receiver {
    /// Payload of the peer has come from `start` to `end`: what of it had come before is to be reported, the first of it where that is
    /// in several parts (RFC 2883 section 4).
    pub(crate) fn note_duplicate(&mut self, start: Offset, end: Offset) {
        if !self.parameters().reports_duplicates {
            return;
        }
        let has_come = start < self.next || self.out_of_order.contains(start);
        let known = if has_come { Some(start) } else { self.out_of_order.next_present(start) };
        let Some(left) = known.filter(|left| *left < end) else { return };
        let right = if left < self.next { self.next } else { self.out_of_order.next_missing(left) };
        self.duplicate = Some((left, right.min(end)));
    }

    /// What has come twice is reported.
    pub(crate) fn duplicate_reported(&mut self) {
        self.duplicate = None;
    }

    /// What was taken in from `from` to `end` lies in the most recent block; those that it has swallowed are gone (RFC 2018 section 4).
    pub(super) fn remember_block(&mut self, from: Offset, end: Offset) {
        let block = match self.parameters().forgets_older_blocks {
            true => self.extended_block(from, end),
            false => {
                let ranges = self.out_of_order.ranges();
                let after = ranges.partition_point(|&(left, _)| left <= from);
                ranges[after - 1]
            }
        };
        self.recent.retain(|&(left, right)| left < block.0 || right > block.1);
        self.recent.insert(0, block);
        self.recent.truncate(SackBlocks::MAX);
    }

    /// The first block that `from..end` touches, with it, and with those that touch the two together; older blocks that have been
    /// forgotten stay forgotten (Linux: tcp_sack_new_ofo_skb, tcp_sack_maybe_coalesce).
    fn extended_block(&mut self, from: Offset, end: Offset) -> (Offset, Offset) {
        let touches =
            |block: &(Offset, Offset), other: &(Offset, Offset)| block.0 <= other.1 && other.0 <= block.1;
        let mut block = (from, end);
        if let Some(place) = self.recent.iter().position(|other| touches(&block, other)) {
            let other = self.recent.remove(place);
            block = (block.0.min(other.0), block.1.max(other.1));
            self.recent.retain(|other| {
                let joins = touches(&block, other);
                if joins {
                    block = (block.0.min(other.0), block.1.max(other.1));
                }
                !joins
            });
        }
        block
    }

    /// Whether an acknowledgment that is held back must leave before `from..end` is taken in: with the blocks as they are, as there
    /// might be no room later for all (Linux: tcp_sack_new_ofo_skb).
    pub(crate) fn must_report_before(&self, start: Offset, length: u32) -> bool {
        const EXPECTED: usize = 2;
        let end = start + u64::from(length);
        let is_compressing = self.adaptive.as_ref().is_some_and(|adaptive| adaptive.is_compressing());
        is_compressing && start > self.next && {
            let touched = self.recent.iter().position(|&(left, right)| start <= right && left <= end);
            touched.unwrap_or(self.recent.len()) >= EXPECTED
        }
    }

    /// The blocks to report: what has come twice (RFC 2883 section 4), the most recent, then others that have been reported longer
    /// ago, as many as there is room for (RFC 2018 section 4).
    pub fn sack_blocks(&self) -> SackBlocks {
        let ranges = self.out_of_order.ranges();
        if ranges.is_empty() && self.duplicate.is_none() {
            return SackBlocks::new();
        }
        let reported_end = self.fin_at.filter(|_| !self.parameters().reports_fin).unwrap_or(Offset(u64::MAX));
        let block = |&(left, right): &(Offset, Offset)| {
            let right = right.min(reported_end);
            let block = SackBlock { left: left.sequence(self.initial), right: right.sequence(self.initial) };
            (left < right).then_some(block)
        };
        let most_older = if self.parameters().forgets_older_blocks { 0 } else { ranges.len() };
        let older = ranges.iter().rev().take(most_older).filter(|range| !self.recent.contains(range));
        self.duplicate
            .iter()
            .chain(&self.recent)
            .chain(older)
            .filter_map(block)
            .take(self.parameters().most_sack_blocks)
            .collect()
    }

    /// The segments missing before something that has arrived, last in sequence first (eln-ack, section III): this end does not know
    /// why they are.
    pub fn losses(&self) -> Losses {
        let ranges = self.out_of_order.ranges();
        let size = u64::from(self.longest_payload);
        // What is missing behind a range further off than that cannot be listed.
        let near = ranges.partition_point(|&(_, end)| end - self.next <= u64::from(Losses::FURTHEST));
        let starts = (0..ranges.len().min(near + 1)).rev().flat_map(|place| {
            let begin = if place == 0 { self.next } else { ranges[place - 1].1 };
            let end = ranges[place].0;
            let nearest = (begin - self.next).min(u64::from(Losses::FURTHEST));
            let most = (u64::from(Losses::FURTHEST) - nearest) / size + 1;
            let segments = (end - begin).div_ceil(size).min(most);
            (0..segments).rev().map(move |n| begin - self.next + n * size)
        });
        let losses = starts.filter_map(|offset| u32::try_from(offset).ok());
        losses.map(|offset| Loss { offset, cause: LossCause::Congestion }).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::receiver::{Agreed, Arrival, Timing};
    use seamline_wire::random::Stream;
    use seamline_wire::{Duration, Instant, SequenceNumber};
    use std::sync::Arc;

    const SIZE: u32 = 10_000;

    fn arrival(start: Offset) -> Arrival {
        let timing = Timing { smoothed: None, timeout: Duration::from_secs(1) };
        Arrival { now: Instant::ZERO, start, length: SIZE, fin: false, push: false, timing }
    }

    /// Against the definition: of the segments missing before the last one that has come, those near enough to be listed, the last four.
    #[test]
    fn losses_are_the_last_ones_that_can_be_listed() {
        let mut parameters = (crate::profile::RFC.parameters)();
        parameters.receiver.buffer = 4_000_000;
        let parameters = Arc::new(parameters);
        let agreed = Agreed { window_shift: 7, segment_size: SIZE, payload: SIZE, selective: true };
        let mut dice = Stream::new(1, "losses");
        for chance in [0.02, 0.3, 0.9] {
            let mut receiver =
                Receiver::new(Arc::clone(&parameters), SequenceNumber(0), Offset::FIRST_BYTE, agreed);
            receiver.offer(true);
            let mut come = Vec::new();
            for segment in (1..200).filter(|_| dice.chance(chance)) {
                receiver.accept(&arrival(Offset::FIRST_BYTE + segment * u64::from(SIZE)));
                come.push(segment);
                let missing =
                    (0..segment).rev().filter(|it| !come.contains(it)).map(|it| it * u64::from(SIZE));
                let near = missing.filter(|&offset| offset <= u64::from(Losses::FURTHEST));
                let listed: Vec<u64> = receiver.losses().iter().map(|loss| u64::from(loss.offset)).collect();
                assert_eq!(listed, near.take(Losses::MAX).collect::<Vec<_>>(), "after {come:?}");
            }
        }
    }
}
