//! What the segments of connections show of the paths on both sides.

use super::{Connections, Place};
use crate::flow::{Flow, Measurements};
use crate::key::{End, Side};
use seamline_wire::{Duration, Instant, Segment};

#[derive(Debug)]
pub(super) struct Measuring {
    /// What the agent sends leaves.
    acts: bool,
    all: Measurements,
    /// By place: of the connections that the agent is shown.
    flows: Vec<Option<Box<Flow>>>,
}

impl Measuring {
    pub(super) fn new(acts: bool) -> Self {
        Measuring { acts, all: Measurements::default(), flows: Vec::new() }
    }
    pub(super) fn all(&self) -> Measurements {
        self.all
    }
    fn flow(&mut self, index: usize) -> Option<&mut Flow> {
        self.flows.get_mut(index)?.as_deref_mut()
    }
}

impl<A: End, L: Copy> Connections<A, L> {
    /// A segment that was admitted ([`Connections::admit`]) has come from the network, from this side.
    pub fn measure(&mut self, now: Instant, from: Side, place: Place, segment: &Segment) {
        let Some(Measuring { all, flows, .. }) = &mut self.measuring else { return };
        if let Some(Some(flow)) = flows.get_mut(place.index()) {
            flow.on_segment(now, from, segment, all);
        }
    }

    /// Begin to measure a connection, or begin again, with what its handshake has shown.
    pub(super) fn begin_flow(&mut self, index: usize, round_trips: [Option<Duration>; 2]) {
        let Some(Measuring { all, flows, .. }) = &mut self.measuring else { return };
        if flows.len() <= index {
            flows.resize_with(index + 1, || None);
        }
        let flow = flows[index].insert(Box::default());
        for side in Side::BOTH {
            if let Some(round_trip) = round_trips[side.index()] {
                flow.on_round_trip(side, round_trip, all);
            }
        }
    }

    /// The connection is forgotten.
    pub(super) fn end_flow(&mut self, index: usize) {
        if let Some(flow) = self.measuring.as_mut().and_then(|it| it.flows.get_mut(index)) {
            *flow = None;
        }
    }

    /// A segment passes that is believed, and not shown to the agent.
    pub(super) fn lose_track(&mut self, index: usize) {
        if let Some(flow) = self.measuring.as_mut().and_then(|it| it.flow(index)) {
            flow.lose_track();
        }
    }

    /// The agent has sent data again.
    pub(super) fn note_repair(&mut self, now: Instant, index: usize) {
        if let Some(flow) = self.measuring.as_mut().filter(|it| it.acts).and_then(|it| it.flow(index)) {
            flow.on_local_retransmission(now);
        }
    }
}
