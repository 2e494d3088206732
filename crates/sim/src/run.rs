//! The event loop.

use crate::agenda::{Due, Rank};
use crate::parts::Inlet;
use crate::world::{Element, ElementId, Observer, Slot, Wire, World};
use seamline_net::Entered;
use seamline_wire::{DropCause, Event, Input, Instant, Machine, NodeId, Packet, Parcel, Port};
use std::collections::BTreeMap;
use std::fmt::Debug;

/// How often a machine may be woken at one instant and ask for the same instant again. One with a million
/// timers that expire together, one per wake-up, still passes; one that never has enough is stopped after a
/// fraction of a second.
const MOST_WAKES_AT_ONE_INSTANT: u32 = 1 << 21;

/// The last time at which anything can be due. Later is never.
const LAST: Instant = Instant::from_nanos(u64::MAX - 1);

/// The machines that asked to be woken again at the instant at which they were woken.
#[derive(Debug, Default)]
pub(crate) struct Restless {
    at: Instant,
    wakes: BTreeMap<usize, u32>,
}

impl Restless {
    /// The machine at `place` asks for the instant at which it was woken.
    ///
    /// # Panics
    /// When it has had its wake-ups of this instant.
    #[cold]
    fn note(&mut self, at: Instant, place: usize, machine: &dyn Debug) {
        if self.at != at {
            self.at = at;
            self.wakes.clear();
        }
        let wakes = self.wakes.entry(place).or_default();
        *wakes += 1;
        if *wakes >= MOST_WAKES_AT_ONE_INSTANT {
            let machine: String = format!("{machine:?}").chars().take(300).collect();
            panic!(
                "element {place} was woken {MOST_WAKES_AT_ONE_INSTANT} times at {at} s and asks for that time \
                 again: its wake_at has to move on when it is woken. It is {machine}"
            );
        }
    }
}

impl<M: Machine, O: Observer> World<M, O> {
    /// Run until everything due up to and including `end` has happened; the clock then stands at `end`.
    ///
    /// # Panics
    /// When routers lead some destination in a circle without a link, which would take a packet round for
    /// ever at one instant; and when a machine asks to be woken at one instant again and again.
    pub fn run_until(&mut self, end: Instant) {
        while !self.run_some(end, u32::MAX) {}
    }

    /// The same, but for at most this many wake-ups, so that the caller can give up in between; whether the clock stands at `end`.
    ///
    /// # Panics
    /// As [`World::run_until`].
    pub fn run_some(&mut self, end: Instant, most: u32) -> bool {
        self.check_routes();
        let last = end.min(LAST);
        for _ in 0..most {
            let (at, place) = self.agenda.next();
            if at > last {
                self.now = self.now.max(end);
                return true;
            }
            debug_assert!(at >= self.now, "element {place} was due at {at} s");
            self.now = at;
            self.observer.woken(self.agenda.first(), ElementId(place as u32));
            self.wake(place);
        }
        false
    }

    #[inline]
    fn wake(&mut self, place: usize) {
        let Slot { element, first_wire } = self.slots[place];
        match element {
            Element::Link(n) => self.wake_link(place, n, first_wire),
            Element::Machine(n) => self.wake_machine(place, n),
            Element::Inlet(n) => self.wake_inlet(place, n),
            Element::Router(_) | Element::Absent => self.settle(place, Rank::Timer, None),
        }
    }

    /// What another part has sent arrives.
    fn wake_inlet(&mut self, place: usize, n: u32) {
        let Inlet { packets, delivered } = &mut self.inlets[n as usize];
        *delivered = self.now;
        while let Some(packet) = packets.take(self.now) {
            self.outbox.send(Port(0), packet);
        }
        let next = packets.next_arrival();
        self.settle(place, Rank::Delivery, next);
        self.carry_outbox(place);
    }

    #[inline]
    fn wake_machine(&mut self, place: usize, n: u32) {
        let machine = &mut self.machines[n as usize];
        let due = machine.wake_at();
        if due.is_none_or(|due| due > self.now) {
            return self.settle(place, Rank::Timer, due);
        }
        machine.step(self.now, Input::Wake, &mut self.outbox);
        let next = machine.wake_at();
        if next.is_some_and(|next| next <= self.now) {
            self.restless.note(self.now, place, machine);
        }
        self.steps += 1;
        self.settle(place, Rank::Timer, next);
        self.empty_outbox(place);
    }

