//! Bytes that have not come though later ones have.

use seamline_wire::SequenceNumber;

/// Gaps in order, few of them: they are filled or given up within some round trips.
#[derive(Debug, Default)]
pub(super) struct Gaps(Vec<(SequenceNumber, SequenceNumber)>);

/// With more gaps the last two are joined: 16 bytes each, for each direction of each connection.
const MOST: usize = 16;

impl Gaps {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
    /// Behind all others.
    pub(super) fn push(&mut self, begin: SequenceNumber, end: SequenceNumber) {
        let is_full = self.0.len() == MOST;
        match self.0.last_mut().filter(|_| is_full) {
            Some(last) => last.1 = end,
            None => self.0.push((begin, end)),
        }
    }
    /// These bytes have come. Whether some of them were missing.
    pub(super) fn fill(&mut self, begin: SequenceNumber, end: SequenceNumber) -> bool {
        let overlaps =
            |gap: &(SequenceNumber, SequenceNumber)| gap.0.is_before(end) && begin.is_before(gap.1);
        let Some(place) = self.0.iter().position(overlaps) else { return false };
        let gap = self.0.remove(place);
        let left = [(gap.0, begin), (end, gap.1)].into_iter().filter(|(begin, end)| begin.is_before(*end));
        for (further, part) in left.enumerate() {
            if self.0.len() < MOST {
                self.0.insert(place + further, part);
            }
        }
        true
    }
    /// The receiver has everything before this.
    pub(super) fn forget_before(&mut self, acknowledged: SequenceNumber) {
        self.0.retain(|gap| gap.1.is_after(acknowledged));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(number: u32) -> SequenceNumber {
        SequenceNumber(number.wrapping_sub(50))
    }

    #[test]
    fn gaps_are_filled_from_either_end_and_in_the_middle() {
        let mut gaps = Gaps::default();
        gaps.push(at(10), at(100));
        assert!(gaps.fill(at(0), at(20)) && gaps.fill(at(90), at(120)) && gaps.fill(at(40), at(60)));
        assert_eq!(gaps.0, [(at(20), at(40)), (at(60), at(90))], "across the wrap");
        assert!(!gaps.fill(at(40), at(60)) && !gaps.fill(at(0), at(20)));
        gaps.forget_before(at(40));
        assert_eq!(gaps.0, [(at(60), at(90))]);
        assert!(gaps.fill(at(60), at(90)) && gaps.is_empty());
    }

    #[test]
    fn no_more_than_so_many_are_remembered() {
        let mut gaps = Gaps::default();
        (0..100).for_each(|number| gaps.push(at(number * 20), at(number * 20 + 10)));
        assert_eq!((gaps.0.len(), gaps.0[15]), (MOST, (at(300), at(1990))));
        assert!(gaps.fill(at(500), at(510)));
        assert_eq!(gaps.0.len(), MOST);
    }
}
