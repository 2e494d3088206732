//! Which segments the agent is shown.

use super::{Connections, Place, Slot};
use crate::guard::{Claim, Guard, Verdict};
use crate::key::{ConnectionKey, End, Side};
use crate::passed::PassedSyn;
use seamline_wire::{Duration, Flags, Instant, Outbox, Segment};

/// A connection that was heard more recently is not replaced, whatever both sides say: on real networks one who can send from both could say it.
const ALIVE: Duration = Duration::from_secs(1);

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

/// What the two ends have sent before one has acknowledged the other. Nothing of it is believed: it counts only if an acknowledgment confirms it.
#[derive(Debug)]
pub(super) struct Handshake<L> {
    pub(super) since: Instant,
    /// By side.
    seen: [Option<Seen<L>>; 2],
}

/// Segments of one side that continue each other.
#[derive(Clone, Copy, Debug)]
struct Seen<L> {
    claim: Claim,
    /// What the other side had claimed, if one of them acknowledges that: who sends from this side and does not see the other cannot.
    answered: Option<Claim>,
    /// How long that took, if what it acknowledges came once only.
    took: Option<Duration>,
    /// When it came, if it is one segment only: what comes twice may be answered either time.
    once: Option<Instant>,
    /// The FIN is among them.
    has_ended: bool,
    /// The link header of the newest one.
    link: Option<L>,
}

impl<L: Copy> Seen<L> {
    /// These, and one more if it continues them.
    fn and(self, next: Self) -> Option<Self> {
        let claim = self.claim.and(next.claim)?;
        let (answered, took) = match self.answered {
            None => (next.answered, next.took),
            Some(_) => (self.answered, self.took),
        };
        let has_ended = self.has_ended || next.has_ended;
        Some(Seen { claim, answered, took, once: None, has_ended, link: next.link.or(self.link) })
    }
}

impl<L: Copy> Handshake<L> {
    pub(super) fn begun(since: Instant) -> Self {
        Handshake { since, seen: [None; 2] }
    }
    /// Of segments that do not continue each other the newest counts, or the one that acknowledges the other side. So a forged one does not keep the
    /// connection from being confirmed.
    fn note(&mut self, now: Instant, from: Side, segment: &Segment, link: Option<L>) {
        let answered = self.seen[from.other().index()].filter(|seen| seen.claim.is_confirmed_by(segment));
        let new = Seen {
            claim: Claim::of(segment),
            answered: answered.map(|seen| seen.claim),
            took: answered.and_then(|seen| seen.once).map(|at| now.saturating_since(at)),
            once: Some(now),
            has_ended: segment.flags.contains(Flags::FIN),
            link,
        };
        let seen = &mut self.seen[from.index()];
        *seen = Some(match *seen {
            None => new,
            Some(old) => old.and(new).unwrap_or_else(|| {
                let keeps_old = old.answered.is_some() && new.answered.is_none();
                // Whether it came before is not known any more.
                if keeps_old { old } else { Seen { once: None, ..new } }
            }),
        });
    }
    /// What came the other way, if this segment acknowledges it. One with SYN or RST does not count: a host sends those to any host.
    fn confirmed_by(&self, from: Side, segment: &Segment) -> Option<Seen<L>> {
        let may = !segment.flags.intersects(Flags::SYN | Flags::RST);
        self.seen[from.other().index()].filter(|seen| may && seen.claim.is_confirmed_by(segment))
    }
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
            if !self.by_key.contains_key(&key) {
                if flags.contains(Flags::RST) {
                    return Admission::Unknown;
                }
                passed = self.passed.as_mut().and_then(|passed| passed.of(now, key, segment));
            }
        }
        let is_new = self.find(key).is_none();
        let begins = flags.contains(Flags::SYN) && !flags.contains(Flags::ACK);
        if is_new && self.only_from_beginning && !begins {
            return Admission::Unknown;
        }
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
        if self.credits(index, from, segment) {
            self.note(now, index, from, link);
        }
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
        }
        let Some(place) = self.find_shown(&key) else { return };
        if self.believes(now, place.index(), from, segment, out) {
            self.note(now, place.index(), from, None);
            self.lose_track(place.index());
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

    /// This side has sent its FIN.
    pub(super) fn note_end(&mut self, index: usize, from: Side) {
        if let Some(guard) = &mut self.slots[index].guard {
            guard.note_end(from);
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
        let Some(seen) = handshake.confirmed_by(from, segment) else {
            handshake.note(now, from, segment, link);
            return false;
        };
        let mut round_trips = [None; 2];
        round_trips[from.index()] = seen.once.map(|at| now.saturating_since(at));
        round_trips[from.other().index()] = seen.took;
        self.confirm(index);
        self.begin_flow(index, round_trips);
        if let Some(guard) = &mut self.slots[index].guard {
            **guard = Guard::confirmed(seen.claim, seen.answered, from, segment);
        }
        self.note(now, index, from.other(), seen.link);
        if seen.has_ended {
            self.note_end(index, from.other());
        }
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

    /// Whether a part that judges by itself takes this segment for one of the connection.
    fn credits(&self, index: usize, from: Side, segment: &Segment) -> bool {
        self.slots[index].held.as_ref().is_none_or(|(_, connection)| connection.credits(from, segment))
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
        let is_alive = self.is_confirming && now < slot.last_heard() + ALIVE;
        let Some(guard) = &mut slot.guard else { return true };
        match guard.judge_where(!is_alive, from, segment) {
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
