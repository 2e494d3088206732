//! Sequence numbers that wrap at 2^32 (RFC 9293 section 3.4).

use std::fmt;
use std::ops::AddAssign;

/// A TCP sequence number. Comparison is modulo 2^32 and meaningful between numbers less than 2^31
/// apart, which the largest window (2^30, RFC 7323 section 2.3) guarantees; there is no `Ord`, because
/// the order is not transitive.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct SequenceNumber(pub u32);

impl SequenceNumber {
    /// Whether `self` comes before `other`.
    pub const fn is_before(self, other: SequenceNumber) -> bool {
        (self.0.wrapping_sub(other.0) as i32) < 0
    }
    /// Whether `self` comes after `other`.
    pub const fn is_after(self, other: SequenceNumber) -> bool {
        other.is_before(self)
    }
    /// Whether `self` is `other` or comes before it.
    pub const fn is_at_or_before(self, other: SequenceNumber) -> bool {
        !other.is_before(self)
    }
    /// Whether `self` is `other` or comes after it.
    pub const fn is_at_or_after(self, other: SequenceNumber) -> bool {
        !self.is_before(other)
    }
    /// The later of the two.
    pub const fn max(self, other: SequenceNumber) -> SequenceNumber {
        if self.is_before(other) { other } else { self }
    }
    /// The earlier of the two.
    pub const fn min(self, other: SequenceNumber) -> SequenceNumber {
        if self.is_before(other) { self } else { other }
    }
    /// Bytes from `earlier` to `self`, zero when `earlier` is the later of the two.
    pub const fn saturating_since(self, earlier: SequenceNumber) -> u32 {
        if self.is_before(earlier) { 0 } else { self.0.wrapping_sub(earlier.0) }
    }
}

operators! {
    SequenceNumber: Add add u32 = SequenceNumber, |number, bytes| SequenceNumber(number.0.wrapping_add(bytes));
    SequenceNumber: Sub sub u32 = SequenceNumber, |number, bytes| SequenceNumber(number.0.wrapping_sub(bytes));
    /// The distance modulo 2^32; call only when `other` is known not to be later.
    SequenceNumber: Sub sub SequenceNumber = u32, |later, earlier| later.0.wrapping_sub(earlier.0);
}
impl AddAssign<u32> for SequenceNumber {
    fn add_assign(&mut self, bytes: u32) {
        *self = *self + bytes;
    }
}
impl fmt::Display for SequenceNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
impl fmt::Debug for SequenceNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_survives_the_wrap() {
        let high = SequenceNumber(u32::MAX - 5);
        let low = high + 10;
        assert_eq!(low, SequenceNumber(4));
        assert!(high.is_before(low) && low.is_after(high));
        assert_eq!(low - high, 10);
        assert_eq!(high.saturating_since(low), 0);
        assert_eq!(high.max(low), low);
        assert_eq!(high.min(low), high);
        assert!(high.is_at_or_before(high) && high.is_at_or_after(high));
    }
}
