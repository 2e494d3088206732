//! The far end of a radio cell's air: it passes packets from and to the nodes in the radio cell.

use crate::movement::{CellId, Movement};
use crate::send::lose;
use seamline_wire::random::Stream;
use seamline_wire::{DropCause, Duration, Input, Instant, Machine, NodeId, Outbox, Packet, Port};

/// How upward packets in flight are treated when their node leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum InFlightUpwards {
    /// Packets that have left the antenna arrive; packets that wait or are partly sent are lost. This is how a
    /// retuning radio behaves, and ns-2's.
    #[default]
    Transmitted,
    /// All packets are lost.
    Lost,
    /// All packets arrive, as if another radio finished the transmission.
    Kept,
}

/// The configuration of a radio cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CoverageConfig {
    /// The cell.
    pub cell: CellId,
    /// The one-way delay of the uplink, to compute when an arriving packet left the antenna.
    pub uplink_one_way_delay: Duration,
    /// How upward packets in flight are treated.
    pub in_flight_upwards: InFlightUpwards,
}

/// Packet loss on the air before a mobile node leaves; the probability rises linearly from zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EdgeLoss {
    /// The probability at the end, 0 to 1.
    pub rises_to: f64,
    /// The duration of the rise.
    pub within: Duration,
}

impl EdgeLoss {
    fn probability(&self, time: Instant, link_ends: Instant) -> f64 {
        let left = link_ends.saturating_since(time).as_secs_f64() / self.within.as_secs_f64();
        self.rises_to * (1.0 - left).max(0.0)
    }
}

#[derive(Debug)]
struct Edge {
    loss: EdgeLoss,
    /// Downwards and upwards.
    streams: [Stream; 2],
}

/// The end of the downlink and the uplink of a radio cell. It forwards packets of nodes that are in the radio cell.
/// Packets to [`NodeId::ALL_SYSTEMS`] reach every mobile node there; fixed nodes do not need advertisements.
///
/// Packets that wait for a departed node, or are sent to it, use air time like all others, and are lost at the end
/// ([`DropCause::LeftCell`]).
#[derive(Debug)]
pub struct Coverage {
    config: CoverageConfig,
    /// The movement of each node; `None` for a fixed one.
    members: Vec<Option<Movement>>,
    /// The members that packets of nodes go to, in the order of the nodes: few of a network's nodes are in one cell.
    leads_to: Vec<(NodeId, u16)>,
    left_cell_drops: [u64; 2],
    edge: Option<Edge>,
    edge_drops: [u64; 2],
}

impl Coverage {
    /// Packets come in from the downlink by this port.
    pub const DOWN: Port = Port(0);
    /// Packets come in from the uplink by this port.
    pub const UP: Port = Port(1);
    /// Packets leave to the base station by this port.
    pub const BASE_STATION: Port = Port(0);

    /// A cell without nodes.
    pub fn new(config: CoverageConfig) -> Self {
        Coverage {
            config,
            members: Vec::new(),
            leads_to: Vec::new(),
            left_cell_drops: [0, 0],
            edge: None,
            edge_drops: [0, 0],
        }
    }

    /// With losses before nodes leave, which draw from a stream for each direction, down and up.
    #[must_use]
    pub fn with_edge_loss(mut self, loss: EdgeLoss, streams: [Stream; 2]) -> Self {
        self.edge = Some(Edge { loss, streams });
        self
    }

    /// Add a fixed node; packets to it leave through the returned port.
    pub fn add_fixed(&mut self) -> Port {
        self.add(None)
    }
    /// Add a mobile node; packets to it leave through the returned port.
    pub fn add_mobile(&mut self, movement: Movement) -> Port {
        self.add(Some(movement))
    }
    fn add(&mut self, movement: Option<Movement>) -> Port {
        self.members.push(movement);
        Port(self.members.len() as u16)
    }
    /// Assign packets to or from `node` to the node behind `port`.
    ///
    /// # Panics
    /// When no node was added with that port.
    pub fn set_route(&mut self, node: NodeId, port: Port) {
        let member = port.0 - 1;
        assert!(usize::from(member) < self.members.len(), "a port that was given out");
        match self.leads_to.binary_search_by_key(&node, |(known, _)| *known) {
            Ok(place) => self.leads_to[place].1 = member,
            Err(place) => self.leads_to.insert(place, (node, member)),
        }
    }
    /// Packets lost because their node had left the cell: downwards and upwards.
    pub fn left_cell_drops(&self) -> [u64; 2] {
        self.left_cell_drops
    }

