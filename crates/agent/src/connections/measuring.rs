//! What the segments of connections show of the paths on both sides.

use super::{Connections, Place, Slot};
use crate::flow::Measurements;
use crate::key::{End, Side};
use seamline_wire::{Duration, Instant, Segment};

#[derive(Debug)]
pub(super) struct Measuring {
    /// What the agent sends leaves.
    pub(super) acts: bool,
    pub(super) all: Measurements,
}

impl<A: End, L: Copy> Connections<A, L> {
    /// A segment that was admitted ([`Connections::admit`]) has come from the network, from this side.
    pub fn measure(&mut self, now: Instant, from: Side, place: Place, segment: &Segment) {
        if let (Some(flow), Some(measuring)) = (&mut self.slots[place.index()].flow, &mut self.measuring) {
            flow.on_segment(now, from, segment, &mut measuring.all);
        }
    }

    /// Begin to measure a connection, or begin again, with what its handshake has shown.
    pub(super) fn begin_flow(&mut self, index: usize, round_trips: [Option<Duration>; 2]) {
        let Some(measuring) = &mut self.measuring else { return };
        let flow = self.slots[index].flow.insert(Box::default());
        for side in Side::BOTH {
            if let Some(round_trip) = round_trips[side.index()] {
                flow.on_round_trip(side, round_trip, &mut measuring.all);
            }
        }
    }

    /// Segments of a connection pass that are not admitted.
    pub(super) fn lose_track(&mut self, index: usize) {
        if let Some(flow) = &mut self.slots[index].flow {
            flow.lose_track();
        }
    }

    /// The agent has acted; before that it had sent so many packets again.
    pub(super) fn note_repairs(&mut self, now: Instant, index: usize, before: u64) {
        let acts = self.measuring.as_ref().is_some_and(|it| it.acts);
        if acts
            && self.counters.local_retransmissions > before
            && let Slot { flow: Some(flow), .. } = &mut self.slots[index]
        {
            flow.on_local_retransmission(now);
        }
    }
}
