//! The event loop.

use crate::agenda::Agenda;
use crate::observer::{NoObserver, Observer};
use crate::router::Router;
use seamline_net::Link;
use seamline_wire::{DropCause, Event, Input, Instant, Machine, Outbox, Packet, Port};
use std::collections::VecDeque;

/// An element of a world: its number, in the order of adding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ElementId(pub u32);

impl ElementId {
    fn place(self) -> usize {
        self.0 as usize
    }
}

/// Links and routers are known to the world, because most steps are theirs; all else is a machine.
#[derive(Debug)]
enum Element<M> {
    Link(Box<Link>),
    Router(Router),
    Machine(M),
}

/// Where a port leads.
#[derive(Clone, Copy, Debug)]
struct Wire {
    to: ElementId,
    port: Port,
}

#[derive(Debug)]
struct Slot<M> {
    element: Element<M>,
    wires: Vec<Option<Wire>>,
    listeners: Vec<ElementId>,
}

/// Machines, links and routers with a virtual clock. `M` is the machine type (a concrete one, an enum
/// or `Box<dyn Machine>`), `O` who listens.
#[derive(Debug)]
pub struct World<M, O = NoObserver> {
    now: Instant,
    slots: Vec<Slot<M>>,
    agenda: Agenda,
    outbox: Outbox,
    in_transit: VecDeque<(Wire, Box<Packet>)>,
    observer: O,
    unwired_drops: u64,
    steps: u64,
}

impl<M: Machine> World<M> {
    /// An empty world that nobody listens to.
    pub fn new() -> Self {
        World::with_observer(NoObserver)
    }
}

impl<M: Machine> Default for World<M> {
    fn default() -> Self {
        Self::new()
    }
}

impl<M: Machine, O: Observer> World<M, O> {
    /// An empty world that `observer` listens to.
    pub fn with_observer(observer: O) -> Self {
        let mut outbox = Outbox::new();
        outbox.set_listening(O::LISTENS);
        World {
            now: Instant::ZERO,
            slots: Vec::new(),
            agenda: Agenda::default(),
            outbox,
            in_transit: VecDeque::new(),
            observer,
            unwired_drops: 0,
            steps: 0,
        }
    }

    /// Add a machine.
    pub fn add(&mut self, machine: M) -> ElementId {
        self.add_element(Element::Machine(machine))
    }
    /// Add a link: packets enter and leave it by port 0.
    pub fn add_link(&mut self, link: Link) -> ElementId {
        self.add_element(Element::Link(Box::new(link)))
    }
    /// Add a router.
    pub fn add_router(&mut self, router: Router) -> ElementId {
        self.add_element(Element::Router(router))
    }
    fn add_element(&mut self, element: Element<M>) -> ElementId {
        let id = ElementId(self.slots.len() as u32);
        self.agenda.add_element();
        self.slots.push(Slot { element, wires: Vec::new(), listeners: Vec::new() });
        self.arm(id);
        id
    }

    /// What leaves `from` by `port` arrives at `to` on `to_port`.
    pub fn connect(&mut self, from: ElementId, port: Port, to: ElementId, to_port: Port) {
        let wires = &mut self.slots[from.place()].wires;
        let place = usize::from(port.0);
        if wires.len() <= place {
            wires.resize(place + 1, None);
        }
        wires[place] = Some(Wire { to, port: to_port });
    }
    /// Signals of `from` reach `to`, which is on the same node.
    pub fn subscribe(&mut self, from: ElementId, to: ElementId) {
        self.slots[from.place()].listeners.push(to);
    }

