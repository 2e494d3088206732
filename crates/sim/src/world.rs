//! The event loop.

use crate::agenda::{Agenda, Rank};
use crate::observer::{NoObserver, Observer};
use crate::router::Router;
use seamline_net::Link;
use seamline_wire::{DropCause, Event, Input, Instant, Machine, Outbox, Packet, Port};

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
    first_wire: Option<Wire>,
    more_wires: Vec<Option<Wire>>,
    listeners: Vec<ElementId>,
}

impl<M> Slot<M> {
    #[inline]
    fn wire(&self, port: Port) -> Option<Wire> {
        match usize::from(port.0).checked_sub(1) {
            None => self.first_wire,
            Some(place) => self.more_wires.get(place).copied().flatten(),
        }
    }
}

/// Machines, links and routers with a virtual clock. `M` is the machine type (a concrete one, an enum
/// or `Box<dyn Machine>`), `O` who listens.
#[derive(Debug)]
pub struct World<M, O = NoObserver> {
    now: Instant,
    slots: Vec<Slot<M>>,
    agenda: Agenda,
    outbox: Outbox,
    spare: Vec<Vec<(Port, Box<Packet>)>>,
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
            spare: Vec::new(),
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
        let rank = if matches!(element, Element::Link(_)) { Rank::Delivery } else { Rank::Timer };
        self.agenda.add_element(rank);
        self.slots.push(Slot { element, first_wire: None, more_wires: Vec::new(), listeners: Vec::new() });
        self.arm(id);
        id
    }

    /// What leaves `from` by `port` arrives at `to` on `to_port`.
    pub fn connect(&mut self, from: ElementId, port: Port, to: ElementId, to_port: Port) {
        let wire = Some(Wire { to, port: to_port });
        let slot = &mut self.slots[from.place()];
        match usize::from(port.0).checked_sub(1) {
            None => slot.first_wire = wire,
            Some(place) => {
                if slot.more_wires.len() <= place {
                    slot.more_wires.resize(place + 1, None);
                }
                slot.more_wires[place] = wire;
            }
        }
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
        let next = match &mut self.slots[place].element {
            Element::Link(link) => step_if_due(&mut **link, at, &mut self.outbox),
            Element::Machine(machine) => step_if_due(machine, at, &mut self.outbox),
            Element::Router(_) => Err(None),
        };
        match next {
            Ok(next) => {
                self.now = at;
                self.steps += 1;
                self.agenda.settle(place, next);
                self.empty_outbox(place);
            }
            Err(later) => self.agenda.settle(place, later),
        }
    }

    /// Everything the element at `place` has just caused takes its course.
    #[inline]
    fn empty_outbox(&mut self, place: usize) {
        if O::LISTENS {
            self.report(place);
        }
        if !self.outbox.signals.is_empty() {
            self.pass_signals(place);
        }
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

    /// Carry a packet over the wire at this port, and through routers, to the next link or machine.
    #[inline]
    fn carry(&mut self, from: usize, port: Port, packet: Box<Packet>) {
        let (mut from, mut port) = (from, port);
        loop {
            let Some(Wire { to, port: entry }) = self.slots[from].wire(port) else {
                return self.lose(from, packet);
            };
            let place = to.place();
            match &mut self.slots[place].element {
                Element::Router(router) => match router.route(packet.destination) {
                    Some(exit) => (from, port) = (place, exit),
                    None => return self.lose(place, packet),
                },
                Element::Link(link) => {
                    link.step(self.now, Input::Packet(entry, packet), &mut self.outbox);
                    let wake_at = link.wake_at();
                    if O::LISTENS || !self.outbox.packets.is_empty() {
                        self.empty_outbox(place);
                    }
                    return self.arm_at(place, wake_at);
                }
                Element::Machine(machine) => {
                    if O::LISTENS {
                        self.observer.arrived(self.now, to, &packet);
                    }
                    machine.step(self.now, Input::Packet(entry, packet), &mut self.outbox);
                    self.empty_outbox(place);
                    return self.arm(to);
                }
            }
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

    #[cold]
    fn lose(&mut self, at: usize, packet: Box<Packet>) {
        self.unwired_drops += 1;
        if O::LISTENS {
            let event = Event::Dropped {
                cause: DropCause::NoRoute,
                source: packet.source,
                source_port: packet.source_port,
                sequence: packet.segment.sequence,
                length: packet.segment.length,
            };
            self.observer.event(self.now, ElementId(at as u32), &event);
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
        let wake_at = self.slots[id.place()].element.wake_at();
        self.arm_at(id.place(), wake_at);
    }
    #[inline]
    fn arm_at(&mut self, place: usize, wake_at: Option<Instant>) {
        if let Some(at) = wake_at {
            self.agenda.arm(place, at.max(self.now));
        }
    }
}

/// Wake a machine whose time has come; its next time, or as an error the later time it waits for.
#[inline]
fn step_if_due(
    machine: &mut impl Machine,
    now: Instant,
    out: &mut Outbox,
) -> Result<Option<Instant>, Option<Instant>> {
    let due = machine.wake_at();
    if due.is_none_or(|due| due > now) {
        return Err(due);
    }
    machine.step(now, Input::Wake, out);
    Ok(machine.wake_at())
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
