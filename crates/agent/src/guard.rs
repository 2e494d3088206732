//! Whether a segment can be one of the connection that its ports name: what an agent learns from, and what ends its part in a connection.
//!
//! A stateful filter's checks (van Rooij, "Real stateful TCP packet filtering in IP Filter", 2000, as in Linux's connection tracking), in the style
//! of RFC 5961: both numbers of a segment have to be near what has passed, a reset has to have exactly the number that its receiver expects, and a SYN
//! ends nothing that has not ended. Unlike a filter an agent lets everything pass: it only does not believe it. And unlike a filter it may not have
//! seen what came before: a connection goes another way for a while, or another one takes its ports. So numbers that are not believed are
//! kept as a claim, and believed once the other side says the same. A host that is not on the path cannot forge that confirmation.

use crate::key::Side;
use seamline_wire::control::SequenceRange;
use seamline_wire::{Flags, Segment, SequenceNumber};

/// What to do with a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It is one of the connection.
    Credible,
    /// It cannot be distinguished from a forged one.
    Implausible,
    /// Both sides say by now that the connection is elsewhere, or another one: nothing that was learned holds.
    Replaced,
}

/// The numbers of a connection, as far as they are known.
#[derive(Clone, Debug, Default)]
pub(crate) struct Guard {
    /// By the side that sends.
    directions: [Direction; 2],
    /// By the side that says so.
    claims: Option<Box<[Option<Claim>; 2]>>,
}

/// What one side has sent, and what the other has reported of it.
#[derive(Clone, Copy, Debug, Default)]
struct Direction {
    /// The next byte that the other side waits for.
    acknowledged: Option<SequenceNumber>,
    /// The end of what was sent.
    end: Option<SequenceNumber>,
    /// What the other side has offered to take at most, or twice what was under way at most: more cannot be sent at once, nor be reported.
    room: u32,
    /// Of the windows that this side offers; `None` as long as its SYN has not been seen.
    shift: Option<u8>,
    /// It has sent its FIN.
    has_ended: bool,
}

/// Numbers that are not believed yet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Claim {
    first: SequenceNumber,
    end: SequenceNumber,
    acknowledgment: Option<SequenceNumber>,
    shift: Option<u8>,
}

/// The largest window (RFC 7323 section 2.3).
const FURTHEST: u32 = 1 << 30;
/// The largest window of a side that does not scale it, and what may be sent before its first window is seen.
const UNSCALED: u32 = 1 << 16;
/// As long as it is not known how windows are scaled: what is common to be under way.
const UNKNOWN_SCALE: u32 = 1 << 20;

impl Guard {
    /// Of a connection of which this segment confirms what the other side has claimed, and what of its own side the other has acknowledged by that.
    pub(crate) fn confirmed(claim: Claim, own: Option<Claim>, from: Side, segment: &Segment) -> Self {
        let mut guard = Guard::default();
        guard.begin_again(claim, own.and_then(|own| own.shift), from, segment);
        guard
    }
    /// A segment has come from this side. One that ends the connection ([`Guard::is_ended_by`]) is no matter of this.
    pub(crate) fn judge(&mut self, from: Side, segment: &Segment) -> Verdict {
        self.judge_where(true, from, segment)
    }
    /// A segment has come from this side, while the connection may have been replaced, or not.
    pub(crate) fn judge_where(&mut self, may_be_replaced: bool, from: Side, segment: &Segment) -> Verdict {
        if segment.flags.contains(Flags::RST) {
            return Verdict::Implausible;
        }
        let confirmed = self.confirmed_by(from, segment);
        if !self.admits(from, segment) {
            let Some(claim) = confirmed.filter(|_| may_be_replaced) else {
                self.claim(from, segment);
                return Verdict::Implausible;
            };
            self.begin_again(claim, None, from, segment);
            return Verdict::Replaced;
        }
        if let Some(claim) = confirmed {
            self.directions[from.other().index()].send(claim.end);
            self.forget_claim(from.other());
        }
        self.note(from, segment);
        if segment.sequence_length() > 0 {
            self.drop_claim_reached(from);
        }
        Verdict::Credible
    }
    /// Whether this SYN or reset ends the connection.
    ///
    /// A reset that answers a segment has the number that this acknowledged; any other the next one to be sent. RFC 5961 (section 3.2) has a
    /// receiver obey that number alone.
    pub(crate) fn is_ended_by(&self, from: Side, segment: &Segment) -> bool {
        if !segment.flags.contains(Flags::RST) {
            return self.directions.iter().all(|it| it.has_ended && it.acknowledged == it.end);
        }
        self.directions[from.index()].expects(segment.sequence) && self.admits_acknowledgment(from, segment)
    }
    /// Whether a segment of this side was believed.
    pub(crate) fn has_heard(&self, side: Side) -> bool {
        self.directions[side.index()].end.is_some()
    }
    /// By side: whether it has sent its FIN.
    pub(crate) fn has_ended(&self) -> [bool; 2] {
        self.directions.each_ref().map(|it| it.has_ended)
    }
    /// This side has sent its FIN, in a segment that is not judged.
    pub(crate) fn note_end(&mut self, from: Side) {
        self.directions[from.index()].has_ended = true;
    }
    /// Whether the bytes that another agent speaks of can be such as this side has under way, or nearly so: messages overtake data, and
    /// are overtaken. They have no second number that would be hard to guess, so windows do not count.
    pub(crate) fn admits_ranges(&self, sender: Side, ranges: &[SequenceRange]) -> bool {
        let direction = &self.directions[sender.index()];
        let admits = |number| direction.admits_within(number, direction.under_way().max(UNSCALED));
        let is_one =
            |it: &SequenceRange| it.first.is_at_or_before(it.end) && admits(it.first) && admits(it.end);
        !ranges.is_empty() && ranges.iter().all(is_one)
    }

