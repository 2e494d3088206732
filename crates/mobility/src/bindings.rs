//! The bindings of an anchor: where the nodes are whose addresses it serves.

use crate::send::report_binding;
use seamline_wire::{Instant, NodeId, Outbox};
use std::collections::BTreeMap;

/// The current care-of address of a node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Binding {
    pub(crate) care_of_address: NodeId,
    /// `None` means unlimited.
    pub(crate) until: Option<Instant>,
}

/// An address that is served here, with the protocol's own state `T`.
#[derive(Clone, Copy, Debug)]
struct Served<T> {
    binding: Option<Binding>,
    state: T,
}

/// The bindings of an anchor, by the stable address.
#[derive(Debug)]
pub(crate) struct Bindings<T> {
    served: BTreeMap<NodeId, Served<T>>,
    /// The expiry of the first binding, cached because every packet needs it.
    next_expiry: Option<Instant>,
}

impl<T> Default for Bindings<T> {
    fn default() -> Self {
        Bindings { served: BTreeMap::new(), next_expiry: None }
    }
}

impl<T> Bindings<T> {
    /// Serve an address, unless it is served already.
    pub(crate) fn serve(&mut self, address: NodeId, state: T) {
        self.served.entry(address).or_insert(Served { binding: None, state });
    }
    /// The state of an address; `None` when it is not served here.
    pub(crate) fn state(&mut self, address: NodeId) -> Option<&mut T> {
        self.served.get_mut(&address).map(|served| &mut served.state)
    }
    /// Set or remove the binding of a served address.
    pub(crate) fn bind(&mut self, address: NodeId, binding: Option<Binding>) {
        if let Some(served) = self.served.get_mut(&address) {
            served.binding = binding;
        }
        self.find_next_expiry();
    }
    /// Like [`Self::bind`], and report it when packets go elsewhere from now on.
    pub(crate) fn rebind(
        &mut self,
        now: Instant,
        address: NodeId,
        binding: Option<Binding>,
        out: &mut Outbox,
    ) {
        let before = self.exit(now, address).flatten();
        self.bind(address, binding);
        let after = self.exit(now, address).flatten();
        if before != after {
            report_binding(address, after, out);
        }
    }
    /// The tunnel destination for packets to an address: `None` when it is not served here, `Some(None)` when there is
    /// no binding.
    pub(crate) fn exit(&self, now: Instant, address: NodeId) -> Option<Option<NodeId>> {
        let binding = self.served.get(&address)?.binding;
        let valid = binding.filter(|binding| binding.until.is_none_or(|until| now < until));
        Some(valid.map(|binding| binding.care_of_address))
    }

    /// The expiry of the first binding.
    pub(crate) fn next_expiry(&self) -> Option<Instant> {
        self.next_expiry
    }
    fn find_next_expiry(&mut self) {
        self.next_expiry = self.served.values().filter_map(|served| served.binding?.until).min();
    }
    /// Remove the expired bindings, and report that.
    pub(crate) fn expire(&mut self, now: Instant, out: &mut Outbox) {
        for (address, served) in &mut self.served {
            let until = served.binding.and_then(|binding| binding.until);
            if until.is_some_and(|until| until <= now) {
                served.binding = None;
                report_binding(*address, None, out);
            }
        }
        self.find_next_expiry();
    }
}
