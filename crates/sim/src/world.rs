//! What a world consists of, and how it is put together.

use crate::agenda::Agenda;
use crate::parts::{BEFORE_CUTTING, Inlet};
use crate::router::Router;
use crate::run::Restless;
use seamline_net::Link;
use seamline_wire::{Event, Instant, Machine, Outbox, Packet, Port};
use std::collections::VecDeque;

/// An element of a world: its number, in the order of adding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ElementId(pub u32);

impl ElementId {
    pub(crate) fn place(self) -> usize {
        self.0 as usize
    }
}

/// Sees the events and packets of a run. Chosen by type, so that a run without an observer costs nothing.
pub trait Observer {
    /// Whether elements should build events and packets be shown.
    const LISTENS: bool = true;
    /// Whether it wants to know the states of queues ([`Event::Queue`]), which are most of all events. A world asks once, at its beginning.
    fn hears_queues(&self) -> bool {
        true
    }
    /// Something happened at an element.
    fn event(&mut self, now: Instant, at: ElementId, event: &Event);
    /// A packet leaves a machine.
    fn sent(&mut self, _now: Instant, _from: ElementId, _packet: &Packet) {}
    /// A packet arrives at a machine.
    fn arrived(&mut self, _now: Instant, _at: ElementId, _packet: &Packet) {}
    /// Whether it looks at packets, in [`Observer::sent`] and [`Observer::arrived`]. Then a world runs on one thread.
    fn sees_packets(&self) -> bool {
        true
    }
    /// An element wakes up whose entry in the agenda this is. For the parts of a world.
    #[doc(hidden)]
    #[inline]
    fn woken(&mut self, _entry: u128, _at: ElementId) {}
    /// A packet is offered to a link: how many are inside, where that matters. For the parts of a world.
    #[doc(hidden)]
    #[inline]
    fn enters(&self, _at: ElementId, _link: &Link) -> usize {
        0
    }
    /// It was offered. For the parts of a world.
    #[doc(hidden)]
    #[inline]
    fn entered(&mut self, _now: Instant, _at: ElementId, _link: &Link, _inside_before: usize) {}
}

/// Observes nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoObserver;

impl Observer for NoObserver {
    const LISTENS: bool = false;
    fn event(&mut self, _now: Instant, _at: ElementId, _event: &Event) {}
}

/// What an element is, and its place among those of its kind. Links and routers are known to the world,
/// because most steps are theirs; all else is a machine.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Element {
    Link(u32),
    Router(u32),
    Machine(u32),
    /// It belongs to another part of a world ([`crate::parts`]).
    Absent,
    /// The far end of a link that belongs to another part.
    Inlet(u32),
}

/// Where a port leads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wire {
    pub(crate) to: ElementId,
    pub(crate) port: Port,
    /// What is there. Kept here as well, so that a hop does not look it up ([`World::note_far_ends`]).
    pub(crate) element: Element,
}

/// What every hop looks up: kept small and apart from the rest, so that it stays in the cache.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot {
    pub(crate) element: Element,
    /// The wire at port 0.
    pub(crate) first_wire: Option<Wire>,
}

/// The rest of an element's connections.
#[derive(Debug, Default)]
pub(crate) struct Joints {
    /// The wires at port 1 and up.
    more_wires: Vec<Option<Wire>>,
    pub(crate) listeners: Vec<ElementId>,
}

impl Joints {
    /// One more than the highest port that may lead anywhere.
    pub(crate) fn ports(&self) -> u16 {
        self.more_wires.len() as u16 + 1
    }
}

/// Machines, links and routers with a virtual clock. `M` is the machine type (a concrete one, an enum
/// or `Box<dyn Machine>`), `O` who listens.
#[derive(Debug)]
pub struct World<M, O = NoObserver> {
    pub(crate) now: Instant,
    pub(crate) slots: Vec<Slot>,
    pub(crate) joints: Vec<Joints>,
    pub(crate) links: Vec<Link>,
    pub(crate) routers: Vec<Router>,
    pub(crate) machines: Vec<M>,
    pub(crate) inlets: Vec<Inlet>,
    pub(crate) agenda: Agenda,
    pub(crate) outbox: Outbox,
    pub(crate) spare: Vec<Vec<(Port, Box<Packet>)>>,
    /// Whether a machine is taking in a packet now.
    pub(crate) delivering: bool,
    /// What reaches machines meanwhile.
    pub(crate) waiting: VecDeque<(ElementId, Port, Box<Packet>)>,
    pub(crate) restless: Restless,
    /// Whether wires or routes may have changed since they were checked.
    pub(crate) unchecked: bool,
    pub(crate) observer: O,
    pub(crate) unwired_drops: u64,
    pub(crate) steps: u64,
    pub(crate) windows: u64,
    /// Before so many wake-ups it is not tried again to cut it into parts.
    pub(crate) cuts_after: u64,
}

impl<M, O> World<M, O> {
    /// Where `port` of the element at `place` leads.
    #[inline]
    pub(crate) fn wire(&self, place: usize, port: Port) -> Option<Wire> {
        match usize::from(port.0).checked_sub(1) {
            None => self.slots[place].first_wire,
            Some(further) => self.joints[place].more_wires.get(further).copied().flatten(),
        }
    }

