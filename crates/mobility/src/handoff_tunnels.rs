//! Tunnels between foreign agents for nodes that have moved and not registered yet (RFC 4881 section 4).

use crate::retransmission::Retransmission;
use seamline_wire::control::{HandoffReply, HandoffRequest, Identification};
use seamline_wire::{Duration, Instant, NodeId};
use std::collections::BTreeMap;

/// How long a tunnel is asked for, in seconds; the node registers meanwhile.
const LIFETIME_S: u16 = 10;

/// A request that the previous agent has not answered.
#[derive(Clone, Copy, Debug)]
struct Pending {
    request: HandoffRequest,
    previous: NodeId,
    /// RFC 4881 leaves it open; it is that between access routers.
    timer: Retransmission,
}

/// The tunnels of one agent: those that it has asked for, and those that it has been asked for.
#[derive(Debug, Default)]
pub(crate) struct HandoffTunnels {
    /// Nodes whose link has come up, with their previous agents, to be processed at the next step.
    arrived: Vec<(NodeId, NodeId)>,
    pending: Vec<Pending>,
    /// By node: the agent that its packets are sent to, and until when.
    tunnels: BTreeMap<NodeId, (NodeId, Instant)>,
}

impl HandoffTunnels {
    /// The link of a node that was at another agent has come up (L2-LU).
    pub(crate) fn arrive(&mut self, node: NodeId, previous: NodeId) {
        self.arrived.push((node, previous));
    }
    /// The requests that are due, with their destinations. A node that has come needs no tunnel away from here.
    pub(crate) fn due(&mut self, now: Instant) -> Vec<(NodeId, HandoffRequest)> {
        for (node, previous) in std::mem::take(&mut self.arrived) {
            self.tunnels.remove(&node);
            let request = HandoffRequest {
                lifetime_s: LIFETIME_S,
                home_address: node,
                identification: Identification::at(now),
            };
            self.pending.retain(|it| it.request.home_address != node);
            self.pending.push(Pending { request, previous, timer: Retransmission::at_once(now) });
        }
        self.pending.retain(|it| !it.timer.is_over(now));
        let due = self
            .pending
            .iter_mut()
            .filter_map(|it| it.timer.take_due(now).then_some((it.previous, it.request)));
        due.collect()
    }
    /// Whether a reply answers a request.
    pub(crate) fn answered(&mut self, reply: &HandoffReply) -> bool {
        let before = self.pending.len();
        self.pending.retain(|it| it.request.identification != reply.identification);
        self.pending.len() < before
    }
    /// Send the packets of a node to another agent.
    pub(crate) fn open(&mut self, now: Instant, request: &HandoffRequest, exit: NodeId) {
        let until = now + Duration::from_secs(u64::from(request.lifetime_s));
        self.tunnels.insert(request.home_address, (exit, until));
    }
    /// The agent that packets of a node are sent to.
    pub(crate) fn exit(&self, now: Instant, node: NodeId) -> Option<NodeId> {
        self.tunnels.get(&node).filter(|(_, until)| now < *until).map(|(exit, _)| *exit)
    }
    pub(crate) fn wake_at(&self) -> Option<Instant> {
        match self.arrived.is_empty() {
            true => self.pending.iter().map(|it| it.timer.at).min(),
            false => Some(Instant::ZERO),
        }
    }
}
