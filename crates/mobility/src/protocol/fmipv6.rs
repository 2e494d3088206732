//! Mobile IPv6 Fast Handovers (RFC 5568) in reactive mode. After a move the mobile node sends a Fast Binding Update to
//! the access router that it has left. That router then tunnels to the new care-of address the packets that it has
//! buffered and those that still arrive for the previous one. The rest is Mobile IPv6.
//!
//! Not modelled: the messages between access routers, which are optional in this mode (section 4), authentication options
//! (section 6.4.5), and pacing: buffered packets leave at once (section 5.4).
//! The node sends its packets through its home agent, which learns the new address first, and not back to the previous
//! router (section 3.1).

use super::mobile_ipv6::{MobileIpv6, TRAITS};
use super::{Action, Actions, Protocol, ProtocolEvent, Scheme, Setup, Traits, Upwards};
use seamline_wire::control::{BindingAcknowledgement, BindingFlags, BindingUpdate, Ipv6Control};
use seamline_wire::{Control, Duration, Instant, NodeId};

/// The maximum number of retransmissions of an update (FBU_RETRIES, section 9).
const RETRIES: u32 = 3;
/// Tunnels last for tens of seconds (section 5.6).
const LIFETIME_S: u16 = 10;

/// Fast handovers in the registry.
pub(super) static SCHEME: Scheme = Scheme {
    name: "fmipv6",
    summary: "Mobile IPv6 with reactive fast handovers: the previous access router tunnels to the new address",
    cite: "RFC 5568, RFC 6275",
    traits: Traits { previous_router_forwards: true, ..TRAITS },
    build: |setup| Box::new(Fmipv6::new(setup)),
};

/// A pending update.
#[derive(Clone, Copy, Debug)]
struct Outstanding {
    router: NodeId,
    update: BindingUpdate,
    /// Whether the node is still on the link of that router.
    is_early: bool,
    send_again_at: Instant,
    timeout: Duration,
    retries_left: u32,
}

/// The mobile node's part.
#[derive(Debug)]
pub(super) struct Fmipv6 {
    mobile_ipv6: MobileIpv6,
    pub(super) home_agent: NodeId,
    /// The initial timeout; it doubles with each retransmission.
    retransmission: Duration,
    /// The router that it currently uses, as far as it knows.
    pub(super) router: Option<NodeId>,
    /// Routers that may still tunnel to where it was later, and until when.
    asked: Vec<(NodeId, Instant)>,
    /// The sequence number of the last update sent, to any router.
    sequence: u16,
    outstanding: Vec<Outstanding>,
}

impl Fmipv6 {
    pub(super) fn new(setup: &Setup) -> Self {
        Fmipv6 {
            mobile_ipv6: MobileIpv6::new(setup, BindingFlags::HOME_REGISTRATION),
            home_agent: setup.home_agent.expect("the protocol needs a home agent"),
            retransmission: setup.registration_retransmission,
            router: setup.registered_with,
            asked: Vec::new(),
            sequence: 0,
            outstanding: Vec::new(),
        }
    }

    /// The address of the node on the link of a router.
    pub(super) fn address_at(&self, router: NodeId) -> Option<NodeId> {
        self.mobile_ipv6.discovery.on_link_address(router)
    }

    /// The node uses another router: ask the previous one to tunnel to it, unless it does so already, and ask the new one
    /// to stop tunnelling to where the node was in between (section 5.6).
    fn moved(&mut self, now: Instant, router: NodeId, knows: bool, actions: &mut Actions) {
        let previous = self.router.replace(router).filter(|previous| *previous != router);
        self.outstanding.clear();
        self.asked.retain(|(_, until)| now < *until);
        let Some(new) = self.address_at(router) else { return };
        if let Some(place) = self.asked.iter().position(|(of, _)| *of == router) {
            self.asked.swap_remove(place);
            self.ask(now, (router, new), new, false, actions);
        }
        // The home agent itself forwards what is addressed to the node at home.
        let Some(previous) = previous.filter(|previous| *previous != self.home_agent) else { return };
        if let Some(address) = self.address_at(previous) {
            self.asked.push((previous, now + Duration::from_secs(LIFETIME_S.into())));
            if !knows {
                self.ask(now, (previous, address), new, false, actions);
            }
        }
    }

