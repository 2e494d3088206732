//! A TCP segment as fields: what the codec encodes and what the simulator moves.

use crate::mark::Mark;
use crate::sequence::SequenceNumber;
use std::fmt;

bits! {
    /// The control bits of a TCP header (RFC 9293 section 3.1), in their order on the wire.
    Flags(u16):
    /// No more data from the sender.
    FIN = 0x01;
    /// Synchronize sequence numbers.
    SYN = 0x02;
    /// Reset the connection.
    RST = 0x04;
    /// Push function.
    PSH = 0x08;
    /// The acknowledgment field is significant.
    ACK = 0x10;
    /// The urgent pointer is significant.
    URG = 0x20;
    /// ECN-Echo (RFC 3168).
    ECE = 0x40;
    /// Congestion Window Reduced (RFC 3168).
    CWR = 0x80;
    /// Accurate ECN (RFC 9768 section 3.1); the nonce sum before (RFC 3540).
    AE = 0x100;
}
impl Flags {
    const LETTERS: [(Flags, char); 9] = [
        (Flags::SYN, 'S'),
        (Flags::FIN, 'F'),
        (Flags::RST, 'R'),
        (Flags::PSH, 'P'),
        (Flags::ACK, '.'),
        (Flags::URG, 'U'),
        (Flags::ECE, 'E'),
        (Flags::CWR, 'W'),
        (Flags::AE, 'e'),
    ];

    /// The bits that print as these letters; `None` for any other letter.
    pub fn of_letters(letters: &str) -> Option<Flags> {
        letters.chars().try_fold(Flags(0), |bits, letter| {
            let known = Flags::LETTERS.iter().find(|(_, known)| *known == letter);
            known.map(|(bit, _)| bits | *bit)
        })
    }
}
impl fmt::Debug for Flags {
    /// As tcpdump prints them.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Flags::LETTERS
            .iter()
            .filter(|(bit, _)| self.contains(*bit))
            .try_for_each(|(_, letter)| write!(f, "{letter}"))
    }
}

/// One block of the SACK option: bytes from `left` up to but not including `right` have arrived
/// (RFC 2018 section 3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct SackBlock {
    /// First sequence number of the block.
    pub left: SequenceNumber,
    /// The sequence number just after the block.
    pub right: SequenceNumber,
}

impl SackBlock {
    /// Whether all its bytes are in `outer`, too.
    pub fn is_within(&self, outer: &SackBlock) -> bool {
        outer.left.is_at_or_before(self.left) && self.right.is_at_or_before(outer.right)
    }
}

/// Up to four SACK blocks, inline.
#[derive(Clone, Copy, Eq, Default)]
pub struct SackBlocks {
    blocks: [SackBlock; SackBlocks::MAX],
    len: u8,
}

impl SackBlocks {
    /// As many blocks as fit into 40 bytes of options when nothing else is there.
    pub const MAX: usize = 4;

    /// No blocks.
    pub const fn new() -> Self {
        SackBlocks {
            blocks: [SackBlock { left: SequenceNumber(0), right: SequenceNumber(0) }; Self::MAX],
            len: 0,
        }
    }
    /// Append a block; returns `false`, changing nothing, when all four places are taken.
    pub fn push(&mut self, block: SackBlock) -> bool {
        match self.blocks.get_mut(usize::from(self.len)) {
            Some(place) => {
                *place = block;
                self.len += 1;
                true
            }
            None => false,
        }
    }
    /// Keep only the first `count` blocks.
    pub fn truncate(&mut self, count: usize) {
        self.len = self.len.min(u8::try_from(count).unwrap_or(u8::MAX));
    }
    /// The blocks, most recent first.
    pub fn as_slice(&self) -> &[SackBlock] {
        &self.blocks[..usize::from(self.len)]
    }
    /// How many blocks there are.
    pub fn len(&self) -> usize {
        usize::from(self.len)
    }
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
    /// The blocks, most recent first.
    pub fn iter(&self) -> std::slice::Iter<'_, SackBlock> {
        self.as_slice().iter()
    }
    /// Whether the first block reports a duplicate (D-SACK): something has come that had come before. Such a block lies below the
    /// acknowledgment number that it came with, or within the second block (RFC 2883 section 4).
    pub fn reports_duplicate(&self, acknowledgment: SequenceNumber) -> bool {
        let [first, rest @ ..] = self.as_slice() else { return false };
        first.left.is_before(acknowledgment) || rest.first().is_some_and(|second| first.is_within(second))
    }
    /// The blocks without one that reports a duplicate: what has come behind the byte that the acknowledgment number asks for.
    pub fn behind(&self, acknowledgment: SequenceNumber) -> &[SackBlock] {
        &self.as_slice()[usize::from(self.reports_duplicate(acknowledgment))..]
    }
}
impl PartialEq for SackBlocks {
    /// Places beyond the length may hold blocks that were cut off; they do not count.
    fn eq(&self, other: &Self) -> bool {
        self.as_slice() == other.as_slice()
    }
}
impl fmt::Debug for SackBlocks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter().map(|b| format!("{}..{}", b.left, b.right))).finish()
    }
}
impl FromIterator<SackBlock> for SackBlocks {
    /// Takes the first four; the rest does not fit.
    fn from_iter<I: IntoIterator<Item = SackBlock>>(blocks: I) -> Self {
        let mut taken = SackBlocks::new();
        blocks.into_iter().take(SackBlocks::MAX).for_each(|block| {
            taken.push(block);
        });
        taken
    }
}

