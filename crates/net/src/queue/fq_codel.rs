//! FQ-CoDel, RFC 8290: a queue for each flow, each with CoDel, in deficit round robin with priority for flows that have just begun.

use super::Discipline;
use super::codel::{Control, Law};
use super::fifo::Waited;
use super::flows::{Flows, List};
use super::hash::{FlowHash, FlowKey};
use crate::link::Sink;
use seamline_wire::random::Stream;
use seamline_wire::{Duration, Instant, Packet};
use std::collections::VecDeque;

/// Parameters of FQ-CoDel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FqCoDelConfig {
    /// Acceptable standing time in the queue of a flow.
    pub target: Duration,
    /// Time in which a standing queue must be seen.
    pub interval: Duration,
    /// Largest packet in bytes; while no more waits in all, nothing is dropped.
    pub maximum_packet: u32,
    /// Whether ECN-capable packets are marked in place of being dropped.
    pub ecn: bool,
    /// Number of queues; flows share one when their hashes collide.
    pub flows: u32,
    /// Bytes that a flow may send in one round.
    pub quantum: u32,
    /// Most packets that wait.
    pub limit: u32,
    /// Most bytes that wait. Linux counts its buffers, which are larger than their packets.
    pub memory_limit: u64,
    /// Most packets that are dropped at once when a limit is exceeded.
    pub drop_batch: u32,
}

impl Default for FqCoDelConfig {
    /// Those of RFC 8290 section 5.2 and of Linux.
    fn default() -> Self {
        FqCoDelConfig {
            target: Duration::from_millis(5),
            interval: Duration::from_millis(100),
            maximum_packet: 1514,
            ecn: true,
            flows: 1024,
            quantum: 1514,
            limit: 10_240,
            memory_limit: 32 << 20,
            drop_batch: 64,
        }
    }
}

#[derive(Debug)]
pub(super) struct FqCoDel {
    config: FqCoDelConfig,
    law: Law,
    hash: FlowHash,
    flows: Flows<Control>,
}

impl FqCoDel {
    pub(super) fn new(config: FqCoDelConfig, mut stream: Stream) -> Self {
        let FqCoDelConfig { target, interval, maximum_packet, ecn, .. } = config;
        FqCoDel {
            config,
            law: Law { target, interval, maximum_packet, ecn },
            hash: FlowHash::new(&mut stream),
            flows: Flows::new(config.flows.max(1) as usize),
        }
    }

    fn flow_of(&self, packet: &Packet) -> usize {
        self.hash.place(&FlowKey::of(packet), self.flows.count())
    }

    /// Section 4.1.3: drop half of what the flow with the most bytes has, from its head, but not more packets than a batch.
    fn make_room(&mut self, sink: &mut Sink<'_>) {
        let flow = self.flows.fattest();
        let before = self.flows.get(flow).queue.bytes();
        let mut dropped = 0;
        while dropped == 0
            || (dropped < self.config.drop_batch && before - self.flows.get(flow).queue.bytes() < before / 2)
        {
            self.flows.lose_first(flow, sink);
            dropped += 1;
        }
        self.flows.get_mut(flow).state.note_overflow(dropped);
    }
}

impl Discipline for FqCoDel {
    fn enqueue(&mut self, now: Instant, packet: Box<Packet>, _: bool, sink: &mut Sink<'_>) -> bool {
        let flow = self.flow_of(&packet);
        self.flows.push(now, flow, packet);
        if self.flows.get(flow).list().is_none() {
            self.flows.move_to(flow, List::New);
            self.flows.get_mut(flow).deficit = i64::from(self.config.quantum);
        }
        if self.flows.len() > self.config.limit as usize || self.flows.bytes() > self.config.memory_limit {
            self.make_room(sink);
        }
        true
    }
    fn dequeue(&mut self, now: Instant, sink: &mut Sink<'_>) -> Option<Waited> {
        let law = &self.law;
        self.flows.next(self.config.quantum.into(), |flow, elsewhere| {
            flow.state.take(now, law, &mut flow.queue, elsewhere, sink)
        })
    }
    fn put_back(&mut self, waited: Waited) {
        let flow = self.flow_of(&waited.packet);
        self.flows.put_back(flow, waited);
    }
    fn withdraw(&mut self, wanted: &mut dyn FnMut(&Packet) -> bool) -> VecDeque<Box<Packet>> {
        self.flows.withdraw(wanted)
    }
    fn len(&self) -> usize {
        self.flows.len()
    }
    fn bytes(&self) -> u64 {
        self.flows.bytes()
    }
}
