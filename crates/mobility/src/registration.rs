//! The mobile node's side of registration (RFC 5944 section 3.6).

use crate::lifetime;
use crate::protocol::{Action, Actions, Setup};
use seamline_wire::control::{
    AgentAdvertisement, AgentFlags, Identification, RegistrationReply, RegistrationRequest, ReplyCode,
    RequestFlags,
};
use seamline_wire::{Control, Duration, Instant, NodeId};

/// A pending request.
#[derive(Clone, Copy, Debug)]
struct Outstanding {
    request: RegistrationRequest,
    /// The time of the first transmission.
    first: Identification,
    /// Its destination.
    agent: NodeId,
    /// Whether it is for a move rather than a renewal.
    after_move: bool,
    send_again_at: Instant,
    timeout: Duration,
}

/// The target of a registration.
#[derive(Clone, Copy, Debug)]
struct Place {
    agent: NodeId,
    care_of_address: NodeId,
}

/// The current registration.
#[derive(Clone, Copy, Debug)]
struct Registered {
    place: Place,
    /// `None`: it never expires.
    renew_at: Option<Instant>,
}

/// Keeps a mobile node registered.
#[derive(Debug)]
pub(crate) struct Registration {
    home_address: NodeId,
    home_agent: NodeId,
    lifetime_s: u16,
    /// The timeout for the first reply; it doubles with each retransmission, up to the lifetime.
    retransmission: Duration,
    /// How long packets are sent to the previous agent, too, after a registration with another.
    keeps_both_for: Duration,
    outstanding: Option<Outstanding>,
    registered: Option<Registered>,
    newest: Option<Identification>,
}

impl Registration {
    pub(crate) fn new(setup: &Setup) -> Self {
        let mut registration = Registration {
            home_address: setup.home_address,
            home_agent: setup.home_agent.expect("the protocol needs a home agent"),
            lifetime_s: setup.registration_lifetime_s,
            retransmission: setup.registration_retransmission,
            keeps_both_for: setup.simultaneous_bindings,
            outstanding: None,
            registered: None,
            newest: None,
        };
        if let Some(agent) = setup.registered_with
            && let Some(care_of_address) = registration.care_of_address(agent, Some(agent))
        {
            let lifetime_s = registration.lifetime_at(agent);
            let flags = RequestFlags::default();
            registration.note_registered(Instant::ZERO, Place { agent, care_of_address }, lifetime_s, flags);
        }
        registration
    }

    /// The node is at this agent: register there, if possible.
    pub(crate) fn moved_to(
        &mut self,
        now: Instant,
        advertisement: &AgentAdvertisement,
        actions: &mut Actions,
    ) {
        let AgentAdvertisement { agent, flags, care_of_address, .. } = *advertisement;
        let offered = care_of_address.filter(|_| flags.contains(AgentFlags::FOREIGN_AGENT));
        if let Some(care_of_address) = self.care_of_address(agent, offered) {
            // Agents advertise the maximum lifetime, so that nodes do not request more.
            let lifetime_s = self.lifetime_at(agent).min(advertisement.registration_lifetime_s);
            self.ask(now, Place { agent, care_of_address }, lifetime_s, true, actions);
        }
    }

    fn is_home(&self, agent: NodeId) -> bool {
        agent == self.home_agent
    }
    fn care_of_address(&self, agent: NodeId, offered: Option<NodeId>) -> Option<NodeId> {
        if self.is_home(agent) { Some(self.home_address) } else { offered }
    }
    /// At home no registration is needed: a lifetime of zero deregisters.
    fn lifetime_at(&self, agent: NodeId) -> u16 {
        if self.is_home(agent) { 0 } else { self.lifetime_s }
    }

    fn ask(&mut self, now: Instant, place: Place, lifetime_s: u16, after_move: bool, actions: &mut Actions) {
        let Place { agent, care_of_address } = place;
        let request = RegistrationRequest {
            flags: self.flags(care_of_address, after_move),
            lifetime_s,
            home_address: self.home_address,
            home_agent: self.home_agent,
            care_of_address,
            identification: self.next_identification(now),
        };
        let (timeout, first) = (self.retransmission, request.identification);
        let send_again_at = now + timeout;
        self.send(Outstanding { request, first, agent, after_move, send_again_at, timeout }, actions);
    }

