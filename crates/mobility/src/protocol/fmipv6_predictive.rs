//! Mobile IPv6 Fast Handovers (RFC 5568) in predictive mode. When the link layer announces that it is going to lose the
//! link (the key `notice` with a `lead`), the mobile node asks its access router which router is at the next access point,
//! and sends it a Fast Binding Update. The router prepares the handover with the next one, and tunnels packets there, where
//! they wait until the node announces itself on the new link.
//!
//! When this is not done in time, the node does what remains on the new link: the reactive mode. It also needs no
//! advertisement there when it knows the router.
//!
//! Not modelled: what [`super::fmipv6`] leaves out, and addresses that the new router assigns or refuses (section 6.4.6).

use super::fmipv6::{self, Fmipv6};
use super::{Actions, Protocol, ProtocolEvent, Scheme, Setup, Upwards};
use crate::handover_preparation::PROXY_LIFETIME;
use crate::movement::CellId;
use crate::protocol::Action;
use crate::retransmission::{FIRST_WAIT, Retransmission};
use seamline_wire::control::{Ipv6Control, ProxyRouterAdvertisement, ProxyRouterSolicitation};
use seamline_wire::{Control, Duration, Instant, NodeId};

/// How often the node announces itself (MAX_NEIGHBOR_ADVERTISEMENT, RFC 4861 section 10); section 6.3 leaves the time
/// between announcements open, because RFC 4861's second is long for a handover; it is that before a retransmission.
const ANNOUNCEMENTS: u32 = 3;

/// Predictive fast handovers in the registry.
pub(super) static SCHEME: Scheme = Scheme {
    name: "fmipv6-predictive",
    summary: "Mobile IPv6 with predictive fast handovers: the next access router keeps packets until the node comes",
    cite: "RFC 5568, RFC 6275",
    traits: fmipv6::SCHEME.traits,
    build: |setup| Box::new(Fmipv6Predictive::new(setup)),
};

/// A handover that is being prepared.
#[derive(Clone, Copy, Debug)]
struct Preparation {
    solicitation: ProxyRouterSolicitation,
    /// Until there is an answer.
    ask_again: Option<Retransmission>,
    /// The next router.
    router: Option<NodeId>,
    /// The current router has agreed to tunnel there.
    is_bound: bool,
    /// The next router stops waiting for the node; so it is not going there.
    ends: Instant,
}

/// Announcements to come.
#[derive(Clone, Copy, Debug)]
struct Announcements {
    router: NodeId,
    address: NodeId,
    next: Instant,
    left: u32,
}

/// The mobile node's part.
#[derive(Debug)]
struct Fmipv6Predictive {
    reactive: Fmipv6,
    identifier: u16,
    preparation: Option<Preparation>,
    announcements: Option<Announcements>,
}

impl Fmipv6Predictive {
    fn new(setup: &Setup) -> Self {
        let reactive = Fmipv6::new(setup);
        Fmipv6Predictive { reactive, identifier: 0, preparation: None, announcements: None }
    }

    /// The current router and the node's address on its link; `None` at home, where the home agent itself forwards.
    fn here(&self) -> Option<(NodeId, NodeId)> {
        let router = self.reactive.router.filter(|router| *router != self.reactive.home_agent)?;
        Some((router, self.reactive.address_at(router)?))
    }

    fn prepare(&mut self, now: Instant, next: CellId, within: Duration, actions: &mut Actions) {
        let is_under_way = |it: &Preparation| it.solicitation.access_point == next.0;
        if self.preparation.as_ref().is_some_and(is_under_way) {
            return;
        }
        self.identifier = self.identifier.wrapping_add(1);
        let solicitation = ProxyRouterSolicitation { identifier: self.identifier, access_point: next.0 };
        self.preparation = Some(Preparation {
            solicitation,
            ask_again: Some(Retransmission::after(now)),
            router: None,
            is_bound: false,
            ends: now + within + PROXY_LIFETIME,
        });
        self.solicit(actions);
    }

    fn solicit(&self, actions: &mut Actions) {
        if let (Some((to, from)), Some(preparation)) = (self.here(), &self.preparation) {
            let message = Ipv6Control::ProxyRouterSolicitation(preparation.solicitation);
            actions.push(Action::Send { from, to, message: Control::Ipv6(message) });
        }
    }

