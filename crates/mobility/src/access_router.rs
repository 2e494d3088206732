//! The IPv6 access router at a base station: advertises, and forwards everything else.

use crate::advertiser::{AdvertisementConfig, Advertiser};
use crate::movement::CellId;
use crate::ports::AgentPorts;
use crate::send::control;
use seamline_wire::control::{
    Ipv6Control, ProxyRouterAdvertisement, ProxyRouterSolicitation, RouterAdvertisement,
};
use seamline_wire::random::Stream;
use seamline_wire::{Control, Input, Instant, Machine, NodeId, Outbox, Packet};

/// The configuration of an access router.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AccessRouterConfig {
    /// The node it is on; mobile nodes form their care-of addresses from its prefix.
    pub node: NodeId,
    /// Its advertisement schedule.
    pub advertisements: AdvertisementConfig,
    /// The mobility anchor point that it advertises (RFC 5380 section 5).
    pub mobility_anchor_point: Option<NodeId>,
}

/// An access router (RFC 4861 section 6.2) between the router of a base station and its air. Packets for care-of
/// addresses on its link are sent into the air by the router of the base station itself.
#[derive(Debug)]
pub struct AccessRouter {
    config: AccessRouterConfig,
    advertiser: Advertiser,
    /// By radio cell: the access router there.
    neighbors: Vec<(CellId, NodeId)>,
}

impl AccessRouter {
    /// A router that has not advertised yet.
    pub fn new(config: AccessRouterConfig, stream: Stream) -> Self {
        let advertiser = Advertiser::new(config.advertisements, stream);
        AccessRouter { config, advertiser, neighbors: Vec::new() }
    }

    /// With these neighbors, which it tells nodes about that prepare a fast handover (RFC 5568 section 6.1.2).
    #[must_use]
    pub fn with_neighbors(mut self, neighbors: Vec<(CellId, NodeId)>) -> Self {
        self.neighbors = neighbors;
        self
    }

    fn advertise_neighbor(&self, to: NodeId, asked: ProxyRouterSolicitation, out: &mut Outbox) {
        let ProxyRouterSolicitation { identifier, access_point } = asked;
        let neighbor = self.neighbors.iter().find(|(cell, _)| cell.0 == access_point);
        let router = neighbor.map(|(_, router)| *router);
        let advertisement = ProxyRouterAdvertisement { identifier, access_point, router };
        let message = Control::Ipv6(Ipv6Control::ProxyRouterAdvertisement(advertisement));
        control(out, AgentPorts::AIR, self.config.node, to, message);
    }

    fn advertise(&self, to: NodeId, out: &mut Outbox) {
        let advertisement = RouterAdvertisement {
            router: self.config.node,
            lifetime_s: self.config.advertisements.lifetime_s,
            mobility_anchor_point: self.config.mobility_anchor_point,
        };
        let message = Control::Ipv6(Ipv6Control::RouterAdvertisement(advertisement));
        control(out, AgentPorts::AIR, self.config.node, to, message);
    }

    fn on_air_packet(&self, packet: Box<Packet>, out: &mut Outbox) {
        match packet.control() {
            Some(Control::Ipv6(Ipv6Control::RouterSolicitation)) => {
                self.advertise(packet.source, out);
                out.recycle(packet);
            }
            Some(Control::Ipv6(Ipv6Control::ProxyRouterSolicitation(asked))) => {
                self.advertise_neighbor(packet.source, *asked, out);
                out.recycle(packet);
            }
            Some(Control::Ipv6(Ipv6Control::NeighborAdvertisement(_))) => {
                out.send(AgentPorts::DEPARTED, packet)
            }
            _ => out.send(AgentPorts::NETWORK, packet),
        }
    }
}

impl Machine for AccessRouter {
    fn step(&mut self, now: Instant, input: Input, out: &mut Outbox) {
        match input {
            Input::Packet(AgentPorts::AIR, packet) => self.on_air_packet(packet, out),
            Input::Packet(_, packet) => {
                let message = packet.control();
                let is_fast = matches!(message, Some(Control::Ipv6(it)) if it.is_for_fast_handover());
                out.send(if is_fast { AgentPorts::DEPARTED } else { AgentPorts::NODE }, packet);
            }
            Input::Wake => {
                while self.advertiser.take_due(now) {
                    self.advertise(NodeId::ALL_SYSTEMS, out);
                }
            }
            Input::Signal(_) => {}
        }
    }
    fn wake_at(&self) -> Option<Instant> {
        Some(self.advertiser.wake_at())
    }
}
