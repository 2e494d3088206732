//! Mobile IPv6 with route optimization (RFC 6275): the mobile node registers its care-of address with its correspondents,
//! too, after the return routability procedure (section 5.2). Then packets take no detour through the home network: those
//! from the mobile node have a Home Address option, those to it a routing header of type 2.
//!
//! It begins with the first packet of a correspondent that comes through the tunnel of the home agent (section 11.7.2).

use super::mobile_ipv6::{MobileIpv6, TRAITS};
use super::{Action, Actions, Participation, Protocol, ProtocolEvent, Scheme, Setup, Traits, Upwards};
use crate::correspondence::{Correspondence, Shared};
use seamline_wire::control::{BindingFlags, CorrespondentAcknowledgement, Ipv6Control};
use seamline_wire::{Control, Instant, NodeId};

/// Route optimization in the registry.
pub(super) static SCHEME: Scheme = Scheme {
    name: "mobile-ipv6-route-optimization",
    summary: "Mobile IPv6 with route optimization: correspondents learn the care-of address and send to it directly",
    cite: "RFC 6275",
    traits: Traits { correspondents: Participation::Needed, ..TRAITS },
    build: |setup| Box::new(RouteOptimization::new(setup)),
};

/// The mobile node's part.
#[derive(Debug)]
struct RouteOptimization {
    home: MobileIpv6,
    shared: Shared,
    /// The nodes that support it. Others would say so in an ICMP message, and the node would leave them alone (section
    /// 11.6.2).
    supporting: Vec<NodeId>,
    correspondences: Vec<Correspondence>,
    /// The move that the home agent has confirmed and a correspondent has not.
    waits: Option<NodeId>,
}

impl RouteOptimization {
    fn new(setup: &Setup) -> Self {
        RouteOptimization {
            home: MobileIpv6::new(setup, BindingFlags::HOME_REGISTRATION),
            shared: Shared {
                home_address: setup.home_address,
                lifetime_s: setup.registration_lifetime_s,
                retransmission: setup.registration_retransmission,
            },
            supporting: setup.correspondents.clone(),
            correspondences: Vec::new(),
            waits: None,
        }
    }

    /// A packet of this node has come through the tunnel of the home agent.
    fn on_tunneled(&mut self, now: Instant, source: NodeId, actions: &mut Actions) {
        let is_known = self.correspondences.iter().any(|it| it.correspondent == source);
        let away = self.home.care_of_address.filter(|address| *address != self.shared.home_address);
        let Some(care_of_address) = away.filter(|_| !is_known && self.supporting.contains(&source)) else {
            return;
        };
        let mut fresh = Correspondence::new(source, self.shared, care_of_address);
        if self.home.waits_for_home_agent() {
            fresh.moved_to(now, care_of_address, actions);
        } else {
            fresh.begin(now, actions);
        }
        self.correspondences.push(fresh);
    }

    /// Let Mobile IPv6 act, and note what it finds out.
    fn step_home(&mut self, now: Instant, happened: ProtocolEvent<'_>, actions: &mut Actions) {
        let before = self.home.care_of_address;
        let mut further = Actions::default();
        self.home.on(now, happened, &mut further);
        for action in further.drain() {
            match action {
                Action::Registered { care_of_address, after_move } => {
                    self.on_registered(now, care_of_address, after_move, actions);
                }
                _ => actions.push(action),
            }
        }
        if let Some(address) = self.home.care_of_address.filter(|_| self.home.care_of_address != before) {
            self.waits = None;
            self.correspondences.iter_mut().for_each(|it| it.moved_to(now, address, actions));
        }
    }

    fn on_registered(
        &mut self,
        now: Instant,
        care_of_address: NodeId,
        after_move: bool,
        actions: &mut Actions,
    ) {
        if self.home.care_of_address == Some(care_of_address) {
            self.correspondences.iter_mut().for_each(|it| it.home_agent_confirmed(now, actions));
        }
        self.waits = Some(care_of_address).filter(|_| after_move && self.is_behind());
        let after_move = after_move && self.waits.is_none();
        actions.push(Action::Registered { care_of_address, after_move });
    }

    /// Whether a correspondent may send to where the node was.
    fn is_behind(&self) -> bool {
        self.correspondences.iter().any(Correspondence::is_behind)
    }

    /// The node is reachable when the last node that must learn of the move has confirmed it.
    fn on_acknowledgement(
        &mut self,
        now: Instant,
        message: &CorrespondentAcknowledgement,
        actions: &mut Actions,
    ) {
        let CorrespondentAcknowledgement { correspondent, answer } = message;
        let from = self.correspondences.iter_mut().find(|it| it.correspondent == *correspondent);
        let is_bound = from.is_some_and(|it| it.on_acknowledgement(now, answer, actions));
        if is_bound
            && !self.is_behind()
            && let Some(care_of_address) = self.waits.take()
        {
            actions.push(Action::Registered { care_of_address, after_move: true });
        }
    }

    fn on_message(&mut self, now: Instant, message: &Ipv6Control, actions: &mut Actions) {
        let all = &mut self.correspondences;
        match message {
            Ipv6Control::HomeTest(test) => all.iter_mut().for_each(|it| it.on_home_test(now, test, actions)),
            Ipv6Control::CareOfTest(test) => {
                all.iter_mut().for_each(|it| it.on_care_of_test(now, test, actions));
            }
            Ipv6Control::CorrespondentAcknowledgement(answer) => {
                self.on_acknowledgement(now, answer, actions)
            }
            _ => {}
        }
    }
}

impl Protocol for RouteOptimization {
    fn on(&mut self, now: Instant, happened: ProtocolEvent<'_>, actions: &mut Actions) {
        match happened {
            ProtocolEvent::Tunneled { source } => return self.on_tunneled(now, source, actions),
            ProtocolEvent::Message(Control::Ipv6(message)) => self.on_message(now, message, actions),
            ProtocolEvent::Wake => self.correspondences.iter_mut().for_each(|it| it.on_wake(now, actions)),
            ProtocolEvent::Message(_) | ProtocolEvent::LinkGoingDown { .. } | ProtocolEvent::LinkUp => {}
        }
        self.step_home(now, happened, actions);
    }
    fn wake_at(&self) -> Option<Instant> {
        let correspondents = self.correspondences.iter().filter_map(Correspondence::wake_at);
        correspondents.chain(self.home.wake_at()).min()
    }
    fn tunnels(&self, source: NodeId) -> Upwards {
        self.home.tunnels(source)
    }
    fn direct_from(&self, source: NodeId, destination: NodeId) -> Option<NodeId> {
        let to = self.correspondences.iter().find(|it| it.correspondent == destination);
        to.filter(|_| source == self.shared.home_address)?.direct_from()
    }
}
