//! Mobile IPv6 (RFC 6275) without route optimisation: packets pass a tunnel between the mobile node and its home
//! agent in both directions (section 4.1 calls it bidirectional tunnelling), and correspondents know nothing.

use super::{
    Action, Actions, BaseStation, Participation, Protocol, ProtocolEvent, Scheme, Setup, Traits, Upwards,
};
use crate::agent_discovery::AgentDiscovery;
use crate::update_list::{Accepted, Subscription, UpdateListEntry};
use seamline_wire::control::{BindingFlags, Ipv6Control};
use seamline_wire::{Control, Instant, NodeId, Tunnel};

/// Mobile IPv6 in the registry.
pub(super) static SCHEME: Scheme = Scheme {
    name: "mobile-ipv6",
    summary: "Mobile IPv6 without route optimization: a tunnel to the home agent in both directions",
    cite: "RFC 6275",
    traits: TRAITS,
    build: |setup| Box::new(MobileIpv6::new(setup, BindingFlags::HOME_REGISTRATION)),
};

pub(super) const TRAITS: Traits = Traits {
    home_agent: Participation::Needed,
    mobility_anchor_point: Participation::None,
    simultaneous_bindings: Participation::None,
    base_station: BaseStation::AccessRouter,
    correspondents: Participation::None,
    links_trigger_agents: false,
    carries_networks: false,
    previous_router_forwards: false,
};

pub(super) const SOLICITATION: Control = Control::Ipv6(Ipv6Control::RouterSolicitation);

/// The mobile node's part of Mobile IPv6, or the mobile router's (the flags say which).
#[derive(Debug)]
pub(super) struct MobileIpv6 {
    home_address: NodeId,
    pub(super) discovery: AgentDiscovery,
    binding: UpdateListEntry,
    /// Where it is as far as it knows; its home address at home.
    pub(super) care_of_address: Option<NodeId>,
}

impl MobileIpv6 {
    pub(super) fn new(setup: &Setup, flags: BindingFlags) -> Self {
        let home_address = setup.home_address;
        let home_agent = setup.home_agent.expect("the protocol needs a home agent");
        let mut binding = UpdateListEntry::new(Subscription {
            anchor: home_agent,
            home_address,
            flags,
            lifetime_s: setup.registration_lifetime_s,
            retransmission: setup.registration_retransmission,
        });
        let discovery = AgentDiscovery::new(setup);
        let place = |router| place(&discovery, router, home_agent, home_address);
        let care_of_address = setup.registered_with.and_then(place);
        if let Some(care_of_address) = care_of_address {
            binding = binding.bound_to(care_of_address);
        }
        MobileIpv6 { home_address, discovery, binding, care_of_address }
    }

    /// Whether the home agent has not confirmed the last move.
    pub(super) fn waits_for_home_agent(&self) -> bool {
        self.binding.waits_after_move()
    }

    /// The node is on the link of this router, as it knows without an advertisement.
    pub(super) fn arrive(&mut self, now: Instant, router: NodeId, actions: &mut Actions) {
        self.discovery.arrive(now, router, actions);
        self.moved_to(now, router, actions);
    }

    fn moved_to(&mut self, now: Instant, router: NodeId, actions: &mut Actions) {
        let home_agent = self.binding.anchor();
        self.care_of_address = place(&self.discovery, router, home_agent, self.home_address);
        if let Some(care_of_address) = self.care_of_address {
            self.binding.moved_to(now, care_of_address, actions);
        }
    }

    fn on_message(&mut self, now: Instant, message: &Ipv6Control, actions: &mut Actions) {
        match message {
            Ipv6Control::RouterAdvertisement(advertisement) => {
                let router = advertisement.router;
                if self.discovery.heard(now, router, advertisement.lifetime_s, actions) {
                    self.moved_to(now, router, actions);
                }
            }
            Ipv6Control::BindingAcknowledgement(answer) => {
                let accepted = self.binding.on_acknowledgement(now, answer, actions);
                if let Some(Accepted { care_of_address, after_move }) = accepted {
                    actions.push(Action::Registered { care_of_address, after_move });
                }
            }
            _ => {}
        }
    }
}

/// The address to be reached at behind a router: at home the home address.
fn place(
    discovery: &AgentDiscovery,
    router: NodeId,
    home_agent: NodeId,
    home_address: NodeId,
) -> Option<NodeId> {
    if router == home_agent { Some(home_address) } else { discovery.on_link_address(router) }
}

impl Protocol for MobileIpv6 {
    fn on(&mut self, now: Instant, happened: ProtocolEvent<'_>, actions: &mut Actions) {
        match happened {
            ProtocolEvent::Message(Control::Ipv6(message)) => self.on_message(now, message, actions),
            ProtocolEvent::Message(_)
            | ProtocolEvent::LinkGoingDown { .. }
            | ProtocolEvent::Tunneled { .. } => {}
            ProtocolEvent::LinkUp => self.discovery.link_up(SOLICITATION, actions),
            ProtocolEvent::Wake => self.binding.on_wake(now, actions),
        }
    }
    fn wake_at(&self) -> Option<Instant> {
        self.binding.wake_at()
    }
    fn tunnels(&self, source: NodeId) -> Upwards {
        let is_away = |address: &NodeId| *address != self.home_address && *address != source;
        let away = self.care_of_address.filter(is_away);
        [away.map(|entry| Tunnel { entry, exit: self.binding.anchor() }), None]
    }
}
