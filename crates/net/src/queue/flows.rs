//! Queues of flows in turn: deficit round robin (Shreedhar and Varghese, SIGCOMM 1995), with a list of new flows that goes first
//! (RFC 8290 section 4.2).

use super::fifo::{Fifo, Waited};
use seamline_wire::{DropCause, Instant, Packet};
use std::collections::VecDeque;

use crate::link::Sink;

/// The lists that a flow may be on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum List {
    /// Those that have just begun to send.
    New,
    /// The others that send.
    Old,
    /// Empty ones whose queue management comes to rest.
    Decaying,
}

/// A flow with the state that its discipline keeps.
#[derive(Debug, Default)]
pub(super) struct Flow<S> {
    pub(super) queue: Fifo,
    /// Bytes that it may still send in this round.
    pub(super) deficit: i64,
    pub(super) state: S,
    list: Option<List>,
}

impl<S> Flow<S> {
    pub(super) fn list(&self) -> Option<List> {
        self.list
    }
}

/// All flows of a link, by number.
#[derive(Debug)]
pub(super) struct Flows<S> {
    flows: Vec<Flow<S>>,
    lists: [VecDeque<usize>; 3],
    packets: usize,
    bytes: u64,
}

impl<S: Default> Flows<S> {
    pub(super) fn new(count: usize) -> Self {
        let flows = std::iter::repeat_with(|| Flow {
            queue: Fifo::default(),
            deficit: 0,
            state: S::default(),
            list: None,
        });
        Flows { flows: flows.take(count).collect(), lists: Default::default(), packets: 0, bytes: 0 }
    }
    /// One more, and its number.
    pub(super) fn add(&mut self) -> usize {
        self.flows.push(Flow { queue: Fifo::default(), deficit: 0, state: S::default(), list: None });
        self.flows.len() - 1
    }
}

impl<S> Flows<S> {
    pub(super) fn len(&self) -> usize {
        self.packets
    }
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }
    pub(super) fn count(&self) -> usize {
        self.flows.len()
    }
    pub(super) fn get(&self, flow: usize) -> &Flow<S> {
        &self.flows[flow]
    }
    pub(super) fn get_mut(&mut self, flow: usize) -> &mut Flow<S> {
        &mut self.flows[flow]
    }

    /// A packet begins to wait.
    pub(super) fn push(&mut self, now: Instant, flow: usize, packet: Box<Packet>) {
        self.packets += 1;
        self.bytes += u64::from(packet.wire_bytes);
        self.flows[flow].queue.push(now, packet);
    }
    /// A packet waits again, in front of its flow, which is first in turn again.
    pub(super) fn put_back(&mut self, flow: usize, waited: Waited) {
        self.packets += 1;
        self.bytes += waited.size();
        self.flows[flow].deficit += waited.size() as i64;
        self.flows[flow].queue.push_front(waited);
        if self.flows[flow].list.is_none() {
            self.move_to(flow, List::Old);
        }
    }
    /// Let `take` change the queue of a flow; it gets the bytes that wait in the other flows, too.
    pub(super) fn change<R>(&mut self, flow: usize, take: impl FnOnce(&mut Flow<S>, u64) -> R) -> R {
        let it = &mut self.flows[flow];
        let (packets, bytes) = (it.queue.len(), it.queue.bytes());
        let taken = take(it, self.bytes - bytes);
        self.packets -= packets - it.queue.len();
        self.bytes -= bytes - it.queue.bytes();
        taken
    }
    /// The first packet of a flow is lost because there is no more room.
    pub(super) fn lose_first(&mut self, flow: usize, sink: &mut Sink<'_>) {
        self.change(flow, |it, _| it.queue.lose_first(DropCause::QueueOverflow, sink));
    }
    /// The flow with the most bytes, the first of several.
    pub(super) fn fattest(&self) -> usize {
        let bytes = |flow: &usize| self.flows[*flow].queue.bytes();
        (0..self.flows.len()).rev().max_by_key(bytes).unwrap_or(0)
    }

    /// The first of a list.
    pub(super) fn first_of(&self, list: List) -> Option<usize> {
        self.lists[list as usize].front().copied()
    }
    /// The flow whose turn it is, and the list that it is on: a new one before the old ones.
    pub(super) fn first(&self) -> Option<(usize, List)> {
        [List::New, List::Old].into_iter().find_map(|list| Some((self.first_of(list)?, list)))
    }
    /// Put a flow at the end of a list, from wherever it is.
    pub(super) fn move_to(&mut self, flow: usize, list: List) {
        self.detach(flow);
        self.lists[list as usize].push_back(flow);
        self.flows[flow].list = Some(list);
    }
    /// Take a flow off its list.
    pub(super) fn detach(&mut self, flow: usize) {
        let Some(list) = self.flows[flow].list.take() else { return };
        let list = &mut self.lists[list as usize];
        if let Some(place) = list.iter().position(|listed| *listed == flow) {
            list.remove(place);
        }
    }

    /// One step of deficit round robin: where the flow whose turn it is has used up its deficit, it gets a quantum and waits for its
    /// next turn; where it has nothing to send, it leaves, if it is new only after a pass through the old flows. `take` takes a packet
    /// from the queue, next to the bytes that wait elsewhere, or drops all that are in it.
    pub(super) fn next(
        &mut self,
        quantum: i64,
        mut take: impl FnMut(&mut Flow<S>, u64) -> Option<Waited>,
    ) -> Option<Waited> {
        loop {
            let (flow, list) = self.first()?;
            if self.flows[flow].deficit <= 0 {
                self.flows[flow].deficit += quantum;
                self.move_to(flow, List::Old);
            } else if let Some(waited) = self.change(flow, &mut take) {
                self.flows[flow].deficit -= waited.size() as i64;
                return Some(waited);
            } else if list == List::New {
                self.move_to(flow, List::Old);
            } else {
                self.detach(flow);
            }
        }
    }

    /// Take out those that are wanted, flow by flow.
    pub(super) fn withdraw(&mut self, wanted: &mut dyn FnMut(&Packet) -> bool) -> VecDeque<Box<Packet>> {
        let mut taken = VecDeque::new();
        for flow in 0..self.flows.len() {
            self.change(flow, |it, _| it.queue.withdraw(wanted, &mut taken));
        }
        taken
    }
}
