//! Who is to be woken when.

use seamline_wire::Instant;
use std::hint::select_unpredictable;

/// Time in the high half, then the element's rank, how late it was armed, and in the lowest bits the element's number: one
/// comparison orders by time and breaks ties by all that.
pub(crate) type Entry = u128;

/// Who comes first among those due at the same time. An element keeps its rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rank {
    /// A timer expires before a packet of the same instant arrives, because it was set longer ago; the
    /// lazily moved entry of a timer cannot show that.
    Timer,
    /// Links deliver.
    Delivery,
}

const ELEMENT_BITS: u32 = 24;
const RANK_SHIFT: u32 = 63;
/// The entry of an element that has not been armed.
pub(crate) const IDLE: Entry = Entry::MAX;
/// How long ago an element was armed has the bits between element and rank, in nanoseconds: what was armed more than nine minutes
/// ahead counts as armed at one time.
const MOST_AHEAD: u64 = (1 << (RANK_SHIFT - ELEMENT_BITS)) - 1;

/// When an element is due ([`Instant::MAX`]: never), and since when that is known. Among elements that are due at one time the one comes
/// first that has been due for longer, then the one that was added first. All of that is the element's own: the order is the same
/// wherever and however else the other elements are stepped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Due {
    pub(crate) at: Instant,
    pub(crate) since: Instant,
}

/// The queue of wake times, one entry per element. Setting an element to a later time than its entry
/// costs nothing: the entry is noticed as early when it comes up.
///
/// It is a tournament (Knuth, The Art of Computer Programming, volume 3, section 5.4.1): elements are the
/// leaves of a binary tree whose other nodes hold the lesser of their two children. Unlike a heap it has no
/// stale entries, and replaying a path takes no branch that depends on the times.
#[derive(Debug, Default)]
pub(crate) struct Agenda {
    /// The tree in pieces. The uppermost is at 0. The pieces below the leaves of the piece `p` are at `FANOUT * p + 1` and up.
    pieces: Vec<Piece>,
    /// The number of the first piece whose leaves are elements.
    first_piece: usize,
    /// Leaves of each such piece: a power of two.
    elements_in_piece: usize,
    /// Leaves of the uppermost piece: a power of two.
    width_of_top: usize,
    elements: usize,
}

/// Some levels of the tree. The root is at 1, and the children of `n` are at `2n` and `2n + 1`. So `w` leaves are at `w` and up. All but the
/// uppermost piece have [`FANOUT`] leaves. Because the length is known when this is compiled, accesses within a piece are not checked.
type Piece = [Entry; 2 * FANOUT];

const FANOUT: usize = 32;
const FANOUT_BITS: u32 = FANOUT.trailing_zeros();

pub(crate) fn time_of(entry: Entry) -> Instant {
    Instant::from_nanos((entry >> 64) as u64)
}
fn element_of(entry: Entry) -> usize {
    (entry as u64 & ((1 << ELEMENT_BITS) - 1)) as usize
}

/// A leaf has changed to `least`: replay the path to the root of a piece with so many levels above its leaves. Returns what the root holds.
///
/// Which of two is less cannot be predicted where many elements take turns, so there is no branch on it.
/// That is why this is a function of its own without a loop that stays one: in loops, compilers turn
/// selections back into branches. It takes a fifth off the time of a dumbbell with 100 flows.
#[inline(never)]
fn replay<const LEVELS: u32>(piece: &mut Piece, leaf: usize, mut least: Entry) -> Entry {
    let width = 1 << LEVELS;
    let mut node = width | (leaf & (width - 1));
    piece[node] = least;
    for _ in 0..LEVELS {
        let sibling = piece[node ^ 1];
        let sibling_is_less = sibling < least;
        let half =
            |shift| select_unpredictable(sibling_is_less, (sibling >> shift) as u64, (least >> shift) as u64);
        least = Entry::from(half(64)) << 64 | Entry::from(half(0));
        node /= 2;
        piece[node] = least;
    }
    least
}

impl Agenda {
    /// Of elements with these entries.
    pub(crate) fn of(entries: Vec<Entry>) -> Self {
        let elements = entries.len();
        let mut agenda = Agenda { elements, ..Agenda::default() };
        agenda.fill(entries);
        agenda
    }
    #[inline]
    pub(crate) fn entry_of(&self, element: usize) -> Entry {
        let (piece, node) = self.place_of(element);
        self.pieces[piece][node]
    }
    /// The piece and the node in it that are an element's.
    #[inline]
    fn place_of(&self, element: usize) -> (usize, usize) {
        debug_assert!(element < self.elements, "there is no element {element}");
        let node = self.elements_in_piece | (element % FANOUT);
        (self.first_piece + element / FANOUT, node % (2 * FANOUT))
    }
    /// The first entry.
    #[inline]
    pub(crate) fn first(&self) -> Entry {
        self.pieces.first().map_or(IDLE, |top| top[1])
    }

