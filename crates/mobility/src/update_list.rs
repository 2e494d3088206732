//! The mobile node's side of a binding in IPv6: an entry of its Binding Update List (RFC 6275 section 11.1).

use crate::protocol::{Action, Actions};
use seamline_wire::control::{
    BindingAcknowledgement, BindingFlags, BindingStatus, BindingUpdate, Ipv6Control,
};
use seamline_wire::{Control, Duration, Instant, NodeId};

/// The longest wait for an acknowledgement (MAX_BINDACK_TIMEOUT, RFC 6275 section 12).
pub(crate) const LONGEST_WAIT: Duration = Duration::from_secs(32);
/// The unit of the Lifetime fields (RFC 6275 section 6.1.7).
pub(crate) const LIFETIME_UNIT_S: u16 = 4;

/// The parameters of a binding.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Subscription {
    /// The home agent or mobility anchor point.
    pub(crate) anchor: NodeId,
    /// The stable address.
    pub(crate) home_address: NodeId,
    /// The flags besides the acknowledge flag.
    pub(crate) flags: BindingFlags,
    /// The requested lifetime in seconds.
    pub(crate) lifetime_s: u16,
    /// The timeout for the first acknowledgement.
    pub(crate) retransmission: Duration,
}

/// A pending update.
#[derive(Clone, Copy, Debug)]
struct Outstanding {
    update: BindingUpdate,
    /// Whether it is for a move rather than a refresh.
    after_move: bool,
    send_again_at: Instant,
    timeout: Duration,
}

/// The current binding.
#[derive(Clone, Copy, Debug)]
struct Bound {
    care_of_address: NodeId,
    /// `None` at home, where no binding is needed.
    refresh_at: Option<Instant>,
}

/// An accepted update.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Accepted {
    pub(crate) care_of_address: NodeId,
    /// Whether it was for a move rather than a refresh.
    pub(crate) after_move: bool,
}

/// Keeps one binding in force.
#[derive(Debug)]
pub(crate) struct UpdateListEntry {
    subscription: Subscription,
    /// The sequence number of the last update sent.
    sequence: u16,
    outstanding: Option<Outstanding>,
    bound: Option<Bound>,
}

impl UpdateListEntry {
    /// No binding yet.
    pub(crate) fn new(subscription: Subscription) -> Self {
        UpdateListEntry { subscription, sequence: 0, outstanding: None, bound: None }
    }
    /// The binding is in force initially.
    #[must_use]
    pub(crate) fn bound_to(mut self, care_of_address: NodeId) -> Self {
        let units = self.lifetime_units(care_of_address);
        self.note_bound(Instant::ZERO, care_of_address, units);
        self
    }
    pub(crate) fn anchor(&self) -> NodeId {
        self.subscription.anchor
    }
    /// The care-of address that the anchor confirmed last.
    pub(crate) fn care_of_address(&self) -> Option<NodeId> {
        self.bound.map(|bound| bound.care_of_address)
    }

    /// Whether the update for the last move is still unacknowledged.
    pub(crate) fn waits_after_move(&self) -> bool {
        self.outstanding.is_some_and(|asked| asked.after_move)
    }

    /// Send the update for a move; with the home address as care-of address it deregisters.
    pub(crate) fn moved_to(&mut self, now: Instant, care_of_address: NodeId, actions: &mut Actions) {
        self.ask(now, care_of_address, true, actions);
    }

    fn lifetime_units(&self, care_of_address: NodeId) -> u16 {
        match care_of_address == self.subscription.home_address {
            true => 0,
            false => self.subscription.lifetime_s.div_ceil(LIFETIME_UNIT_S),
        }
    }

    fn ask(&mut self, now: Instant, care_of_address: NodeId, after_move: bool, actions: &mut Actions) {
        let Subscription { home_address, flags, retransmission, .. } = self.subscription;
        let update = BindingUpdate {
            sequence: self.next_sequence(),
            flags: flags | BindingFlags::ACKNOWLEDGE,
            lifetime_units: self.lifetime_units(care_of_address),
            home_address,
            care_of_address,
        };
        self.send(now, update, after_move, retransmission, actions);
    }

    fn send(
        &mut self,
        now: Instant,
        update: BindingUpdate,
        after_move: bool,
        timeout: Duration,
        actions: &mut Actions,
    ) {
        self.outstanding = Some(Outstanding { update, after_move, send_again_at: now + timeout, timeout });
        let message = Control::Ipv6(Ipv6Control::BindingUpdate(update));
        actions.push(Action::Send { from: update.care_of_address, to: self.anchor(), message });
    }

    fn next_sequence(&mut self) -> u16 {
        self.sequence = self.sequence.wrapping_add(1);
        self.sequence
    }

    /// RFC 6275 section 11.7.3: only the answer to the last update counts, or one that says which sequence numbers
    /// are too old; after that the update is sent again at once.
    pub(crate) fn on_acknowledgement(
        &mut self,
        now: Instant,
        answer: &BindingAcknowledgement,
        actions: &mut Actions,
    ) -> Option<Accepted> {
        let asked = self.outstanding.filter(|_| answer.home_address == self.subscription.home_address);
        let Outstanding { update, after_move, .. } = asked?;
        let (status, care_of_address) = (answer.status, update.care_of_address);
        if status == BindingStatus::SEQUENCE_OUT_OF_WINDOW && answer.care_of_address == care_of_address {
            self.sequence = answer.sequence;
            actions.push(Action::BindingRefused { status });
            self.ask(now, care_of_address, after_move, actions);
            return None;
        }
        if answer.sequence != update.sequence {
            return None;
        }
        if !status.is_accepted() {
            // It waits for its timer and retransmits.
            actions.push(Action::BindingRefused { status });
            return None;
        }
        self.outstanding = None;
        let granted = answer.lifetime_units.min(update.lifetime_units);
        self.note_bound(now, care_of_address, granted);
        Some(Accepted { care_of_address, after_move })
    }

    /// Refresh at half of the lifetime; the RFC requires it before the end (section 11.7.1).
    fn note_bound(&mut self, now: Instant, care_of_address: NodeId, lifetime_units: u16) {
        let half = Duration::from_millis(500) * u64::from(LIFETIME_UNIT_S) * u64::from(lifetime_units);
        let refresh_at = (lifetime_units > 0).then_some(now + half);
        self.bound = Some(Bound { care_of_address, refresh_at });
    }

    /// Send the update that is due. A retransmission has a new sequence number and twice the timeout (RFC 6275 section
    /// 11.8).
    pub(crate) fn on_wake(&mut self, now: Instant, actions: &mut Actions) {
        if self.wake_at().is_none_or(|at| now < at) {
            return;
        }
        if let Some(asked) = self.outstanding {
            let update = BindingUpdate { sequence: self.next_sequence(), ..asked.update };
            let timeout = (asked.timeout * 2).min(LONGEST_WAIT.max(self.subscription.retransmission));
            self.send(now, update, asked.after_move, timeout, actions);
        } else if let Some(Bound { care_of_address, .. }) = self.bound {
            self.ask(now, care_of_address, false, actions);
        }
    }

    pub(crate) fn wake_at(&self) -> Option<Instant> {
        match self.outstanding {
            Some(asked) => Some(asked.send_again_at),
            None => self.bound?.refresh_at,
        }
    }
}
