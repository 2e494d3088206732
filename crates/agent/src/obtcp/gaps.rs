//! What of the way to the mobile host has not come to the mobile router.

use seamline_wire::control::SequenceRange;
use seamline_wire::{Instant, SequenceNumber};

/// Why bytes are missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cause {
    /// By congestion on the wired side, or for ever: only their sender can send them again.
    Congestion,
    /// On the air to the mobile router: the base station is asked for them.
    Air {
        /// How often it was asked.
        requests: u32,
        /// When it was asked last.
        asked_at: Instant,
        /// When it is asked again.
        again_at: Instant,
    },
}

/// Missing bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gap {
    pub(super) range: SequenceRange,
    pub(super) cause: Cause,
}

/// The gaps of one connection, in order and apart from each other.
#[derive(Debug, Default)]
pub(super) struct Gaps {
    list: Vec<Gap>,
}

/// So many gaps of a connection at most. What does not find room is not asked for; its sender sends it again in the end.
pub(super) const MOST: usize = 64;
/// What is kept in reserve for the next ones.
const SPARE: usize = 4;

impl Gaps {
    pub(super) fn at(&self, place: SequenceNumber) -> Option<&Gap> {
        self.list.iter().find(|gap| gap.range.first.is_at_or_before(place) && gap.range.end.is_after(place))
    }
    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Gap> {
        self.list.iter_mut()
    }
    /// When the base station has to be asked again.
    pub(super) fn again_at(&self) -> Option<Instant> {
        let times = self.list.iter().filter_map(|gap| match gap.cause {
            Cause::Air { again_at, .. } => Some(again_at),
            Cause::Congestion => None,
        });
        times.min()
    }
    /// These bytes are missing, as far as it is not known already.
    pub(super) fn add(&mut self, range: SequenceRange, cause: Cause) {
        let mut from = range.first;
        let mut place = 0;
        while place < self.list.len() && from.is_before(range.end) {
            let known = self.list[place].range;
            if known.first.is_after(from) {
                let end = known.first.min(range.end);
                place += usize::from(self.insert(place, SequenceRange { first: from, end }, cause));
            }
            from = from.max(known.end);
            place += 1;
        }
        if from.is_before(range.end) {
            self.insert(place, SequenceRange { first: from, end: range.end }, cause);
        }
    }
    fn insert(&mut self, place: usize, range: SequenceRange, cause: Cause) -> bool {
        let has_room = self.list.len() < MOST;
        if has_room && range.first.is_before(range.end) {
            self.list.insert(place, Gap { range, cause });
            return true;
        }
        false
    }
    /// These bytes are missing no more; returns the cause that some of them had.
    pub(super) fn fill(&mut self, range: SequenceRange) -> Option<Cause> {
        let mut filled = None;
        let mut place = 0;
        while place < self.list.len() {
            let Gap { range: known, cause } = self.list[place];
            if known.end.is_at_or_before(range.first) || known.first.is_at_or_after(range.end) {
                place += 1;
                continue;
            }
            filled = Some(cause);
            self.list.remove(place);
            let before = SequenceRange { first: known.first, end: range.first.min(known.end) };
            let behind = SequenceRange { first: range.end.max(known.first), end: known.end };
            place += usize::from(self.insert(place, before, cause));
            place += usize::from(self.insert(place, behind, cause));
        }
        if self.list.is_empty() {
            self.list.shrink_to(SPARE);
        }
        filled
    }
}
