//! Connections that go to the agent at another base station, or come from there.

use super::{Connections, Place};
use crate::Agent;
use crate::connection::Connection;
use crate::exit::Counters;
use crate::guard::Guard;
use crate::key::ConnectionKey;
use crate::ways::Ways;
use seamline_wire::{Instant, NodeId};

/// A connection on its way from one agent to another, with all that is kept of it (the handoff of Snoop, section 4 of the
/// paper of 1995).
#[derive(Debug)]
pub struct Moved<A = NodeId> {
    pub(super) key: ConnectionKey<A>,
    pub(super) connection: Box<dyn Connection>,
    pub(super) ways: Ways,
    pub(super) guard: Option<Box<Guard>>,
    /// Bytes of packets kept of it.
    pub(super) kept: u64,
}

impl Moved {
    /// The mobile node has left these care-of addresses for another one, or is at home (`None`). Kept packets go there, in otherwise the
    /// same tunnels. From home, where there was no tunnel, they go without one until a packet shows the new way. The new access router knows
    /// the new address, and the context transfer names the old ones (RFC 4067).
    pub fn follow(&mut self, left: &[NodeId], care_of_address: Option<NodeId>) {
        self.ways.follow(left, care_of_address);
    }
}

impl Connections {
    /// What passed for lack of room passes at the next base station, too.
    fn hand_out_passed(&mut self, addresses: &[NodeId]) -> Vec<Moved> {
        let Some(passed) = &mut self.passed else { return Vec::new() };
        let taken = passed.take(|key| addresses.contains(&key.wireless.0));
        let moved = taken.into_iter().map(|(key, syn)| {
            let mut connection = self.make.make();
            connection.leave_alone(syn);
            Moved { key, connection, ways: Ways::UNKNOWN, guard: None, kept: 0 }
        });
        moved.collect()
    }

    /// Whether it is known, and is more than left alone.
    fn has_split(&self, key: ConnectionKey) -> bool {
        let held = self.by_key.get(&key).and_then(|index| self.slots[*index].held.as_ref());
        held.is_some_and(|(_, connection)| !connection.is_left_alone())
    }
}

impl Agent for Connections {
    fn counters(&self) -> Counters {
        self.counters
    }
    fn hand_out(&mut self, addresses: &[NodeId]) -> Vec<Moved> {
        let mut addresses = addresses.to_vec();
        addresses.sort_unstable();
        addresses.dedup();
        let of_host = |address: &NodeId| self.of_host(*address, |it| it == address);
        let places: Vec<Place> = addresses.iter().flat_map(of_host).collect();
        let held: Vec<_> = places.into_iter().filter_map(|place| self.take_away(place.index())).collect();
        let mut moved: Vec<_> = held.into_iter().filter(|moved| moved.connection.moves()).collect();
        moved.extend(self.hand_out_passed(&addresses));
        moved
    }
    fn take_in(&mut self, moved: Vec<Moved>) {
        for it in moved {
            let key = it.key;
            if it.connection.is_left_alone() && self.has_split(key) {
                continue;
            }
            if let Some(known) = self.find_shown(&key) {
                self.forget(known);
            }
            let fits = self.kept_bytes + it.kept <= self.limits.bytes;
            let Some(index) = fits.then(|| self.find_or_begin(Instant::ZERO, key)).flatten() else {
                self.refused.push(it);
                continue;
            };
            self.set_kept(index, it.kept);
            let slot = &mut self.slots[index];
            slot.held = Some((key, it.connection));
            (slot.ways, slot.guard) = (it.ways, it.guard);
            let place = self.place(index);
            self.arrive(place);
        }
    }
}