    /// Whether the numbers of a segment are near what has passed; nothing changes.
    ///
    /// One without acknowledgment has one number only, so that has to be exact: a SYN that comes again, before its answer or after.
    pub(crate) fn admits(&self, from: Side, segment: &Segment) -> bool {
        let (direction, end) = (&self.directions[from.index()], segment.end());
        match segment.flags.contains(Flags::ACK) {
            true => direction.admits(end) && self.admits_acknowledgment(from, segment),
            false => segment.flags.contains(Flags::SYN) && direction.expects(end),
        }
    }
    fn admits_acknowledgment(&self, from: Side, segment: &Segment) -> bool {
        let acknowledgment = acknowledgment_of(segment);
        acknowledgment.is_none_or(|number| self.directions[from.other().index()].admits(number))
    }

    fn note(&mut self, from: Side, segment: &Segment) {
        let flags = segment.flags;
        let direction = &mut self.directions[from.index()];
        direction.has_ended |= flags.contains(Flags::FIN);
        direction.send(segment.end());
        if flags.contains(Flags::SYN) {
            direction.acknowledge(segment.sequence);
            direction.shift = Some(segment.window_scale.unwrap_or(0));
        }
        let scaled_by = if flags.contains(Flags::SYN) { Some(0) } else { direction.shift };
        let back = &mut self.directions[from.other().index()];
        if let Some(number) = acknowledgment_of(segment) {
            back.acknowledge(number);
        }
        let least = if scaled_by.is_some() { UNSCALED } else { UNKNOWN_SCALE };
        let offered = u32::from(segment.window) << scaled_by.unwrap_or(0).min(14);
        back.make_room(offered.max(least));
    }

    fn claim(&mut self, from: Side, segment: &Segment) {
        let claims = self.claims.get_or_insert_default();
        let begun = Claim::of(segment);
        let claim = claims[from.index()].get_or_insert(begun);
        *claim = claim.and(begun).unwrap_or(begun);
    }
    /// Data that reaches the beginning of a claim without it needs no claim; and a forged claim there must not be confirmed by that data.
    fn drop_claim_reached(&mut self, of: Side) {
        let end = self.directions[of.index()].end;
        let claim = self.claims.as_ref().and_then(|claims| claims[of.index()]);
        if claim.zip(end).is_some_and(|(claim, end)| claim.first.is_at_or_before(end)) {
            self.forget_claim(of);
        }
    }
    fn forget_claim(&mut self, of: Side) {
        if let Some(claims) = &mut self.claims {
            claims[of.index()] = None;
        }
    }
    /// What the other side claims to have sent, if this segment confirms it.
    fn confirmed_by(&self, from: Side, segment: &Segment) -> Option<Claim> {
        self.claims.as_ref()?[from.other().index()].filter(|claim| claim.is_confirmed_by(segment))
    }
    /// `own_shift` is that of the windows of the side from which the segment comes, if it is known.
    fn begin_again(&mut self, claim: Claim, own_shift: Option<u8>, from: Side, segment: &Segment) {
        let Claim { end, acknowledgment, shift, .. } = claim;
        *self = Guard::default();
        let claimed = Direction::within(acknowledgment_of(segment), Some(end));
        self.directions[from.other().index()] = Direction { shift, ..claimed };
        let answered = Direction::within(acknowledgment, acknowledgment);
        self.directions[from.index()] = Direction { shift: own_shift, ..answered };
        self.note(from, segment);
    }
}

