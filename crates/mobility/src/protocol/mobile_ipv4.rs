//! Mobile IPv4 (RFC 5944) with foreign agents: the mobile node learns of an agent from its advertisements and
//! registers through it.

use super::{Actions, BaseStation, Participation, Protocol, ProtocolEvent, Scheme, Setup, Traits};
use crate::agent_discovery::AgentDiscovery;
use crate::registration::Registration;
use seamline_wire::{Control, Instant};

/// Mobile IPv4 in the registry.
pub(super) static SCHEME: Scheme = Scheme {
    name: "mobile-ipv4",
    summary: "Mobile IPv4: advertisements, registration, a tunnel from the home agent to a foreign agent",
    cite: "RFC 5944",
    traits: TRAITS,
    build: |setup| Box::new(MobileIpv4::new(setup)),
};

pub(super) const TRAITS: Traits = Traits {
    home_agent: Participation::Needed,
    mobility_anchor_point: Participation::None,
    simultaneous_bindings: Participation::None,
    base_station: BaseStation::ForeignAgent,
    correspondents: Participation::None,
    links_trigger_agents: false,
    carries_networks: false,
    previous_router_forwards: false,
};

/// The mobile node's part of Mobile IPv4.
#[derive(Debug)]
pub(super) struct MobileIpv4 {
    pub(super) discovery: AgentDiscovery,
    pub(super) registration: Registration,
}

impl MobileIpv4 {
    pub(super) fn new(setup: &Setup) -> Self {
        MobileIpv4 { discovery: AgentDiscovery::new(setup), registration: Registration::new(setup) }
    }
}

impl Protocol for MobileIpv4 {
    fn on(&mut self, now: Instant, happened: ProtocolEvent<'_>, actions: &mut Actions) {
        match happened {
            ProtocolEvent::Message(Control::AgentAdvertisement(heard)) => {
                if self.discovery.heard(now, heard.agent, heard.lifetime_s, actions) {
                    self.registration.moved_to(now, heard, actions);
                }
            }
            ProtocolEvent::Message(Control::RegistrationReply(reply)) => {
                self.registration.on_reply(now, reply, actions);
            }
            ProtocolEvent::Message(_)
            | ProtocolEvent::LinkGoingDown { .. }
            | ProtocolEvent::Tunneled { .. } => {}
            ProtocolEvent::LinkUp => self.discovery.link_up(Control::AgentSolicitation, actions),
            ProtocolEvent::Wake => self.registration.on_wake(now, actions),
        }
    }
    fn wake_at(&self) -> Option<Instant> {
        self.registration.wake_at()
    }
}