    #[inline]
    fn wake_link(&mut self, place: usize, n: u32, wire: Option<Wire>) {
        let link = &mut self.links[n as usize];
        if let Some((parcel, next)) = link.reach_far_end(self.now) {
            let Some(parcel) = link.leave(self.now, parcel, &mut self.outbox) else {
                return self.follow_wake(place, n);
            };
            self.steps += 1;
            self.report_queue(place, n);
            self.agenda.settle(place, Rank::Delivery, Due { at: next, since: self.now });
            return self.carry(place, wire, parcel);
        }
        let due = link.wake_at();
        if due.is_none_or(|due| due > self.now) {
            return self.settle(place, Rank::Delivery, due);
        }
        link.step(self.now, Input::Wake, &mut self.outbox);
        self.follow_wake(place, n);
    }

    /// A link was woken. Anything about it may have changed.
    #[inline(never)]
    fn follow_wake(&mut self, place: usize, n: u32) {
        let next = self.links[n as usize].wake_at();
        self.steps += 1;
        self.settle(place, Rank::Delivery, next);
        self.empty_outbox(place);
    }

    /// Report the state of a link's queue to an observer that hears them.
    #[inline]
    fn report_queue(&mut self, place: usize, n: u32) {
        if O::LISTENS && self.outbox.hears_queues() {
            let event = self.links[n as usize].queue_event(self.now);
            self.observer.event(self.now, ElementId(place as u32), &event);
        }
    }

    /// Everything the element at `place` has just caused takes its course.
    fn empty_outbox(&mut self, place: usize) {
        if O::LISTENS {
            self.report(place);
        }
        if !self.outbox.signals.is_empty() {
            return self.pass_signals(place);
        }
        self.carry_outbox(place);
    }

    #[inline]
    fn carry_outbox(&mut self, place: usize) {
        match self.outbox.packets.len() {
            0 => {}
            1 => {
                if let Some((port, packet)) = self.outbox.packets.pop() {
                    self.carry(place, self.wire(place, port), packet.into());
                }
            }
            _ => self.carry_all(place),
        }
    }

    fn carry_all(&mut self, place: usize) {
        let spare = self.spare.pop().unwrap_or_default();
        let mut batch = std::mem::replace(&mut self.outbox.packets, spare);
        for (port, packet) in batch.drain(..) {
            self.carry(place, self.wire(place, port), packet.into());
        }
        self.spare.push(batch);
    }

    /// Carry a packet over this wire, and through routers, to the next link or machine.
    #[inline(always)]
    pub(crate) fn carry(&mut self, from: usize, wire: Option<Wire>, parcel: Parcel) {
        match self.way(from, wire, parcel.next_destination()) {
            Ok(Wire { to, element: Element::Link(n), .. }) => self.enter_link(to.place(), n, parcel),
            Ok(Wire { to, element: Element::Machine(n), port }) => {
                self.deliver(to, n, port, parcel.into_packet());
            }
            // The other part has a copy.
            Ok(_) => self.outbox.recycle(parcel.into_packet()),
            Err(place) => self.lose(place, parcel.into_packet()),
        }
    }

    /// The last wire on the way over this one, through routers, to a link or machine. An error is the place that leads nowhere.
    #[inline(always)]
    fn way(&self, from: usize, wire: Option<Wire>, destination: NodeId) -> Result<Wire, usize> {
        let mut wire = wire.ok_or(from)?;
        while let Element::Router(n) = wire.element {
            wire = self.routers[n as usize].exit(destination).ok_or(wire.to.place())?;
        }
        Ok(wire)
    }

    #[inline(always)]
    fn enter_link(&mut self, place: usize, n: u32, parcel: Parcel) {
        let link = &mut self.links[n as usize];
        let inside_before = self.observer.enters(ElementId(place as u32), link);
        let entered = link.enter(self.now, parcel, &mut self.outbox);
        self.observer.entered(self.now, ElementId(place as u32), link, inside_before);
        match entered {
            Entered::Behind => self.report_queue(place, n),
            Entered::Alone(arrival) => {
                self.report_queue(place, n);
                self.arm(place, Rank::Delivery, Some(arrival));
            }
            Entered::Otherwise => self.follow_entry(place, n),
        }
    }

