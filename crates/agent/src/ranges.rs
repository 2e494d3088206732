//! Which bytes of a stream were seen, as ranges of sequence numbers.

use seamline_wire::SequenceNumber;

/// Sorted ranges that do not touch, few of them and none far from the others, so that numbers that wrap stay in order.
#[derive(Debug, Default)]
pub(crate) struct Ranges(Vec<(SequenceNumber, SequenceNumber)>);

/// More ranges are not remembered: half a kilobyte.
const MOST: usize = 64;
/// The largest window (RFC 7323 section 2.3): what lies further off is none of this stream's.
const FURTHEST: u32 = 1 << 30;

impl Ranges {
    /// Note that the bytes of `begin..end` were seen. What does not fit, or cannot be, is not noted: `false`.
    pub(crate) fn insert(&mut self, begin: SequenceNumber, end: SequenceNumber) -> bool {
        if !begin.is_before(end) || !self.is_near(begin, end) {
            return false;
        }
        let first = self.0.partition_point(|range| range.1.is_before(begin));
        let last = self.0.partition_point(|range| range.0.is_at_or_before(end));
        if first < last {
            self.0[first] = (self.0[first].0.min(begin), self.0[last - 1].1.max(end));
            self.0.drain(first + 1..last);
        } else if self.0.len() < MOST {
            self.0.insert(first, (begin, end));
        } else {
            return false;
        }
        if let Some(&(_, highest)) = self.0.last() {
            self.forget_before(highest - FURTHEST);
        }
        true
    }
    fn is_near(&self, begin: SequenceNumber, end: SequenceNumber) -> bool {
        let (Some(first), Some(last)) = (self.0.first(), self.0.last()) else { return true };
        end.saturating_since(last.1) < FURTHEST && first.0.saturating_since(begin) < FURTHEST
    }
    pub(crate) fn forget_before(&mut self, sequence: SequenceNumber) {
        let gone = self.0.partition_point(|range| range.1.is_at_or_before(sequence));
        self.0.drain(..gone);
        if let Some(first) = self.0.first_mut() {
            first.0 = first.0.max(sequence);
        }
    }
    pub(crate) fn contains(&self, sequence: SequenceNumber) -> bool {
        let after = self.0.partition_point(|range| range.0.is_at_or_before(sequence));
        after > 0 && sequence.is_before(self.0[after - 1].1)
    }
    /// Whether all bytes of `begin..end` were seen.
    pub(crate) fn contain_all(&self, begin: SequenceNumber, end: SequenceNumber) -> bool {
        let after = self.0.partition_point(|range| range.0.is_at_or_before(begin));
        after > 0 && end.is_at_or_before(self.0[after - 1].1)
    }
    /// Where each gap between what was seen begins.
    pub(crate) fn gaps(&self) -> impl Iterator<Item = SequenceNumber> {
        self.0.windows(2).map(|pair| pair[0].1)
    }
    /// The first byte of all.
    pub(crate) fn first(&self) -> Option<SequenceNumber> {
        self.0.first().map(|range| range.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(n: u32) -> SequenceNumber {
        SequenceNumber(n.wrapping_sub(2000))
    }

    #[test]
    fn ranges_merge_across_the_wrap() {
        let mut seen = Ranges::default();
        seen.insert(at(1000), at(2000));
        seen.insert(at(3000), at(4000));
        assert!(seen.contains(at(1999)) && !seen.contains(at(2000)) && !seen.contains(at(2999)));
        seen.insert(at(2000), at(3000));
        assert_eq!(seen.0, [(at(1000), at(4000))]);
        assert!(seen.contain_all(at(1000), at(4000)) && seen.contain_all(at(1990), at(2010)));
        assert!(!seen.contain_all(at(999), at(1001)) && !seen.contain_all(at(3999), at(4001)));
        seen.forget_before(at(2500));
        assert_eq!((seen.first(), &seen.0[..]), (Some(at(2500)), &[(at(2500), at(4000))][..]));
        seen.forget_before(at(5000));
        assert_eq!(seen.first(), None);
    }

    #[test]
    fn memory_is_bounded_and_what_is_far_off_ignored() {
        let mut seen = Ranges::default();
        let noted = (0..100).filter(|n| seen.insert(at(n * 20), at(n * 20 + 10))).count();
        assert_eq!((noted, seen.0.len(), seen.0[63].1), (MOST, MOST, at(63 * 20 + 10)));
        seen.insert(at(FURTHEST * 2), at(FURTHEST * 2 + 10));
        seen.insert(at(10), at(10));
        assert_eq!(seen.0.len(), MOST);
        let mut long = Ranges::default();
        let step = 1 << 20;
        let noted =
            (0..5000).all(|n: u32| long.insert(at(n.wrapping_mul(step)), at((n + 1).wrapping_mul(step))));
        assert!(noted);
        let end = at(5000_u32.wrapping_mul(step));
        assert_eq!(long.0, [(end - FURTHEST, end)], "acknowledgments that take another way let nothing grow");
    }
}
