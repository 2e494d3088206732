//! The foreign agent at a base station: advertises, relays registrations, and terminates tunnels.

use crate::advertiser::{AdvertisementConfig, Advertiser};
use crate::handoff_tunnels::HandoffTunnels;
use crate::movement::CellId;
use crate::ports::AgentPorts;
use crate::send::{control, lose, report_binding};
use crate::visitors::Visitors;
use seamline_wire::control::{
    AgentAdvertisement, AgentFlags, HandoffReply, HandoffRequest, RegistrationReply, RegistrationRequest,
    ReplyCode,
};
use seamline_wire::random::Stream;
use seamline_wire::{Control, DropCause, Input, Instant, Machine, NodeId, Outbox, Packet, Tunnel};

/// The configuration of a foreign agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ForeignAgentConfig {
    /// The node it is on; its address is the care-of address that it offers.
    pub node: NodeId,
    /// Its advertisement schedule.
    pub advertisements: AdvertisementConfig,
    /// The longest registration that it accepts, in seconds; 65535 means unlimited.
    pub longest_registration_s: u16,
    /// Whether there is a home agent on the same node, as its advertisements then state.
    pub is_home_agent_too: bool,
}

/// A foreign agent (RFC 5944 sections 2.3, 3.7 and 4.2.2) between the router of a base station and its air.
///
/// It does not notice when a visitor leaves: packets for it are sent into the air until the registration expires.
#[derive(Debug)]
pub struct ForeignAgent {
    config: ForeignAgentConfig,
    advertiser: Advertiser,
    visitors: Visitors,
    /// By radio cell: the foreign agent there.
    neighbors: Vec<(CellId, NodeId)>,
    /// With agents of other radio cells (RFC 4881 section 4).
    handoffs: HandoffTunnels,
}

impl ForeignAgent {
    /// A foreign agent without visitors.
    pub fn new(config: ForeignAgentConfig, stream: Stream) -> Self {
        let advertiser = Advertiser::new(config.advertisements, stream);
        ForeignAgent {
            config,
            advertiser,
            visitors: Visitors::default(),
            neighbors: Vec::new(),
            handoffs: HandoffTunnels::default(),
        }
    }

    /// With these neighbors, whose advertisements it passes on to nodes that prepare a handoff (RFC 4881 section 3.4).
    #[must_use]
    pub fn with_neighbors(mut self, neighbors: Vec<(CellId, NodeId)>) -> Self {
        self.neighbors = neighbors;
        self
    }

    /// Add a node that is registered initially.
    #[must_use]
    pub fn with_visitor(mut self, visitor: NodeId, lifetime_s: u16) -> Self {
        self.visitors.serve(Instant::ZERO, visitor, lifetime_s);
        self
    }

    fn advertise(&mut self, to: NodeId, out: &mut Outbox) {
        let home = if self.config.is_home_agent_too { AgentFlags::HOME_AGENT } else { AgentFlags(0) };
        let advertisement = AgentAdvertisement {
            agent: self.config.node,
            lifetime_s: self.config.advertisements.lifetime_s,
            sequence: self.advertiser.next_sequence(),
            registration_lifetime_s: self.config.longest_registration_s,
            flags: home | AgentFlags::FOREIGN_AGENT,
            care_of_address: Some(self.config.node),
        };
        control(out, AgentPorts::AIR, self.config.node, to, Control::AgentAdvertisement(advertisement));
    }

    /// The link of a node that was at another agent has come up (L2-LU): ask that agent for a tunnel at the next step.
    pub fn link_up(&mut self, node: NodeId, previous: NodeId) {
        if previous != self.config.node {
            self.handoffs.arrive(node, previous);
        }
    }

    fn ask_previous(&mut self, now: Instant, out: &mut Outbox) {
        for (previous, request) in self.handoffs.due(now) {
            let message = Control::HandoffRequest(request);
            control(out, AgentPorts::NETWORK, self.config.node, previous, message);
        }
    }

    /// RFC 4881 section 4.1: send the packets of a visitor after it.
    fn on_handoff_request(&mut self, now: Instant, from: NodeId, request: &HandoffRequest, out: &mut Outbox) {
        let HandoffRequest { lifetime_s, home_address, identification } = *request;
        let is_served = self.visitors.is_served(now, home_address);
        if is_served {
            self.handoffs.open(now, request, from);
            report_binding(home_address, Some(from), out);
        }
        let code = if is_served { 0 } else { HandoffReply::UNKNOWN_NODE };
        let reply = HandoffReply { code, lifetime_s, home_address, identification };
        control(out, AgentPorts::NETWORK, self.config.node, from, Control::HandoffReply(reply));
    }

    /// The tunnel is there: the node is served like a visitor.
    fn on_handoff_reply(&mut self, now: Instant, reply: &HandoffReply) {
        if self.handoffs.answered(reply)
            && reply.code == 0
            && !self.visitors.is_served(now, reply.home_address)
        {
            self.visitors.serve(now, reply.home_address, reply.lifetime_s);
        }
    }

