//! The IPv6 access router at a base station: advertises, and forwards everything else.

use crate::advertiser::{AdvertisementConfig, Advertiser};
use crate::ports::AgentPorts;
use crate::send::control;
use seamline_wire::control::{Ipv6Control, RouterAdvertisement};
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
}

impl AccessRouter {
    /// A router that has not advertised yet.
    pub fn new(config: AccessRouterConfig, stream: Stream) -> Self {
        AccessRouter { config, advertiser: Advertiser::new(config.advertisements, stream) }
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
                let is_fast = matches!(message, Some(Control::Ipv6(Ipv6Control::FastBindingUpdate(_))));
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