    /// Ask a router to tunnel packets for the address on its link to another address, or to end that.
    pub(super) fn ask(
        &mut self,
        now: Instant,
        (router, home_address): (NodeId, NodeId),
        care_of_address: NodeId,
        is_early: bool,
        actions: &mut Actions,
    ) {
        let update = BindingUpdate {
            sequence: self.next_sequence(),
            flags: BindingFlags::ACKNOWLEDGE | BindingFlags::HOME_REGISTRATION,
            lifetime_units: if home_address == care_of_address { 0 } else { LIFETIME_S },
            home_address,
            care_of_address,
        };
        let timeout = self.retransmission;
        let send_again_at = now + timeout;
        let asked = Outstanding { router, update, is_early, send_again_at, timeout, retries_left: RETRIES };
        self.outstanding.push(asked);
        send(&asked, actions);
    }

    fn next_sequence(&mut self) -> u16 {
        self.sequence = self.sequence.wrapping_add(1);
        self.sequence
    }

    /// Retransmitted with a new sequence number and twice the timeout, like Binding Updates; after the last
    /// retransmission the node gives up (section 4).
    fn on_wake(&mut self, now: Instant, actions: &mut Actions) {
        for asked in std::mem::take(&mut self.outstanding) {
            if now < asked.send_again_at {
                self.outstanding.push(asked);
                continue;
            }
            let Some(retries_left) = asked.retries_left.checked_sub(1) else { continue };
            let update = BindingUpdate { sequence: self.next_sequence(), ..asked.update };
            let timeout = asked.timeout * 2;
            let send_again_at = now + timeout;
            let again = Outstanding { update, send_again_at, timeout, retries_left, ..asked };
            self.outstanding.push(again);
            send(&again, actions);
        }
    }

    /// Returns the new care-of address when the router of the current link agrees to tunnel to it.
    pub(super) fn on_acknowledgment(
        &mut self,
        answer: &BindingAcknowledgement,
        actions: &mut Actions,
    ) -> Option<NodeId> {
        let is_answer = |asked: &Outstanding| {
            (answer.sequence, answer.home_address) == (asked.update.sequence, asked.update.home_address)
        };
        let place = self.outstanding.iter().position(is_answer)?;
        let asked = self.outstanding.swap_remove(place);
        if !answer.status.is_accepted() {
            actions.push(Action::BindingRefused { status: answer.status });
            return None;
        }
        asked.is_early.then_some(asked.update.care_of_address)
    }

    /// The node is on the link of this router, as it knows without an advertisement. `knows`: the previous router tunnels
    /// to it already.
    pub(super) fn arrive(&mut self, now: Instant, router: NodeId, knows: bool, actions: &mut Actions) {
        let mut further = Actions::default();
        self.mobile_ipv6.arrive(now, router, &mut further);
        self.take(now, further, knows, actions);
    }

    /// Let both protocols act. `knows`: the previous router tunnels to the next link already.
    pub(super) fn step(
        &mut self,
        now: Instant,
        happened: ProtocolEvent<'_>,
        knows: bool,
        actions: &mut Actions,
    ) {
        if happened == ProtocolEvent::Wake {
            self.on_wake(now, actions);
        }
        let mut further = Actions::default();
        self.mobile_ipv6.on(now, happened, &mut further);
        self.take(now, further, knows, actions);
    }

    /// Sent before the home agent's update: packets on their way to the previous router cannot wait.
    fn take(&mut self, now: Instant, mut further: Actions, knows: bool, actions: &mut Actions) {
        for action in further.drain() {
            actions.push(action);
            if let Action::Moved { agent } = action {
                self.moved(now, agent, knows, actions);
            }
        }
    }
}

fn send(asked: &Outstanding, actions: &mut Actions) {
    let Outstanding { router, update, is_early, .. } = *asked;
    let (from, message) = match is_early {
        true => (update.home_address, Ipv6Control::PredictiveBindingUpdate(update)),
        false => (update.care_of_address, Ipv6Control::FastBindingUpdate(update)),
    };
    actions.push(Action::Send { from, to: router, message: Control::Ipv6(message) });
}

impl Protocol for Fmipv6 {
    fn on(&mut self, now: Instant, happened: ProtocolEvent<'_>, actions: &mut Actions) {
        if let ProtocolEvent::Message(Control::Ipv6(Ipv6Control::FastBindingAcknowledgment(answer))) =
            happened
        {
            self.on_acknowledgment(answer, actions);
        }
        self.step(now, happened, false, actions);
    }
    fn wake_at(&self) -> Option<Instant> {
        let again = self.outstanding.iter().map(|asked| asked.send_again_at);
        again.chain(self.mobile_ipv6.wake_at()).min()
    }
    fn tunnels(&self, source: NodeId) -> Upwards {
        self.mobile_ipv6.tunnels(source)
    }
}
