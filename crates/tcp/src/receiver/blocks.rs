//! What the receiver reports about data beyond gaps: SACK blocks, duplicates and losses.

use super::Receiver;
use crate::offset::Offset;
use seamline_wire::{Loss, LossCause, Losses, SackBlock, SackBlocks};

impl Receiver {
    /// Payload of the peer has come from `start` to `end`: what of it had come before is to be reported, the first of it where that is
    /// in several parts (RFC 2883 section 4).
    pub(crate) fn note_duplicate(&mut self, start: Offset, end: Offset) {
        if !self.parameters.reports_duplicates {
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

    /// The block that holds `from` is now the most recent one; those it has swallowed are gone
    /// (RFC 2018 section 4).
    pub(super) fn remember_block(&mut self, from: Offset) {
        let ranges = self.out_of_order.as_slice();
        let after = ranges.partition_point(|&(left, _)| left <= from);
        let block = ranges[after - 1];
        self.recent.retain(|&(left, right)| left < block.0 || right > block.1);
        self.recent.insert(0, block);
        self.recent.truncate(SackBlocks::MAX);
    }

    /// The blocks to report: what has come twice (RFC 2883 section 4), the most recent, then others that have been reported longer
    /// ago, as many as there is room for (RFC 2018 section 4).
    pub fn sack_blocks(&self) -> SackBlocks {
        let ranges = self.out_of_order.as_slice();
        if ranges.is_empty() && self.duplicate.is_none() {
            return SackBlocks::new();
        }
        let block = |&(left, right): &(Offset, Offset)| SackBlock {
            left: left.sequence(self.initial),
            right: right.sequence(self.initial),
        };
        let older = ranges.iter().rev().filter(|range| !self.recent.contains(range));
        self.duplicate
            .iter()
            .chain(&self.recent)
            .chain(older)
            .take(self.parameters.most_sack_blocks)
            .map(block)
            .collect()
    }

    /// The segments missing before something that has arrived, last in sequence first (eln-ack, section III): this end does not know
    /// why they are.
    pub fn losses(&self) -> Losses {
        let ranges = self.out_of_order.as_slice();
        let size = u64::from(self.longest_payload);
        let starts = (0..ranges.len()).rev().flat_map(|place| {
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
