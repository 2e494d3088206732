//! The visitors of a foreign agent, and the requests it has relayed (RFC 5944 section 3.7).

use crate::lifetime;
use seamline_wire::control::{RegistrationReply, RegistrationRequest};
use seamline_wire::{Instant, NodeId};
use std::collections::BTreeMap;

#[derive(Clone, Copy, Debug)]
struct Pending {
    request: RegistrationRequest,
    /// Replies after this time are ignored.
    until: Option<Instant>,
}

/// The visitor list, and the list of pending requests, by home address.
#[derive(Debug, Default)]
pub(crate) struct Visitors {
    /// The end of service of each visitor; `None` means unlimited.
    served: BTreeMap<NodeId, Option<Instant>>,
    pending: BTreeMap<NodeId, Pending>,
    /// Nodes that have registered before they are here, with the reply when there is one (RFC 4881 section 3.3).
    expected: BTreeMap<NodeId, Option<RegistrationReply>>,
}

impl Visitors {
    /// Start to serve a visitor.
    pub(crate) fn serve(&mut self, now: Instant, visitor: NodeId, lifetime_s: u16) {
        self.served.insert(visitor, lifetime::end(now, lifetime_s));
    }
    /// Whether a node is served.
    pub(crate) fn is_served(&self, now: Instant, node: NodeId) -> bool {
        self.served.get(&node).is_some_and(|until| until.is_none_or(|until| now < until))
    }
    /// A request was relayed; it replaces an earlier one.
    pub(crate) fn requested(&mut self, now: Instant, request: RegistrationRequest) {
        let until = lifetime::end(now, request.lifetime_s.max(1));
        self.pending.insert(request.home_address, Pending { request, until });
    }
    /// Whether a reply matches a pending request (RFC 5944 section 3.7.3.1). If so, update the service of the
    /// visitor.
    pub(crate) fn answered(&mut self, now: Instant, reply: &RegistrationReply) -> bool {
        let Some(Pending { request, until }) = self.pending.get(&reply.home_address).copied() else {
            return false;
        };
        let answers = request.identification.low() == reply.identification.low()
            && request.home_agent == reply.home_agent
            && until.is_none_or(|until| now < until);
        if !answers {
            return false;
        }
        self.pending.remove(&reply.home_address);
        if let Some(expected) = self.expected.get_mut(&reply.home_address) {
            *expected = Some(*reply);
        }
        if reply.code.is_accepted() {
            match reply.lifetime_s.min(request.lifetime_s) {
                0 => drop(self.served.remove(&reply.home_address)),
                lifetime_s => self.serve(now, reply.home_address, lifetime_s),
            }
        }
        true
    }
    /// A node that is not here yet registers.
    pub(crate) fn expect(&mut self, node: NodeId) {
        self.expected.insert(node, None);
    }
    /// The node is here: the reply that it has not received, if there is one.
    pub(crate) fn take_reply(&mut self, node: NodeId) -> Option<RegistrationReply> {
        self.expected.remove(&node)?
    }
    /// Remove expired visitors and requests.
    pub(crate) fn forget_expired(&mut self, now: Instant) {
        self.served.retain(|_, until| until.is_none_or(|until| now < until));
        self.pending.retain(|_, pending| pending.until.is_none_or(|until| now < until));
    }
}
