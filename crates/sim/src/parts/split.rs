//! A world becomes parts, and one world again.

use super::{Cut, Inlet, Log, Part};
use crate::agenda::{Agenda, Due, IDLE, Rank};
use crate::world::{Element, Joints, Observer, Slot, World};
use seamline_net::Link;
use seamline_wire::{Instant, Machine, Packet};

impl<M: Machine, O: Observer> World<M, O> {
    /// Move everything into parts. Elements keep their places; in the other parts nothing is there, apart from the far ends of links that lead
    /// to a part.
    pub(super) fn split(&mut self, cut: &Cut) -> Vec<Part<M, O>> {
        let mut parts: Vec<Part<M, O>> = (0..cut.count).map(|part| self.empty_part(cut, part)).collect();
        let mut links = std::mem::take(&mut self.links).into_iter();
        let mut routers = std::mem::take(&mut self.routers).into_iter();
        let mut machines = std::mem::take(&mut self.machines).into_iter();
        let mut leaves = vec![Vec::with_capacity(self.slots.len()); cut.count];
        for (place, slot) in self.slots.iter().enumerate() {
            let own = usize::from(cut.parts[place]);
            for (number, part) in parts.iter_mut().enumerate() {
                part.slots.push(Slot { element: Element::Absent, first_wire: slot.first_wire });
                let joints =
                    if number == own { std::mem::take(&mut self.joints[place]) } else { Joints::default() };
                part.joints.push(joints);
                leaves[number].push(if number == own { self.agenda.entry_of(place) } else { IDLE });
            }
            let part = &mut parts[own];
            part.slots[place].element = match slot.element {
                Element::Link(_) => {
                    part.links.extend(links.next());
                    Element::Link(part.links.len() as u32 - 1)
                }
                Element::Router(_) => {
                    part.routers.extend(routers.next());
                    Element::Router(part.routers.len() as u32 - 1)
                }
                Element::Machine(_) => {
                    part.machines.extend(machines.next());
                    Element::Machine(part.machines.len() as u32 - 1)
                }
                other => other,
            };
            if let Some(to) = cut.far_ends[place].map(usize::from) {
                let Some(packets) = part.links.last().and_then(Link::far_end) else {
                    unreachable!("a world is cut at links with a fixed delay")
                };
                let inlet = &mut parts[to];
                inlet.inlets.push(Inlet { packets, delivered: Instant::ZERO });
                inlet.slots[place].element = Element::Inlet(inlet.inlets.len() as u32 - 1);
                leaves[to][place] = self.agenda.entry_of(place);
            }
        }
        for (part, leaves) in parts.iter_mut().zip(leaves) {
            part.agenda = Agenda::of(leaves);
            part.note_far_ends();
        }
        parts
    }

    fn empty_part(&self, cut: &Cut, part: usize) -> Part<M, O> {
        let log = Log::new(self.outbox.hears_queues(), cut, part as u16);
        let mut empty: Part<M, O> = World::with_observer(log);
        empty.now = self.now;
        empty
    }

    /// Take everything back.
    pub(super) fn join(&mut self, cut: &Cut, mut parts: Vec<Part<M, O>>) {
        let mut leaves = Vec::with_capacity(self.slots.len());
        let mut contents: Vec<_> = parts
            .iter_mut()
            .map(|part| {
                let links = std::mem::take(&mut part.links).into_iter();
                let routers = std::mem::take(&mut part.routers).into_iter();
                (links, routers, std::mem::take(&mut part.machines).into_iter())
            })
            .collect();
        for (place, slot) in self.slots.iter().enumerate() {
            let own = usize::from(cut.parts[place]);
            let (links, routers, machines) = &mut contents[own];
            match slot.element {
                Element::Link(_) => self.links.extend(links.next()),
                Element::Router(_) => self.routers.extend(routers.next()),
                Element::Machine(_) => self.machines.extend(machines.next()),
                Element::Absent | Element::Inlet(_) => {}
            }
            self.joints[place] = std::mem::take(&mut parts[own].joints[place]);
            leaves.push(parts[own].agenda.entry_of(place));
        }
        self.agenda = Agenda::of(leaves);
        self.note_far_ends();
        self.steps += parts.iter().map(|part| part.steps).sum::<u64>();
        self.unwired_drops += parts.iter().map(|part| part.unwired_drops).sum::<u64>();
    }
}

impl<M: Machine, O: Observer> Part<M, O> {
    /// A packet has entered a link of another part, whose far end is here.
    pub(super) fn expect(&mut self, place: usize, entered: Instant, arrival: Instant, packet: Box<Packet>) {
        let Element::Inlet(n) = self.slots[place].element else {
            unreachable!("the far end of a link is here")
        };
        let inlet = &mut self.inlets[n as usize];
        let is_first = inlet.packets.next_arrival().is_none();
        inlet.packets.push(arrival, packet);
        if is_first {
            // Since the link has been due for it: it entered, or the one before it arrived.
            let since = entered.max(inlet.delivered);
            self.agenda.arm(place, Rank::Delivery, Due { at: arrival, since });
        }
    }
}
