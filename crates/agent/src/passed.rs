//! SYNs that passed because there was no room, so that their repetitions pass, too.

use crate::key::ConnectionKey;
use seamline_wire::{Duration, Flags, Instant, NodeId, Segment, SequenceNumber};
use std::collections::{BTreeMap, VecDeque};

/// SYNs of a connection that pass an agent that splits others: the other host has answered one already, or may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PassedSyn {
    /// None.
    None,
    /// The one with this initial sequence number.
    This(SequenceNumber),
    /// Any: which one passed is not known.
    Any,
}

impl PassedSyn {
    /// What this segment shows: a SYN, or the answer to one, that the agent has let through.
    pub(crate) fn shown_by(segment: &Segment) -> Self {
        match (segment.flags.contains(Flags::SYN), segment.flags.contains(Flags::ACK)) {
            (false, _) => PassedSyn::None,
            (true, false) => PassedSyn::This(segment.sequence),
            (true, true) => PassedSyn::This(SequenceNumber(segment.acknowledgment.0.wrapping_sub(1))),
        }
    }
    /// Whether it is this SYN.
    pub(crate) fn is(self, syn: &Segment) -> bool {
        match self {
            PassedSyn::None => false,
            PassedSyn::This(sequence) => sequence == syn.sequence,
            PassedSyn::Any => true,
        }
    }
}

/// Hosts repeat a SYN for at least so long (RFC 9293 section 3.8.3); each repetition that passes begins the time again.
const REPEATED_FOR: Duration = Duration::from_secs(180);
/// At most so many are remembered one by one.
const MOST: usize = 1024;

/// The connections that an agent at its limit did not take in, and that must not be split when they come again.
#[derive(Debug)]
pub(crate) struct PassedSyns<A = NodeId> {
    by_key: BTreeMap<ConnectionKey<A>, (Instant, PassedSyn)>,
    /// In order of time; those noted again since are of no account.
    in_order: VecDeque<(Instant, ConnectionKey<A>)>,
    /// Until then any SYN may be one that is no longer remembered.
    unsure_until: Instant,
}

impl<A> Default for PassedSyns<A> {
    fn default() -> Self {
        PassedSyns { by_key: BTreeMap::new(), in_order: VecDeque::new(), unsure_until: Instant::ZERO }
    }
}

impl<A: Copy + Ord> PassedSyns<A> {
    /// It has passed.
    pub(crate) fn note(&mut self, now: Instant, key: ConnectionKey<A>, syn: PassedSyn) {
        if syn == PassedSyn::None {
            return;
        }
        self.forget_before(now);
        if self.in_order.len() == MOST && self.forget_first() {
            self.unsure_until = now + REPEATED_FOR;
        }
        self.by_key.insert(key, (now, syn));
        self.in_order.push_back((now, key));
    }
    /// Whether this first segment of a connection begins it again, and what is to pass then.
    pub(crate) fn of(&mut self, now: Instant, key: ConnectionKey<A>, segment: &Segment) -> Option<PassedSyn> {
        self.forget_before(now);
        let passed = self.by_key.get(&key).map(|(_, syn)| *syn);
        let is_unsure = now < self.unsure_until;
        passed.filter(|syn| syn.is(segment)).or_else(|| is_unsure.then(|| PassedSyn::shown_by(segment)))
    }
    /// Take out what is known of these connections.
    pub(crate) fn take(
        &mut self,
        is_one: impl Fn(&ConnectionKey<A>) -> bool,
    ) -> Vec<(ConnectionKey<A>, PassedSyn)> {
        let taken = self.by_key.iter().filter(|(key, _)| is_one(key)).map(|(key, (_, syn))| (*key, *syn));
        let taken: Vec<_> = taken.collect();
        self.by_key.retain(|key, _| !is_one(key));
        taken
    }

    fn forget_before(&mut self, now: Instant) {
        while self.in_order.front().is_some_and(|(at, _)| *at + REPEATED_FOR <= now) {
            self.forget_first();
        }
    }
    /// Whether it was of any account.
    fn forget_first(&mut self) -> bool {
        let Some((at, key)) = self.in_order.pop_front() else { return false };
        let is_newest = self.by_key.get(&key).is_some_and(|(newest, _)| *newest == at);
        if is_newest {
            self.by_key.remove(&key);
        }
        is_newest
    }
}
