//! How soon packets can get from the elements of a world to ports of the outside: lower bounds, for a driver that would rather not look at every
//! event (conservative synchronization: Chandy and Misra, 1979).

use crate::world::{Element, ElementId, Observer, World};
use seamline_wire::{Duration, Instant, Machine, Packet, Port};

/// By element: the shortest time from a packet's arrival there to its arrival at a port of the outside.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Horizon(Vec<Duration>);

impl Horizon {
    /// A lower bound of the time that a packet takes from its arrival at an element. [`Duration::MAX`] when it cannot get outside.
    pub fn from(&self, element: ElementId) -> Duration {
        self.0.get(element.place()).copied().unwrap_or(Duration::ZERO)
    }
}

impl<M: Machine, O: Observer> World<M, O> {
    /// The horizon towards these elements, by the wires that there are now. Routes and contents do not matter.
    pub fn horizon(&self, outside: &[ElementId]) -> Horizon {
        let mut horizon = Horizon(vec![Duration::MAX; self.slots.len()]);
        outside.iter().for_each(|element| horizon.0[element.place()] = Duration::ZERO);
        let mut is_settled = false;
        while !is_settled {
            is_settled = true;
            for place in 0..self.slots.len() {
                let through = self.delay_through(place) + self.time_beyond(place, &horizon);
                if through < horizon.0[place] {
                    horizon.0[place] = through;
                    is_settled = false;
                }
            }
        }
        horizon
    }

    /// A time before which nothing reaches the outside, if nothing comes from there. `None` when nothing will. Packets in flight that are
    /// `known` do not count.
    pub fn earliest_arrival(&self, horizon: &Horizon, known: &dyn Fn(&Packet) -> bool) -> Option<Instant> {
        let due = |place: usize| match self.slots[place].element {
            Element::Link(n) => self.links[n as usize].earliest_delivery(known),
            Element::Machine(n) => self.machines[n as usize].wake_at(),
            _ => None,
        };
        let arrival = |place: usize| Some(due(place)? + self.time_beyond(place, horizon));
        (0..self.slots.len()).filter_map(arrival).min()
    }

    /// Look at the packets on links that are certain to arrive at a machine next, by the routes that there are now: when, where, and which.
    pub fn certain_arrivals(&self, look: &mut dyn FnMut(Instant, ElementId, &Packet)) {
        for (place, slot) in self.slots.iter().enumerate() {
            let Element::Link(n) = slot.element else { continue };
            for (at, packet) in self.links[n as usize].certain(self.now) {
                if let Some(machine) = self.next_machine(place, packet) {
                    look(at, machine, packet);
                }
            }
        }
    }

    /// The machine to which a packet gets from port 0 of a link without passing another link.
    fn next_machine(&self, link: usize, packet: &Packet) -> Option<ElementId> {
        let mut wire = self.wire(link, Port(0))?;
        loop {
            let place = wire.to.place();
            match self.slots[place].element {
                Element::Machine(_) => return Some(wire.to),
                Element::Link(_) | Element::Absent | Element::Inlet(_) => return None,
                Element::Router(n) => {
                    let exit = self.routers[n as usize].route(packet.next_destination())?;
                    wire = self.wire(place, exit)?;
                }
            }
        }
    }

    /// The shortest time that a packet takes from leaving a machine outside to its arrival at one of them. Its router does not send it back.
    pub fn shortest_way(&self, from: ElementId, horizon: &Horizon) -> Duration {
        let beyond = |next: ElementId| match self.slots[next.place()].element {
            Element::Router(_) => {
                let onward = self.exits_of(next.place()).filter(|exit| *exit != from);
                onward.map(|exit| horizon.from(exit)).min().unwrap_or(Duration::MAX)
            }
            _ => horizon.from(next),
        };
        self.exits_of(from.place()).map(beyond).min().unwrap_or(Duration::MAX)
    }

    fn delay_through(&self, place: usize) -> Duration {
        match self.slots[place].element {
            Element::Link(n) => self.links[n as usize].least_delay(),
            _ => Duration::ZERO,
        }
    }

    fn time_beyond(&self, place: usize, horizon: &Horizon) -> Duration {
        self.exits_of(place).map(|element| horizon.from(element)).min().unwrap_or(Duration::MAX)
    }

    /// A machine may send by any port, and signal to others that do so in turn.
    fn exits_of(&self, place: usize) -> impl Iterator<Item = ElementId> {
        let joints = &self.joints[place];
        let wires = (0..joints.ports()).filter_map(move |port| self.wire(place, Port(port)));
        wires.map(|wire| wire.to).chain(joints.listeners.iter().copied())
    }
}
