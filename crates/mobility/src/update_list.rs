//! The mobile node's side of a binding in IPv6: an entry of its Binding Update List (RFC 6275 section 11.1).

use seamline_wire::control::{BindingAcknowledgement, BindingFlags, BindingStatus, BindingUpdate};
use seamline_wire::{Duration, Instant, NodeId};

/// The longest wait for an acknowledgement (MAX_BINDACK_TIMEOUT, RFC 6275 section 12).
const LONGEST_WAIT: Duration = Duration::from_secs(32);
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

/// The meaning of an acknowledgement.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Answer {
    /// It does not match the last update.
    Stale,
    /// The binding is in force, or refreshed.
    Accepted { care_of_address: NodeId, after_move: bool },
    /// Rejected; another update may have to be sent at once.
    Refused { status: BindingStatus, again: Option<BindingUpdate> },
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

    /// The update for a move; with the home address as care-of address it deregisters.
    pub(crate) fn moved_to(&mut self, now: Instant, care_of_address: NodeId) -> BindingUpdate {
        self.ask(now, care_of_address, true)
    }

    fn lifetime_units(&self, care_of_address: NodeId) -> u16 {
        match care_of_address == self.subscription.home_address {
            true => 0,
            false => self.subscription.lifetime_s.div_ceil(LIFETIME_UNIT_S),
        }
    }

    fn ask(&mut self, now: Instant, care_of_address: NodeId, after_move: bool) -> BindingUpdate {
        let Subscription { home_address, flags, retransmission, .. } = self.subscription;
        let update = BindingUpdate {
            sequence: self.next_sequence(),
            flags: flags | BindingFlags::ACKNOWLEDGE,
            lifetime_units: self.lifetime_units(care_of_address),
            home_address,
            care_of_address,
        };
        let timeout = retransmission;
        self.outstanding = Some(Outstanding { update, after_move, send_again_at: now + timeout, timeout });
        update
    }

    fn next_sequence(&mut self) -> u16 {
        self.sequence = self.sequence.wrapping_add(1);
        self.sequence
    }

    /// RFC 6275 section 11.7.3: only the answer to the last update counts, or one that says which sequence numbers
    /// are too old.
    pub(crate) fn on_acknowledgement(&mut self, now: Instant, answer: &BindingAcknowledgement) -> Answer {
        let asked = self.outstanding.filter(|_| answer.home_address == self.subscription.home_address);
        let Some(Outstanding { update, after_move, .. }) = asked else { return Answer::Stale };
        let status = answer.status;
        if status == BindingStatus::SEQUENCE_OUT_OF_WINDOW && answer.care_of_address == update.care_of_address
        {
            self.sequence = answer.sequence;
            let again = Some(self.ask(now, update.care_of_address, after_move));
            return Answer::Refused { status, again };
        }
        if answer.sequence != update.sequence {
            return Answer::Stale;
        }
        if !status.is_accepted() {
            // It waits for its timer and retransmits.
            return Answer::Refused { status, again: None };
        }
        self.outstanding = None;
        let granted = answer.lifetime_units.min(update.lifetime_units);
        self.note_bound(now, update.care_of_address, granted);
        Answer::Accepted { care_of_address: update.care_of_address, after_move }
    }

    /// Refresh at half of the lifetime; the RFC requires it before the end (section 11.7.1).
    fn note_bound(&mut self, now: Instant, care_of_address: NodeId, lifetime_units: u16) {
        let half = Duration::from_millis(500) * u64::from(LIFETIME_UNIT_S) * u64::from(lifetime_units);
        let refresh_at = (lifetime_units > 0).then_some(now + half);
        self.bound = Some(Bound { care_of_address, refresh_at });
    }

    /// The update that is due for transmission.
    pub(crate) fn on_wake(&mut self, now: Instant) -> Option<BindingUpdate> {
        if let Some(asked) = self.outstanding {
            return (asked.send_again_at <= now).then(|| self.ask_again(now, asked));
        }
        let Bound { care_of_address, refresh_at } = self.bound?;
        refresh_at.is_some_and(|at| at <= now).then(|| self.ask(now, care_of_address, false))
    }

    /// RFC 6275 section 11.8: with a new sequence number and twice the timeout.
    fn ask_again(&mut self, now: Instant, asked: Outstanding) -> BindingUpdate {
        let update = BindingUpdate { sequence: self.next_sequence(), ..asked.update };
        let timeout = (asked.timeout * 2).min(LONGEST_WAIT.max(self.subscription.retransmission));
        self.outstanding = Some(Outstanding { update, send_again_at: now + timeout, timeout, ..asked });
        update
    }

    pub(crate) fn wake_at(&self) -> Option<Instant> {
        match self.outstanding {
            Some(asked) => Some(asked.send_again_at),
            None => self.bound?.refresh_at,
        }
    }
}
