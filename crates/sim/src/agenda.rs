//! Who is to be woken when.

use dary_heap::{PeekMut, QuaternaryHeap};
use seamline_wire::Instant;
use std::cmp::Reverse;

/// Time, and the order of arming with the element's number in its low bits: ties are broken by
/// insertion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    at: Instant,
    order: u64,
}

const ELEMENT_BITS: u32 = 24;

/// The queue of wake times, at most one live entry per element. Setting an element to a later time
/// than its entry costs nothing: the entry is noticed as early when it comes up.
#[derive(Debug, Default)]
pub(crate) struct Agenda {
    heap: QuaternaryHeap<Reverse<Entry>>,
    armings: u64,
    live: Vec<Entry>,
}

const IDLE: Entry = Entry { at: Instant::MAX, order: u64::MAX };

impl Agenda {
    pub(crate) fn add_element(&mut self) {
        assert!(self.live.len() < 1 << ELEMENT_BITS, "a world holds at most 2^24 elements");
        self.live.push(IDLE);
    }

    /// `element` wants to be woken at `at`, or earlier if it said so before.
    #[inline]
    pub(crate) fn arm(&mut self, element: usize, at: Instant) {
        if at < self.live[element].at {
            let entry = self.entry(element, at);
            self.live[element] = entry;
            self.heap.push(Reverse(entry));
        }
    }

    /// The element at the head of the queue and its time. Its entry stays where it is, as a place
    /// for the next one, until [`Agenda::settle`].
    #[inline]
    pub(crate) fn next(&mut self) -> Option<(Instant, usize)> {
        loop {
            let Reverse(entry) = *self.heap.peek()?;
            let element = (entry.order & ((1 << ELEMENT_BITS) - 1)) as usize;
            if self.live[element] == entry {
                return Some((entry.at, element));
            }
            self.heap.pop();
        }
    }

    /// The element that [`Agenda::next`] named has been dealt with and wants to be woken at `at`.
    /// What was armed meanwhile is later or was armed later, so the head is still its entry.
    #[inline]
    pub(crate) fn settle(&mut self, element: usize, at: Option<Instant>) {
        let next = at.map(|at| self.entry(element, at));
        self.live[element] = next.unwrap_or(IDLE);
        let head = self.heap.peek_mut();
        let mut head = head.expect("the entry of the element being dealt with is at the head");
        match next {
            Some(entry) => *head = Reverse(entry),
            None => {
                PeekMut::pop(head);
            }
        }
    }

    fn entry(&mut self, element: usize, at: Instant) -> Entry {
        self.armings += 1;
        Entry { at, order: self.armings << ELEMENT_BITS | element as u64 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_go_by_the_order_of_arming_and_stale_entries_vanish() {
        let mut agenda = Agenda::default();
        (0..3).for_each(|_| agenda.add_element());
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
    fn arming_later_than_the_live_entry_adds_nothing() {
        let mut agenda = Agenda::default();
        agenda.add_element();
        for n in (1..100).rev() {
            agenda.arm(0, Instant::from_millis(200 - n));
        }
        assert_eq!(agenda.heap.len(), 1);
    }
}
