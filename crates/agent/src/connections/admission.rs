//! Which segments the agent is shown.

use super::measuring::Answers;
use super::{Connections, Place, Slot};
use crate::guard::Verdict;
use crate::key::{ConnectionKey, End, Side};
use crate::passed::PassedSyn;
use seamline_wire::{Flags, Instant, Outbox, Segment, SequenceNumber};

/// What to do with a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admission {
    /// Forward it: the agent does not see its connection.
    Unknown,
    /// Forward it: there is no room for its connection.
    NoRoom,
    /// Forward it: it cannot be distinguished from a forged one.
    Implausible,
    /// Pass it to the agent ([`Connections::show`]).
    Shown(Place),
}

/// What the two ends have sent before one has acknowledged the other.
#[derive(Debug)]
pub(super) struct Handshake {
    pub(super) since: Instant,
    /// By side: the first number, and the one behind the last.
    seen: [Option<(SequenceNumber, SequenceNumber)>; 2],
    /// By side: it has sent its FIN.
    has_ended: [bool; 2],
    answers: Answers,
}

impl Handshake {
    pub(super) fn begun(since: Instant) -> Self {
        Handshake { since, seen: [None; 2], has_ended: [false; 2], answers: Answers::default() }
    }
    fn note(&mut self, from: Side, segment: &Segment) {
        let seen = &mut self.seen[from.index()];
        let (first, end) = seen.unwrap_or((segment.sequence, segment.end()));
        *seen = Some((first, end.max(segment.end())));
        self.has_ended[from.index()] |= segment.flags.contains(Flags::FIN);
    }
    /// Whether this segment acknowledges what came the other way. One with SYN or RST does not count: a host sends those to any host.
    fn is_confirmed_by(&self, from: Side, segment: &Segment) -> bool {
        let answers =
            segment.flags.contains(Flags::ACK) && !segment.flags.intersects(Flags::SYN | Flags::RST);
        let seen = self.seen[from.other().index()];
        answers
            && seen.is_some_and(|(first, end)| {
                segment.acknowledgment.is_after(first) && segment.acknowledgment.is_at_or_before(end)
            })
    }
}

/// Whether it asks for a new connection.
fn begins(flags: Flags) -> bool {
    flags.contains(Flags::SYN) && !flags.contains(Flags::ACK)
}

impl<A: End, L: Copy> Connections<A, L> {
    /// A segment comes from this side. `link` is its link header: what is sent to where it goes has the newest one.
    pub fn admit(
        &mut self,
        now: Instant,
        from: Side,
        key: ConnectionKey<A>,
        segment: &Segment,
        link: Option<L>,
        out: &mut Outbox,
    ) -> Admission {
        self.counters.packets += 1;
        let flags = segment.flags;
        let mut passed = None;
        if flags.intersects(Flags::SYN | Flags::RST) {
            self.end_if_ended_by(now, from, key, segment, out);
            if begins(flags) {
                self.forget_unconfirmed(key);
            }
            if !self.by_key.contains_key(&key) {
                if flags.contains(Flags::RST) {
                    return Admission::Unknown;
                }
                passed = self.passed.as_mut().and_then(|passed| passed.of(now, key, segment));
            }
        }
        let is_new = self.find(key).is_none();
        let Some(index) = self.find_or_begin(now, key) else {
            self.counters.unknown += 1;
            self.note_passed(now, key, PassedSyn::shown_by(segment));
            return Admission::NoRoom;
        };
        self.counters.known += u64::from(is_new && !self.is_confirming);
        if !self.is_confirmed_by(now, index, from, segment, link) {
            return Admission::Unknown;
        }
        if !self.believes(now, index, from, segment, out) {
            self.counters.implausible += 1;
            return Admission::Implausible;
        }
        self.note(now, index, from, link);
        if let Some((syn, (_, connection))) = passed.zip(self.slots[index].held.as_mut()) {
            connection.leave_alone(syn);
        }
        Admission::Shown(self.place(index))
    }

