//! What happens in a part, until the observer of the whole world hears of it.

use super::Cut;
use crate::agenda::{Entry, time_of};
use crate::world::{ElementId, Observer};
use seamline_net::Link;
use seamline_wire::{Event, Instant, Packet};
use std::marker::PhantomData;
use std::sync::Arc;

/// A packet that has entered a link to another part.
#[derive(Debug)]
pub(super) struct Crossing {
    /// Of the link.
    pub(super) place: usize,
    pub(super) entered: Instant,
    pub(super) arrival: Instant,
    pub(super) packet: Box<Packet>,
}

/// Where a wake-up comes among those of all parts. One thread always takes the first of all that are due. So does each part among its own;
/// between two parts the one whose next wake-up is first goes first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Order {
    /// The latest entry in the agenda so far: what is due at once may have an earlier entry than what causes it.
    latest: Entry,
    /// A link between parts wakes up in both. First its own part, then the one at its other end, then what that causes at once. (In its own
    /// part it causes nothing: such a link has no listeners and one port.)
    step: u8,
    /// The latest of the earlier entries.
    caused: Entry,
}

const OWN: u8 = 0;
const FAR_END: u8 = 1;
const CAUSED: u8 = 2;

/// The observer of a part; `O` is that of the whole world.
#[derive(Debug)]
pub(crate) struct Log<O> {
    hears_queues: bool,
    order: Order,
    /// Which part it is of.
    part: u16,
    /// By place of a link: the part at its far end, if that is another one than its own.
    far_ends: Arc<[Option<u16>]>,
    /// By part: what goes there.
    pub(super) crossings: Vec<Vec<Crossing>>,
    /// For the next of them.
    #[expect(clippy::vec_box, reason = "the boxes themselves are what is recycled")]
    pub(super) boxes: Vec<Box<Packet>>,
    /// Wake-ups with events: the place of the first event.
    wakes: Vec<(Order, usize)>,
    is_new: bool,
    events: Vec<(ElementId, Event)>,
    whole: PhantomData<fn() -> O>,
}

impl<O: Observer> Log<O> {
    pub(super) fn new(hears_queues: bool, cut: &Cut, part: u16) -> Self {
        Log {
            hears_queues,
            order: Order::default(),
            part,
            far_ends: Arc::clone(&cut.far_ends),
            crossings: std::iter::repeat_with(Vec::new).take(cut.count).collect(),
            boxes: Vec::new(),
            wakes: Vec::new(),
            is_new: true,
            events: Vec::new(),
            whole: PhantomData,
        }
    }

    fn events_of(&self, wake: usize) -> &[(ElementId, Event)] {
        let end = self.wakes.get(wake + 1).map_or(self.events.len(), |(_, begin)| *begin);
        &self.events[self.wakes[wake].1..end]
    }
}

impl<O: Observer> Observer for Log<O> {
    const LISTENS: bool = O::LISTENS;
    fn hears_queues(&self) -> bool {
        self.hears_queues
    }
    #[inline]
    fn event(&mut self, _now: Instant, at: ElementId, event: &Event) {
        if std::mem::take(&mut self.is_new) {
            self.wakes.push((self.order, self.events.len()));
        }
        self.events.push((at, *event));
    }
    #[inline]
    fn woken(&mut self, entry: u128, at: ElementId) {
        self.is_new = true;
        self.order = match self.order {
            Order { latest, .. } if entry > latest => Order {
                latest: entry,
                step: if self.far_ends[at.place()] == Some(self.part) { FAR_END } else { OWN },
                caused: 0,
            },
            Order { latest, caused, .. } => Order { latest, step: CAUSED, caused: caused.max(entry) },
        };
    }
    #[inline]
    fn enters(&self, at: ElementId, link: &Link) -> usize {
        if self.far_ends[at.place()].is_some() { link.packets_inside() } else { 0 }
    }
    #[inline]
    fn entered(&mut self, now: Instant, at: ElementId, link: &Link, inside_before: usize) {
        if let Some(part) = self.far_ends[at.place()]
            && link.packets_inside() > inside_before
            && let Some((arrival, packet)) = link.newest()
        {
            let mut copy = self.boxes.pop().unwrap_or_default();
            *copy = packet.clone();
            let crossing = Crossing { place: at.place(), entered: now, arrival, packet: copy };
            self.crossings[usize::from(part)].push(crossing);
        }
    }
}

/// Tell the observer of the whole world what has happened in the parts, in order, and forget it.
pub(super) fn replay<'a, O: Observer + 'a>(parts: impl Iterator<Item = &'a mut Log<O>>, observer: &mut O) {
    let parts: Vec<&mut Log<O>> = parts.collect();
    let mut next = vec![0; parts.len()];
    loop {
        let order = |part: usize| parts[part].wakes.get(next[part]).map(|(order, _)| *order);
        let first = (0..parts.len()).filter_map(|part| Some((order(part)?, part))).min();
        let Some((order, part)) = first else { break };
        let now = time_of(order.latest);
        for (at, event) in parts[part].events_of(next[part]) {
            observer.event(now, *at, event);
        }
        next[part] += 1;
    }
    for part in parts {
        part.wakes.clear();
        part.events.clear();
        part.is_new = true;
    }
}