    pub(crate) fn add_element(&mut self) {
        assert!(self.elements < 1 << ELEMENT_BITS, "a world holds at most 2^24 elements");
        let room = if self.pieces.is_empty() { 0 } else { self.elements.next_power_of_two() };
        if self.elements == room {
            let mut entries: Vec<Entry> = (0..self.elements).map(|element| self.entry_of(element)).collect();
            entries.push(IDLE);
            self.fill(entries);
        }
        self.elements += 1;
    }

    /// Build the tree above these leaves.
    fn fill(&mut self, mut leaves: Vec<Entry>) {
        leaves.resize(leaves.len().next_power_of_two(), IDLE);
        let mut tiers = Vec::new();
        while leaves.len() > 1 || tiers.is_empty() {
            self.width_of_top = leaves.len().min(FANOUT);
            let tier: Vec<Piece> = leaves.chunks(self.width_of_top).map(piece_of).collect();
            leaves = tier.iter().map(|piece| piece[1]).collect();
            tiers.push(tier);
        }
        self.elements_in_piece = if tiers.len() > 1 { FANOUT } else { self.width_of_top };
        self.pieces.clear();
        self.first_piece = 0;
        for tier in tiers.into_iter().rev() {
            // Pieces that would be below unused leaves of the uppermost piece stay empty.
            self.pieces.resize(self.first_piece, [IDLE; 2 * FANOUT]);
            self.pieces.extend(tier);
            self.first_piece = FANOUT * self.first_piece + 1;
        }
        // Back to the last tier.
        self.first_piece /= FANOUT;
    }

    /// `element` wants to be woken when it is due, or earlier if it was armed for that before.
    #[inline]
    pub(crate) fn arm(&mut self, element: usize, rank: Rank, due: Due) {
        if due.at < time_of(self.entry_of(element)) {
            self.bring_forward(element, entry(element, rank, due));
        }
    }

    fn bring_forward(&mut self, element: usize, entry: Entry) {
        let (mut number, mut node) = self.place_of(element);
        loop {
            let piece = &mut self.pieces[number];
            while node > 0 {
                if entry >= piece[node] {
                    return;
                }
                piece[node] = entry;
                node /= 2;
            }
            let Some((above, leaf)) = parent(number) else { return };
            let width = if above == 0 { self.width_of_top } else { FANOUT };
            node = (width | leaf) % (2 * FANOUT);
            number = above;
        }
    }

    /// The time of the element to be woken first, [`Instant::MAX`] for never, and the element.
    #[inline]
    pub(crate) fn next(&self) -> (Instant, usize) {
        let first = self.first();
        (time_of(first), element_of(first))
    }

    /// The element that [`Agenda::next`] named is due then from now on.
    #[inline]
    pub(crate) fn settle(&mut self, element: usize, rank: Rank, due: Due) {
        let least = entry(element, rank, due);
        match self.first_piece {
            0 => self.settle_top(element, least),
            _ => self.settle_below(element, least),
        }
    }

    /// A function of its own, because its loop needs registers that a small tree would have to save.
    #[inline(never)]
    fn settle_below(&mut self, element: usize, mut least: Entry) {
        let (mut number, mut leaf) = (self.first_piece + element / FANOUT, element);
        while let Some(above) = parent(number) {
            least = replay::<FANOUT_BITS>(&mut self.pieces[number], leaf, least);
            (number, leaf) = above;
        }
        self.settle_top(leaf, least);
    }

    #[inline]
    fn settle_top(&mut self, leaf: usize, least: Entry) {
        let top = &mut self.pieces[0];
        match self.width_of_top {
            32.. => replay::<5>(top, leaf, least),
            16.. => replay::<4>(top, leaf, least),
            8.. => replay::<3>(top, leaf, least),
            4.. => replay::<2>(top, leaf, least),
            2.. => replay::<1>(top, leaf, least),
            _ => replay::<0>(top, leaf, least),
        };
    }
}

/// The piece above a piece, and the leaf of it that is the root of that piece. The uppermost has none.
#[inline]
fn parent(number: usize) -> Option<(usize, usize)> {
    let among_children = number.checked_sub(1)?;
    Some((among_children / FANOUT, among_children % FANOUT))
}

/// The piece with these leaves.
fn piece_of(leaves: &[Entry]) -> Piece {
    let mut piece = [IDLE; 2 * FANOUT];
    piece[leaves.len()..2 * leaves.len()].copy_from_slice(leaves);
    for node in (1..leaves.len()).rev() {
        piece[node] = piece[2 * node].min(piece[2 * node + 1]);
    }
    piece
}