    /// Ask the current router to tunnel to the next one. One that does not know the access point ends the preparation
    /// (section 4).
    fn on_proxy(&mut self, now: Instant, heard: &ProxyRouterAdvertisement, actions: &mut Actions) {
        let Some((here, here_address)) = self.here() else { return };
        let asked = self.preparation.as_mut().filter(|it| it.ask_again.is_some());
        let Some(it) = asked.filter(|it| it.solicitation.identifier == heard.identifier) else { return };
        it.ask_again = None;
        it.router = heard.router.filter(|router| *router != self.reactive.home_agent);
        match it.router.and_then(|router| self.reactive.address_at(router)) {
            Some(there) => self.reactive.ask(now, (here, here_address), there, true, actions),
            None => self.preparation = None,
        }
    }

    /// The node is on the link of the router that it has prepared for, as this event shows.
    fn arrival(&self, happened: &ProtocolEvent<'_>) -> Option<(NodeId, bool)> {
        let prepared = self.preparation?;
        let router = prepared.router?;
        let is_there = match happened {
            ProtocolEvent::LinkUp => true,
            ProtocolEvent::Message(Control::Ipv6(Ipv6Control::RouterAdvertisement(heard))) => {
                heard.router == router && self.reactive.router != Some(router)
            }
            _ => false,
        };
        is_there.then_some((router, prepared.is_bound))
    }

    /// On the new link: announce the node first (section 4).
    fn arrive(
        &mut self,
        now: Instant,
        happened: ProtocolEvent<'_>,
        (router, is_bound): (NodeId, bool),
        actions: &mut Actions,
    ) {
        self.preparation = None;
        if let Some(address) = self.reactive.address_at(router) {
            self.announcements = Some(Announcements { router, address, next: now, left: ANNOUNCEMENTS });
            self.announce(now, actions);
        }
        match happened {
            ProtocolEvent::LinkUp => self.reactive.arrive(now, router, is_bound, actions),
            _ => self.reactive.step(now, happened, is_bound, actions),
        }
    }

    fn announce(&mut self, now: Instant, actions: &mut Actions) {
        let Some(it) = &mut self.announcements else { return };
        if now < it.next {
            return;
        }
        let message = Control::Ipv6(Ipv6Control::NeighborAdvertisement(it.address));
        actions.push(Action::Send { from: it.address, to: it.router, message });
        it.next = now + FIRST_WAIT;
        it.left -= 1;
        self.announcements = self.announcements.filter(|it| it.left > 0);
    }

    fn on_wake(&mut self, now: Instant, actions: &mut Actions) {
        self.announce(now, actions);
        let Some(it) = &mut self.preparation else { return };
        it.ask_again = it.ask_again.filter(|timer| !timer.is_over(now));
        if it.ask_again.as_mut().is_some_and(|timer| timer.take_due(now)) {
            self.solicit(actions);
        }
        self.end_in_vain(now, actions);
    }

    /// The link was not lost: packets are to come here again (section 5.6).
    fn end_in_vain(&mut self, now: Instant, actions: &mut Actions) {
        let Some(it) = self.preparation.filter(|it| it.ends <= now) else { return };
        self.preparation = None;
        if let (Some((router, address)), Some(_)) = (self.here(), it.router) {
            self.reactive.ask(now, (router, address), address, false, actions);
        }
    }
}

impl Protocol for Fmipv6Predictive {
    fn on(&mut self, now: Instant, happened: ProtocolEvent<'_>, actions: &mut Actions) {
        if let Some(arrival) = self.arrival(&happened) {
            return self.arrive(now, happened, arrival, actions);
        }
        match happened {
            ProtocolEvent::LinkGoingDown { next: Some(next), within } if self.here().is_some() => {
                self.prepare(now, next, within, actions);
            }
            ProtocolEvent::Message(Control::Ipv6(Ipv6Control::ProxyRouterAdvertisement(heard))) => {
                self.on_proxy(now, heard, actions);
            }
            ProtocolEvent::Message(Control::Ipv6(Ipv6Control::FastBindingAcknowledgment(answer))) => {
                let there = self.reactive.on_acknowledgment(answer, actions);
                if let (Some(_), Some(preparation)) = (there, &mut self.preparation) {
                    preparation.is_bound = true;
                }
            }
            ProtocolEvent::Wake => self.on_wake(now, actions),
            _ => {}
        }
        self.reactive.step(now, happened, false, actions);
    }
    fn wake_at(&self) -> Option<Instant> {
        let asks = self.preparation.and_then(|it| Some(it.ask_again?.at));
        let ends = self.preparation.map(|it| it.ends);
        let announces = self.announcements.map(|it| it.next);
        [asks, ends, announces, self.reactive.wake_at()].into_iter().flatten().min()
    }
    fn tunnels(&self, source: NodeId) -> Upwards {
        self.reactive.tunnels(source)
    }
}