    /// The time.
    pub fn now(&self) -> Instant {
        self.now
    }
    /// How many elements there are.
    pub fn len(&self) -> usize {
        self.slots.len()
    }
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }
    /// A machine, `None` when the element is a link or router.
    pub fn machine(&self, id: ElementId) -> Option<&M> {
        match &self.slots.get(id.place())?.element {
            Element::Machine(machine) => Some(machine),
            _ => None,
        }
    }
    /// A machine to change between runs; whoever changes what it waits for calls [`World::rearm`].
    pub fn machine_mut(&mut self, id: ElementId) -> Option<&mut M> {
        match &mut self.slots.get_mut(id.place())?.element {
            Element::Machine(machine) => Some(machine),
            _ => None,
        }
    }
    /// Look at an element's wake time again.
    pub fn rearm(&mut self, id: ElementId) {
        self.arm(id);
    }
    /// A link, `None` when the element is something else.
    pub fn link(&self, id: ElementId) -> Option<&Link> {
        match &self.slots.get(id.place())?.element {
            Element::Link(link) => Some(link),
            _ => None,
        }
    }
    /// A router to set routes in, `None` when the element is something else.
    pub fn router_mut(&mut self, id: ElementId) -> Option<&mut Router> {
        match &mut self.slots.get_mut(id.place())?.element {
            Element::Router(router) => Some(router),
            _ => None,
        }
    }
    /// Who listens.
    pub fn observer(&self) -> &O {
        &self.observer
    }
    /// End the world and keep who listened.
    pub fn into_observer(self) -> O {
        self.observer
    }
    /// Packets that left by a port that leads nowhere, or had no route.
    pub fn unwired_drops(&self) -> u64 {
        self.unwired_drops
    }
    /// Wake-ups carried out so far.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Run until everything due up to and including `end` has happened; the clock then stands at `end`.
    pub fn run_until(&mut self, end: Instant) {
        while let Some((at, place)) = self.agenda.next() {
            if at > end {
                break;
            }
            self.wake(at, place);
        }
        self.now = self.now.max(end);
    }

    #[inline]
    fn wake(&mut self, at: Instant, place: usize) {
        let due = self.slots[place].element.wake_at();
        if due.is_none_or(|due| due > at) {
            self.agenda.settle(place, due);
            return;
        }
        self.now = at;
        self.steps += 1;
        self.slots[place].element.step(at, Input::Wake, &mut self.outbox);
        self.empty_outbox(place);
        self.deliver();
        let next = self.slots[place].element.wake_at();
        self.agenda.settle(place, next);
    }

    /// Carry packets from element to element until all rest.
    #[inline]
    fn deliver(&mut self) {
        while let Some((wire, packet)) = self.in_transit.pop_front() {
            let place = wire.to.place();
            match &mut self.slots[place].element {
                Element::Link(link) => {
                    link.step(self.now, Input::Packet(wire.port, packet), &mut self.outbox);
                }
                Element::Router(router) => match router.route(packet.destination) {
                    Some(port) => self.outbox.send(port, packet),
                    None => self.lose(wire.to, packet),
                },
                Element::Machine(machine) => {
                    if O::LISTENS {
                        self.observer.arrived(self.now, wire.to, &packet);
                    }
                    machine.step(self.now, Input::Packet(wire.port, packet), &mut self.outbox);
                }
            }
            self.empty_outbox(place);
            self.arm(wire.to);
        }
    }

    #[inline]
    fn empty_outbox(&mut self, place: usize) {
        if O::LISTENS {
            self.report(place);
        }
        if !self.outbox.packets.is_empty() {
            self.forward(place);
        }
        if !self.outbox.signals.is_empty() {
            self.pass_signals(place);
        }
    }

    fn report(&mut self, place: usize) {
        let id = ElementId(place as u32);
        for event in self.outbox.events.drain(..) {
            self.observer.event(self.now, id, &event);
        }
        if let Element::Machine(_) = self.slots[place].element {
            for (_, packet) in &self.outbox.packets {
                self.observer.sent(self.now, id, packet);
            }
        }
    }

    #[inline]
    fn forward(&mut self, place: usize) {
        let wires = &self.slots[place].wires;
        let mut lost = None;
        for (port, packet) in self.outbox.packets.drain(..) {
            match wires.get(usize::from(port.0)).copied().flatten() {
                Some(wire) => self.in_transit.push_back((wire, packet)),
                None => lost = Some(packet),
            }
        }
        if let Some(packet) = lost {
            self.lose(ElementId(place as u32), packet);
        }
    }

    #[cold]
    fn lose(&mut self, at: ElementId, packet: Box<Packet>) {
        self.unwired_drops += 1;
        if O::LISTENS {
            let event = Event::Dropped {
                cause: DropCause::NoRoute,
                source: packet.source,
                source_port: packet.source_port,
                sequence: packet.segment.sequence,
                length: packet.segment.length,
            };
            self.observer.event(self.now, at, &event);
        }
        self.outbox.recycle(packet);
    }

    #[cold]
    fn pass_signals(&mut self, place: usize) {
        let signals = std::mem::take(&mut self.outbox.signals);
        let listeners = self.slots[place].listeners.clone();
        for signal in signals {
            for listener in &listeners {
                self.slots[listener.place()].element.step(self.now, Input::Signal(signal), &mut self.outbox);
                self.empty_outbox(listener.place());
                self.arm(*listener);
            }
        }
    }

    #[inline]
    fn arm(&mut self, id: ElementId) {
        if let Some(at) = self.slots[id.place()].element.wake_at() {
            self.agenda.arm(id.place(), at.max(self.now));
        }
    }
}

impl<M: Machine> Element<M> {
    #[inline]
    fn step(&mut self, now: Instant, input: Input, out: &mut Outbox) {
        match self {
            Element::Link(link) => link.step(now, input, out),
            Element::Machine(machine) => machine.step(now, input, out),
            Element::Router(_) => {}
        }
    }
    #[inline]
    fn wake_at(&self) -> Option<Instant> {
        match self {
            Element::Link(link) => link.wake_at(),
            Element::Machine(machine) => machine.wake_at(),
            Element::Router(_) => None,
        }
    }
}
