//! What a mobile host lists as having arrived (RFC 2018).

use crate::ranges::Ranges;
use seamline_wire::{SackBlock, Segment, SequenceNumber};

/// What of the bytes that a mobile host has not acknowledged it has listed.
#[derive(Debug, Default)]
pub(crate) struct Listed {
    ranges: Ranges,
    /// It has listed something.
    is_used: bool,
}

impl Listed {
    /// An acknowledgment lists this.
    pub(crate) fn hear(&mut self, blocks: &[SackBlock]) {
        self.is_used |= !blocks.is_empty();
        for block in blocks {
            self.ranges.insert(block.left, block.right);
        }
    }
    /// Whether it has listed all of a segment.
    pub(crate) fn has(&self, segment: &Segment) -> bool {
        self.ranges.contain_all(segment.sequence, segment.end())
    }
    /// Whether the host lists what arrives: it has done so once.
    pub(crate) fn is_used(&self) -> bool {
        self.is_used
    }
    /// All before this byte has arrived, and this is missing. If the host has listed it, it has discarded it since (RFC 2018 section 8), and perhaps more. Returns
    /// whether that is so, and nothing listed holds.
    pub(crate) fn acknowledge(&mut self, acknowledgment: SequenceNumber) -> bool {
        self.ranges.forget_before(acknowledgment);
        let has_discarded = self.ranges.contains(acknowledgment);
        if has_discarded {
            self.ranges = Ranges::default();
        }
        has_discarded
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn segment(sequence: u32, length: u32) -> Segment {
        Segment { sequence: SequenceNumber(sequence), length, ..Segment::default() }
    }
    fn block(left: u32, right: u32) -> SackBlock {
        SackBlock { left: SequenceNumber(left), right: SequenceNumber(right) }
    }

    #[test]
    fn who_asks_for_what_he_has_listed_has_discarded_it() {
        let mut listed = Listed::default();
        assert!(!listed.is_used());
        listed.hear(&[block(2000, 4000), block(5000, 6000)]);
        assert!(!listed.acknowledge(SequenceNumber(1500)));
        assert!(listed.is_used() && listed.has(&segment(2000, 2000)) && listed.has(&segment(5000, 1000)));
        assert!(!listed.has(&segment(3500, 1000)) && !listed.has(&segment(1500, 1000)));
        assert!(listed.acknowledge(SequenceNumber(3000)));
        assert!(!listed.has(&segment(5000, 1000)), "nothing listed holds");
        assert!(listed.is_used());
    }
}
