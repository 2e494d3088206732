//! What the receiver has reported by SACK (RFC 2018), kept as ranges.

use crate::offset::Offset;
use std::cell::Cell;
use std::collections::VecDeque;

/// How many ranges are kept apart for a window of so many bytes. Losses between full segments leave at most
/// half as many ranges as the window has segments; a thousand beyond that are for segments that are not
/// full. Without a bound a peer with a range for every other byte would make each segment cost a walk over
/// the whole window.
pub fn most_ranges(window: u64, segment_size: u32) -> usize {
    const FOR_SMALL_SEGMENTS: u64 = 1024;
    (FOR_SMALL_SEGMENTS + window / u64::from(segment_size.max(1))) as usize
}

/// A range.
type Range = (Offset, Offset);

/// Sorted, disjoint, non-touching half-open ranges of offsets. A handful of ranges is the usual case; a large window with losses has
/// thousands, which come at the end and go at the beginning.
#[derive(Clone, Debug, Default)]
pub struct RangeSet {
    ranges: VecDeque<Range>,
    total: u64,
    /// Some offset, and the bytes of the set at or after it: where the next sum may begin.
    known: Cell<(Offset, u64)>,
}

impl PartialEq for RangeSet {
    fn eq(&self, other: &Self) -> bool {
        self.ranges == other.ranges
    }
}

impl Eq for RangeSet {}

/// A sum over more ranges than this is remembered.
const LONG_SUM: usize = 16;

/// Bytes of a range at or after `from`.
fn bytes_from(from: Offset, &(left, right): &Range) -> u64 {
    right.saturating_since(left.max(from))
}

impl RangeSet {
    /// Add `start..end`, merging what overlaps or touches. Returns how many bytes are new.
    pub fn insert(&mut self, start: Offset, end: Offset) -> u64 {
        if start >= end {
            return 0;
        }
        let first = self.ranges.partition_point(|&(_, right)| right < start);
        let last = self.ranges.partition_point(|&(left, _)| left <= end);
        let merged = match first == last {
            true => (start, end),
            false => (start.min(self.ranges[first].0), end.max(self.ranges[last - 1].1)),
        };
        let (known, after) = self.known.get();
        let new_from = |from| {
            let before: u64 = self.ranges.range(first..last).map(|range| bytes_from(from, range)).sum();
            bytes_from(from, &merged) - before
        };
        let (new, new_after) = (new_from(merged.0), new_from(known));
        if first == last {
            self.ranges.insert(first, merged);
        } else {
            self.ranges[first] = merged;
            self.ranges.drain(first + 1..last);
        }
        self.total += new;
        self.known.set((known, after + new_after));
        new
    }
    /// Whether adding `start..end` leaves at most `most` ranges, or at least no more than there are.
    pub fn has_room_for(&self, start: Offset, end: Offset, most: usize) -> bool {
        self.ranges.len() < most || {
            let first = self.ranges.partition_point(|&(_, right)| right < start);
            self.ranges.get(first).is_some_and(|&(left, _)| left <= end)
        }
    }
    /// Forget everything before `offset`.
    pub fn remove_before(&mut self, offset: Offset) {
        let gone = self.ranges.partition_point(|&(_, right)| right <= offset);
        if gone > 0 {
            self.total -= self.ranges.drain(..gone).map(|(left, right)| right - left).sum::<u64>();
        }
        if let Some(first) = self.ranges.front_mut().filter(|first| first.0 < offset) {
            self.total -= offset - first.0;
            first.0 = offset;
        }
        if self.known.get().0 <= offset {
            self.known.set((offset, self.total));
        }
    }
    /// Whether `offset` is in the set.
    pub fn contains(&self, offset: Offset) -> bool {
        let after = self.ranges.partition_point(|&(left, _)| left <= offset);
        after > 0 && offset < self.ranges[after - 1].1
    }
    /// The first offset at or after `from` that is not in the set.
    pub fn next_missing(&self, from: Offset) -> Offset {
        let after = self.ranges.partition_point(|&(left, _)| left <= from);
        if after > 0 { from.max(self.ranges[after - 1].1) } else { from }
    }
    /// The first offset after `from` where a range begins.
    pub fn next_present(&self, from: Offset) -> Option<Offset> {
        let last = self.ranges.back()?;
        if last.0 <= from {
            return None;
        }
        let after = self.ranges.partition_point(|&(left, _)| left <= from);
        Some(self.ranges[after].0)
    }
    /// Bytes of `start..end` that are not in the set.
    pub fn missing_between(&self, start: Offset, end: Offset) -> u64 {
        end.saturating_since(start) - (self.total_from(start.min(end)) - self.total_from(end))
    }
    /// The ranges in ascending order.
    pub fn ranges(&self) -> &VecDeque<Range> {
        &self.ranges
    }
    /// The ranges that end after `offset`, in ascending order.
    pub fn ranges_after(&self, offset: Offset) -> impl Iterator<Item = &Range> {
        self.ranges.range(self.ranges.partition_point(|&(_, right)| right <= offset)..)
    }
    /// Bytes in the set.
    pub fn total(&self) -> u64 {
        self.total
    }
    /// Bytes of the set at or after `from`: a sum from there to the end, to the beginning, or to where the last long sum began,
    /// whichever is nearest. Senders ask for places that hardly move.
    pub fn total_from(&self, from: Offset) -> u64 {
        let place_of = |offset| self.ranges.partition_point(|&(_, right)| right <= offset);
        let (place, (known, after)) = (place_of(from), self.known.get());
        let distance = |end: (Offset, usize, u64)| end.1.abs_diff(place);
        let mut nearest = (known, place_of(known), after);
        for end in [(Offset(0), 0, self.total), (Offset(u64::MAX), self.ranges.len(), 0)] {
            if distance(end) < distance(nearest) {
                nearest = end;
            }
        }
        let (origin, there, after) = nearest;
        let between = self.ranges.range(place.min(there)..(place.max(there) + 1).min(self.ranges.len()));
        let sum = |offset| between.clone().map(|range| bytes_from(offset, range)).sum::<u64>();
        let total = after + sum(from) - sum(origin);
        if distance(nearest) > LONG_SUM {
            self.known.set((from, total));
        }
        total
    }
    /// The end of the last range.
    pub fn end(&self) -> Option<Offset> {
        self.ranges.back().map(|&(_, right)| right)
    }
    /// Whether nothing is in the set.
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }
    /// As the sender's record of which bytes above the cumulative acknowledgment have arrived: take in what an acknowledgment of
    /// everything before `unacknowledged` reports. A block that would make more than `most` ranges is left out: what it
    /// reports is sent again.
    pub fn take_in(
        &mut self,
        unacknowledged: Offset,
        blocks: impl Iterator<Item = (Offset, Offset)>,
        most: usize,
    ) -> News {
        let recorded_before = self.ranges.front().is_some_and(|&(left, _)| left < unacknowledged);
        self.remove_before(unacknowledged);
        let mut new = 0;
        for (left, right) in blocks {
            let left = left.max(unacknowledged);
            if self.has_room_for(left, right, most) {
                new += self.insert(left, right);
            }
        }
        News { any: recorded_before || new > 0, blocks: new > 0 }
    }
    /// Empty the set.
    pub fn clear(&mut self) {
        self.ranges.clear();
        self.total = 0;
        self.known.set((Offset(0), 0));
    }
}

