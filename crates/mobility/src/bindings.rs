//! The bindings of an anchor: where the nodes are whose addresses it serves.

use crate::send::{report_binding, report_further_binding};
use seamline_wire::{Instant, NodeId, Outbox};
use std::collections::{BTreeMap, BTreeSet};

/// The current care-of address of a node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Binding {
    pub(crate) care_of_address: NodeId,
    /// `None` means unlimited.
    pub(crate) until: Option<Instant>,
}

impl Binding {
    fn is_valid(&self, now: Instant) -> bool {
        self.until.is_none_or(|until| now < until)
    }
}

/// An address that is served here, with the protocol's own state `T`.
#[derive(Clone, Debug)]
struct Served<T> {
    /// The newest is last. Only nodes that ask for simultaneous bindings have several.
    bindings: Vec<Binding>,
    state: T,
}

impl<T> Served<T> {
    fn valid(&self, now: Instant) -> impl DoubleEndedIterator<Item = NodeId> {
        let valid = self.bindings.iter().filter(move |binding| binding.is_valid(now));
        valid.map(|binding| binding.care_of_address)
    }
    /// The newest valid one.
    fn exit(&self, now: Instant) -> Option<NodeId> {
        self.valid(now).next_back()
    }
}

/// The bindings of an anchor, by the stable address.
#[derive(Debug)]
pub(crate) struct Bindings<T> {
    served: BTreeMap<NodeId, Served<T>>,
    /// When bindings expire, with their addresses.
    expiries: BTreeSet<(Instant, NodeId)>,
}

impl<T> Default for Bindings<T> {
    fn default() -> Self {
        Bindings { served: BTreeMap::new(), expiries: BTreeSet::new() }
    }
}

impl<T> Bindings<T> {
    /// Serve an address, unless it is served already.
    pub(crate) fn serve(&mut self, address: NodeId, state: T) {
        self.served.entry(address).or_insert(Served { bindings: Vec::new(), state });
    }
    /// The state of an address; `None` when it is not served here.
    pub(crate) fn state(&mut self, address: NodeId) -> Option<&mut T> {
        self.served.get_mut(&address).map(|served| &mut served.state)
    }
    /// Set or remove the binding of a served address.
    pub(crate) fn bind(&mut self, address: NodeId, binding: Option<Binding>) {
        self.change(address, |bindings| *bindings = binding.into_iter().collect());
    }
    fn change(&mut self, address: NodeId, change: impl FnOnce(&mut Vec<Binding>)) {
        let Some(served) = self.served.get_mut(&address) else { return };
        let expiry = |binding: &Binding| Some((binding.until?, address));
        for expiry in served.bindings.iter().filter_map(expiry) {
            self.expiries.remove(&expiry);
        }
        change(&mut served.bindings);
        self.expiries.extend(served.bindings.iter().filter_map(expiry));
    }
    /// Like [`Self::bind`], and report it when packets go elsewhere from now on.
    pub(crate) fn rebind(
        &mut self,
        now: Instant,
        address: NodeId,
        binding: Option<Binding>,
        out: &mut Outbox,
    ) {
        let Some(served) = self.served.get(&address) else { return };
        let (before, had) = (served.exit(now), served.valid(now).count());
        let after = binding.filter(|binding| binding.is_valid(now)).map(|binding| binding.care_of_address);
        self.bind(address, binding);
        if before != after || had > 1 {
            report_binding(address, after, out);
        }
    }
    /// Add a binding to those of an address (RFC 5944 section 3.8.2, the S bit). One for the same care-of address is
    /// replaced.
    pub(crate) fn add(&mut self, now: Instant, address: NodeId, binding: Binding, out: &mut Outbox) {
        let Some(served) = self.served.get(&address) else { return };
        let before = served.exit(now);
        let care_of_address = binding.care_of_address;
        let is_further = served.valid(now).any(|other| other != care_of_address);
        self.change(address, |bindings| {
            bindings.retain(|other| other.care_of_address != care_of_address);
            bindings.push(binding);
        });
        if is_further {
            report_further_binding(address, care_of_address, out);
        } else if before != Some(care_of_address) {
            report_binding(address, Some(care_of_address), out);
        }
    }
    /// The tunnel destination for packets to an address, of several the newest: `None` when it is not served here,
    /// `Some(None)` when there is no binding.
    pub(crate) fn exit(&self, now: Instant, address: NodeId) -> Option<Option<NodeId>> {
        Some(self.served.get(&address)?.exit(now))
    }
    /// The other tunnel destinations for packets to an address.
    pub(crate) fn further_exits(&self, now: Instant, address: NodeId) -> impl Iterator<Item = NodeId> {
        let served = self.served.get(&address).filter(|served| served.bindings.len() > 1);
        served.into_iter().flat_map(move |served| served.valid(now).rev().skip(1))
    }

    /// The expiry of the first binding.
    pub(crate) fn next_expiry(&self) -> Option<Instant> {
        self.expiries.first().map(|(until, _)| *until)
    }
    /// Remove the expired bindings, and report that.
    pub(crate) fn expire(&mut self, now: Instant, out: &mut Outbox) {
        let expired = self.expiries.iter().take_while(|(until, _)| *until <= now);
        let expired: BTreeSet<NodeId> = expired.map(|(_, address)| *address).collect();
        for address in expired {
            self.change(address, |bindings| bindings.retain(|binding| binding.is_valid(now)));
            report_binding(address, self.served.get(&address).and_then(|served| served.exit(now)), out);
        }
    }
}