fn acknowledgment_of(segment: &Segment) -> Option<SequenceNumber> {
    segment.flags.contains(Flags::ACK).then_some(segment.acknowledgment)
}

impl Claim {
    pub(crate) fn of(segment: &Segment) -> Self {
        Claim {
            first: segment.sequence,
            end: segment.end(),
            acknowledgment: acknowledgment_of(segment),
            shift: segment.flags.contains(Flags::SYN).then(|| segment.window_scale.unwrap_or(0)),
        }
    }
    /// This, and another one that continues it.
    pub(crate) fn and(self, next: Self) -> Option<Self> {
        let continues =
            next.end.saturating_since(self.end) < UNKNOWN_SCALE && self.first.is_at_or_before(next.first);
        let shift = next.shift.or(self.shift);
        continues.then(|| Claim { first: self.first, end: self.end.max(next.end), shift, ..next })
    }
    /// Whether a segment of the other side acknowledges some of it, and is near what it acknowledges itself.
    pub(crate) fn is_confirmed_by(&self, segment: &Segment) -> bool {
        let answered = Direction::within(self.acknowledgment, self.acknowledgment);
        let is_claimed =
            |number: SequenceNumber| number.is_after(self.first) && number.is_at_or_before(self.end);
        answered.admits(segment.end()) && acknowledgment_of(segment).is_some_and(is_claimed)
    }
}

impl Direction {
    fn within(acknowledged: Option<SequenceNumber>, end: Option<SequenceNumber>) -> Self {
        Direction { acknowledged, end, room: UNKNOWN_SCALE, ..Direction::default() }
    }
    /// Whether a number can be that of a byte sent, or about to be.
    fn admits(&self, number: SequenceNumber) -> bool {
        self.admits_within(number, self.room)
    }
    fn admits_within(&self, number: SequenceNumber, room: u32) -> bool {
        let (first, end, room) = match (self.acknowledged, self.end) {
            (None, None) => return true,
            (Some(first), Some(end)) => (first, end, room),
            // How much is in flight is not known: the first segment that shows it sets it.
            (Some(known), None) | (None, Some(known)) => (known, known, FURTHEST),
        };
        (number - (first - room)) <= (end - first) + 2 * room
    }
    fn under_way(&self) -> u32 {
        self.acknowledged.zip(self.end).map_or(0, |(first, end)| end - first)
    }
    /// Whether it is the number that the other side waits for, or that of the next byte; or none is known.
    fn expects(&self, number: SequenceNumber) -> bool {
        let known = [self.acknowledged, self.end];
        known.contains(&Some(number)) || known == [None; 2]
    }
    fn send(&mut self, end: SequenceNumber) {
        self.end = Some(self.end.map_or(end, |known| known.max(end)));
        self.keep_in_order();
    }
    fn acknowledge(&mut self, number: SequenceNumber) {
        self.acknowledged = Some(self.acknowledged.map_or(number, |known| known.max(number)));
        self.keep_in_order();
    }
    fn make_room(&mut self, bytes: u32) {
        self.room = self.room.max(bytes).min(FURTHEST);
    }
    fn keep_in_order(&mut self) {
        let (Some(first), Some(end)) = (self.acknowledged, self.end) else { return };
        let end = end.max(first);
        // Where acknowledgments take another way, what was heard of them long ago says nothing.
        let first = first.max(end - FURTHEST);
        (self.acknowledged, self.end) = (Some(first), Some(end));
        self.make_room(self.under_way().saturating_mul(2));
    }
}

#[cfg(test)]
mod tests;
