//! Who is to be woken when.

use dary_heap::QuaternaryHeap;
use seamline_wire::Instant;
use std::cmp::Reverse;

/// Time in the high half, then the element's rank, the order of arming, and in the lowest bits the
/// element's number: one comparison orders by time and breaks ties by rank and then by insertion.
type Entry = u128;

/// Who comes first among those due at the same time.
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
const IDLE: Entry = Entry::MAX;

/// The queue of wake times, at most one live entry per element. Setting an element to a later time
/// than its entry costs nothing: the entry is noticed as early when it comes up.
#[derive(Debug, Default)]
pub(crate) struct Agenda {
    heap: QuaternaryHeap<Reverse<Entry>>,
    armings: u64,
    live: Vec<Entry>,
    ranks: Vec<u64>,
    /// The head of the heap is done with, and its place is free for the next entry.
    head_is_free: bool,
}

fn time_of(entry: Entry) -> Instant {
    Instant::from_nanos((entry >> 64) as u64)
}
fn element_of(entry: Entry) -> usize {
    (entry as u64 & ((1 << ELEMENT_BITS) - 1)) as usize
}

impl Agenda {
    pub(crate) fn add_element(&mut self, rank: Rank) {
        assert!(self.live.len() < 1 << ELEMENT_BITS, "a world holds at most 2^24 elements");
        self.live.push(IDLE);
        self.ranks.push(if rank == Rank::Timer { 0 } else { 1 << RANK_SHIFT });
    }

    /// `element` wants to be woken at `at`, or earlier if it said so before.
    #[inline]
    pub(crate) fn arm(&mut self, element: usize, at: Instant) {
        if at < time_of(self.live[element]) {
            self.insert(element, at);
        }
    }

    /// The element at the head of the queue and its time. Its entry stays where it is until
    /// [`Agenda::settle`].
    #[inline]
    pub(crate) fn next(&mut self) -> Option<(Instant, usize)> {
        if std::mem::take(&mut self.head_is_free) {
            self.heap.pop();
        }
        loop {
            let Reverse(entry) = *self.heap.peek()?;
            let element = element_of(entry);
            if self.live[element] == entry {
                return Some((time_of(entry), element));
            }
            self.heap.pop();
        }
    }

    /// The element that [`Agenda::next`] named wants to be woken at `at` from now on.
    #[inline]
    pub(crate) fn settle(&mut self, element: usize, at: Option<Instant>) {
        self.live[element] = IDLE;
        self.head_is_free = true;
        if let Some(at) = at {
            self.insert(element, at);
        }
    }

    #[inline]
    fn insert(&mut self, element: usize, at: Instant) {
        self.armings += 1;
        let order = self.ranks[element] | self.armings << ELEMENT_BITS | element as u64;
        let entry = Entry::from(at.as_nanos()) << 64 | Entry::from(order);
        self.live[element] = entry;
        if std::mem::take(&mut self.head_is_free)
            && let Some(mut head) = self.heap.peek_mut()
        {
            *head = Reverse(entry);
        } else {
            self.heap.push(Reverse(entry));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_go_by_the_order_of_arming_and_stale_entries_vanish() {
        let mut agenda = Agenda::default();
        (0..3).for_each(|_| agenda.add_element(Rank::Delivery));
        let at = Instant::from_millis;
        agenda.arm(2, at(5));
        agenda.arm(1, at(5));
        agenda.arm(0, at(9));
        agenda.arm(0, at(1));
        assert_eq!(agenda.next(), Some((at(1), 0)));
        agenda.settle(0, Some(at(5)));
        assert_eq!(agenda.next(), Some((at(5), 2)));
        agenda.settle(2, None);
        assert_eq!(agenda.next(), Some((at(5), 1)));
        agenda.settle(1, None);
        assert_eq!(agenda.next(), Some((at(5), 0)));
        agenda.settle(0, None);
        assert_eq!(agenda.next(), None);
    }

    #[test]
    fn at_the_same_time_timers_come_before_deliveries() {
        let mut agenda = Agenda::default();
        agenda.add_element(Rank::Delivery);
        agenda.add_element(Rank::Timer);
        agenda.arm(0, Instant::from_millis(5));
        agenda.arm(1, Instant::from_millis(5));
        assert_eq!(agenda.next(), Some((Instant::from_millis(5), 1)));
    }

    #[test]
    fn arming_later_than_the_live_entry_adds_nothing() {
        let mut agenda = Agenda::default();
        agenda.add_element(Rank::Timer);
        for n in (1..100).rev() {
            agenda.arm(0, Instant::from_millis(200 - n));
        }
        assert_eq!(agenda.heap.len(), 1);
    }
}
