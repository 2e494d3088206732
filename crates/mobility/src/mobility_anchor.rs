//! An IPv6 anchor: a home agent (RFC 6275, RFC 3963), a mobility anchor point (RFC 5380), or both.

use crate::binding_cache::BindingCache;
use crate::ports::AnchorPorts;
use crate::send::{control, lose};
use crate::update_list::LIFETIME_UNIT_S;
use seamline_wire::control::{BindingFlags, BindingUpdate, Ipv6Control};
use seamline_wire::{Control, DropCause, Input, Instant, Machine, NodeId, Outbox, Packet, Tunnel};

/// Keeps bindings next to a router that passes it all packets to the addresses it serves, and tunnels them in both
/// directions. A mobility anchor point is essentially a home agent for regional care-of addresses (RFC 5380 section
/// 2), so both are one machine.
#[derive(Debug)]
pub struct MobilityAnchor {
    node: NodeId,
    cache: BindingCache,
}

impl MobilityAnchor {
    /// An anchor on a node without served addresses.
    pub fn new(node: NodeId) -> Self {
        MobilityAnchor { node, cache: BindingCache::new(LIFETIME_UNIT_S) }
    }
    /// Add a mobile node with its home address here.
    pub fn add_home(&mut self, home_address: NodeId) {
        self.cache.serve(home_address, BindingFlags::HOME_REGISTRATION);
    }
    /// Add a mobile node with its regional care-of address here.
    pub fn add_regional(&mut self, address: NodeId) {
        self.cache.serve(address, BindingFlags::MOBILITY_ANCHOR_POINT);
    }
    /// Add a node of a mobile network whose mobile router has its home here. The anchor knows the network, so updates
    /// need not name it (implicit mode, RFC 3963 section 5.2).
    pub fn add_to_network(&mut self, router: NodeId, node: NodeId) {
        self.cache.add_to_network(router, node);
    }
    /// Add an initial binding for a served address.
    pub fn bind(&mut self, address: NodeId, care_of_address: NodeId, lifetime_s: u16) {
        self.cache.bind(address, care_of_address, lifetime_s);
    }
    /// The tunnel destination for an address or a node of a mobile network; `None` without a binding.
    pub fn care_of_address(&self, now: Instant, node: NodeId) -> Option<NodeId> {
        self.cache.exit(now, node).flatten()
    }

    fn on_packet(&mut self, now: Instant, mut packet: Box<Packet>, out: &mut Outbox) {
        if let Some(tunnel) = packet.tunnels.outermost().filter(|tunnel| tunnel.exit == self.node) {
            packet.decapsulate();
            // RFC 6275 section 10.4.5: only from the bound address.
            let source = packet.tunnels.outermost().map_or(packet.source, |inner| inner.entry);
            if self.care_of_address(now, source) != Some(tunnel.entry) {
                return lose(out, DropCause::NoVisitor, packet);
            }
        }
        if packet.next_destination() != self.node {
            return self.forward(now, packet, out);
        }
        if !packet.tunnels.is_empty() {
            return self.on_packet(now, packet, out);
        }
        match packet.control() {
            Some(Control::Ipv6(Ipv6Control::BindingUpdate(update))) => {
                let update = *update;
                out.recycle(packet);
                self.update(now, &update, out);
            }
            _ => out.send(AnchorPorts::NODE, packet),
        }
    }

    fn update(&mut self, now: Instant, update: &BindingUpdate, out: &mut Outbox) {
        let answer = self.cache.update(now, update, out);
        let is_home = update.care_of_address == update.home_address;
        // A node at home cannot be reached through the router, which would return the packet here.
        let port = if is_home { AnchorPorts::HOME } else { AnchorPorts::NETWORK };
        let message = Control::Ipv6(Ipv6Control::BindingAcknowledgement(answer));
        control(out, port, self.node, update.care_of_address, message);
    }

    fn forward(&mut self, now: Instant, mut packet: Box<Packet>, out: &mut Outbox) {
        match self.cache.exit(now, packet.next_destination()) {
            None => out.send(AnchorPorts::NETWORK, packet),
            Some(None) => out.send(AnchorPorts::HOME, packet),
            Some(Some(exit)) => {
                if packet.encapsulate_in_ipv6(Tunnel { entry: self.node, exit }) {
                    out.send(AnchorPorts::NETWORK, packet);
                } else {
                    lose(out, DropCause::NoRoute, packet);
                }
            }
        }
    }
}

impl Machine for MobilityAnchor {
    fn step(&mut self, now: Instant, input: Input, out: &mut Outbox) {
        match input {
            Input::Packet(_, packet) => self.on_packet(now, packet, out),
            Input::Wake => self.cache.expire(now, out),
            Input::Signal(_) => {}
        }
    }
    fn wake_at(&self) -> Option<Instant> {
        self.cache.next_expiry()
    }
}