/// What was new in an acknowledgment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct News {
    /// Anything: a new block, or progress past something recorded.
    pub any: bool,
    /// Bytes that had not been reported before.
    pub blocks: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(n: u64) -> Offset {
        Offset(n)
    }

    #[test]
    fn insertion_merges_overlap_and_contact() {
        let mut set = RangeSet::default();
        assert_eq!(set.insert(at(10), at(20)), 10);
        assert_eq!(set.insert(at(30), at(40)), 10);
        assert_eq!(set.insert(at(20), at(30)), 10);
        assert_eq!(*set.ranges(), [(at(10), at(40))]);
        assert_eq!(set.insert(at(5), at(50)), 15);
        assert_eq!(set.insert(at(6), at(7)), 0);
        assert_eq!((set.total(), set.end()), (45, Some(at(50))));
    }

    #[test]
    fn removal_trims_the_first_range() {
        let mut set = RangeSet::default();
        set.insert(at(10), at(20));
        set.insert(at(30), at(40));
        set.remove_before(at(15));
        assert_eq!((set.total(), set.next_missing(at(15)), set.next_missing(at(25))), (15, at(20), at(25)));
        assert!(set.contains(at(15)) && !set.contains(at(20)) && !set.contains(at(14)));
        assert_eq!(set.total_from(at(35)), 5);
        set.remove_before(at(100));
        assert!(set.is_empty() && set.total() == 0);
    }

    /// Against counting each byte, with more ranges than a short sum has and sums that begin everywhere.
    #[test]
    fn sums_are_right_wherever_they_begin() {
        const BYTES: u64 = 2000;
        let (mut set, mut bytes, mut first) = (RangeSet::default(), vec![false; BYTES as usize], 0);
        let mut stream = seamline_wire::random::Stream::new(1, "ranges");
        let mut draw = |below: u64| stream.bits() % below;
        for step in 0..4000 {
            let start = first + draw(BYTES - first);
            let end = (start + 1 + draw(if step % 50 == 0 { 200 } else { 4 })).min(BYTES);
            bytes[start as usize..end as usize].fill(true);
            set.insert(at(start), at(end));
            if step % 100 == 99 {
                first = (first + draw(40)).min(BYTES - 300);
                bytes[..first as usize].fill(false);
                set.remove_before(at(first));
            }
            if step % 1500 == 1499 {
                bytes.fill(false);
                set.clear();
            }
            let from = draw(BYTES);
            let counted = bytes[from as usize..].iter().filter(|byte| **byte).count() as u64;
            assert_eq!(set.total_from(at(from)), counted, "step {step}, from {from}");
        }
    }

    #[test]
    fn an_acknowledgment_without_news_says_so() {
        let mut board = RangeSet::default();
        assert!(board.take_in(at(10), [(at(20), at(30))].into_iter(), 9).any);
        assert!(!board.take_in(at(10), [(at(20), at(30))].into_iter(), 9).any);
        assert!(board.take_in(at(25), std::iter::empty(), 9).any);
    }

    #[test]
    fn a_full_scoreboard_takes_in_only_what_it_can_merge() {
        let mut board = RangeSet::default();
        board.take_in(at(0), [(at(10), at(11)), (at(20), at(21)), (at(30), at(31))].into_iter(), 2);
        assert_eq!(*board.ranges(), [(at(10), at(11)), (at(20), at(21))]);
        assert!(!board.take_in(at(0), [(at(12), at(19)), (at(0), at(9))].into_iter(), 2).any);
        assert!(board.take_in(at(0), [(at(11), at(12)), (at(19), at(20))].into_iter(), 2).any);
        assert!(board.take_in(at(0), [(at(12), at(19))].into_iter(), 2).any);
        assert!(board.take_in(at(0), [(at(30), at(31))].into_iter(), 2).any);
        assert_eq!(*board.ranges(), [(at(10), at(21)), (at(30), at(31))]);
    }
}
