//! Which segments the agent is shown.

use super::{Connections, Place, Slot, Stage};
use crate::exit::Exit;
use crate::guard::Verdict;
use crate::key::{ConnectionKey, Side};
use crate::passed::PassedSyn;
use seamline_wire::{Flags, Instant, Outbox, Segment, SequenceNumber};

/// What to do with a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admission {
    /// It passes: the agent is not shown its connection.
    Unknown,
    /// It passes: it cannot be told from a forged one.
    Implausible,
    /// The agent is shown it ([`Connections::show`]).
    Shown(Place),
}

/// What the two ends have said before one has acknowledged the other.
#[derive(Debug)]
pub(super) struct Handshake {
    since: Instant,
    /// By side: the first number, and the one behind the last.
    seen: [Option<(SequenceNumber, SequenceNumber)>; 2],
}

impl Handshake {
    pub(super) fn begun(since: Instant) -> Self {
        Handshake { since, seen: [None; 2] }
    }
    pub(super) fn since(&self) -> Instant {
        self.since
    }
    fn note(&mut self, from: Side, segment: &Segment) {
        let seen = &mut self.seen[from.index()];
        let (first, end) = seen.unwrap_or((segment.sequence, segment.end()));
        *seen = Some((first, end.max(segment.end())));
    }
    /// Whether this segment acknowledges what came the other way. One with SYN or RST does not count: a host sends those to whoever asks.
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

impl<A: Copy + Ord, L: Copy> Connections<A, L> {
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
        let Some(index) = self.find_or_begin(now, key) else {
            self.counters.unknown += 1;
            self.note_passed(now, key, PassedSyn::shown_by(segment));
            return Admission::Unknown;
        };
        if !self.is_confirmed_by(now, index, from, segment, link) {
            return Admission::Unknown;
        }
        if !self.believes(now, index, from, segment, out) {
            self.counters.implausible += 1;
            return Admission::Implausible;
        }
        self.note(now, index, from, flags, link);
        if let Some(syn) = passed {
            self.leave_alone(now, index, syn, out);
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
            self.note(now, place.index(), from, segment.flags, None);
            let limit = self.limit(place.index());
            self.timers.bring_forward(place.index(), now + limit);
        }
    }

    fn note(&mut self, now: Instant, index: usize, from: Side, flags: Flags, link: Option<L>) {
        let slot = &mut self.slots[index];
        slot.last_heard = now;
        slot.has_ended[from.index()] |= flags.contains(Flags::FIN);
        if link.is_some() {
            slot.links[from.other().index()] = link;
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
        let Slot { held: Some((_, Stage::Shown(connection))), guard, .. } = &self.slots[index] else {
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
            && matches!(self.slots[index].held, Some((_, Stage::Unconfirmed(_))))
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
        let Some((_, Stage::Unconfirmed(handshake))) = &mut self.slots[index].held else { return true };
        if !handshake.is_confirmed_by(from, segment) {
            handshake.note(from, segment);
            self.note(now, index, from, segment.flags, link);
            return false;
        }
        self.unconfirmed.remove(&(handshake.since, index));
        let part = self.make_part(index);
        if let Some((_, stage)) = &mut self.slots[index].held {
            *stage = Stage::Shown(part);
        }
        true
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
                let Some((_, Stage::Shown(connection))) = &mut slot.held else {
                    unreachable!("what has a guard is shown")
                };
                let mut ended = std::mem::replace(connection, self.make.make());
                slot.has_ended = [false; 2];
                ended.end(now, &mut self.exit(out));
                true
            }
        }
    }

    /// From now on do nothing with a connection, and let these SYNs of it pass. Returns whether the agent had no part in it.
    pub(super) fn leave_alone(
        &mut self,
        now: Instant,
        index: usize,
        passed: PassedSyn,
        out: &mut Outbox,
    ) -> bool {
        let Connections { slots, counters, kept_bytes, limits, timers, .. } = self;
        let Slot { held: Some((_, Stage::Shown(connection))), ways, .. } = &mut slots[index] else {
            return true;
        };
        let exit = &mut Exit::new(out, counters, kept_bytes, limits.bytes, ways);
        connection.leave_alone(now, passed, exit);
        timers.bring_forward(index, connection.wake_at().min(now + limits.idle));
        connection.is_left_alone()
    }
}
