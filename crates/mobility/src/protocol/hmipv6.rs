//! Hierarchical Mobile IPv6 (RFC 5380, RFC 4140): a mobility anchor point near the mobile node hides its moves from the home
//! agent, which knows the node by its regional care-of address.

use super::router_discovery::RouterDiscovery;
use super::{
    Action, Actions, BaseStation, Participation, Protocol, ProtocolEvent, Scheme, Setup, Traits, Upwards,
};
use crate::update_list::{Answer, Subscription, UpdateListEntry};
use seamline_wire::control::{
    BindingAcknowledgement, BindingFlags, BindingUpdate, Ipv6Control, RouterAdvertisement,
};
use seamline_wire::{Control, Instant, NodeId, Tunnel};

/// Hierarchical Mobile IPv6 in the registry.
pub(super) static SCHEME: Scheme = Scheme {
    name: "hmipv6",
    summary: "Hierarchical Mobile IPv6: a mobility anchor point hides moves from the home agent",
    cite: "RFC 5380, RFC 4140",
    traits: Traits {
        home_agent: Participation::Possible,
        mobility_anchor_point: Participation::Needed,
        base_station: BaseStation::AccessRouter,
        carries_networks: false,
        previous_router_forwards: false,
    },
    build: |setup| Box::new(Hmipv6::new(setup)),
};

/// The mobile node's part.
#[derive(Debug)]
struct Hmipv6 {
    discovery: RouterDiscovery,
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
        let discovery = RouterDiscovery::new(setup);
        let on_link_address = setup.registered_with.and_then(|router| discovery.on_link_address(router));
        if let Some(address) = on_link_address {
            local = local.bound_to(address);
            home = home.map(|home| home.bound_to(regional_address));
        }
        Hmipv6 { discovery, local, home, regional_address, on_link_address }
    }

    fn send(update: BindingUpdate, anchor: NodeId, actions: &mut Actions) {
        let message = Control::Ipv6(Ipv6Control::BindingUpdate(update));
        actions.push(Action::Send { from: update.care_of_address, to: anchor, message });
    }

    fn on_advertisement(&mut self, now: Instant, heard: &RouterAdvertisement, actions: &mut Actions) {
        if !self.discovery.heard(now, heard, actions) {
            return;
        }
        let in_domain = heard.mobility_anchor_point == Some(self.local.anchor());
        self.on_link_address = self.discovery.on_link_address(heard.router).filter(|_| in_domain);
        if let Some(address) = self.on_link_address {
            let update = self.local.moved_to(now, address);
            Self::send(update, self.local.anchor(), actions);
        }
    }

    fn on_acknowledgement(&mut self, now: Instant, answer: &BindingAcknowledgement, actions: &mut Actions) {
        if answer.home_address == self.regional_address {
            let answer = self.local.on_acknowledgement(now, answer);
            let home_knows = self.tell_home(now, answer, actions);
            Self::note(answer, self.local.anchor(), home_knows, actions);
        } else if let Some(home) = &mut self.home {
            let answer = home.on_acknowledgement(now, answer);
            Self::note(answer, home.anchor(), !self.local.waits_after_move(), actions);
        }
    }

    /// The home agent hears of the regional care-of address once, and of no move below it (RFC 5380 section 6.1). Whether it
    /// knows already.
    fn tell_home(&mut self, now: Instant, local: Answer, actions: &mut Actions) -> bool {
        let Some(home) = &mut self.home else { return true };
        let knows = home.care_of_address() == Some(self.regional_address);
        if let (Answer::Accepted { .. }, false) = (local, knows || home.wake_at().is_some()) {
            let update = home.moved_to(now, self.regional_address);
            Self::send(update, home.anchor(), actions);
        }
        knows
    }

    /// The node is reachable when the last anchor that had to hear of the move has.
    fn note(answer: Answer, anchor: NodeId, reachable: bool, actions: &mut Actions) {
        match answer {
            Answer::Stale => {}
            Answer::Accepted { care_of_address, after_move } => {
                let after_move = after_move && reachable;
                actions.push(Action::Registered { care_of_address, after_move });
            }
            Answer::Refused { status, again } => {
                actions.push(Action::BindingRefused { status });
                again.into_iter().for_each(|update| Self::send(update, anchor, actions));
            }
        }
    }

    fn on_wake(&mut self, now: Instant, actions: &mut Actions) {
        for entry in std::iter::once(&mut self.local).chain(&mut self.home) {
            if let Some(update) = entry.on_wake(now) {
                Self::send(update, entry.anchor(), actions);
            }
        }
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
            ProtocolEvent::Message(_) => {}
            ProtocolEvent::LinkUp => self.discovery.link_up(actions),
            ProtocolEvent::Wake => self.on_wake(now, actions),
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