    /// A segment of it passes that the agent is not to see: there is no time, or it cannot take it in. Only what is known of the end of
    /// the connection changes, and when it was heard.
    pub fn overhear(
        &mut self,
        now: Instant,
        from: Side,
        key: ConnectionKey<A>,
        segment: &Segment,
        out: &mut Outbox,
    ) {
        if segment.flags.intersects(Flags::SYN | Flags::RST) {
            self.end_if_ended_by(now, from, key, segment, out);
            if !segment.flags.contains(Flags::ACK) || segment.flags.contains(Flags::RST) {
                self.forget_unconfirmed(key);
            }
        }
        if let Some(place) = self.find_shown(&key) {
            self.note(now, place.index(), from, None);
            self.lose_track(place.index(), from, segment);
            let ends = |side| side == from && segment.flags.contains(Flags::FIN);
            self.note_ends(place.index(), Side::BOTH.map(ends));
            let limit = self.limit(place.index());
            self.timers.bring_forward(place.index(), now + limit);
        }
    }

    fn note(&mut self, now: Instant, index: usize, from: Side, link: Option<L>) {
        let slot = &mut self.slots[index];
        slot.heard[from.index()] = now;
        if link.is_some() {
            slot.links[from.other().index()] = link;
        }
    }

    /// These sides have sent their FINs.
    pub(super) fn note_ends(&mut self, index: usize, has_ended: [bool; 2]) {
        if let Some(guard) = &mut self.slots[index].guard {
            Side::BOTH
                .into_iter()
                .filter(|side| has_ended[side.index()])
                .for_each(|side| guard.note_end(side));
        }
    }

    /// Forget the connection if this SYN or reset ends it.
    fn end_if_ended_by(
        &mut self,
        now: Instant,
        from: Side,
        key: ConnectionKey<A>,
        segment: &Segment,
        out: &mut Outbox,
    ) {
        let answers = segment.flags.contains(Flags::ACK) && !segment.flags.contains(Flags::RST);
        let Some(&index) = self.by_key.get(&key).filter(|_| !answers) else { return };
        let Slot { held: Some((_, connection)), guard, is_unconfirmed: false, .. } = &self.slots[index]
        else {
            return;
        };
        let ends = match guard {
            None => connection.is_ended_by(from, segment),
            Some(guard) => guard.is_ended_by(from, segment),
        };
        if ends {
            self.end(now, index, out);
        }
    }

    fn forget_unconfirmed(&mut self, key: ConnectionKey<A>) {
        if let Some(&index) = self.by_key.get(&key)
            && self.slots[index].is_unconfirmed
        {
            self.take(index);
        }
    }

    /// Whether the agent is shown the connection, from this segment on if not before.
    fn is_confirmed_by(
        &mut self,
        now: Instant,
        index: usize,
        from: Side,
        segment: &Segment,
        link: Option<L>,
    ) -> bool {
        if !self.slots[index].is_unconfirmed {
            return true;
        }
        let Some(handshake) = self.handshakes.get_mut(&index) else { return false };
        handshake.answers.note(now, from, segment);
        if !handshake.is_confirmed_by(from, segment) {
            handshake.note(from, segment);
            self.note(now, index, from, link);
            return false;
        }
        let (has_ended, round_trips) = (handshake.has_ended, handshake.answers.round_trips());
        self.confirm(index);
        self.begin_flow(index, round_trips);
        self.note_ends(index, has_ended);
        true
    }

    /// From now on the agent is shown a connection. Returns whether it was not before.
    pub(super) fn confirm(&mut self, index: usize) -> bool {
        self.slots[index].is_unconfirmed = false;
        let handshake = self.handshakes.remove(&index);
        if let Some(handshake) = &handshake {
            self.unconfirmed.remove(&(handshake.since, index));
            self.counters.known += 1;
        }
        handshake.is_some()
    }

    /// Whether this segment can be one of the connection; if it is the first of one that takes its place, that begins.
    fn believes(
        &mut self,
        now: Instant,
        index: usize,
        from: Side,
        segment: &Segment,
        out: &mut Outbox,
    ) -> bool {
        let slot = &mut self.slots[index];
        let Some(guard) = &mut slot.guard else { return true };
        match guard.judge(from, segment) {
            Verdict::Credible => true,
            Verdict::Implausible => false,
            Verdict::Replaced => {
                self.act(index, &[], out, |connection, exit| connection.end(now, exit));
                let Some((_, connection)) = &mut self.slots[index].held else {
                    unreachable!("what has a guard is held")
                };
                *connection = self.make.make();
                self.begin_flow(index, [None; 2]);
                true
            }
        }
    }
}
