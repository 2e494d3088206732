//! The event loop.

use crate::agenda::{Due, Rank};
use crate::world::{Element, ElementId, Observer, Wire, World};
use seamline_wire::{DropCause, Event, Input, Instant, Machine, Packet, Port};
use std::collections::BTreeMap;
use std::fmt::Debug;

/// How often a machine may be woken at one instant and ask for the same instant again. One with a million
/// timers that expire together, one per wake-up, still passes; one that never has enough is stopped after a
/// fraction of a second.
const MOST_WAKES_AT_ONE_INSTANT: u32 = 1 << 21;

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
        if std::mem::take(&mut self.unchecked) {
            self.refuse_circles();
            if !O::LISTENS {
                self.find_series();
            }
        }
        let is_done = self.run_steps(end, most);
        self.catch_up_all();
        is_done
    }

    fn run_steps(&mut self, end: Instant, most: u32) -> bool {
        for _ in 0..most {
            let Some((at, place)) = self.agenda.take_first(end) else {
                self.now = self.now.max(end);
                return true;
            };
            self.wake(at, place);
        }
        false
    }

    #[inline]
    fn wake(&mut self, at: Instant, place: usize) {
        match self.slots[place].element {
            Element::Link(n) => {
                self.wake_link(at, place, n, |world| due_from(at, world.links[n as usize].wake_at()));
            }
            Element::LinkInSeries(n) => self.wake_in_series(at, place, n),
            Element::Machine(n) => self.wake_machine(at, place, n),
            Element::Router(_) => {}
        }
    }

    #[inline]
    fn wake_machine(&mut self, at: Instant, place: usize, n: u32) {
        let machine = &mut self.machines[n as usize];
        let due = machine.wake_at();
        if due.is_none_or(|due| due > at) {
            return self.expect(place, Rank::Timer, due_from(at, due));
        }
        machine.step(at, Input::Wake, &mut self.outbox);
        let next = machine.wake_at().map(|next| next.max(at));
        if next == Some(at) {
            self.restless.note(at, place, machine);
        }
        self.note_step(at);
        self.expect(place, Rank::Timer, due_from(at, next));
        self.empty_outbox(place);
    }

    /// A link's entry came up; `due` says when it is due after that.
    #[inline]
    pub(crate) fn wake_link(
        &mut self,
        at: Instant,
        place: usize,
        n: u32,
        due: impl Fn(&Self) -> Option<Due>,
    ) {
        let link = &mut self.links[n as usize];
        if !O::LISTENS
            && let Some(packet) = link.hand_over(at)
        {
            self.note_step(at);
            let due = due(self);
            self.expect(place, Rank::Delivery, due);
            return self.carry(place, Port(0), packet);
        }
        let is_due = link.wake_at().is_some_and(|due| due <= at);
        if is_due {
            link.step(at, Input::Wake, &mut self.outbox);
            self.note_step(at);
        }
        let due = due(self);
        self.expect(place, Rank::Delivery, due);
        if is_due {
            self.empty_outbox(place);
        }
    }

    #[inline]
    pub(crate) fn note_step(&mut self, at: Instant) {
        self.now = at;
        self.steps += 1;
    }

    /// Everything the element at `place` has just caused takes its course.
    #[inline]
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
                    self.carry(place, port, packet);
                }
            }
            _ => self.carry_all(place),
        }
    }

    fn carry_all(&mut self, place: usize) {
        let spare = self.spare.pop().unwrap_or_default();
        let mut batch = std::mem::replace(&mut self.outbox.packets, spare);
        for (port, packet) in batch.drain(..) {
            self.carry(place, port, packet);
        }
        self.spare.push(batch);
    }

    /// The wire into the link or machine that a packet gets to from this port, through routers. `None` where it is lost.
    #[inline]
    pub(crate) fn way(&self, from: usize, port: Port, packet: &Packet) -> Option<Wire> {
        let mut wire = self.wire(from, port)?;
        while let Element::Router(n) = self.slots[wire.to.place()].element {
            let exit = self.routers[n as usize].route(packet.next_destination())?;
            wire = self.wire(wire.to.place(), exit)?;
        }
        Some(wire)
    }

    /// Carry a packet over the wire at this port, and through routers, to the next link or machine.
    #[inline]
    pub(crate) fn carry(&mut self, from: usize, port: Port, packet: Box<Packet>) {
        let Some(Wire { to, port: entry }) = self.way(from, port, &packet) else {
            return self.lose(from, port, packet);
        };
        let place = to.place();
        match self.slots[place].element {
            Element::Link(n) => {
                let link = &mut self.links[n as usize];
                link.step(self.now, Input::Packet(entry, packet), &mut self.outbox);
                let wake_at = link.wake_at();
                if O::LISTENS || !self.outbox.packets.is_empty() {
                    self.empty_outbox(place);
                }
                self.arm(place, Rank::Delivery, wake_at);
            }
            Element::LinkInSeries(n) => self.enter_series(n, place, Input::Packet(entry, packet)),
            Element::Machine(n) => self.deliver(to, n, entry, packet),
            Element::Router(_) => {}
        }
    }

    /// A packet reaches a machine. What that sends to machines at the end of the same wires waits until it is
    /// done, so that machines without a link between them may answer each other for as long as they like.
    #[inline]
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
        self.rearm(at);
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

    /// A packet has no way from this port.
    #[cold]
    pub(crate) fn lose(&mut self, from: usize, port: Port, packet: Box<Packet>) {
        self.unwired_drops += 1;
        if O::LISTENS {
            let (mut at, mut exit) = (from, Some(port));
            while let Some(wire) = exit.and_then(|exit| self.wire(at, exit))
                && let Element::Router(n) = self.slots[wire.to.place()].element
            {
                at = wire.to.place();
                exit = self.routers[n as usize].route(packet.next_destination());
            }
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
                    Element::Link(n) | Element::LinkInSeries(n) => {
                        self.links[n as usize].step(now, input, &mut self.outbox)
                    }
                    Element::Machine(n) => self.machines[n as usize].step(now, input, &mut self.outbox),
                    Element::Router(_) => {}
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
            Element::LinkInSeries(n) => self.arm_series(n, id.place()),
            Element::Machine(n) => self.arm(id.place(), Rank::Timer, self.machines[n as usize].wake_at()),
            Element::Router(_) => {}
        }
    }
    /// An element that is not armed is due.
    #[inline]
    fn expect(&mut self, place: usize, rank: Rank, due: Option<Due>) {
        if let Some(due) = due {
            self.agenda.arm(place, rank, due);
        }
    }
    #[inline]
    fn arm(&mut self, place: usize, rank: Rank, wake_at: Option<Instant>) {
        if let Some(at) = wake_at {
            self.agenda.arm(place, rank, Due { at: at.max(self.now), since: self.now });
        }
    }
}

#[inline]
fn due_from(since: Instant, wake_at: Option<Instant>) -> Option<Due> {
    wake_at.map(|at| Due { at, since })
}
