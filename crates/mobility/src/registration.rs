//! The mobile node's side of registration (RFC 5944 section 3.6).

use crate::agent_discovery::MovementDetection;
use crate::lifetime;
use seamline_wire::control::{
    AgentAdvertisement, AgentFlags, Identification, RegistrationFlags, RegistrationReply,
    RegistrationRequest, ReplyCode,
};
use seamline_wire::{Duration, Instant, NodeId};

/// How a mobile node uses Mobile IPv4.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MobileIpConfig {
    /// The node that its home agent is on.
    pub home_agent: NodeId,
    /// The rule of movement detection.
    pub movement_detection: MovementDetection,
    /// The requested lifetime in seconds; 65535 means unlimited.
    pub registration_lifetime_s: u16,
    /// The timeout for the first reply; it doubles with each retransmission, up to the lifetime. Not less than a
    /// second (RFC 5944 section 3.6.3), unless an experiment requires it.
    pub registration_retransmission: Duration,
    /// Whether its link layer reports link-up; it then solicits an advertisement instead of waiting for one.
    pub layer_2_triggers: bool,
    /// The foreign agent that it is registered with initially; the home agent when it starts at home.
    pub registered_with: Option<NodeId>,
}

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

/// A request and its destination.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ToSend {
    pub(crate) request: RegistrationRequest,
    pub(crate) agent: NodeId,
}

/// The meaning of a reply.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Answer {
    /// It does not match the last request.
    Stale,
    /// The node is registered after a move, or its registration is renewed.
    Accepted { care_of_address: NodeId, after_move: bool },
    /// Rejected; another request may have to be sent at once.
    Refused(Option<ToSend>),
}

/// Keeps a mobile node registered.
#[derive(Debug)]
pub(crate) struct Registration {
    home_address: NodeId,
    config: MobileIpConfig,
    outstanding: Option<Outstanding>,
    registered: Option<Registered>,
    newest: Option<Identification>,
}

impl Registration {
    pub(crate) fn new(home_address: NodeId, config: MobileIpConfig) -> Self {
        let mut registration =
            Registration { home_address, config, outstanding: None, registered: None, newest: None };
        if let Some(agent) = config.registered_with
            && let Some(care_of_address) = registration.care_of_address(agent, Some(agent))
        {
            let lifetime_s = registration.lifetime_at(agent);
            registration.note_registered(Instant::ZERO, Place { agent, care_of_address }, lifetime_s);
        }
        registration
    }

    /// The node is at this agent.
    pub(crate) fn moved_to(&mut self, now: Instant, advertisement: &AgentAdvertisement) -> Option<ToSend> {
        let AgentAdvertisement { agent, flags, care_of_address, .. } = *advertisement;
        let offered = care_of_address.filter(|_| flags.contains(AgentFlags::FOREIGN_AGENT));
        let care_of_address = self.care_of_address(agent, offered)?;
        // Agents advertise the maximum lifetime, so that nodes do not request more.
        let lifetime_s = self.lifetime_at(agent).min(advertisement.registration_lifetime_s);
        Some(self.ask(now, Place { agent, care_of_address }, lifetime_s, true))
    }

    fn is_home(&self, agent: NodeId) -> bool {
        agent == self.config.home_agent
    }
    fn care_of_address(&self, agent: NodeId, offered: Option<NodeId>) -> Option<NodeId> {
        if self.is_home(agent) { Some(self.home_address) } else { offered }
    }
    /// At home no registration is needed: a lifetime of zero deregisters.
    fn lifetime_at(&self, agent: NodeId) -> u16 {
        if self.is_home(agent) { 0 } else { self.config.registration_lifetime_s }
    }

    fn ask(&mut self, now: Instant, place: Place, lifetime_s: u16, after_move: bool) -> ToSend {
        let Place { agent, care_of_address } = place;
        let request = RegistrationRequest {
            flags: RegistrationFlags::default(),
            lifetime_s,
            home_address: self.home_address,
            home_agent: self.config.home_agent,
            care_of_address,
            identification: self.next_identification(now),
        };
        let timeout = self.config.registration_retransmission;
        let send_again_at = now + timeout;
        let first = request.identification;
        self.outstanding = Some(Outstanding { request, first, agent, after_move, send_again_at, timeout });
        ToSend { request, agent }
    }

    fn next_identification(&mut self, now: Instant) -> Identification {
        let after_last = self.newest.map_or(0, |newest| newest.0 + 1);
        let identification = Identification(Identification::at(now).0.max(after_last));
        self.newest = Some(identification);
        identification
    }

    /// RFC 5944 section 3.6.2: only the reply to the last request counts. One made whole seconds earlier, whose low half is the same,
    /// counts if it asked for the same thing, but not if it was for an earlier move.
    pub(crate) fn on_reply(&mut self, now: Instant, reply: &RegistrationReply) -> Answer {
        let asked = self.outstanding.filter(|asked| {
            asked.request.identification.low() == reply.identification.low()
                && (!reply.code.is_accepted() || asked.first <= reply.identification)
                && reply.home_address == self.home_address
                && reply.home_agent == self.config.home_agent
        });
        let Some(Outstanding { request, agent, after_move, .. }) = asked else { return Answer::Stale };
        if reply.code.is_accepted() {
            self.outstanding = None;
            let care_of_address = request.care_of_address;
            let lifetime_s = reply.lifetime_s.min(request.lifetime_s);
            self.note_registered(now, Place { agent, care_of_address }, lifetime_s);
            return Answer::Accepted { care_of_address, after_move };
        }
        let shorter = reply.code == ReplyCode::LIFETIME_TOO_LONG && reply.lifetime_s < request.lifetime_s;
        let place = Place { agent, care_of_address: request.care_of_address };
        // After any other rejection it waits for its timer, and sends a request with a newer identification.
        Answer::Refused(shorter.then(|| self.ask(now, place, reply.lifetime_s, after_move)))
    }

    /// Renew at half of the lifetime; the RFC requires it some time before the end (section 3.6.1).
    fn note_registered(&mut self, now: Instant, place: Place, lifetime_s: u16) {
        let renew_at = match lifetime_s {
            0 => None,
            _ => lifetime::end(now, lifetime_s).map(|_| now + Duration::from_millis(500) * lifetime_s.into()),
        };
        self.registered = Some(Registered { place, renew_at });
    }

    /// The request that is due for transmission.
    pub(crate) fn on_wake(&mut self, now: Instant) -> Option<ToSend> {
        if let Some(asked) = self.outstanding {
            if asked.send_again_at > now {
                return None;
            }
            return Some(self.ask_again(now, asked));
        }
        let Registered { place, renew_at } = self.registered?;
        let lifetime_s = self.lifetime_at(place.agent);
        renew_at.is_some_and(|at| at <= now).then(|| self.ask(now, place, lifetime_s, false))
    }

    /// RFC 5944 section 3.6.3: with a new identification and twice the timeout.
    fn ask_again(&mut self, now: Instant, asked: Outstanding) -> ToSend {
        let Outstanding { mut request, timeout, agent, .. } = asked;
        request.identification = self.next_identification(now);
        let longest = Duration::from_secs(u64::from(self.config.registration_lifetime_s));
        let timeout = (timeout * 2).min(longest.max(self.config.registration_retransmission));
        self.outstanding = Some(Outstanding { request, send_again_at: now + timeout, timeout, ..asked });
        ToSend { request, agent }
    }

    pub(crate) fn wake_at(&self) -> Option<Instant> {
        match self.outstanding {
            Some(asked) => Some(asked.send_again_at),
            None => self.registered?.renew_at,
        }
    }
}
