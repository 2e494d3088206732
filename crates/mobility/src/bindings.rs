//! The mobility bindings of a home agent (RFC 5944 section 3.8).

use crate::lifetime;
use seamline_wire::control::{Identification, RegistrationReply, RegistrationRequest, ReplyCode};
use seamline_wire::{Instant, NodeId};
use std::collections::BTreeMap;

/// The location of a mobile node.
#[derive(Clone, Copy, Debug)]
struct Binding {
    care_of_address: NodeId,
    /// `None` means unlimited.
    until: Option<Instant>,
}

/// A mobile node whose home is here.
#[derive(Clone, Copy, Debug, Default)]
struct Home {
    binding: Option<Binding>,
    /// The identification of the last granted request.
    newest: Option<Identification>,
}

/// The mobility bindings of a home agent, by home address.
#[derive(Debug, Default)]
pub(crate) struct Bindings {
    homes: BTreeMap<NodeId, Home>,
    /// The expiry of the first binding, cached because every packet needs it.
    next_expiry: Option<Instant>,
}

impl Bindings {
    /// Add a mobile node with its home here.
    pub(crate) fn add_home(&mut self, home_address: NodeId) {
        self.homes.entry(home_address).or_default();
    }
    /// Add an initial binding.
    pub(crate) fn bind(&mut self, home_address: NodeId, care_of_address: NodeId, lifetime_s: u16) {
        let until = lifetime::end(Instant::ZERO, lifetime_s);
        self.homes.entry(home_address).or_default().binding = Some(Binding { care_of_address, until });
        self.find_next_expiry();
    }
    /// The tunnel destination for packets to a node: `None` when its home is elsewhere, `Some(None)` when it is at
    /// home.
    pub(crate) fn exit(&self, now: Instant, node: NodeId) -> Option<Option<NodeId>> {
        let binding = self.homes.get(&node)?.binding;
        let valid = binding.filter(|binding| binding.until.is_none_or(|until| now < until));
        Some(valid.map(|binding| binding.care_of_address))
    }
    /// Where a mobile node is registered; `None` when it is at home or unknown.
    pub(crate) fn care_of_address(&self, now: Instant, home_address: NodeId) -> Option<NodeId> {
        self.exit(now, home_address).flatten()
    }

    /// Check a request to the home agent at `agent` and apply it (RFC 5944 sections 3.8.2 and 5.7.1).
    pub(crate) fn register(
        &mut self,
        now: Instant,
        request: &RegistrationRequest,
        agent: NodeId,
        longest_s: u16,
    ) -> RegistrationReply {
        let lifetime_s = request.lifetime_s.min(longest_s);
        let reply = RegistrationReply {
            code: ReplyCode::ACCEPTED,
            lifetime_s,
            home_address: request.home_address,
            home_agent: agent,
            identification: request.identification,
        };
        let refused = |code| RegistrationReply { code, lifetime_s: 0, ..reply };
        let Some(home) = self.homes.get_mut(&request.home_address) else {
            return refused(ReplyCode::PROHIBITED);
        };
        if request.home_agent != agent {
            return refused(ReplyCode::UNKNOWN_HOME_AGENT);
        }
        if !is_current(now, request.identification, home.newest) {
            let ours = u64::from(Identification::at(now).seconds()) << 32;
            let identification = Identification(ours | u64::from(request.identification.low()));
            return RegistrationReply { identification, ..refused(ReplyCode::IDENTIFICATION_MISMATCH) };
        }
        home.newest = Some(request.identification);
        home.binding = match lifetime_s {
            0 => None,
            _ => Some(Binding {
                care_of_address: request.care_of_address,
                until: lifetime::end(now, lifetime_s),
            }),
        };
        self.find_next_expiry();
        reply
    }

    /// When the first binding runs out.
    pub(crate) fn next_expiry(&self) -> Option<Instant> {
        self.next_expiry
    }
    /// After every change of a binding.
    fn find_next_expiry(&mut self) {
        self.next_expiry = self.homes.values().filter_map(|home| home.binding?.until).min();
    }
    /// Remove one expired binding and return its address.
    pub(crate) fn take_expired(&mut self, now: Instant) -> Option<NodeId> {
        let is_over = |home: &Home| home.binding.and_then(|it| it.until).is_some_and(|until| until <= now);
        let (&home_address, home) = self.homes.iter_mut().find(|(_, home)| is_over(home))?;
        home.binding = None;
        self.find_next_expiry();
        Some(home_address)
    }
}

/// Whether a request is newer than all before it and its time near enough to ours.
fn is_current(now: Instant, identification: Identification, newest: Option<Identification>) -> bool {
    /// Seconds (RFC 5944 section 5.7.1).
    const TOLERANCE: u32 = 7;
    let apart = identification.seconds().abs_diff(Identification::at(now).seconds());
    apart <= TOLERANCE && newest.is_none_or(|newest| newest < identification)
}