/// The Timestamps option (RFC 7323 section 3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Timestamps {
    /// TSval: the sender's timestamp clock.
    pub value: u32,
    /// TSecr: the timestamp being echoed; zero when ACK is not set.
    pub echo: u32,
}

/// A TCP segment. Payload is a length; at the edge of a lab or a real host the bytes are found by
/// their sequence number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Segment {
    /// Sequence number of the first byte, or of the SYN.
    pub sequence: SequenceNumber,
    /// Next sequence number expected; meaningful with [`Flags::ACK`].
    pub acknowledgment: SequenceNumber,
    /// Payload length in bytes.
    pub length: u32,
    /// The window field as it stands in the header, not yet scaled.
    pub window: u16,
    /// Control bits.
    pub flags: Flags,
    /// Window Scale option: shift count, 0 to 14 (RFC 7323 section 2); only with SYN.
    pub window_scale: Option<u8>,
    /// Maximum Segment Size option in bytes (RFC 9293 section 3.7.1); only with SYN.
    pub maximum_segment_size: Option<u16>,
    /// SACK-Permitted option (RFC 2018 section 2); only with SYN.
    pub sack_permitted: bool,
    /// A mark, sent as an experimental option.
    pub mark: Option<Mark>,
    /// Timestamps option.
    pub timestamps: Option<Timestamps>,
    /// SACK option.
    pub sack: SackBlocks,
}

impl Segment {
    /// What the segment occupies in sequence space: its payload, and one each for SYN and FIN.
    pub fn sequence_length(&self) -> u32 {
        self.length
            + u32::from(self.flags.intersects(Flags::SYN))
            + u32::from(self.flags.intersects(Flags::FIN))
    }
    /// Whether it has no flag but ACK, and perhaps PSH, and neither a mark nor SACK blocks.
    #[inline]
    pub fn is_plain(&self) -> bool {
        self.flags | Flags::PSH == Flags::ACK | Flags::PSH && self.sack.is_empty() && self.mark.is_none()
    }
    /// The sequence number just after the segment.
    pub fn end(&self) -> SequenceNumber {
        self.sequence + self.sequence_length()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequence_length_counts_syn_and_fin() {
        let segment = Segment { flags: Flags::SYN | Flags::FIN, length: 10, ..Segment::default() };
        assert_eq!(segment.sequence_length(), 12);
        assert_eq!(segment.end(), SequenceNumber(12));
    }

    #[test]
    fn sack_blocks_hold_four() {
        let mut blocks = SackBlocks::new();
        for n in 0..4 {
            assert!(blocks.push(SackBlock { left: SequenceNumber(n), right: SequenceNumber(n + 1) }));
        }
        assert!(!blocks.push(SackBlock::default()));
        assert_eq!(blocks.len(), 4);
        blocks.truncate(1);
        let first = SackBlock { left: SequenceNumber(0), right: SequenceNumber(1) };
        assert_eq!(blocks.as_slice(), [first]);
        assert_eq!(blocks, [first].into_iter().collect());
    }

    /// The examples of RFC 2883, sections 4.1 to 4.3; in all of them the acknowledgment number is 4000.
    #[test]
    fn a_first_block_may_report_a_duplicate() {
        let block = |&(left, right): &(u32, u32)| SackBlock {
            left: SequenceNumber(left),
            right: SequenceNumber(right),
        };
        let behind = |blocks: &[(u32, u32)]| -> Vec<(u32, u32)> {
            let blocks: SackBlocks = blocks.iter().map(block).collect();
            blocks.behind(SequenceNumber(4000)).iter().map(|it| (it.left.0, it.right.0)).collect()
        };
        assert_eq!(behind(&[(3000, 3500)]), []);
        assert_eq!(behind(&[(3000, 3500), (4500, 5000)]), [(4500, 5000)]);
        assert_eq!(behind(&[(5000, 5500), (4500, 5500)]), [(4500, 5500)]);
        assert_eq!(behind(&[(4500, 5500)]), [(4500, 5500)]);
        assert_eq!(behind(&[(6000, 6500), (4500, 5500)]), [(6000, 6500), (4500, 5500)]);
        assert_eq!(behind(&[]), []);
    }

    #[test]
    fn flags_print_like_tcpdump() {
        assert_eq!(format!("{:?}", Flags::SYN | Flags::ACK), "S.");
        for bits in (0..0x200).map(Flags) {
            assert_eq!(Flags::of_letters(&format!("{bits:?}")), Some(bits));
        }
        assert_eq!(Flags::of_letters("S?"), None);
    }
}