    /// The S bit for a move from one foreign agent to another. The next request has none, so that only its binding remains
    /// (RFC 5944 section 3.8.2).
    fn flags(&self, care_of_address: NodeId, after_move: bool) -> RequestFlags {
        let is_foreign = |address: NodeId| address != self.home_address;
        let is_other = |it: &Registered| {
            is_foreign(it.place.care_of_address) && it.place.care_of_address != care_of_address
        };
        let keeps = after_move
            && !self.keeps_both_for.is_zero()
            && is_foreign(care_of_address)
            && self.registered.as_ref().is_some_and(is_other);
        if keeps { RequestFlags::SIMULTANEOUS_BINDINGS } else { RequestFlags::default() }
    }

    /// Whether a request is unanswered.
    pub(crate) fn waits(&self) -> bool {
        self.outstanding.is_some()
    }
    /// Send the unanswered request again at once.
    pub(crate) fn ask_again(&mut self, now: Instant, actions: &mut Actions) {
        if let Some(mut asked) = self.outstanding {
            asked.request.identification = self.next_identification(now);
            asked.send_again_at = now + asked.timeout;
            self.send(asked, actions);
        }
    }

    fn send(&mut self, asked: Outstanding, actions: &mut Actions) {
        self.outstanding = Some(asked);
        let message = Control::RegistrationRequest(asked.request);
        actions.push(Action::Send { from: self.home_address, to: asked.agent, message });
    }

    fn next_identification(&mut self, now: Instant) -> Identification {
        let after_last = self.newest.map_or(0, |newest| newest.0 + 1);
        let identification = Identification(Identification::at(now).0.max(after_last));
        self.newest = Some(identification);
        identification
    }

    /// RFC 5944 section 3.6.2: only the reply to the last request counts. One made whole seconds earlier, whose low half is the same,
    /// counts if it asked for the same thing, but not if it was for an earlier move.
    pub(crate) fn on_reply(&mut self, now: Instant, reply: &RegistrationReply, actions: &mut Actions) {
        let asked = self.outstanding.filter(|asked| {
            asked.request.identification.low() == reply.identification.low()
                && (!reply.code.is_accepted() || asked.first <= reply.identification)
                && reply.home_address == self.home_address
                && reply.home_agent == self.home_agent
        });
        let Some(Outstanding { request, agent, after_move, .. }) = asked else { return };
        if reply.code.is_accepted() {
            self.outstanding = None;
            let care_of_address = request.care_of_address;
            let lifetime_s = reply.lifetime_s.min(request.lifetime_s);
            self.note_registered(now, Place { agent, care_of_address }, lifetime_s, request.flags);
            return actions.push(Action::Registered { care_of_address, after_move });
        }
        actions.push(Action::Refused { code: reply.code });
        // After any other rejection it waits for its timer, and sends a request with a newer identification.
        if reply.code == ReplyCode::LIFETIME_TOO_LONG && reply.lifetime_s < request.lifetime_s {
            let place = Place { agent, care_of_address: request.care_of_address };
            self.ask(now, place, reply.lifetime_s, after_move, actions);
        }
    }

    /// Renew at half of the lifetime; the RFC requires it some time before the end (section 3.6.1). The end of simultaneous
    /// bindings is a renewal, too.
    fn note_registered(&mut self, now: Instant, place: Place, lifetime_s: u16, flags: RequestFlags) {
        let keeps_both = flags.contains(RequestFlags::SIMULTANEOUS_BINDINGS);
        let end_of_both = keeps_both.then(|| now + self.keeps_both_for);
        let renew_at = match lifetime_s {
            0 => None,
            _ => lifetime::end(now, lifetime_s).map(|_| now + Duration::from_millis(500) * lifetime_s.into()),
        };
        let renew_at = [renew_at, end_of_both].into_iter().flatten().min();
        self.registered = Some(Registered { place, renew_at });
    }

    /// Send the request that is due. A retransmission has a new identification and twice the timeout (RFC 5944 section
    /// 3.6.3).
    pub(crate) fn on_wake(&mut self, now: Instant, actions: &mut Actions) {
        if self.wake_at().is_none_or(|at| now < at) {
            return;
        }
        if let Some(mut asked) = self.outstanding {
            asked.request.identification = self.next_identification(now);
            let longest = Duration::from_secs(u64::from(self.lifetime_s));
            asked.timeout = (asked.timeout * 2).min(longest.max(self.retransmission));
            asked.send_again_at = now + asked.timeout;
            self.send(asked, actions);
        } else if let Some(Registered { place, .. }) = self.registered {
            let lifetime_s = self.lifetime_at(place.agent);
            self.ask(now, place, lifetime_s, false, actions);
        }
    }

    pub(crate) fn wake_at(&self) -> Option<Instant> {
        match self.outstanding {
            Some(asked) => Some(asked.send_again_at),
            None => self.registered?.renew_at,
        }
    }
}
