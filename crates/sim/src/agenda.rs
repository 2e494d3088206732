//! Who is to be woken when.

use seamline_wire::Instant;
use std::hint::select_unpredictable;

/// Time in the high half, then the element's rank, the order of arming, and in the lowest bits the
/// element's number: one comparison orders by time and breaks ties by rank and then by insertion.
type Entry = u128;

/// Who comes first among those due at the same time. An element keeps its rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rank {
    /// A timer expires before a packet of the same instant arrives, because it was set longer ago; the
    /// lazily moved entry of a timer cannot show that by its order of arming.
    Timer,
    /// Links deliver.
    Delivery,
}

const ELEMENT_BITS: u32 = 24;
const RANK_SHIFT: u32 = 63;
/// One arming in the order of arming, which has the bits between element and rank: 39, so 5 * 10^11 armings,
/// a few hours at the speed of a processor. Then [`Agenda::renumber`] makes room again.
const NEXT_ARMING: u64 = 1 << ELEMENT_BITS;
const IDLE: Entry = Entry::MAX;

/// The queue of wake times, one entry per element. Setting an element to a later time than its entry
/// costs nothing: the entry is noticed as early when it comes up.
///
/// It is a tournament (Knuth, The Art of Computer Programming, volume 3, section 5.4.1): elements are the
/// leaves of a binary tree whose other nodes hold the lesser of their two children. Unlike a heap it has no
/// stale entries, and replaying a path takes no branch that depends on the times.
#[derive(Debug, Default)]
pub(crate) struct Agenda {
    /// The root at 1, the children of `n` at `2n` and `2n + 1`; the second half are the leaves.
    nodes: Vec<Entry>,
    elements: usize,
    /// The order of arming of the last entry, in its place within an entry.
    last_arming: u64,
}

fn time_of(entry: Entry) -> Instant {
    Instant::from_nanos((entry >> 64) as u64)
}
fn element_of(entry: Entry) -> usize {
    (entry as u64 & ((1 << ELEMENT_BITS) - 1)) as usize
}

/// Replay the path up from `node`, which holds `least`, over some levels; returns what the last one holds.
///
/// Which of two is less cannot be predicted where many elements take turns, so there is no branch on it.
/// That is why this is a function of its own without a loop that stays one: in loops, compilers turn
/// selections back into branches. It takes a fifth off the time of a dumbbell with 100 flows.
#[inline(never)]
fn climb<const LEVELS: usize>(nodes: &mut [Entry], mut node: usize, mut least: Entry) -> Entry {
    for _ in 0..LEVELS {
        let sibling = nodes[node ^ 1];
        let sibling_is_less = sibling < least;
        let half =
            |shift| select_unpredictable(sibling_is_less, (sibling >> shift) as u64, (least >> shift) as u64);
        least = Entry::from(half(64)) << 64 | Entry::from(half(0));
        node /= 2;
        nodes[node] = least;
    }
    least
}

impl Agenda {
    pub(crate) fn add_element(&mut self) {
        assert!(self.elements < 1 << ELEMENT_BITS, "a world holds at most 2^24 elements");
        self.elements += 1;
        if self.elements > self.nodes.len() / 2 {
            self.double();
        }
    }

    fn double(&mut self) {
        let leaves = (self.nodes.len() / 2..self.nodes.len()).map(|leaf| self.nodes[leaf]);
        let room = self.elements.next_power_of_two();
        let mut nodes = vec![IDLE; room];
        nodes.extend(leaves);
        nodes.resize(2 * room, IDLE);
        self.nodes = nodes;
        self.replay_all();
    }

    fn replay_all(&mut self) {
        for node in (1..self.nodes.len() / 2).rev() {
            self.nodes[node] = self.nodes[2 * node].min(self.nodes[2 * node + 1]);
        }
    }

    /// The order of arming has run out of bits: count the live entries from one again, in the order they have.
    /// There are at most 2^24 of them, so this is rare however long the world runs.
    #[cold]
    fn renumber(&mut self) {
        let order = |entry: Entry| entry as u64 & !(1 << RANK_SHIFT);
        let leaves = self.nodes.len() / 2;
        let mut live: Vec<usize> =
            (leaves..self.nodes.len()).filter(|leaf| self.nodes[*leaf] != IDLE).collect();
        live.sort_unstable_by_key(|leaf| order(self.nodes[*leaf]));
        self.last_arming = 0;
        for leaf in live {
            self.last_arming += NEXT_ARMING;
            let entry = self.nodes[leaf];
            let kept = entry & !Entry::from(order(Entry::MAX)) | element_of(entry) as Entry;
            self.nodes[leaf] = kept | Entry::from(self.last_arming);
        }
        self.replay_all();
        self.last_arming += NEXT_ARMING;
    }

    /// `element` wants to be woken at `at`, or earlier if it was armed for that before.
    #[inline]
    pub(crate) fn arm(&mut self, element: usize, rank: Rank, at: Instant) {
        let mut node = self.nodes.len() / 2 + element;
        if at >= time_of(self.nodes[node]) {
            return;
        }
        let entry = self.entry(element, rank, at);
        while node > 0 && entry < self.nodes[node] {
            self.nodes[node] = entry;
            node /= 2;
        }
    }

    /// The element to be woken first and its time.
    #[inline]
    pub(crate) fn next(&self) -> Option<(Instant, usize)> {
        let first = *self.nodes.get(1)?;
        (first != IDLE).then(|| (time_of(first), element_of(first)))
    }

