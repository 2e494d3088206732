//! Fair queueing as Linux's `sch_fq` does it: a queue for each flow, without collisions, in deficit round robin. A flow that begins may send
//! its initial window at once. Nothing is dropped but what exceeds a limit, nothing is marked.
//!
//! Left out: pacing, which our TCP does itself (`sch_fq` holds packets until the time that TCP gave them), the bands of priorities, and the
//! threshold for marks.

use super::Discipline;
use super::fifo::Waited;
use super::flows::{Flows, List};
use super::hash::FlowKey;
use crate::link::Sink;
use seamline_wire::{DropCause, Duration, Instant, Packet};
use std::collections::{BTreeMap, VecDeque};

/// Parameters of fq.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FqConfig {
    /// Most packets that wait.
    pub limit: u32,
    /// Most packets of one flow that wait.
    pub flow_limit: u32,
    /// Bytes that a flow may send in one round.
    pub quantum: u32,
    /// Bytes that a flow may send before its first round.
    pub initial_quantum: u32,
    /// A flow that comes back after so long a silence gets a quantum at once.
    pub refill_delay: Duration,
}

impl Default for FqConfig {
    /// Those of Linux for packets of up to 1514 bytes.
    fn default() -> Self {
        FqConfig {
            limit: 10_000,
            flow_limit: 100,
            quantum: 2 * 1514,
            initial_quantum: 10 * 1514,
            refill_delay: Duration::from_millis(40),
        }
    }
}

/// Flows beyond this number are forgotten when they are idle.
const KNOWN_FLOWS: usize = 2048;

#[derive(Debug, Default)]
struct State {
    key: Option<FlowKey>,
    /// When its last packet came, or it went idle.
    age: Instant,
}

#[derive(Debug)]
pub(super) struct Fq {
    config: FqConfig,
    known: BTreeMap<FlowKey, usize>,
    /// Numbers of flows that were forgotten.
    unused: Vec<usize>,
    flows: Flows<State>,
}

impl Fq {
    pub(super) fn new(config: FqConfig) -> Self {
        Fq { config, known: BTreeMap::new(), unused: Vec::new(), flows: Flows::new(0) }
    }

    fn flow_of(&mut self, now: Instant, packet: &Packet) -> usize {
        let key = FlowKey::of(packet);
        if let Some(flow) = self.known.get(&key) {
            return *flow;
        }
        if self.known.len() >= KNOWN_FLOWS {
            self.forget_idle(now);
        }
        let flow = self.unused.pop().unwrap_or_else(|| self.flows.add());
        self.known.insert(key, flow);
        let it = self.flows.get_mut(flow);
        it.state = State { key: Some(key), age: now };
        it.deficit = self.config.initial_quantum.into();
        flow
    }

    /// Flows that have been idle for three seconds, as in Linux.
    fn forget_idle(&mut self, now: Instant) {
        for flow in 0..self.flows.count() {
            let it = self.flows.get_mut(flow);
            let is_idle = it.list().is_none() && now.saturating_since(it.state.age) > Duration::from_secs(3);
            if let Some(key) = it.state.key.take_if(|_| is_idle) {
                self.known.remove(&key);
                self.unused.push(flow);
            }
        }
    }
}

impl Discipline for Fq {
    fn enqueue(&mut self, now: Instant, packet: Box<Packet>, _: bool, sink: &mut Sink<'_>) -> bool {
        if self.flows.len() >= self.config.limit as usize {
            sink.lose(DropCause::QueueOverflow, packet);
            return false;
        }
        let flow = self.flow_of(now, &packet);
        let it = self.flows.get_mut(flow);
        if it.queue.len() >= self.config.flow_limit as usize {
            sink.lose(DropCause::QueueOverflow, packet);
            return false;
        }
        let quantum = i64::from(self.config.quantum);
        let idle_since = std::mem::replace(&mut it.state.age, now);
        if it.list().is_none() {
            if now.saturating_since(idle_since) > self.config.refill_delay {
                it.deficit = it.deficit.max(quantum);
            }
            self.flows.move_to(flow, List::New);
        }
        self.flows.push(now, flow, packet);
        true
    }
    fn dequeue(&mut self, now: Instant, _: &mut Sink<'_>) -> Option<Waited> {
        self.flows.next(self.config.quantum.into(), |flow, _| {
            if flow.queue.is_empty() {
                flow.state.age = now;
            }
            flow.queue.pop()
        })
    }
    fn put_back(&mut self, waited: Waited) {
        let flow = self.flow_of(waited.since, &waited.packet);
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