    /// Packets lost because their node was about to leave the cell: downwards and upwards.
    pub fn edge_drops(&self) -> [u64; 2] {
        self.edge_drops
    }

    /// Whether a packet of a mobile node is lost at the edge of the radio cell at this time. Draws once for each
    /// packet, or copy of one, of a node that is about to leave.
    fn edge_takes(&mut self, side: usize, member: u16, time: Instant) -> bool {
        let Some(Edge { loss, streams }) = &mut self.edge else { return false };
        let movement = self.members[usize::from(member)].as_ref();
        let link_ends = movement.and_then(|movement| movement.link_ends(self.config.cell, time));
        let probability = link_ends.map_or(0.0, |link_ends| loss.probability(time, link_ends));
        let is_taken = probability > 0.0 && streams[side].chance(probability);
        self.edge_drops[side] += u64::from(is_taken);
        is_taken
    }

    fn is_in(&self, member: u16, time: Instant) -> bool {
        let movement = &self.members[usize::from(member)];
        movement.as_ref().is_none_or(|movement| movement.is_linked(self.config.cell, time))
    }

    fn member(&self, node: NodeId) -> Option<u16> {
        let place = self.leads_to.binary_search_by_key(&node, |(known, _)| *known).ok()?;
        Some(self.leads_to[place].1)
    }

    fn down(&mut self, now: Instant, packet: Box<Packet>, out: &mut Outbox) {
        let destination = packet.next_destination();
        if destination == NodeId::ALL_SYSTEMS {
            return self.copies_for_all(now, packet, out);
        }
        match self.member(destination) {
            None => lose(out, DropCause::NoRoute, packet),
            Some(member) if self.is_in(member, now) => {
                if self.edge_takes(0, member, now) {
                    return lose(out, DropCause::ErrorModel, packet);
                }
                out.send(Port(1 + member), packet);
            }
            Some(_) => {
                self.left_cell_drops[0] += 1;
                lose(out, DropCause::LeftCell, packet);
            }
        }
    }

    /// One copy per node: nodes at the edge may lose theirs.
    fn copies_for_all(&mut self, now: Instant, packet: Box<Packet>, out: &mut Outbox) {
        for index in 0..self.members.len() as u16 {
            if self.members[usize::from(index)].is_none() || !self.is_in(index, now) {
                continue;
            }
            let mut copy = out.packet();
            copy.clone_from(&packet);
            if self.edge_takes(0, index, now) {
                lose(out, DropCause::ErrorModel, copy);
            } else {
                out.send(Port(1 + index), copy);
            }
        }
        out.recycle(packet);
    }

    fn up(&mut self, now: Instant, packet: Box<Packet>, out: &mut Outbox) {
        let sender = packet.tunnels.outermost().map_or(packet.source, |tunnel| tunnel.entry);
        let member = self.member(sender);
        let counts_at = match self.config.in_flight_upwards {
            InFlightUpwards::Kept => None,
            InFlightUpwards::Lost => Some(now),
            // A transmission that ends when the node leaves is complete.
            InFlightUpwards::Transmitted => {
                Some(now - self.config.uplink_one_way_delay - Duration::from_nanos(1))
            }
        };
        let heard = member.zip(counts_at).is_none_or(|(member, time)| self.is_in(member, time));
        if heard {
            let transmitted = now - self.config.uplink_one_way_delay;
            if member.is_some_and(|member| self.edge_takes(1, member, transmitted)) {
                return lose(out, DropCause::ErrorModel, packet);
            }
            return out.send(Self::BASE_STATION, packet);
        }
        self.left_cell_drops[1] += 1;
        lose(out, DropCause::LeftCell, packet);
    }
}

impl Machine for Coverage {
    fn step(&mut self, now: Instant, input: Input, out: &mut Outbox) {
        match input {
            Input::Packet(Self::UP, packet) => self.up(now, packet, out),
            Input::Packet(_, packet) => self.down(now, packet, out),
            Input::Signal(_) | Input::Wake => {}
        }
    }
    fn wake_at(&self) -> Option<Instant> {
        None
    }
}
