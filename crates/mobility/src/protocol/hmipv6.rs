//! Hierarchical Mobile IPv6 (RFC 5380, RFC 4140): a mobility anchor point near the mobile node hides its moves from the home
//! agent, which knows the node by its regional care-of address.

use super::mobile_ipv6::{SOLICITATION, TRAITS};
use super::{Action, Actions, Participation, Protocol, ProtocolEvent, Scheme, Setup, Traits, Upwards};
use crate::agent_discovery::AgentDiscovery;
use crate::update_list::{Accepted, Subscription, UpdateListEntry};
use seamline_wire::control::{BindingAcknowledgement, BindingFlags, Ipv6Control, RouterAdvertisement};
use seamline_wire::{Control, Instant, NodeId, Tunnel};

/// Hierarchical Mobile IPv6 in the registry.
pub(super) static SCHEME: Scheme = Scheme {
    name: "hmipv6",
    summary: "Hierarchical Mobile IPv6: a mobility anchor point hides moves from the home agent",
    cite: "RFC 5380, RFC 4140",
    traits: Traits {
        home_agent: Participation::Possible,
        mobility_anchor_point: Participation::Needed,
        ..TRAITS
    },
    build: |setup| Box::new(Hmipv6::new(setup)),
};

/// The mobile node's part.
#[derive(Debug)]
struct Hmipv6 {
    discovery: AgentDiscovery,
    /// The binding of the regional to the on-link care-of address, at the mobility anchor point.
    local: UpdateListEntry,
    /// The binding of the home address to the regional care-of address, at the home agent. Without a home agent the address
    /// that correspondents know is the regional one.
    home: Option<UpdateListEntry>,
    regional_address: NodeId,
    /// The on-link care-of address, as far as the node knows where it is.
    on_link_address: Option<NodeId>,
}

impl Hmipv6 {
    fn new(setup: &Setup) -> Self {
        let (anchor, regional_address) =
            setup.regional_address.expect("the protocol needs a mobility anchor point");
        let entry = |anchor, home_address, flags| {
            UpdateListEntry::new(Subscription {
                anchor,
                home_address,
                flags,
                lifetime_s: setup.registration_lifetime_s,
                retransmission: setup.registration_retransmission,
            })
        };
        let mut local = entry(anchor, regional_address, BindingFlags::MOBILITY_ANCHOR_POINT);
        let mut home =
            setup.home_agent.map(|agent| entry(agent, setup.home_address, BindingFlags::HOME_REGISTRATION));
        let discovery = AgentDiscovery::new(setup);
        let on_link_address = setup.registered_with.and_then(|router| discovery.on_link_address(router));
        if let Some(address) = on_link_address {
            local = local.bound_to(address);
            home = home.map(|home| home.bound_to(regional_address));
        }
        Hmipv6 { discovery, local, home, regional_address, on_link_address }
    }

    fn on_advertisement(&mut self, now: Instant, heard: &RouterAdvertisement, actions: &mut Actions) {
        if !self.discovery.heard(now, heard.router, heard.lifetime_s, actions) {
            return;
        }
        let in_domain = heard.mobility_anchor_point == Some(self.local.anchor());
        self.on_link_address = self.discovery.on_link_address(heard.router).filter(|_| in_domain);
        if let Some(address) = self.on_link_address {
            self.local.moved_to(now, address, actions);
        }
    }

    /// The node is reachable when the last anchor that must learn of the move has confirmed it.
    fn on_acknowledgement(&mut self, now: Instant, answer: &BindingAcknowledgement, actions: &mut Actions) {
        let (accepted, is_reachable) = if answer.home_address == self.regional_address {
            let accepted = self.local.on_acknowledgement(now, answer, actions);
            (accepted, accepted.is_some() && self.home_knows(now, actions))
        } else if let Some(home) = &mut self.home {
            (home.on_acknowledgement(now, answer, actions), !self.local.waits_after_move())
        } else {
            return;
        };
        if let Some(Accepted { care_of_address, after_move }) = accepted {
            actions.push(Action::Registered { care_of_address, after_move: after_move && is_reachable });
        }
    }

    /// Whether the home agent knows the regional care-of address. It is sent that once, and no move below it (RFC 5380
    /// section 6.1).
    fn home_knows(&mut self, now: Instant, actions: &mut Actions) -> bool {
        let Some(home) = &mut self.home else { return true };
        let knows = home.care_of_address() == Some(self.regional_address);
        if !knows && home.wake_at().is_none() {
            home.moved_to(now, self.regional_address, actions);
        }
        knows
    }
}

impl Protocol for Hmipv6 {
    fn on(&mut self, now: Instant, happened: ProtocolEvent<'_>, actions: &mut Actions) {
        match happened {
            ProtocolEvent::Message(Control::Ipv6(Ipv6Control::RouterAdvertisement(heard))) => {
                self.on_advertisement(now, heard, actions);
            }
            ProtocolEvent::Message(Control::Ipv6(Ipv6Control::BindingAcknowledgement(answer))) => {
                self.on_acknowledgement(now, answer, actions);
            }
            ProtocolEvent::Message(_)
            | ProtocolEvent::LinkGoingDown { .. }
            | ProtocolEvent::Tunneled { .. } => {}
            ProtocolEvent::LinkUp => self.discovery.link_up(SOLICITATION, actions),
            ProtocolEvent::Wake => {
                let entries = std::iter::once(&mut self.local).chain(&mut self.home);
                entries.for_each(|entry| entry.on_wake(now, actions));
            }
        }
    }
    fn wake_at(&self) -> Option<Instant> {
        self.local.wake_at().into_iter().chain(self.home.as_ref().and_then(UpdateListEntry::wake_at)).min()
    }
    /// What comes from the home address passes both tunnels, what comes from the regional one the outer.
    fn tunnels(&self, source: NodeId) -> Upwards {
        let Some(on_link) = self.on_link_address.filter(|address| *address != source) else {
            return Upwards::default();
        };
        let to_anchor = Some(Tunnel { entry: on_link, exit: self.local.anchor() });
        let home = self.home.as_ref().filter(|_| source != self.regional_address);
        match home {
            Some(home) => [Some(Tunnel { entry: self.regional_address, exit: home.anchor() }), to_anchor],
            None => [to_anchor, None],
        }
    }
}
