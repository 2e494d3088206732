//! The home agent: keeps bindings and tunnels packets to mobile nodes that are away.

use crate::bindings::Bindings;
use crate::ports::AnchorPorts;
use crate::send::{control, lose};
use seamline_wire::control::RegistrationRequest;
use seamline_wire::{
    Control, DropCause, Event, Input, Instant, Machine, MobilityEvent, NodeId, Outbox, Packet, Port, Tunnel,
};

/// The configuration of a home agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HomeAgentConfig {
    /// The node it is on.
    pub node: NodeId,
    /// The longest registration that it grants, in seconds; 65535 means unlimited.
    pub longest_registration_s: u16,
}

/// A home agent (RFC 5944 sections 3.8 and 4.2.3) next to a router that passes it all packets to its mobile nodes.
#[derive(Debug)]
pub struct HomeAgent {
    config: HomeAgentConfig,
    bindings: Bindings,
}

impl HomeAgent {
    /// A home agent without mobile nodes.
    pub fn new(config: HomeAgentConfig) -> Self {
        HomeAgent { config, bindings: Bindings::default() }
    }
    /// Add a mobile node with its home here.
    pub fn add_home(&mut self, home_address: NodeId) {
        self.bindings.add_home(home_address);
    }
    /// Add an initial registration of a mobile node with its home here.
    pub fn bind(&mut self, home_address: NodeId, care_of_address: NodeId, lifetime_s: u16) {
        self.bindings.bind(home_address, care_of_address, lifetime_s);
    }
    /// The tunnel destination for a mobile node; `None` when it is at home or unknown.
    pub fn care_of_address(&self, now: Instant, home_address: NodeId) -> Option<NodeId> {
        self.bindings.care_of_address(now, home_address)
    }

    fn on_packet(&mut self, now: Instant, port: Port, packet: Box<Packet>, out: &mut Outbox) {
        match packet.control() {
            Some(Control::RegistrationRequest(request)) if packet.destination == self.config.node => {
                let (request, from) = (*request, packet.source);
                out.recycle(packet);
                self.register(now, &request, from, out);
            }
            _ if port == AnchorPorts::LOCAL => out.send(AnchorPorts::NODE, packet),
            _ => self.forward(now, packet, out),
        }
    }

    fn register(&mut self, now: Instant, request: &RegistrationRequest, from: NodeId, out: &mut Outbox) {
        let home_address = request.home_address;
        let before = self.bindings.care_of_address(now, home_address);
        let HomeAgentConfig { node, longest_registration_s } = self.config;
        let reply = self.bindings.register(now, request, node, longest_registration_s);
        let after = self.bindings.care_of_address(now, home_address);
        if before != after {
            self.report(home_address, after, out);
        }
        // A node at home cannot be reached through the router, which would return the packet here.
        let port = if from == home_address { AnchorPorts::HOME } else { AnchorPorts::NETWORK };
        control(out, port, node, from, Control::RegistrationReply(reply));
    }

    fn report(&self, home_address: NodeId, care_of_address: Option<NodeId>, out: &mut Outbox) {
        out.event(|| Event::Mobility(MobilityEvent::BindingChanged { home_address, care_of_address }));
    }

    fn forward(&mut self, now: Instant, mut packet: Box<Packet>, out: &mut Outbox) {
        match self.bindings.exit(now, packet.next_destination()) {
            None => lose(out, DropCause::NoRoute, packet),
            Some(None) => out.send(AnchorPorts::HOME, packet),
            Some(Some(exit)) => {
                if packet.encapsulate(Tunnel { entry: self.config.node, exit }) {
                    out.send(AnchorPorts::NETWORK, packet);
                } else {
                    lose(out, DropCause::NoRoute, packet);
                }
            }
        }
    }
}

impl Machine for HomeAgent {
    fn step(&mut self, now: Instant, input: Input, out: &mut Outbox) {
        match input {
            Input::Packet(port, packet) => self.on_packet(now, port, packet, out),
            Input::Wake => {
                while let Some(home_address) = self.bindings.take_expired(now) {
                    self.report(home_address, None, out);
                }
            }
            Input::Signal(_) => {}
        }
    }
    fn wake_at(&self) -> Option<Instant> {
        self.bindings.next_expiry()
    }
}
