//! Who is to be woken when.

use seamline_wire::Instant;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Time in the high half, then the element's rank, how late it was armed, and in the lowest bits the element's number: one
/// comparison orders by time and breaks ties by all that.
type Entry = u128;

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
/// How long ago an element was armed has the bits between element and rank, in nanoseconds: what was armed more than nine minutes
/// ahead counts as armed at one time.
const MOST_AHEAD: u64 = (1 << (RANK_SHIFT - ELEMENT_BITS)) - 1;
const IDLE: Entry = Entry::MAX;

/// When an element is due, and since when that is known. Among elements that are due at one time the one comes first that has been due
/// for longer, then the one that was added first. All of that is the element's own: the order is the same wherever and however else
/// the other elements are stepped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Due {
    pub(crate) at: Instant,
    pub(crate) since: Instant,
}

/// The queue of wake times, one entry per element. Setting an element to a later time than its entry
/// costs nothing: the entry is noticed as early when it comes up.
///
/// It is a hierarchy of wheels (Varghese and Lauck, SOSP 1987), which works because time does not go back: an entry is on the wheel of the
/// highest digit in which its time differs from the last one that came up, in the slot of that digit. All entries of a slot come before those
/// of the slots after it, and those of a wheel before those of the wheels above. When the first of a slot comes up, or the wait for it ends
/// within its slot, the others move to wheels below. So an entry moves at most once per wheel, however many entries there are.
#[derive(Debug)]
pub(crate) struct Agenda {
    nodes: Vec<Node>,
    /// In nanoseconds: when the last entry came up, or until when there was none. Nothing is armed for a time before it.
    last: u64,
    wheels: [Wheel; WHEELS],
    /// A bit for each wheel that is not empty.
    occupied: u16,
    /// Entries of the time that came up last, where there were several.
    tied: BinaryHeap<Reverse<Entry>>,
}

const DIGIT_BITS: u32 = 6;
const SLOTS: usize = 1 << DIGIT_BITS;
const WHEELS: usize = u64::BITS.div_ceil(DIGIT_BITS) as usize;
/// No node.
const NONE: u32 = u32::MAX;

/// An element's entry, in the list of its slot.
#[derive(Clone, Copy, Debug)]
struct Node {
    entry: Entry,
    next: u32,
    previous: u32,
}

/// One digit of time: a list of nodes for each of its values.
#[derive(Clone, Copy, Debug)]
struct Wheel {
    first: [u32; SLOTS],
    /// A bit for each slot that is not empty.
    occupied: u64,
}

fn time_of(entry: Entry) -> u64 {
    (entry >> 64) as u64
}
fn element_of(entry: Entry) -> usize {
    (entry as u64 & ((1 << ELEMENT_BITS) - 1)) as usize
}

impl Default for Agenda {
    fn default() -> Self {
        let empty = Wheel { first: [NONE; SLOTS], occupied: 0 };
        Agenda { nodes: Vec::new(), last: 0, wheels: [empty; WHEELS], occupied: 0, tied: BinaryHeap::new() }
    }
}

impl Agenda {
    pub(crate) fn add_element(&mut self) {
        assert!(self.nodes.len() < 1 << ELEMENT_BITS, "a world holds at most 2^24 elements");
        self.nodes.push(Node { entry: IDLE, next: NONE, previous: NONE });
    }

    /// `element` wants to be woken when it is due, or earlier if it was armed for that before. It is not due before the last one that came
    /// up, nor before the end of a wait in which none came up. At [`Instant::MAX`] it never is.
    #[inline]
    pub(crate) fn arm(&mut self, element: usize, rank: Rank, due: Due) {
        debug_assert!(
            due.at.as_nanos() >= self.last,
            "element {element} is armed for {} s, which is over",
            due.at
        );
        let before = self.nodes[element].entry;
        if due.at.as_nanos() >= time_of(before) {
            return;
        }
        if before != IDLE {
            self.unlink(element as u32);
        }
        self.nodes[element].entry = entry(element, rank, due);
        self.link(element as u32);
    }

    /// When the first element is to be woken. It is looked for among all of the first slot.
    pub(crate) fn first(&self) -> Option<Instant> {
        let tied = self.tied.peek().map(|Reverse(entry)| *entry);
        let (wheel, slot) = self.first_slot().unzip();
        let linked = wheel.zip(slot).map(|(wheel, slot)| self.least(self.wheels[wheel].first[slot]));
        tied.into_iter().chain(linked).min().map(|entry| Instant::from_nanos(time_of(entry)))
    }

    /// Take out the element to be woken first, if that is not after `end`: its time and which it is. If there is none, that time is over.
    #[inline]
    pub(crate) fn take_first(&mut self, end: Instant) -> Option<(Instant, usize)> {
        let end = end.as_nanos();
        let entry = if self.tied.is_empty() { self.take_linked(end)? } else { self.take_tied(end)? };
        let element = element_of(entry);
        self.nodes[element].entry = IDLE;
        Some((Instant::from_nanos(time_of(entry)), element))
    }