    /// The advertisement of a neighbor, as if it came from there (RFC 4881 section 3.3); nothing for an unknown access point.
    fn advertise_neighbor(&self, to: NodeId, access_point: u32, out: &mut Outbox) {
        let neighbor = self.neighbors.iter().find(|(cell, _)| cell.0 == access_point);
        let Some((_, agent)) = neighbor.copied() else { return };
        let advertisement = AgentAdvertisement {
            agent,
            lifetime_s: self.config.advertisements.lifetime_s,
            sequence: 0,
            registration_lifetime_s: self.config.longest_registration_s,
            flags: AgentFlags::FOREIGN_AGENT,
            care_of_address: Some(agent),
        };
        let message = Control::ProxyAgentAdvertisement(access_point, advertisement);
        control(out, AgentPorts::AIR, self.config.node, to, message);
    }

    fn on_air_packet(&mut self, now: Instant, packet: Box<Packet>, out: &mut Outbox) {
        match packet.control() {
            Some(Control::AgentSolicitation) => {
                if let Some(reply) = self.visitors.take_reply(packet.source) {
                    self.send_reply(reply, out);
                }
                self.advertise(packet.source, out);
                out.recycle(packet);
            }
            Some(Control::ProxyAgentSolicitation(access_point)) => {
                self.advertise_neighbor(packet.source, *access_point, out);
                out.recycle(packet);
            }
            Some(Control::RegistrationRequest(request)) if packet.destination == self.config.node => {
                let request = *request;
                if request.home_agent == self.config.node {
                    // Its home agent is on this node: the node is at home and needs no foreign agent.
                    return out.send(AgentPorts::NODE, packet);
                }
                out.recycle(packet);
                self.pass_on(now, request, out);
            }
            _ => out.send(AgentPorts::NETWORK, packet),
        }
    }

    /// RFC 5944 section 3.7.2.
    fn pass_on(&mut self, now: Instant, request: RegistrationRequest, out: &mut Outbox) {
        let longest = self.config.longest_registration_s;
        if request.care_of_address != self.config.node {
            return self.refuse(&request, ReplyCode::INVALID_CARE_OF_ADDRESS, out);
        }
        if request.lifetime_s > longest {
            return self.refuse(&request, ReplyCode::LIFETIME_TOO_LONG, out);
        }
        self.visitors.forget_expired(now);
        self.visitors.requested(now, request);
        let message = Control::RegistrationRequest(request);
        control(out, AgentPorts::NETWORK, self.config.node, request.home_agent, message);
    }

    fn refuse(&self, request: &RegistrationRequest, code: ReplyCode, out: &mut Outbox) {
        let reply = RegistrationReply {
            code,
            lifetime_s: self.config.longest_registration_s,
            home_address: request.home_address,
            home_agent: request.home_agent,
            identification: request.identification,
        };
        self.send_reply(reply, out);
    }

    fn on_network_packet(&mut self, now: Instant, mut packet: Box<Packet>, out: &mut Outbox) {
        if packet.tunnels.outermost().is_some_and(|tunnel| tunnel.exit == self.config.node) {
            packet.decapsulate();
            return self.pass_to_visitor(now, packet, out);
        }
        let from = packet.source;
        match packet.control().filter(|_| packet.destination == self.config.node).copied() {
            Some(Control::RegistrationReply(reply)) => {
                out.recycle(packet);
                if self.visitors.answered(now, &reply) {
                    self.send_reply(reply, out);
                }
            }
            Some(Control::HandoffRequest(request)) => {
                out.recycle(packet);
                self.on_handoff_request(now, from, &request, out);
            }
            Some(Control::HandoffReply(reply)) => {
                out.recycle(packet);
                self.on_handoff_reply(now, &reply);
            }
            Some(Control::RegistrationRequest(request)) if request.home_agent != self.config.node => {
                out.recycle(packet);
                self.pass_on_early(now, request, out);
            }
            _ => out.send(AgentPorts::NODE, packet),
        }
    }

    fn send_reply(&self, reply: RegistrationReply, out: &mut Outbox) {
        let message = Control::RegistrationReply(reply);
        control(out, AgentPorts::AIR, self.config.node, reply.home_address, message);
    }

    /// RFC 4881 section 3.3: a request that comes through another agent is from a node that is not here yet.
    fn pass_on_early(&mut self, now: Instant, request: RegistrationRequest, out: &mut Outbox) {
        self.visitors.expect(request.home_address);
        self.pass_on(now, request, out);
    }

    /// RFC 5944 section 4.2.2.
    fn pass_to_visitor(&mut self, now: Instant, mut packet: Box<Packet>, out: &mut Outbox) {
        if let Some(exit) = self.handoffs.exit(now, packet.next_destination()) {
            return match packet.encapsulate(Tunnel { entry: self.config.node, exit }) {
                true => out.send(AgentPorts::NETWORK, packet),
                false => lose(out, DropCause::NoRoute, packet),
            };
        }
        if self.visitors.is_served(now, packet.next_destination()) {
            out.send(AgentPorts::AIR, packet);
        } else {
            lose(out, DropCause::NoVisitor, packet);
        }
    }
}

impl Machine for ForeignAgent {
    fn step(&mut self, now: Instant, input: Input, out: &mut Outbox) {
        self.ask_previous(now, out);
        match input {
            Input::Packet(AgentPorts::AIR, packet) => self.on_air_packet(now, packet, out),
            Input::Packet(_, packet) => self.on_network_packet(now, packet, out),
            Input::Wake => {
                while self.advertiser.take_due(now) {
                    self.advertise(NodeId::ALL_SYSTEMS, out);
                }
            }
            Input::Signal(_) => {}
        }
    }
    fn wake_at(&self) -> Option<Instant> {
        self.handoffs.wake_at().into_iter().chain([self.advertiser.wake_at()]).min()
    }
}
