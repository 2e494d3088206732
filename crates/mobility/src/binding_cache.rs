//! The Binding Cache of an IPv6 home agent or mobility anchor point (RFC 6275 section 9.1).

use crate::bindings::{Binding, Bindings};
use seamline_wire::control::{BindingAcknowledgement, BindingFlags, BindingStatus, BindingUpdate};
use seamline_wire::{Duration, Instant, NodeId, Outbox};
use std::collections::BTreeMap;

/// What updates of an address must have.
#[derive(Clone, Copy, Debug)]
struct Expected {
    /// This flag.
    flag: BindingFlags,
    /// A sequence number after that of the last accepted update.
    after: Option<u16>,
}

/// The bindings of an anchor, by the stable address.
#[derive(Debug)]
pub(crate) struct BindingCache {
    bindings: Bindings<Expected>,
    /// Nodes of mobile networks, and the home addresses of their mobile routers.
    networks: BTreeMap<NodeId, NodeId>,
    /// The unit of the Lifetime field of an update, in seconds.
    lifetime_unit_s: u16,
}

impl BindingCache {
    /// A cache for updates whose Lifetime field has this unit, in seconds.
    pub(crate) fn new(lifetime_unit_s: u16) -> Self {
        BindingCache { bindings: Bindings::default(), networks: BTreeMap::new(), lifetime_unit_s }
    }
    /// Serve an address, for updates with this flag.
    pub(crate) fn serve(&mut self, address: NodeId, flag: BindingFlags) {
        self.bindings.serve(address, Expected { flag, after: None });
    }
    /// Add a node to the mobile network of the mobile router with this home address.
    pub(crate) fn add_to_network(&mut self, router: NodeId, node: NodeId) {
        self.networks.insert(node, router);
    }
    /// Add an initial binding.
    pub(crate) fn bind(&mut self, address: NodeId, care_of_address: NodeId, lifetime_s: u16) {
        let until = Some(Instant::ZERO + Duration::from_secs(u64::from(lifetime_s)));
        self.bindings.bind(address, Some(Binding { care_of_address, until }));
    }
    /// Remove the binding of an address, and report it if there was one.
    pub(crate) fn unbind(&mut self, now: Instant, address: NodeId, out: &mut Outbox) {
        self.bindings.rebind(now, address, None, out);
    }
    /// The tunnel destination for packets to a node: `None` when it is not served here, `Some(None)` when there is no
    /// binding.
    pub(crate) fn exit(&self, now: Instant, node: NodeId) -> Option<Option<NodeId>> {
        self.bindings.exit(now, *self.networks.get(&node).unwrap_or(&node))
    }

    /// Check an update, apply it, and report what it changes (RFC 6275 sections 9.5.1 and 10.3.1).
    pub(crate) fn update(
        &mut self,
        now: Instant,
        update: &BindingUpdate,
        out: &mut Outbox,
    ) -> BindingAcknowledgement {
        let refused = |status| answer(update, status);
        let Some(expected) = self.bindings.state(update.home_address) else {
            return refused(BindingStatus::NOT_HOME_AGENT);
        };
        if !update.flags.contains(expected.flag) {
            return refused(BindingStatus::HOME_REGISTRATION_NOT_SUPPORTED);
        }
        if let Some(last) = expected.after.filter(|last| !is_after(update.sequence, *last)) {
            let sequence = last;
            return BindingAcknowledgement { sequence, ..refused(BindingStatus::SEQUENCE_OUT_OF_WINDOW) };
        }
        expected.after = Some(update.sequence);
        let lifetime =
            Duration::from_secs(u64::from(self.lifetime_unit_s) * u64::from(update.lifetime_units));
        let binding = Binding { care_of_address: update.care_of_address, until: Some(now + lifetime) };
        self.bindings.rebind(now, update.home_address, (!lifetime.is_zero()).then_some(binding), out);
        answer(update, BindingStatus::ACCEPTED)
    }

    /// The expiry of the first binding.
    pub(crate) fn next_expiry(&self) -> Option<Instant> {
        self.bindings.next_expiry()
    }
    /// Remove the expired bindings, and report that.
    pub(crate) fn expire(&mut self, now: Instant, out: &mut Outbox) {
        self.bindings.expire(now, out);
    }
}

/// Whether a sequence number comes after another, modulo 2^16 (RFC 6275 section 9.5.1).
fn is_after(sequence: u16, last: u16) -> bool {
    (1..0x8000).contains(&sequence.wrapping_sub(last))
}

/// The answer to an update with this status.
pub(crate) fn answer(update: &BindingUpdate, status: BindingStatus) -> BindingAcknowledgement {
    BindingAcknowledgement {
        status,
        mobile_router: update.flags.contains(BindingFlags::MOBILE_ROUTER),
        sequence: update.sequence,
        lifetime_units: if status.is_accepted() { update.lifetime_units } else { 0 },
        home_address: update.home_address,
        care_of_address: update.care_of_address,
    }
}
