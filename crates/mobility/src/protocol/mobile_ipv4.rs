//! Mobile IPv4 (RFC 5944) with foreign agents: the mobile node learns of an agent from its advertisements and
//! registers through it.

use super::{Action, Actions, BaseStation, Participation, Protocol, ProtocolEvent, Scheme, Setup, Traits};
use crate::agent_discovery::AgentDiscovery;
use crate::registration::{Answer, MobileIpConfig, Registration, ToSend};
use seamline_wire::control::{AgentAdvertisement, RegistrationReply};
use seamline_wire::{Control, Instant, NodeId};

/// Mobile IPv4 in the registry.
pub(super) static SCHEME: Scheme = Scheme {
    name: "mobile-ipv4",
    summary: "Mobile IPv4: advertisements, registration, a tunnel from the home agent to a foreign agent",
    cite: "RFC 5944",
    traits: Traits {
        home_agent: Participation::Needed,
        mobility_anchor_point: Participation::None,
        base_station: BaseStation::ForeignAgent,
        carries_networks: false,
        previous_router_forwards: false,
    },
    build,
};

fn build(setup: &Setup) -> Box<dyn Protocol> {
    let config = MobileIpConfig {
        home_agent: setup.home_agent.expect("the protocol needs a home agent"),
        movement_detection: setup.movement_detection,
        registration_lifetime_s: setup.registration_lifetime_s,
        registration_retransmission: setup.registration_retransmission,
        layer_2_triggers: setup.layer_2_triggers,
        registered_with: setup.registered_with,
    };
    Box::new(MobileIpv4::new(setup.home_address, config))
}

/// The mobile node's part of Mobile IPv4.
#[derive(Debug)]
pub struct MobileIpv4 {
    home_address: NodeId,
    discovery: AgentDiscovery,
    registration: Registration,
    layer_2_triggers: bool,
}

impl MobileIpv4 {
    /// The part of the node with this home address.
    pub fn new(home_address: NodeId, config: MobileIpConfig) -> Self {
        MobileIpv4 {
            home_address,
            discovery: AgentDiscovery::new(config.movement_detection, config.registered_with),
            registration: Registration::new(home_address, config),
            layer_2_triggers: config.layer_2_triggers,
        }
    }

    fn send(&self, to: NodeId, message: Control, actions: &mut Actions) {
        actions.push(Action::Send { from: self.home_address, to, message });
    }

    fn request(&self, to_send: Option<ToSend>, actions: &mut Actions) {
        if let Some(ToSend { request, agent }) = to_send {
            self.send(agent, Control::RegistrationRequest(request), actions);
        }
    }

    fn on_advertisement(&mut self, now: Instant, heard: &AgentAdvertisement, actions: &mut Actions) {
        if self.discovery.heard(now, heard.agent, heard.lifetime_s, actions) {
            let to_send = self.registration.moved_to(now, heard);
            self.request(to_send, actions);
        }
    }

    fn on_reply(&mut self, now: Instant, reply: &RegistrationReply, actions: &mut Actions) {
        match self.registration.on_reply(now, reply) {
            Answer::Stale => {}
            Answer::Accepted { care_of_address, after_move } => {
                actions.push(Action::Registered { care_of_address, after_move });
            }
            Answer::Refused(to_send) => {
                actions.push(Action::Refused { code: reply.code });
                self.request(to_send, actions);
            }
        }
    }
}

impl Protocol for MobileIpv4 {
    fn on(&mut self, now: Instant, happened: ProtocolEvent<'_>, actions: &mut Actions) {
        match happened {
            ProtocolEvent::Message(Control::AgentAdvertisement(heard)) => {
                self.on_advertisement(now, heard, actions);
            }
            ProtocolEvent::Message(Control::RegistrationReply(reply)) => self.on_reply(now, reply, actions),
            ProtocolEvent::Message(_) => {}
            ProtocolEvent::LinkUp if self.layer_2_triggers => {
                self.send(NodeId::ALL_ROUTERS, Control::AgentSolicitation, actions);
            }
            ProtocolEvent::LinkUp => {}
            ProtocolEvent::Wake => {
                let due = self.registration.on_wake(now);
                self.request(due, actions);
            }
        }
    }
    fn wake_at(&self) -> Option<Instant> {
        self.registration.wake_at()
    }
}
