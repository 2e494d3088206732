//! Routers forward at once, so a circle of routers without a link would take a packet round for ever.

use crate::router::Router;
use crate::world::{Element, World};
use seamline_wire::{NodeId, Port};

impl<M, O> World<M, O> {
    /// Note what wires lead to and look for circles of routers, if wires or routes may have changed since the last time.
    ///
    /// # Panics
    /// When there is one.
    #[inline]
    pub(crate) fn check_routes(&mut self) {
        if std::mem::take(&mut self.unchecked) {
            self.note_far_ends();
            self.refuse_circles();
        }
    }

    #[cold]
    fn refuse_circles(&self) {
        let routers: Vec<usize> =
            (0..self.slots.len()).filter(|place| self.leads_to_router(*place)).collect();
        if routers.is_empty() {
            return;
        }
        // One more than any router names stands for all destinations that only default routes lead to.
        let named = self.routers.iter().map(Router::destinations).max().unwrap_or(0);
        for destination in (0..=named).map(|node| NodeId(node as u32)) {
            if let Some(circle) = self.circle(&routers, destination) {
                let names: Vec<String> = circle.iter().map(|place| format!("router {place}")).collect();
                let whom = if destination.0 as usize == named { "any other node" } else { "a node" };
                panic!(
                    "packets to {whom} ({destination:?}) go round for ever: {} lead them in a circle \
                     without a link; put a link between the routers or fix their routes",
                    names.join(" -> ")
                );
            }
        }
    }

    /// The routers, each once and then the first again, that packets to `destination` pass in a circle.
    fn circle(&self, routers: &[usize], destination: NodeId) -> Option<Vec<usize>> {
        // Which walk was the first to come by; a walk that meets itself goes in a circle.
        let mut walks: Vec<Option<usize>> = vec![None; self.slots.len()];
        for (walk, start) in routers.iter().enumerate() {
            let mut path = Vec::new();
            let mut at = Some(*start);
            while let Some(place) = at {
                if let Some(earlier) = walks[place] {
                    if earlier == walk {
                        let begin = path.iter().position(|passed| *passed == place)?;
                        path.push(place);
                        return Some(path.split_off(begin));
                    }
                    break;
                }
                walks[place] = Some(walk);
                path.push(place);
                at = self.next_router(place, destination);
            }
        }
        None
    }

    /// The router that the one at `place` hands packets to `destination` to, when no link is between them.
    fn next_router(&self, place: usize, destination: NodeId) -> Option<usize> {
        let exit = self.router(place)?.route(destination)?;
        let next = self.wire(place, exit)?.to.place();
        self.router(next).map(|_| next)
    }

    /// Whether this is a router with a wire to another; what is not cannot be part of a circle.
    fn leads_to_router(&self, place: usize) -> bool {
        let leads =
            |port| self.wire(place, Port(port)).is_some_and(|wire| self.router(wire.to.place()).is_some());
        self.router(place).is_some() && (0..self.joints[place].ports()).any(leads)
    }

    fn router(&self, place: usize) -> Option<&Router> {
        match self.slots[place].element {
            Element::Router(n) => self.routers.get(n as usize),
            _ => None,
        }
    }
}
