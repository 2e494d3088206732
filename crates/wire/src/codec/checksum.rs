//! The Internet checksum (RFC 1071).

/// A running one's complement sum of 16-bit big-endian words. Order does not matter, so parts of a
/// packet can be added as they come to hand.
#[derive(Clone, Copy, Debug, Default)]
pub struct Checksum(u64);

impl Checksum {
    /// The sum of nothing.
    pub const fn new() -> Self {
        Checksum(0)
    }
    /// The sum with `bytes` added, padded with a zero byte when their number is odd. Only the last
    /// part of a packet may be odd: every other one must end on a word boundary.
    #[must_use]
    pub fn over(self, bytes: &[u8]) -> Self {
        // 2^16 is 1 modulo 2^16 - 1, so words of 32 bits add up to the same sum as words of 16. And sums of words whose bytes are swapped are
        // the swapped sum (RFC 1071 section 2 B), so the words are added as the processor reads them.
        let (words, rest) = bytes.as_chunks::<4>();
        let sum: u64 = words.iter().map(|word| u64::from(u32::from_ne_bytes(*word))).sum();
        let mut last = [0; 4];
        last[..rest.len()].copy_from_slice(rest);
        let sum = folded(sum + u64::from(u32::from_ne_bytes(last)));
        Checksum(self.0 + u64::from(u16::from_be(sum)))
    }
    /// The sum of both.
    #[must_use]
    pub fn combine(self, other: Checksum) -> Self {
        Checksum(self.0 + other.0)
    }
    /// The field to write: the complement of the sum of everything else (RFC 1071 section 1).
    pub fn field(self) -> u16 {
        !self.folded()
    }
    /// Whether the sum of everything, the checksum field included, is that of an undamaged packet.
    pub fn is_valid(self) -> bool {
        self.folded() == u16::MAX
    }
    fn folded(self) -> u16 {
        folded(self.0)
    }
}

fn folded(mut sum: u64) -> u16 {
    while sum > u64::from(u16::MAX) {
        sum = (sum & u64::from(u16::MAX)) + (sum >> 16);
    }
    sum as u16
}
