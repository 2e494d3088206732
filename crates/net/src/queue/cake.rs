//! CAKE (Høiland-Jørgensen, Täht and Morton, "Piece of CAKE", IEEE LANMAN 2018), with the rules of Linux's `sch_cake`: flows in sets of
//! eight queues, fair between hosts and between the flows of a host (triple isolation), each with COBALT ([`cobalt`]).
//!
//! Left out: the shaper, because a link has a rate, with all that depends on its rate; priority tins, ACK filtering, address translation,
//! and the jitter in the shares of hosts.

mod cobalt;

use super::Discipline;
use super::fifo::Waited;
use super::flows::{Flow, Flows, List};
use super::hash::{FlowHash, FlowKey};
use crate::link::Sink;
use cobalt::Cobalt;
use seamline_wire::random::Stream;
use seamline_wire::{DropCause, Duration, Instant, NodeId, Packet};
use std::collections::{BTreeMap, VecDeque};

/// Parameters of CAKE.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CakeConfig {
    /// Acceptable standing time in the queue of a flow.
    pub target: Duration,
    /// Time in which a standing queue must be seen.
    pub interval: Duration,
    /// Whether ECN-capable packets are marked in place of being dropped.
    pub ecn: bool,
    /// Whether hosts share the link before their flows do (triple isolation). Otherwise only flows share it.
    pub host_isolation: bool,
    /// Bytes that a flow may send in one round.
    pub quantum: u32,
    /// Most bytes that wait.
    pub memory_limit: u64,
}

impl Default for CakeConfig {
    /// Those of Linux without a shaper: 5 ms, 100 ms, triple isolation, and room for 10,240 packets of 1514 bytes.
    fn default() -> Self {
        CakeConfig {
            target: Duration::from_millis(5),
            interval: Duration::from_millis(100),
            ecn: true,
            host_isolation: true,
            quantum: 1514,
            memory_limit: 10_240 * 1514,
        }
    }
}

const QUEUES: usize = 1024;
const WAYS: usize = 8;

/// How a flow is counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Set {
    #[default]
    None,
    /// It has sent less than a quantum since it began.
    Sparse,
    /// Still counted as sparse, but waits for its turn among the old flows.
    SparseWait,
    /// It has sent more, and counts for its hosts.
    Bulk,
    /// It is empty, and its COBALT comes to rest.
    Decaying,
}

#[derive(Debug, Default)]
struct State {
    set: Set,
    tag: u64,
    hosts: Option<[NodeId; 2]>,
    cobalt: Cobalt,
}

#[derive(Debug)]
pub(super) struct Cake {
    config: CakeConfig,
    hash: FlowHash,
    flows: Flows<State>,
    /// Bulk flows by host: as source, as destination.
    bulk: [BTreeMap<NodeId, u32>; 2],
    stream: Stream,
}

impl Cake {
    pub(super) fn new(config: CakeConfig, mut stream: Stream) -> Self {
        let hash = FlowHash::new(&mut stream);
        Cake { config, hash, flows: Flows::new(QUEUES), bulk: Default::default(), stream }
    }

    /// The queue of a flow: the one that it has in its set, else one that is not in use, else the one that its hash names.
    fn flow_of(&mut self, packet: &Packet) -> usize {
        let key = FlowKey::of(packet);
        let tag = self.hash.of(&key);
        let named = self.hash.place(&key, QUEUES);
        let set = named - named % WAYS;
        let ways = || (0..WAYS).map(|way| set + (named + way) % WAYS);
        let has_tag = |way: &usize| self.flows.get(*way).state.tag == tag;
        let is_unused = |way: &usize| self.flows.get(*way).state.set == Set::None;
        let flow = ways().find(has_tag).or_else(|| ways().find(is_unused)).unwrap_or(named);
        self.reserve(flow, tag, [key.source, key.destination]);
        flow
    }

    fn reserve(&mut self, flow: usize, tag: u64, hosts: [NodeId; 2]) {
        if self.flows.get(flow).state.hosts == Some(hosts) && self.flows.get(flow).state.tag == tag {
            return;
        }
        let is_bulk = self.flows.get(flow).state.set == Set::Bulk;
        if is_bulk {
            self.count_bulk(flow, false);
        }
        let state = &mut self.flows.get_mut(flow).state;
        (state.tag, state.hosts) = (tag, Some(hosts));
        if is_bulk {
            self.count_bulk(flow, true);
        }
    }

    fn count_bulk(&mut self, flow: usize, begins: bool) {
        let Some(hosts) = self.flows.get(flow).state.hosts else { return };
        for (counts, host) in self.bulk.iter_mut().zip(hosts) {
            let count = counts.entry(host).or_default();
            *count = if begins { *count + 1 } else { *count - 1 };
        }
    }