    #[inline]
    fn take_linked(&mut self, end: u64) -> Option<Entry> {
        let (wheel, slot) = self.first_slot()?;
        let first = self.wheels[wheel].first[slot];
        let least = self.least(first);
        if time_of(least) > end {
            self.wait_until(end);
            return None;
        }
        self.last = time_of(least);
        self.empty_slot(wheel, slot);
        let mut node = first;
        while node != NONE {
            let Node { entry, next, .. } = self.nodes[node as usize];
            if entry != least {
                self.link_or_tie(node, entry);
            }
            node = next;
        }
        Some(least)
    }

    /// No entry is due until `end`. Those that share its slot move to wheels below.
    fn wait_until(&mut self, end: u64) {
        if end <= self.last {
            return;
        }
        let (wheel, slot) = self.place(end);
        let mut node = self.wheels[wheel].first[slot];
        self.empty_slot(wheel, slot);
        self.last = end;
        while node != NONE {
            let next = self.nodes[node as usize].next;
            self.link(node);
            node = next;
        }
    }

    #[inline]
    fn link_or_tie(&mut self, node: u32, entry: Entry) {
        if time_of(entry) == self.last {
            self.tied.push(Reverse(entry));
        } else {
            self.link(node);
        }
    }

    /// The first of those that are due at the time that came up last. Some may have been armed since.
    #[cold]
    fn take_tied(&mut self, end: u64) -> Option<Entry> {
        if self.last > end {
            return None;
        }
        let (wheel, slot) = self.place(self.last);
        let mut node = self.wheels[wheel].first[slot];
        self.empty_slot(wheel, slot);
        while node != NONE {
            let Node { entry, next, .. } = self.nodes[node as usize];
            self.tied.push(Reverse(entry));
            node = next;
        }
        self.tied.pop().map(|Reverse(entry)| entry)
    }

    /// The wheel and the slot of a time that is not before the last one.
    #[inline]
    fn place(&self, at: u64) -> (usize, usize) {
        let highest_bit = ((at ^ self.last) | 1).ilog2();
        let wheel = highest_bit / DIGIT_BITS;
        (wheel as usize, (at >> (wheel * DIGIT_BITS)) as usize % SLOTS)
    }

    #[inline]
    fn first_slot(&self) -> Option<(usize, usize)> {
        let wheel = self.occupied.trailing_zeros() as usize;
        let slot = self.wheels.get(wheel)?.occupied.trailing_zeros() as usize;
        Some((wheel, slot))
    }

    /// The least entry of a list.
    #[inline]
    fn least(&self, first: u32) -> Entry {
        let Node { entry: mut least, next: mut node, .. } = self.nodes[first as usize];
        while node != NONE {
            let Node { entry, next, .. } = self.nodes[node as usize];
            least = least.min(entry);
            node = next;
        }
        least
    }

    #[inline]
    fn link(&mut self, node: u32) {
        let (wheel, slot) = self.place(time_of(self.nodes[node as usize].entry));
        let list = &mut self.wheels[wheel];
        let next = std::mem::replace(&mut list.first[slot], node);
        list.occupied |= 1 << slot;
        self.occupied |= 1 << wheel;
        if next != NONE {
            self.nodes[next as usize].previous = node;
        }
        (self.nodes[node as usize].next, self.nodes[node as usize].previous) = (next, NONE);
    }

    fn unlink(&mut self, node: u32) {
        let Node { entry, next, previous } = self.nodes[node as usize];
        if next != NONE {
            self.nodes[next as usize].previous = previous;
        }
        if previous != NONE {
            self.nodes[previous as usize].next = next;
            return;
        }
        let (wheel, slot) = self.place(time_of(entry));
        self.wheels[wheel].first[slot] = next;
        if next == NONE {
            self.empty_slot(wheel, slot);
        }
    }

