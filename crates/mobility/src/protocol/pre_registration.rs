//! Low-latency handoffs in Mobile IPv4 by pre-registration (RFC 4881 section 3), initiated by the mobile node (section 3.3).
//! When the link layer announces that it is going to lose the link (the key `notice` with a `lead`), the node asks its
//! foreign agent for the advertisement of the agent at the next access point, and registers with that agent while it is
//! still on the old link. On the new link it needs neither an advertisement nor the answer of the home agent to be
//! reachable.
//!
//! When the preparation is not done in time, Mobile IPv4 does the rest on the new link (section 8.1). With simultaneous
//! bindings packets also go to the old link until then (section 6).
//!
//! Readings: agents know the advertisements of their neighbors (section 3.4, by solicitations in advance); the new agent keeps
//! the registration reply until the node solicits it on the new link.

use super::mobile_ipv4::{MobileIpv4, TRAITS};
use super::{Action, Actions, Participation, Protocol, ProtocolEvent, Scheme, Setup, Traits};
use crate::movement::CellId;
use seamline_wire::control::AgentAdvertisement;
use seamline_wire::{Control, Duration, Instant, NodeId};

/// Pre-registration in the registry.
pub(super) static SCHEME: Scheme = Scheme {
    name: "mobile-ipv4-pre-registration",
    summary: "Low-latency Mobile IPv4: the node registers with the next foreign agent while it is on the old link",
    cite: "RFC 4881",
    traits: Traits { simultaneous_bindings: Participation::Possible, ..TRAITS },
    build: |setup| Box::new(PreRegistration::new(setup)),
};

/// A handoff that is being prepared.
#[derive(Clone, Copy, Debug)]
struct Preparation {
    next: CellId,
    /// The next agent, when it is known and asked.
    agent: Option<NodeId>,
    ask_again_at: Instant,
    timeout: Duration,
    /// The node is not going there after all.
    ends: Instant,
}

/// The mobile node's part.
#[derive(Debug)]
struct PreRegistration {
    mobile_ipv4: MobileIpv4,
    home_address: NodeId,
    /// The timeout for the first answer; it doubles with each retransmission.
    retransmission: Duration,
    /// The agent of the current link.
    agent: Option<NodeId>,
    /// Its last advertisement.
    heard: Option<AgentAdvertisement>,
    preparation: Option<Preparation>,
    /// The node has arrived at this agent without having its reply; and whether it has heard an advertisement since.
    expects_reply_of: Option<(NodeId, bool)>,
}

impl PreRegistration {
    fn new(setup: &Setup) -> Self {
        PreRegistration {
            mobile_ipv4: MobileIpv4::new(setup),
            home_address: setup.home_address,
            retransmission: setup.registration_retransmission,
            agent: setup.registered_with,
            heard: None,
            preparation: None,
            expects_reply_of: None,
        }
    }

    fn prepare(&mut self, now: Instant, next: CellId, within: Duration, actions: &mut Actions) {
        if self.preparation.is_some_and(|it| it.next == next) {
            return;
        }
        let timeout = self.retransmission;
        let ends = now + within + self.retransmission;
        self.preparation =
            Some(Preparation { next, agent: None, ask_again_at: now + timeout, timeout, ends });
        self.solicit(next, actions);
    }

    fn solicit(&self, next: CellId, actions: &mut Actions) {
        if let Some(to) = self.agent {
            let message = Control::ProxyAgentSolicitation(next.0);
            actions.push(Action::Send { from: self.home_address, to, message });
        }
    }

    /// Register with the next agent, through the current one (section 3.3).
    fn on_proxy(
        &mut self,
        now: Instant,
        access_point: u32,
        heard: &AgentAdvertisement,
        actions: &mut Actions,
    ) {
        let asked = self.preparation.as_mut().filter(|it| it.agent.is_none() && it.next.0 == access_point);
        let Some(it) = asked.filter(|_| self.agent != Some(heard.agent)) else { return };
        it.agent = Some(heard.agent);
        self.mobile_ipv4.registration.moved_to(now, heard, actions);
    }

