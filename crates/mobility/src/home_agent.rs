//! The home agent: keeps bindings and tunnels packets to mobile nodes that are away.

use crate::bindings::{Binding, Bindings};
use crate::lifetime;
use crate::ports::AnchorPorts;
use crate::send::{control, lose};
use seamline_wire::control::{
    Identification, RegistrationReply, RegistrationRequest, ReplyCode, RequestFlags,
};
use seamline_wire::{Control, DropCause, Input, Instant, Machine, NodeId, Outbox, Packet, Port, Tunnel};

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
    /// With the identification of the last granted request of each node.
    bindings: Bindings<Option<Identification>>,
}

impl HomeAgent {
    /// A home agent without mobile nodes.
    pub fn new(config: HomeAgentConfig) -> Self {
        HomeAgent { config, bindings: Bindings::default() }
    }
    /// Add a mobile node with its home here.
    pub fn add_home(&mut self, home_address: NodeId) {
        self.bindings.serve(home_address, None);
    }
    /// Add an initial registration of a mobile node with its home here.
    pub fn bind(&mut self, home_address: NodeId, care_of_address: NodeId, lifetime_s: u16) {
        self.add_home(home_address);
        let until = lifetime::end(Instant::ZERO, lifetime_s);
        self.bindings.bind(home_address, Some(Binding { care_of_address, until }));
    }
    /// The tunnel destination for a mobile node; `None` when it is at home or unknown.
    pub fn care_of_address(&self, now: Instant, home_address: NodeId) -> Option<NodeId> {
        self.bindings.exit(now, home_address).flatten()
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
        let reply = self.reply(now, request, out);
        // A node at home cannot be reached through the router, which would return the packet here.
        let port = if from == request.home_address { AnchorPorts::HOME } else { AnchorPorts::NETWORK };
        control(out, port, self.config.node, from, Control::RegistrationReply(reply));
    }

    /// Check a request, apply it, and report what it changes (RFC 5944 sections 3.8.2 and 5.7.1).
    fn reply(&mut self, now: Instant, request: &RegistrationRequest, out: &mut Outbox) -> RegistrationReply {
        let HomeAgentConfig { node, longest_registration_s } = self.config;
        let lifetime_s = request.lifetime_s.min(longest_registration_s);
        let reply = RegistrationReply {
            code: ReplyCode::ACCEPTED,
            lifetime_s,
            home_address: request.home_address,
            home_agent: node,
            identification: request.identification,
        };
        let refused = |code| RegistrationReply { code, lifetime_s: 0, ..reply };
        let Some(newest) = self.bindings.state(request.home_address) else {
            return refused(ReplyCode::PROHIBITED);
        };
        if request.home_agent != node {
            return refused(ReplyCode::UNKNOWN_HOME_AGENT);
        }
        if !is_current(now, request.identification, *newest) {
            let ours = u64::from(Identification::at(now).seconds()) << 32;
            let identification = Identification(ours | u64::from(request.identification.low()));
            return RegistrationReply { identification, ..refused(ReplyCode::IDENTIFICATION_MISMATCH) };
        }
        *newest = Some(request.identification);
        let care_of_address = request.care_of_address;
        let binding = Binding { care_of_address, until: lifetime::end(now, lifetime_s) };
        match lifetime_s > 0 {
            true if request.flags.contains(RequestFlags::SIMULTANEOUS_BINDINGS) => {
                self.bindings.add(now, request.home_address, binding, out);
            }
            is_new => self.bindings.rebind(now, request.home_address, is_new.then_some(binding), out),
        }
        reply
    }

    fn forward(&mut self, now: Instant, packet: Box<Packet>, out: &mut Outbox) {
        match self.bindings.exit(now, packet.next_destination()) {
            None => lose(out, DropCause::NoRoute, packet),
            Some(None) => out.send(AnchorPorts::HOME, packet),
            Some(Some(exit)) => {
                self.send_copies(now, &packet, out);
                self.tunnel(exit, packet, out);
            }
        }
    }

    fn tunnel(&self, exit: NodeId, mut packet: Box<Packet>, out: &mut Outbox) {
        if packet.encapsulate(Tunnel { entry: self.config.node, exit }) {
            out.send(AnchorPorts::NETWORK, packet);
        } else {
            lose(out, DropCause::NoRoute, packet);
        }
    }

    /// One copy for each binding but the newest (RFC 5944 section 3.8.2).
    fn send_copies(&self, now: Instant, packet: &Packet, out: &mut Outbox) {
        for exit in self.bindings.further_exits(now, packet.next_destination()) {
            let mut copy = out.packet();
            (*copy).clone_from(packet);
            self.tunnel(exit, copy, out);
        }
    }
}

impl Machine for HomeAgent {
    fn step(&mut self, now: Instant, input: Input, out: &mut Outbox) {
        match input {
            Input::Packet(port, packet) => self.on_packet(now, port, packet, out),
            Input::Wake => self.bindings.expire(now, out),
            Input::Signal(_) => {}
        }
    }
    fn wake_at(&self) -> Option<Instant> {
        self.bindings.next_expiry()
    }
}

/// Whether a request is newer than all before it and its time near enough to ours.
fn is_current(now: Instant, identification: Identification, newest: Option<Identification>) -> bool {
    /// Seconds (RFC 5944 section 5.7.1).
    const TOLERANCE: u32 = 7;
    let apart = identification.seconds().abs_diff(Identification::at(now).seconds());
    apart <= TOLERANCE && newest.is_none_or(|newest| newest < identification)
}
