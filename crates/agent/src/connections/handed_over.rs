//! Connections that go to the agent at another base station, or come from there.

use super::Connections;
use crate::Agent;
use crate::exit::{Counters, Exit};
use crate::key::{ConnectionKey, Side};
use crate::moved::{Kept, Moved};
use crate::passed::PassedSyn;
use crate::ways::Ways;
use seamline_wire::{Instant, NodeId, Outbox, Segment, TransportPort};

impl Connections {
    /// What passed for lack of room passes at the next base station, too.
    fn hand_out_passed(&mut self, addresses: &[NodeId]) -> Vec<Moved> {
        let Some(passed) = &mut self.passed else { return Vec::new() };
        let taken = passed.take(|key| addresses.contains(&key.wireless.0));
        let moved = taken.into_iter().map(|(key, syn)| {
            let mut connection = (self.make.0)();
            let mut nothing = Outbox::new();
            connection.leave_alone(Instant::ZERO, syn, &mut self.exit(&mut nothing));
            Moved { key, connection, ways: Ways::UNKNOWN, guard: None }
        });
        moved.collect()
    }

    /// Where the connections of a mobile node are.
    fn places_of(&self, address: NodeId) -> impl Iterator<Item = usize> {
        let beginning = ConnectionKey { wireless: (address, TransportPort(0)), wired: Default::default() };
        let known = self.by_key.range(beginning..).take_while(move |(key, _)| key.wireless.0 == address);
        known.map(|(_, place)| *place)
    }

    /// Whether it is known, and is more than left alone.
    fn has_split(&self, key: ConnectionKey) -> bool {
        let place = self.by_key.get(&key);
        let held = place.and_then(|place| self.slots[*place].held.as_ref());
        held.is_some_and(|(_, connection)| !connection.is_left_alone())
    }

    /// End what there is no room for; until then it counts as kept.
    pub(super) fn end_refused(&mut self, now: Instant, out: &mut Outbox) {
        for (key, mut connection) in std::mem::take(&mut self.refused) {
            self.note_passed(now, key, PassedSyn::Any);
            self.kept_bytes += connection.kept_bytes();
            connection.end(now, &mut self.exit(out));
        }
    }
}

impl Agent for Connections {
    fn counters(&self) -> Counters {
        self.counters
    }
    fn is_ended_by(&self, key: ConnectionKey, from: Side, segment: &Segment) -> bool {
        self.ended_by(key, from, segment).is_some()
    }
    fn on_opaque(&mut self, now: Instant, key: ConnectionKey, out: &mut Outbox) {
        if self.passed.is_none() {
            return;
        }
        let Some(place) = self.find(key) else { return self.note_passed(now, key, PassedSyn::Any) };
        let Connections { slots, counters, kept_bytes, limits, timers, .. } = self;
        let slot = &mut slots[place];
        slot.last_heard = now;
        let Some((_, connection)) = &mut slot.held else { unreachable!("what is found is held") };
        let exit = &mut Exit::new(out, counters, kept_bytes, limits.bytes, &slot.ways);
        connection.leave_alone(now, PassedSyn::Any, exit);
        timers.bring_forward(place, connection.wake_at().min(now + limits.idle));
        if !connection.is_left_alone() {
            self.note_passed(now, key, PassedSyn::Any);
        }
    }
    fn kept(&self, address: NodeId) -> Vec<Kept<'_>> {
        let held = self.places_of(address).filter_map(|place| self.slots[place].held.as_ref());
        let kept = held.map(|(key, connection)| {
            let (acknowledged, packets) = connection.kept();
            Kept { key: *key, acknowledged, packets }
        });
        kept.collect()
    }
    fn hand_out(&mut self, addresses: &[NodeId]) -> Vec<Moved> {
        let mut addresses = addresses.to_vec();
        addresses.sort_unstable();
        addresses.dedup();
        let places: Vec<usize> = addresses.iter().flat_map(|address| self.places_of(*address)).collect();
        let held: Vec<_> = places.into_iter().filter_map(|place| self.take(place)).collect();
        let moved = held.into_iter().inspect(|moved| self.kept_bytes -= moved.connection.kept_bytes());
        let mut moved: Vec<_> = moved.filter(|moved| moved.connection.moves()).collect();
        moved.extend(self.hand_out_passed(&addresses));
        moved
    }
    fn take_in(&mut self, moved: Vec<Moved>) {
        for Moved { key, connection, ways, guard } in moved {
            if connection.is_left_alone() && self.has_split(key) {
                continue;
            }
            if let Some(&place) = self.by_key.get(&key)
                && let Some(known) = self.take(place)
            {
                self.kept_bytes -= known.connection.kept_bytes();
            }
            let kept_bytes = self.kept_bytes + connection.kept_bytes();
            let fits = kept_bytes <= self.limits.bytes;
            let Some(place) = fits.then(|| self.begin(key)).flatten() else {
                self.refused.push((key, connection));
                continue;
            };
            self.kept_bytes = kept_bytes;
            let slot = &mut self.slots[place];
            slot.held = Some((key, connection));
            slot.is_new_here = true;
            (slot.ways, slot.guard) = (ways, guard);
            self.timers.set(place, Instant::ZERO);
        }
    }
}