    /// A packet has entered a link. Anything about the link may have changed.
    #[inline(never)]
    fn follow_entry(&mut self, place: usize, n: u32) {
        let wake_at = self.links[n as usize].wake_at();
        if !self.outbox.is_empty() {
            self.empty_outbox(place);
        }
        self.arm(place, Rank::Delivery, wake_at);
    }

    /// A packet reaches a machine. What that sends to machines at the end of the same wires waits until it is
    /// done, so that machines without a link between them may answer each other for as long as they like.
    #[inline(never)]
    fn deliver(&mut self, to: ElementId, n: u32, port: Port, packet: Box<Packet>) {
        if self.delivering {
            return self.waiting.push_back((to, port, packet));
        }
        self.delivering = true;
        self.step_machine(to, n, port, packet);
        while let Some((to, port, packet)) = self.waiting.pop_front() {
            if let Element::Machine(n) = self.slots[to.place()].element {
                self.step_machine(to, n, port, packet);
            }
        }
        self.delivering = false;
    }

    #[inline]
    fn step_machine(&mut self, at: ElementId, n: u32, port: Port, packet: Box<Packet>) {
        if O::LISTENS {
            self.observer.arrived(self.now, at, &packet);
        }
        let machine = &mut self.machines[n as usize];
        machine.step(self.now, Input::Packet(port, packet), &mut self.outbox);
        self.empty_outbox(at.place());
        self.arm(at.place(), Rank::Timer, self.machines[n as usize].wake_at());
    }

    fn report(&mut self, place: usize) {
        let id = ElementId(place as u32);
        for event in &self.outbox.events {
            self.observer.event(self.now, id, event);
        }
        self.outbox.events.clear();
        if let Element::Machine(_) = self.slots[place].element {
            for (_, packet) in &self.outbox.packets {
                self.observer.sent(self.now, id, packet);
            }
        }
    }

    /// A packet has no way on from an element.
    #[cold]
    fn lose(&mut self, at: usize, packet: Box<Packet>) {
        self.unwired_drops += 1;
        if O::LISTENS {
            let event = Event::dropped(DropCause::NoRoute, &packet);
            self.observer.event(self.now, ElementId(at as u32), &event);
        }
        self.outbox.recycle(packet);
    }

    #[cold]
    fn pass_signals(&mut self, place: usize) {
        let signals = std::mem::take(&mut self.outbox.signals);
        let packets = std::mem::take(&mut self.outbox.packets);
        let listeners = self.joints[place].listeners.clone();
        for signal in signals {
            for listener in &listeners {
                let (now, input) = (self.now, Input::Signal(signal));
                match self.slots[listener.place()].element {
                    Element::Link(n) => self.links[n as usize].step(now, input, &mut self.outbox),
                    Element::Machine(n) => self.machines[n as usize].step(now, input, &mut self.outbox),
                    _ => {}
                }
                self.empty_outbox(listener.place());
                self.rearm(*listener);
            }
        }
        self.outbox.packets = packets;
        self.carry_outbox(place);
    }

    /// Look at an element's wake time again.
    #[inline]
    pub fn rearm(&mut self, id: ElementId) {
        match self.slots[id.place()].element {
            Element::Link(n) => self.arm(id.place(), Rank::Delivery, self.links[n as usize].wake_at()),
            Element::Machine(n) => self.arm(id.place(), Rank::Timer, self.machines[n as usize].wake_at()),
            _ => {}
        }
    }
    #[inline]
    fn arm(&mut self, place: usize, rank: Rank, wake_at: Option<Instant>) {
        self.agenda.arm(place, rank, self.due(wake_at));
    }
    /// Of the element that has been woken.
    #[inline]
    fn settle(&mut self, place: usize, rank: Rank, wake_at: Option<Instant>) {
        self.agenda.settle(place, rank, self.due(wake_at));
    }
    #[inline]
    fn due(&self, wake_at: Option<Instant>) -> Due {
        Due { at: wake_at.map_or(Instant::MAX, |at| at.max(self.now)), since: self.now }
    }
}