    fn set(&mut self, flow: usize, set: Set) {
        let before = std::mem::replace(&mut self.flows.get_mut(flow).state.set, set);
        if (before == Set::Bulk) != (set == Set::Bulk) {
            self.count_bulk(flow, set == Set::Bulk);
        }
    }

    /// The quantum of a flow: that of its busier host, in equal parts.
    fn quantum(&self, flow: usize) -> i64 {
        let load = |hosts: [NodeId; 2]| {
            let counts = self.bulk.iter().zip(hosts).filter_map(|(counts, host)| counts.get(&host));
            counts.max().copied().unwrap_or(0)
        };
        let load = self.flows.get(flow).state.hosts.filter(|_| self.config.host_isolation).map_or(1, load);
        (i64::from(self.config.quantum) / i64::from(load.max(1))).max(1)
    }

    /// The flow to serve. A decaying one may be first, once for each packet.
    fn next_flow(&self, may_decay: bool) -> Option<usize> {
        let decaying = self.flows.first_of(List::Decaying);
        let active = self.flows.first().map(|(flow, _)| flow);
        if may_decay { decaying.or(active) } else { active.or(decaying) }
    }

    /// Its deficit is used up: it waits for its next turn.
    fn end_turn(&mut self, flow: usize) {
        let it = self.flows.get(flow);
        match it.state.set {
            Set::Sparse if it.queue.is_empty() => self.set(flow, Set::SparseWait),
            Set::Sparse => self.set(flow, Set::Bulk),
            _ => {}
        }
        let quantum = self.quantum(flow);
        self.flows.get_mut(flow).deficit += quantum;
        self.flows.move_to(flow, List::Old);
    }

    /// It has nothing to send: it decays, or is forgotten once its COBALT is at rest.
    fn go_idle(&mut self, now: Instant, flow: usize) {
        let cobalt = &mut self.flows.get_mut(flow).state.cobalt;
        cobalt.note_empty(now, self.config.target, self.config.interval);
        if cobalt.is_at_rest(now) {
            self.flows.detach(flow);
            self.set(flow, Set::None);
        } else {
            self.flows.move_to(flow, List::Decaying);
            self.set(flow, Set::Decaying);
        }
    }

    fn take(&mut self, now: Instant, flow: usize, sink: &mut Sink<'_>) -> Option<Waited> {
        let (config, stream) = (self.config, &mut self.stream);
        self.flows.change(flow, |it: &mut Flow<State>, _| {
            loop {
                let mut waited = it.queue.pop()?;
                let drops = it.state.cobalt.should_drop(now, &config, &mut waited, stream.uniform(), sink);
                // The last packet of a flow may be marked, but is not dropped.
                if !drops || it.queue.is_empty() {
                    return Some(waited);
                }
                sink.lose(DropCause::ActiveQueueManagement, waited.packet);
            }
        })
    }
}

impl Discipline for Cake {
    fn enqueue(&mut self, now: Instant, packet: Box<Packet>, _: bool, sink: &mut Sink<'_>) -> bool {
        let flow = self.flow_of(&packet);
        self.flows.push(now, flow, packet);
        match self.flows.get(flow).state.set {
            Set::None | Set::Decaying => {
                self.flows.move_to(flow, List::New);
                self.set(flow, Set::Sparse);
                self.flows.get_mut(flow).deficit = self.quantum(flow);
            }
            Set::SparseWait => self.set(flow, Set::Bulk),
            Set::Sparse | Set::Bulk => {}
        }
        while self.flows.bytes() > self.config.memory_limit {
            let fattest = self.flows.fattest();
            self.flows.get_mut(fattest).state.cobalt.note_full(now, self.config.target);
            self.flows.lose_first(fattest, sink);
        }
        true
    }
    fn dequeue(&mut self, now: Instant, sink: &mut Sink<'_>) -> Option<Waited> {
        let mut is_first = true;
        while self.flows.len() > 0 {
            let flow = self.next_flow(std::mem::take(&mut is_first))?;
            if self.flows.get(flow).deficit <= 0 {
                self.end_turn(flow);
            } else if let Some(waited) = self.take(now, flow, sink) {
                self.flows.get_mut(flow).deficit -= waited.size() as i64;
                return Some(waited);
            } else {
                self.go_idle(now, flow);
            }
        }
        None
    }
    fn put_back(&mut self, waited: Waited) {
        let flow = self.flow_of(&waited.packet);
        if matches!(self.flows.get(flow).state.set, Set::None | Set::Decaying) {
            self.flows.detach(flow);
            self.set(flow, Set::Sparse);
        }
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
