//! The far end of a cell's air: who is there hears, and is heard.

use crate::movement::{CellId, Movement};
use crate::send::lose;
use seamline_wire::random::Stream;
use seamline_wire::{DropCause, Duration, Input, Instant, Machine, NodeId, Outbox, Packet, Port};

/// What becomes of the packets that a node has sent upwards and that have not arrived when it leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum InFlightUpwards {
    /// What has left its antenna arrives; what still waits there, or is only partly sent, is lost. So a
    /// radio that retunes does, and ns-2's.
    #[default]
    Transmitted,
    /// All of it is lost.
    Lost,
    /// All of it arrives, as if another radio finished the work.
    Kept,
}

/// What makes a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CoverageConfig {
    /// The cell.
    pub cell: CellId,
    /// One-way delay of the uplink, to tell when a packet that arrives had left the antenna.
    pub uplink_one_way_delay: Duration,
    /// What becomes of packets on their way up.
    pub in_flight_upwards: InFlightUpwards,
}

/// Packets are lost on the air before a mobile node leaves, with a probability that rises in a straight line from zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EdgeLoss {
    /// The probability at the end, 0 to 1.
    pub rises_to: f64,
    /// For how long it rises.
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

#[derive(Debug)]
struct Member {
    /// `None`: always there.
    movement: Option<Movement>,
}

impl Member {
    fn is_in(&self, cell: CellId, time: Instant) -> bool {
        self.movement.as_ref().is_none_or(|movement| movement.is_linked(cell, time))
    }
}

/// Stands where the downlink and the uplink of a cell end, and hands on what belongs to nodes that are there.
/// What is sent to [`NodeId::ALL_SYSTEMS`] reaches every mobile node that is there; fixed nodes have no use for
/// advertisements.
///
/// What waits for a departed node, or is sent to it, takes its time on the air like everything else, and is
/// lost at the end ([`DropCause::LeftCell`]).
#[derive(Debug)]
pub struct Coverage {
    config: CoverageConfig,
    members: Vec<Member>,
    /// By node: the member that leads to it.
    leads_to: Vec<Option<u16>>,
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

    /// Add a node that is always in the cell; packets to it leave by the port returned.
    pub fn add_fixed(&mut self) -> Port {
        self.add(None)
    }
    /// Add a node that comes and goes; packets to it leave by the port returned.
    pub fn add_mobile(&mut self, movement: Movement) -> Port {
        self.add(Some(movement))
    }
    fn add(&mut self, movement: Option<Movement>) -> Port {
        self.members.push(Member { movement });
        Port(self.members.len() as u16)
    }
    /// What is addressed to `node`, or sent by it, concerns the node behind `port`.
    ///
    /// # Panics
    /// When no node was added with that port.
    pub fn set_route(&mut self, node: NodeId, port: Port) {
        let member = port.0 - 1;
        assert!(usize::from(member) < self.members.len(), "a port that was given out");
        let place = node.0 as usize;
        if self.leads_to.len() <= place {
            self.leads_to.resize(place + 1, None);
        }
        self.leads_to[place] = Some(member);
    }
    /// Packets lost because their node had left the cell: downwards and upwards.
    pub fn left_cell_drops(&self) -> [u64; 2] {
        self.left_cell_drops
    }

    /// Packets lost because their node was about to leave the cell: downwards and upwards.
    pub fn edge_drops(&self) -> [u64; 2] {
        self.edge_drops
    }

    /// Whether the edge of the cell takes a packet of a mobile node that passes the air at a time. Draws once for each
    /// packet, or copy of one, of a node that is about to leave.
    fn edge_takes(&mut self, side: usize, member: u16, time: Instant) -> bool {
        let Some(Edge { loss, streams }) = &mut self.edge else { return false };
        let movement = self.members[usize::from(member)].movement.as_ref();
        let link_ends = movement.and_then(|movement| movement.link_ends(self.config.cell, time));
        let probability = link_ends.map_or(0.0, |link_ends| loss.probability(time, link_ends));
        let is_taken = probability > 0.0 && streams[side].chance(probability);
        self.edge_drops[side] += u64::from(is_taken);
        is_taken
    }

    fn member(&self, node: NodeId) -> Option<u16> {
        self.leads_to.get(node.0 as usize).copied().flatten()
    }

    fn down(&mut self, now: Instant, packet: Box<Packet>, out: &mut Outbox) {
        let destination = packet.next_destination();
        if destination == NodeId::ALL_SYSTEMS {
            return self.copies_for_all(now, packet, out);
        }
        match self.member(destination) {
            None => lose(out, DropCause::NoRoute, packet),
            Some(member) if self.members[usize::from(member)].is_in(self.config.cell, now) => {
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

    /// A copy for each: who is at the edge may miss what others hear.
    fn copies_for_all(&mut self, now: Instant, packet: Box<Packet>, out: &mut Outbox) {
        for place in 0..self.members.len() as u16 {
            let member = &self.members[usize::from(place)];
            if member.movement.is_none() || !member.is_in(self.config.cell, now) {
                continue;
            }
            let mut copy = out.packet();
            copy.clone_from(&packet);
            if self.edge_takes(0, place, now) {
                lose(out, DropCause::ErrorModel, copy);
            } else {
                out.send(Port(1 + place), copy);
            }
        }
        out.recycle(packet);
    }

    fn up(&mut self, now: Instant, packet: Box<Packet>, out: &mut Outbox) {
        let sender = packet.tunnels.outermost().map_or(packet.source, |tunnel| tunnel.entry);
        let place = self.member(sender);
        let member = place.map(|member| &self.members[usize::from(member)]);
        let counts_at = match self.config.in_flight_upwards {
            InFlightUpwards::Kept => None,
            InFlightUpwards::Lost => Some(now),
            // A transmission that ends when the node leaves is complete.
            InFlightUpwards::Transmitted => {
                Some(now - self.config.uplink_one_way_delay - Duration::from_nanos(1))
            }
        };
        let heard = member.zip(counts_at).is_none_or(|(member, time)| member.is_in(self.config.cell, time));
        if heard {
            let transmitted = now - self.config.uplink_one_way_delay;
            if place.is_some_and(|member| self.edge_takes(1, member, transmitted)) {
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
