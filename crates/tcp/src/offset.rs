//! Positions in a connection's sequence space that never wrap.

use seamline_wire::SequenceNumber;
use std::fmt;
use std::ops::{Add, AddAssign, Sub};

/// A position in one direction's sequence space, counted in 64 bits from the initial sequence number:
/// the SYN is at 0, the first byte of data at 1. Strategies compare and subtract offsets freely, and
/// transfers beyond 4 GiB need no special care; only the edge of the endpoint knows sequence numbers
/// that wrap.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Offset(pub u64);

impl Offset {
    /// The position of the SYN.
    pub const SYN: Offset = Offset(0);
    /// The position of the first byte of data.
    pub const FIRST_BYTE: Offset = Offset(1);

    /// Bytes from `earlier` to `self`, zero when `earlier` is the later of the two.
    pub const fn saturating_since(self, earlier: Offset) -> u64 {
        self.0.saturating_sub(earlier.0)
    }
    /// The sequence number of this position in a direction that began at `initial`.
    pub const fn sequence(self, initial: SequenceNumber) -> SequenceNumber {
        SequenceNumber(initial.0.wrapping_add(self.0 as u32))
    }
    /// The position of `sequence` nearest to `self`, `None` when it would lie before the start.
    pub fn nearest(self, sequence: SequenceNumber, initial: SequenceNumber) -> Option<Offset> {
        let distance = i64::from(sequence.0.wrapping_sub(self.sequence(initial).0) as i32);
        self.0.checked_add_signed(distance).map(Offset)
    }
}

impl Add<u64> for Offset {
    type Output = Offset;
    fn add(self, bytes: u64) -> Offset {
        Offset(self.0 + bytes)
    }
}
impl AddAssign<u64> for Offset {
    fn add_assign(&mut self, bytes: u64) {
        self.0 += bytes;
    }
}
impl Sub for Offset {
    type Output = u64;
    fn sub(self, earlier: Offset) -> u64 {
        debug_assert!(self >= earlier, "{self:?} is before {earlier:?}");
        self.0.saturating_sub(earlier.0)
    }
}
impl fmt::Debug for Offset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "@{}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequence_numbers_wrap_and_offsets_do_not() {
        let initial = SequenceNumber(u32::MAX - 1);
        let far = Offset(5_000_000_000);
        let sequence = far.sequence(initial);
        assert_eq!((far + 100).nearest(sequence, initial), Some(far));
        assert_eq!(Offset(4_999_999_000).nearest(sequence, initial), Some(far));
        assert_eq!(Offset(3).nearest(initial - 10, initial), None);
    }
}