    /// On the new link, whose agent is known: solicit its reply.
    fn arrive(&mut self, now: Instant, agent: NodeId, actions: &mut Actions) {
        self.preparation = None;
        self.agent = Some(agent);
        self.heard = None;
        self.mobile_ipv4.discovery.arrive(now, agent, actions);
        self.expects_reply_of = Some((agent, false)).filter(|_| self.mobile_ipv4.registration.waits());
        let message = Control::AgentSolicitation;
        actions.push(Action::Send { from: self.home_address, to: NodeId::ALL_ROUTERS, message });
    }

    /// The agent answers a solicitation with the reply first: without one the request was lost (section 8.1). The first
    /// advertisement may be one that it has sent before the solicitation came.
    fn on_advertisement(&mut self, now: Instant, heard: &AgentAdvertisement, actions: &mut Actions) {
        match self.expects_reply_of {
            Some((agent, false)) if agent == heard.agent => self.expects_reply_of = Some((agent, true)),
            Some((agent, true)) if agent == heard.agent => {
                self.expects_reply_of = None;
                self.mobile_ipv4.registration.ask_again(now, actions);
            }
            _ => {}
        }
    }

    fn on_wake(&mut self, now: Instant, actions: &mut Actions) {
        let Some(it) = &mut self.preparation else { return };
        if it.agent.is_none() && it.ask_again_at <= now {
            it.timeout = it.timeout * 2;
            it.ask_again_at = now + it.timeout;
            let next = it.next;
            self.solicit(next, actions);
        }
        self.end_in_vain(now, actions);
    }

    /// The link was not lost: register with the current agent again.
    fn end_in_vain(&mut self, now: Instant, actions: &mut Actions) {
        let Some(it) = self.preparation.filter(|it| it.ends <= now) else { return };
        self.preparation = None;
        if let (Some(_), Some(here)) = (it.agent, self.heard) {
            self.mobile_ipv4.registration.moved_to(now, &here, actions);
        }
    }

    /// Let Mobile IPv4 act, and note where it is.
    fn step(&mut self, now: Instant, happened: ProtocolEvent<'_>, actions: &mut Actions) {
        let mut further = Actions::default();
        self.mobile_ipv4.on(now, happened, &mut further);
        for action in further.drain() {
            actions.push(action);
            if let Action::Moved { agent } = action {
                self.agent = Some(agent);
                self.preparation = None;
                self.expects_reply_of = None;
            }
        }
    }
}

impl Protocol for PreRegistration {
    fn on(&mut self, now: Instant, happened: ProtocolEvent<'_>, actions: &mut Actions) {
        match happened {
            ProtocolEvent::LinkGoingDown { next: Some(next), within } => {
                self.prepare(now, next, within, actions);
            }
            ProtocolEvent::Message(Control::ProxyAgentAdvertisement(access_point, heard)) => {
                self.on_proxy(now, *access_point, heard, actions);
            }
            ProtocolEvent::LinkUp if let Some(agent) = self.preparation.and_then(|it| it.agent) => {
                return self.arrive(now, agent, actions);
            }
            ProtocolEvent::Wake => self.on_wake(now, actions),
            _ => {}
        }
        self.step(now, happened, actions);
        if let ProtocolEvent::Message(Control::AgentAdvertisement(heard)) = happened {
            self.heard = Some(*heard).filter(|heard| self.agent == Some(heard.agent)).or(self.heard);
            self.on_advertisement(now, heard, actions);
        }
    }
    fn wake_at(&self) -> Option<Instant> {
        let preparation = self.preparation;
        let asks = preparation.filter(|it| it.agent.is_none()).map(|it| it.ask_again_at);
        let ends = preparation.map(|it| it.ends);
        [asks, ends, self.mobile_ipv4.wake_at()].into_iter().flatten().min()
    }
}