    #[inline]
    fn empty_slot(&mut self, wheel: usize, slot: usize) {
        let list = &mut self.wheels[wheel];
        list.first[slot] = NONE;
        list.occupied &= !(1 << slot);
        if list.occupied == 0 {
            self.occupied &= !(1 << wheel);
        }
    }
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
        let takes = std::iter::from_fn(|| agenda.take_first(Instant::MAX));
        takes
            .map(|(time, element)| {
                assert_eq!(time, Instant::from_millis(at));
                element
            })
            .collect()
    }

    #[test]
    fn ties_go_by_the_time_of_arming_then_by_number_and_replaced_entries_vanish() {
        let mut agenda = agenda(4);
        agenda.arm(3, Rank::Delivery, due(5, 0));
        agenda.arm(1, Rank::Delivery, due(5, 0));
        agenda.arm(0, Rank::Delivery, due(9, 0));
        agenda.arm(0, Rank::Delivery, due(1, 0));
        assert_eq!(agenda.take_first(Instant::MAX), Some((Instant::from_millis(1), 0)));
        agenda.arm(0, Rank::Delivery, due(5, 1));
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
        assert_eq!(agenda.take_first(Instant::MAX), Some((Instant::from_millis(5), 1)));
        agenda.arm(1, Rank::Timer, due(5, 5));
        assert_eq!(take_all(&mut agenda, 5), [1, 0, 2]);
    }

    #[test]
    fn arming_later_than_the_entry_changes_nothing() {
        let mut agenda = agenda(1);
        agenda.arm(0, Rank::Delivery, due(100, 0));
        agenda.arm(0, Rank::Delivery, due(200, 0));
        assert_eq!(take_all(&mut agenda, 100), [0]);
    }

    #[test]
    fn what_is_due_after_the_end_stays() {
        let mut agenda = agenda(2);
        agenda.arm(0, Rank::Delivery, due(100, 0));
        assert_eq!(agenda.take_first(Instant::from_millis(99)), None);
        agenda.arm(1, Rank::Delivery, due(99, 99));
        assert_eq!(agenda.first(), Some(Instant::from_millis(99)));
        assert_eq!(agenda.take_first(Instant::from_millis(99)), Some((Instant::from_millis(99), 1)));
        assert_eq!(agenda.take_first(Instant::from_millis(99)), None);
        assert_eq!(agenda.first(), Some(Instant::from_millis(100)));
    }

    #[test]
    fn of_two_that_are_due_together_the_second_stays_too_after_an_earlier_end() {
        let mut agenda = agenda(2);
        agenda.arm(0, Rank::Timer, due(100, 0));
        agenda.arm(1, Rank::Timer, due(100, 0));
        assert_eq!(agenda.take_first(Instant::from_millis(100)), Some((Instant::from_millis(100), 0)));
        assert_eq!(agenda.take_first(Instant::from_millis(99)), None);
        assert_eq!(take_all(&mut agenda, 100), [1]);
    }

    /// The first of a slot is looked for among all entries of it, so waits must not leave them there.
    #[test]
    fn waits_that_end_within_a_slot_spread_it() {
        let mut agenda = agenda(1000);
        (0..1000).for_each(|element| agenda.arm(element, Rank::Timer, due(2000 + element as u64, 0)));
        let of_first_slot = |agenda: &Agenda| {
            let (wheel, slot) = agenda.first_slot().expect("all are armed");
            let next = |node: &u32| Some(agenda.nodes[*node as usize].next).filter(|next| *next != NONE);
            std::iter::successors(Some(agenda.wheels[wheel].first[slot]), next).count()
        };
        assert!(of_first_slot(&agenda) > 100);
        assert_eq!(agenda.take_first(Instant::from_millis(1999)), None);
        assert!((1..30).contains(&of_first_slot(&agenda)), "{}", of_first_slot(&agenda));
    }

    /// Against the definition, the least of all entries by a scan over them, with times up to `spread` ahead: with ties when that is small.
    fn compare_with_a_scan(spread: u64) {
        let mut agenda = Agenda::default();
        let mut model: Vec<Option<(u64, u64, u64, usize)>> = Vec::new();
        let mut dice = seamline_wire::random::Stream::new(1, "agenda");
        let mut now = 0;
        for round in 0..40_000 {
            if round % 100 == 0 {
                agenda.add_element();
                model.push(None);
            }
            let element = dice.below(model.len() as u64) as usize;
            let rank = if element.is_multiple_of(3) { Rank::Timer } else { Rank::Delivery };
            let at = now + (dice.below(spread) << dice.below(6));
            let since = dice.below(now + 1);
            if model[element].is_none_or(|(earlier, ..)| at < earlier) {
                model[element] = Some((at, rank as u64, u64::MAX - (at - since).min(MOST_AHEAD), element));
            }
            let nanos = Instant::from_nanos;
            agenda.arm(element, rank, Due { at: nanos(at), since: nanos(since) });
            let least = model.iter().flatten().min().copied();
            assert_eq!(agenda.first(), least.map(|(at, ..)| nanos(at)));
            if dice.chance(0.9) {
                let end = now + (dice.below(spread) << 3);
                let expected = least.filter(|(at, ..)| *at <= end);
                let taken = agenda.take_first(nanos(end));
                assert_eq!(taken, expected.map(|(at, .., element)| (nanos(at), element)));
                match expected {
                    Some((at, .., element)) => {
                        model[element] = None;
                        now = at;
                    }
                    None => now = end,
                }
            }
        }
        assert!(now > 50 * spread.min(100), "little time has passed: {now}");
    }

    #[test]
    fn the_first_of_any_number_of_elements_is_found_while_they_are_added() {
        [2, 64, 10_000, 1 << 20, 1 << 30].into_iter().for_each(compare_with_a_scan);
    }
}
