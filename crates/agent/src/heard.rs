//! What the mobile host has acknowledged, and what another acknowledgment of its adds to that.

use seamline_wire::{SackBlock, SackBlocks, Segment, SequenceNumber};

/// What an acknowledgment says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum News {
    /// Less than is known: it was overtaken.
    Old,
    /// The same, and something else: data, another window, or that the window is closed still.
    More,
    /// The same: something behind what it asks for has come. It lists that, or says nothing else.
    Duplicate,
    /// A duplicate that lists something apart from what was listed first before. An acknowledgment has room for three or four blocks, so what is not listed
    /// now may never be listed again.
    NewGap,
    /// The same: something has come that had come before, which shows no loss.
    Repeated,
    /// More bytes have come.
    Progress,
}

/// What was heard of the mobile host.
#[derive(Debug, Default)]
pub(crate) struct Heard {
    /// The next byte that it misses.
    pub(crate) acknowledged: Option<SequenceNumber>,
    window: u16,
    /// What has come behind that, as listed by the last acknowledgment that listed something new.
    behind: SackBlocks,
}

impl Heard {
    /// Whether the mobile host has acknowledged all of a segment.
    pub(crate) fn has_all_of(&self, segment: &Segment) -> bool {
        self.acknowledged.is_some_and(|acknowledged| segment.end().is_at_or_before(acknowledged))
    }
    /// Take in an acknowledgment.
    pub(crate) fn hear(&mut self, segment: &Segment) -> News {
        let acknowledgment = segment.acknowledgment;
        if self.acknowledged.is_some_and(|acknowledged| acknowledgment.is_before(acknowledged)) {
            return News::Old;
        }
        let is_progress = self.acknowledged.replace(acknowledgment) != Some(acknowledgment);
        let has_other_window = std::mem::replace(&mut self.window, segment.window) != segment.window;
        let blocks = segment.sack.behind(acknowledgment);
        let shows_new_gap = self.shows_new_gap(blocks);
        let lists_new_bytes = self.lists_new_bytes(blocks, is_progress);
        if is_progress {
            News::Progress
        } else if segment.sequence_length() > 0 || segment.window == 0 {
            // The answers to probes of a closed window keep the sender from giving up (RFC 9293, section 3.8.6.1).
            News::More
        } else if lists_new_bytes {
            // Whatever the window (RFC 6675 section 2): Linux opens it for what comes out of order, too.
            if shows_new_gap { News::NewGap } else { News::Duplicate }
        } else if segment.sack.reports_duplicate(acknowledgment) {
            News::Repeated
        } else if has_other_window {
            News::More
        } else {
            News::Duplicate
        }
    }

    /// Whether the first block, which has what came last (RFC 2018 section 4), does not continue the one before.
    fn shows_new_gap(&self, blocks: &[SackBlock]) -> bool {
        let before = self.behind.as_slice().first();
        before.zip(blocks.first()).is_some_and(|(before, first)| !before.is_within(first))
    }

    /// Whether blocks list bytes that those before did not. Not only the first block is compared: with one that reports a duplicate comes the block
    /// that holds it (RFC 2883 section 4), which may be an old one.
    fn lists_new_bytes(&mut self, blocks: &[SackBlock], restarts: bool) -> bool {
        let is_known = |block: &SackBlock| self.behind.iter().any(|known| block.is_within(known));
        let has_new = !blocks.iter().all(is_known);
        if has_new || restarts {
            self.behind = blocks.iter().copied().collect();
        }
        has_new
    }
}