    /// Note in wires and routers what is at the far end of each wire.
    pub(crate) fn note_far_ends(&mut self) {
        for place in 0..self.slots.len() {
            let first = self.slots[place].first_wire;
            let first = first.map(|wire| Wire { element: self.slots[wire.to.place()].element, ..wire });
            self.slots[place].first_wire = first;
            for wire in self.joints[place].more_wires.iter_mut().flatten() {
                wire.element = self.slots[wire.to.place()].element;
            }
            if let Element::Router(n) = self.slots[place].element {
                let more = self.joints[place].more_wires.iter().copied();
                self.routers[n as usize].set_exits(std::iter::once(first).chain(more));
            }
        }
    }
}

impl<M: Machine> World<M> {
    /// An empty world without an observer.
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
    /// An empty world with an observer.
    pub fn with_observer(observer: O) -> Self {
        let mut outbox = Outbox::new();
        outbox.set_listening(O::LISTENS);
        if !observer.hears_queues() {
            outbox.ignore_queues();
        }
        World {
            now: Instant::ZERO,
            slots: Vec::new(),
            joints: Vec::new(),
            links: Vec::new(),
            routers: Vec::new(),
            machines: Vec::new(),
            inlets: Vec::new(),
            agenda: Agenda::default(),
            outbox,
            spare: Vec::new(),
            delivering: false,
            waiting: VecDeque::new(),
            restless: Restless::default(),
            unchecked: false,
            observer,
            unwired_drops: 0,
            steps: 0,
            windows: 0,
            cuts_after: BEFORE_CUTTING,
        }
    }

    /// Add a machine.
    pub fn add(&mut self, machine: M) -> ElementId {
        self.machines.push(machine);
        self.add_element(Element::Machine(self.machines.len() as u32 - 1))
    }
    /// Add a link: packets enter and leave it by port 0.
    pub fn add_link(&mut self, link: Link) -> ElementId {
        self.links.push(link);
        self.add_element(Element::Link(self.links.len() as u32 - 1))
    }
    /// Add a router.
    pub fn add_router(&mut self, router: Router) -> ElementId {
        self.routers.push(router);
        self.add_element(Element::Router(self.routers.len() as u32 - 1))
    }
    fn add_element(&mut self, element: Element) -> ElementId {
        let id = ElementId(self.slots.len() as u32);
        self.agenda.add_element();
        self.slots.push(Slot { element, first_wire: None });
        self.joints.push(Joints::default());
        self.rearm(id);
        id
    }

    /// What leaves `from` by `port` arrives at `to` on `to_port`.
    pub fn connect(&mut self, from: ElementId, port: Port, to: ElementId, to_port: Port) {
        self.unchecked = true;
        let wire = Some(Wire { to, port: to_port, element: Element::Absent });
        match usize::from(port.0).checked_sub(1) {
            None => self.slots[from.place()].first_wire = wire,
            Some(place) => {
                let wires = &mut self.joints[from.place()].more_wires;
                if wires.len() <= place {
                    wires.resize(place + 1, None);
                }
                wires[place] = wire;
            }
        }
    }
    /// Signals of `from` reach `to`, which is on the same node.
    pub fn subscribe(&mut self, from: ElementId, to: ElementId) {
        self.joints[from.place()].listeners.push(to);
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
    fn element(&self, id: ElementId) -> Option<Element> {
        self.slots.get(id.place()).map(|slot| slot.element)
    }
    /// A machine, `None` when the element is a link or router.
    pub fn machine(&self, id: ElementId) -> Option<&M> {
        match self.element(id)? {
            Element::Machine(n) => self.machines.get(n as usize),
            _ => None,
        }
    }
    /// A machine to change between runs; after changing what it waits for, call [`World::rearm`].
    pub fn machine_mut(&mut self, id: ElementId) -> Option<&mut M> {
        match self.element(id)? {
            Element::Machine(n) => self.machines.get_mut(n as usize),
            _ => None,
        }
    }
    /// A link, `None` when the element is something else.
    pub fn link(&self, id: ElementId) -> Option<&Link> {
        match self.element(id)? {
            Element::Link(n) => self.links.get(n as usize),
            _ => None,
        }
    }
    /// A link to change between runs; after changing what it waits for, call [`World::rearm`].
    pub fn link_mut(&mut self, id: ElementId) -> Option<&mut Link> {
        match self.element(id)? {
            Element::Link(n) => self.links.get_mut(n as usize),
            _ => None,
        }
    }
    /// A router to set routes in, `None` when the element is something else.
    pub fn router_mut(&mut self, id: ElementId) -> Option<&mut Router> {
        self.unchecked = true;
        match self.element(id)? {
            Element::Router(n) => self.routers.get_mut(n as usize),
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
    /// How many windows have run on several threads so far ([`World::run_on`]).
    pub fn windows(&self) -> u64 {
        self.windows
    }
    /// Wake-ups carried out so far.
    pub fn steps(&self) -> u64 {
        self.steps
    }
}
