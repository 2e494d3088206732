//! Fast handovers that are prepared between two access routers (RFC 5568 section 6.2.1): the previous one announces the
//! node, and the new one keeps its packets until it comes.

use crate::retransmission::Retransmission;
use seamline_wire::control::{BindingUpdate, HandoverAcknowledge, HandoverInitiate};
use seamline_wire::{Duration, Instant, NodeId};
use std::collections::BTreeMap;

/// How long the new router keeps packets for a node that does not come (PROXY_ND_LIFETIME, section 9).
pub(crate) const PROXY_LIFETIME: Duration = Duration::from_millis(1500);

/// A handover that the new router has not acknowledged.
#[derive(Clone, Copy, Debug)]
struct Pending {
    /// The update that asked for it.
    update: BindingUpdate,
    router: NodeId,
    sequence: u16,
    timer: Retransmission,
}

impl Pending {
    fn message(&self) -> (NodeId, HandoverInitiate) {
        let initiate = HandoverInitiate {
            sequence: self.sequence,
            previous_care_of_address: self.update.home_address,
            new_care_of_address: self.update.care_of_address,
        };
        (self.router, initiate)
    }
}

/// The state of an access router.
#[derive(Debug, Default)]
pub(crate) struct HandoverPreparation {
    /// The addresses that nodes form on other links, and the routers there.
    neighbors: BTreeMap<NodeId, NodeId>,
    pending: Vec<Pending>,
    sequence: u16,
    /// The addresses of nodes that are expected here, and until when.
    expected: BTreeMap<NodeId, Instant>,
}

impl HandoverPreparation {
    /// With these neighbors: by address on the link of each, its router.
    pub(crate) fn with_neighbors(neighbors: impl IntoIterator<Item = (NodeId, NodeId)>) -> Self {
        HandoverPreparation { neighbors: neighbors.into_iter().collect(), ..Self::default() }
    }

    /// An update from the own link asks for this handover. Returns the first message to the new router, `None` when one is
    /// under way.
    ///
    /// # Errors
    /// When no neighbor has the new care-of address.
    pub(crate) fn begin(
        &mut self,
        now: Instant,
        update: &BindingUpdate,
    ) -> Result<Option<(NodeId, HandoverInitiate)>, ()> {
        let router = *self.neighbors.get(&update.care_of_address).ok_or(())?;
        let binds = |it: &BindingUpdate| (it.home_address, it.care_of_address);
        if let Some(same) = self.pending.iter_mut().find(|it| binds(&it.update) == binds(update)) {
            same.update = *update;
            return Ok(None);
        }
        self.abandon(update.home_address);
        self.sequence = self.sequence.wrapping_add(1);
        let pending =
            Pending { update: *update, router, sequence: self.sequence, timer: Retransmission::after(now) };
        self.pending.push(pending);
        Ok(Some(pending.message()))
    }
    /// The node asks from elsewhere: what was being prepared for this address is over.
    pub(crate) fn abandon(&mut self, previous_care_of_address: NodeId) {
        self.pending.retain(|it| it.update.home_address != previous_care_of_address);
    }
    /// The update that this acknowledgement belongs to.
    pub(crate) fn acknowledged(&mut self, answer: &HandoverAcknowledge) -> Option<BindingUpdate> {
        let place = self.pending.iter().position(|it| it.sequence == answer.sequence)?;
        Some(self.pending.swap_remove(place).update)
    }
    /// The messages that are due once more, each after twice the time; after the last one the router gives up.
    pub(crate) fn due(&mut self, now: Instant) -> Vec<(NodeId, HandoverInitiate)> {
        self.pending.retain(|it| !it.timer.is_over(now));
        self.pending.iter_mut().filter_map(|it| it.timer.take_due(now).then(|| it.message())).collect()
    }

    /// A node with this address is expected.
    pub(crate) fn expect(&mut self, now: Instant, address: NodeId) {
        self.expected.insert(address, now + PROXY_LIFETIME);
    }
    /// Whether packets for an address wait for the node.
    pub(crate) fn expects(&self, address: NodeId) -> bool {
        self.expected.contains_key(&address)
    }
    /// The node has come; whether it was expected.
    pub(crate) fn came(&mut self, address: NodeId) -> bool {
        self.expected.remove(&address).is_some()
    }
    /// The addresses of nodes that have not come in time; they are expected no more.
    pub(crate) fn missed(&mut self, now: Instant) -> Vec<NodeId> {
        let missed = self.expected.extract_if(.., |_, until| *until <= now);
        missed.map(|(address, _)| address).collect()
    }

    pub(crate) fn wake_at(&self) -> Option<Instant> {
        let again = self.pending.iter().map(|it| it.timer.at);
        again.chain(self.expected.values().copied()).min()
    }
}