#[inline]
fn entry(element: usize, rank: Rank, due: Due) -> Entry {
    let ahead = due.at.saturating_since(due.since).as_nanos().min(MOST_AHEAD);
    let order = (rank as u64) << RANK_SHIFT | (MOST_AHEAD - ahead) << ELEMENT_BITS | element as u64;
    Entry::from(due.at.as_nanos()) << 64 | Entry::from(order)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NEVER: Due = Due { at: Instant::MAX, since: Instant::ZERO };

    fn due(at: u64, since: u64) -> Due {
        Due { at: Instant::from_millis(at), since: Instant::from_millis(since) }
    }

    fn agenda(elements: usize) -> Agenda {
        let mut agenda = Agenda::default();
        (0..elements).for_each(|_| agenda.add_element());
        agenda
    }

    /// Take all out; each is due at this time.
    fn take_all(agenda: &mut Agenda, at: u64) -> Vec<usize> {
        let mut taken = Vec::new();
        while let (time, element) = agenda.next()
            && time != Instant::MAX
        {
            assert_eq!(time, Instant::from_millis(at));
            agenda.settle(element, Rank::Delivery, NEVER);
            taken.push(element);
        }
        taken
    }

    #[test]
    fn ties_go_by_the_time_of_arming_then_by_number_and_replaced_entries_vanish() {
        let mut agenda = agenda(4);
        agenda.arm(3, Rank::Delivery, due(5, 0));
        agenda.arm(1, Rank::Delivery, due(5, 0));
        agenda.arm(0, Rank::Delivery, due(9, 0));
        agenda.arm(0, Rank::Delivery, due(1, 0));
        assert_eq!(agenda.next(), (Instant::from_millis(1), 0));
        agenda.settle(0, Rank::Delivery, due(5, 1));
        assert_eq!(take_all(&mut agenda, 5), [1, 3, 0]);
    }

    #[test]
    fn what_was_armed_very_long_ago_ties() {
        let mut agenda = agenda(3);
        agenda.arm(2, Rank::Timer, due(10_000_000, 0));
        agenda.arm(1, Rank::Timer, due(10_000_000, 1_000_000));
        agenda.arm(0, Rank::Timer, due(10_000_000, 9_500_000));
        assert_eq!(take_all(&mut agenda, 10_000_000), [1, 2, 0]);
    }

    #[test]
    fn at_the_same_time_timers_come_before_deliveries() {
        let mut agenda = agenda(3);
        agenda.arm(0, Rank::Delivery, due(5, 0));
        agenda.arm(2, Rank::Delivery, due(5, 0));
        agenda.arm(1, Rank::Timer, due(5, 4));
        assert_eq!(take_all(&mut agenda, 5), [1, 0, 2]);
    }

    #[test]
    fn arming_later_than_the_entry_changes_nothing() {
        let mut agenda = agenda(1);
        agenda.arm(0, Rank::Delivery, due(100, 0));
        agenda.arm(0, Rank::Delivery, due(200, 0));
        assert_eq!(take_all(&mut agenda, 100), [0]);
    }

    /// Against the definition, the least of all entries by a scan over them, with times below `times` and so with ties when that is small.
    fn compare_with_a_scan(times: u64, elements: usize, rounds: usize) {
        let mut agenda = Agenda::of(vec![IDLE; elements]);
        let mut model: Vec<Option<(u64, u64, u64, usize)>> = vec![None; elements];
        let mut dice = seamline_wire::random::Stream::new(1, "agenda");
        let nanos = Instant::from_nanos;
        for round in 0..rounds {
            if round % 100 == 0 {
                agenda.add_element();
                model.push(None);
            }
            let element = dice.below(model.len() as u64) as usize;
            let rank = |element: usize| if element.is_multiple_of(3) { Rank::Timer } else { Rank::Delivery };
            let (at, since) = (dice.below(times), dice.below(times));
            let key = |at: u64, since: u64, element: usize| {
                (at, rank(element) as u64, u64::MAX - at.saturating_sub(since), element)
            };
            if model[element].is_none_or(|(earlier, ..)| at < earlier) {
                model[element] = Some(key(at, since, element));
            }
            agenda.arm(element, rank(element), Due { at: nanos(at), since: nanos(since) });
            let (first_at, .., first) = model.iter().flatten().min().copied().unwrap();
            assert_eq!(agenda.next(), (nanos(first_at), first));
            if dice.chance(0.5) {
                let later = dice.chance(0.5).then_some(first_at + times / 16);
                model[first] = later.map(|at| key(at, first_at, first));
                let due = later.map(|at| Due { at: nanos(at), since: nanos(first_at) });
                agenda.settle(first, rank(first), due.unwrap_or(NEVER));
            }
        }
    }

    #[test]
    fn the_first_of_any_number_of_elements_is_found_while_they_are_added() {
        for times in [2, 64, 10_000, 1 << 20, 1 << 30] {
            compare_with_a_scan(times, 0, 20_000);
        }
    }

    /// With another number of tiers, and from one number to the next.
    #[test]
    fn the_first_is_found_whatever_the_shape_of_the_tree() {
        for elements in [1, 2, 15, 16, 17, 31, 32, 33, 511, 512, 513, 1023, 1024, 1025, 4097] {
            compare_with_a_scan(1 << 20, elements, 600);
        }
    }
}