    /// The element that [`Agenda::next`] named wants to be woken at `at` from now on.
    #[inline]
    pub(crate) fn settle(&mut self, element: usize, rank: Rank, at: Option<Instant>) {
        let mut least = at.map_or(IDLE, |at| self.entry(element, rank, at));
        let mut node = self.nodes.len() / 2 + element;
        self.nodes[node] = least;
        while node >= 16 {
            least = climb::<4>(&mut self.nodes, node, least);
            node /= 16;
        }
        match node {
            8.. => climb::<3>(&mut self.nodes, node, least),
            4.. => climb::<2>(&mut self.nodes, node, least),
            2.. => climb::<1>(&mut self.nodes, node, least),
            _ => least,
        };
    }

    #[inline]
    fn entry(&mut self, element: usize, rank: Rank, at: Instant) -> Entry {
        self.last_arming += NEXT_ARMING;
        if self.last_arming >> RANK_SHIFT != 0 {
            self.renumber();
        }
        let order = (rank as u64) << RANK_SHIFT | self.last_arming | element as u64;
        Entry::from(at.as_nanos()) << 64 | Entry::from(order)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_go_by_the_order_of_arming_and_replaced_entries_vanish() {
        let mut agenda = Agenda::default();
        (0..3).for_each(|_| agenda.add_element());
        let at = Instant::from_millis;
        agenda.arm(2, Rank::Delivery, at(5));
        agenda.arm(1, Rank::Delivery, at(5));
        agenda.arm(0, Rank::Delivery, at(9));
        agenda.arm(0, Rank::Delivery, at(1));
        assert_eq!(agenda.next(), Some((at(1), 0)));
        agenda.settle(0, Rank::Delivery, Some(at(5)));
        assert_eq!(agenda.next(), Some((at(5), 2)));
        agenda.settle(2, Rank::Delivery, None);
        assert_eq!(agenda.next(), Some((at(5), 1)));
        agenda.settle(1, Rank::Delivery, None);
        assert_eq!(agenda.next(), Some((at(5), 0)));
        agenda.settle(0, Rank::Delivery, None);
        assert_eq!(agenda.next(), None);
    }

    #[test]
    fn at_the_same_time_timers_come_before_deliveries() {
        let mut agenda = Agenda::default();
        (0..2).for_each(|_| agenda.add_element());
        agenda.arm(0, Rank::Delivery, Instant::from_millis(5));
        agenda.arm(1, Rank::Timer, Instant::from_millis(5));
        assert_eq!(agenda.next(), Some((Instant::from_millis(5), 1)));
    }

    #[test]
    fn arming_later_than_the_entry_changes_nothing() {
        let mut agenda = Agenda::default();
        agenda.add_element();
        agenda.arm(0, Rank::Delivery, Instant::from_millis(100));
        agenda.arm(0, Rank::Delivery, Instant::from_millis(200));
        assert_eq!((agenda.next(), agenda.last_arming), (Some((Instant::from_millis(100), 0)), NEXT_ARMING));
    }

    /// Against the definition, the least of all entries by a scan over them: an agenda whose orders of arming
    /// begin at `last_arming`, with times below `times` and so with ties when that is small.
    fn compare_with_a_scan(last_arming: u64, times: u64) -> Agenda {
        let mut agenda = Agenda { last_arming, ..Agenda::default() };
        let mut model: Vec<Option<(Instant, u64)>> = Vec::new();
        let mut dice = seamline_wire::random::Stream::new(1, "agenda");
        let mut order = 0;
        for round in 0..20_000 {
            if round % 100 == 0 {
                agenda.add_element();
                model.push(None);
            }
            let at = Instant::from_nanos(dice.below(times));
            let element = dice.below(model.len() as u64) as usize;
            order += 1;
            if model[element].is_none_or(|(earlier, _)| at < earlier) {
                model[element] = Some((at, order));
            }
            agenda.arm(element, Rank::Delivery, at);
            let (entry, first) = (0..model.len()).filter_map(|n| Some((model[n]?, n))).min().unwrap();
            assert_eq!(agenda.next(), Some((entry.0, first)));
            if dice.chance(0.5) {
                let later =
                    dice.chance(0.5).then(|| entry.0 + seamline_wire::Duration::from_nanos(times / 16));
                order += 1;
                model[first] = later.map(|at| (at, order));
                agenda.settle(first, Rank::Delivery, later);
            }
        }
        agenda
    }

    #[test]
    fn the_first_of_any_number_of_elements_is_found_while_they_are_added() {
        compare_with_a_scan(0, 1 << 20);
    }

    /// The orders of arming run out at several places of the sequence: while a time is armed, while one is
    /// settled, with few elements and with many.
    #[test]
    fn ties_are_kept_when_the_orders_of_arming_run_out() {
        for left in [1, 2, 3, 10, 777, 5_000, 10_000] {
            let end = 1 << RANK_SHIFT;
            let agenda = compare_with_a_scan(end - left * NEXT_ARMING, 64);
            assert!(agenda.last_arming < 40_000 * NEXT_ARMING, "it ran out, {left} armings after the start");
        }
    }

    #[test]
    fn ranks_are_kept_when_the_orders_of_arming_run_out() {
        let mut agenda = Agenda { last_arming: (1 << RANK_SHIFT) - 3 * NEXT_ARMING, ..Agenda::default() };
        (0..4).for_each(|_| agenda.add_element());
        let at = Instant::from_millis(5);
        for (element, rank) in [(3, Rank::Delivery), (2, Rank::Timer), (1, Rank::Delivery), (0, Rank::Timer)]
        {
            agenda.arm(element, rank, at);
        }
        for (element, rank) in [(2, Rank::Timer), (0, Rank::Timer), (3, Rank::Delivery), (1, Rank::Delivery)]
        {
            assert_eq!(agenda.next(), Some((at, element)));
            agenda.settle(element, rank, None);
        }
    }
}
