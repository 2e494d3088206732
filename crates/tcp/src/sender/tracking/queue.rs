//! A record of each segment that is outstanding, in the order of sequence numbers and in the order of sending.

mod order;

use super::to_microseconds;
use crate::offset::Offset;
use order::Place;
use seamline_wire::Instant;
use std::collections::{BTreeSet, VecDeque};

/// Identifies a record while its segment is outstanding; grows with the sequence numbers.
pub(super) type Id = u64;

const NONE: Id = Id::MAX;

/// The state of delivery when a segment was sent, for rate samples.
#[derive(Clone, Copy, Debug)]
pub(super) struct Snapshot {
    /// Segments delivered so far.
    pub(super) delivered: u64,
    /// When the latest of them was.
    pub(super) delivered_at: Instant,
    /// Segments taken to be lost so far.
    pub(super) lost: u64,
    /// Segments in flight, this one included.
    pub(super) in_flight: u32,
    /// When the segment was sent whose delivery began the current sample.
    pub(super) first_sent: Instant,
    /// Whether the application limited the flow.
    pub(super) application_limited: bool,
    /// Whether the segment still counts: a delivered one counts once.
    pub(super) counts: bool,
}

/// What is known of an outstanding segment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Record {
    pub(super) start: Offset,
    pub(super) end: Offset,
    /// When it was last sent, to the nanosecond (`skb_mstamp_ns`).
    pub(super) sent_exactly: Instant,
    /// Its place among all that was sent, from 1 on: what is sent at the same time is ordered by it.
    pub(super) departure: u64,
    /// Reported as arrived by SACK.
    pub(super) sacked: bool,
    /// Taken to be lost.
    pub(super) lost: bool,
    /// If it is lost, then over the air, by the latest word on it.
    pub(super) excused: bool,
    /// A retransmission is under way.
    pub(super) resent: bool,
    /// It was sent more than once.
    pub(super) ever_resent: bool,
    /// It is the last one of those that left together.
    pub(super) ends_burst: bool,
    /// It carries PSH.
    pub(super) pushes: bool,
    pub(super) snapshot: Snapshot,
    older: Id,
    newer: Id,
    place: Place,
}

impl Record {
    pub(super) fn new(start: Offset, end: Offset, sent_exactly: Instant, snapshot: Snapshot) -> Self {
        Record {
            start,
            end,
            sent_exactly,
            departure: 0,
            sacked: false,
            lost: false,
            excused: false,
            resent: false,
            ever_resent: false,
            ends_burst: false,
            pushes: false,
            snapshot,
            older: NONE,
            newer: NONE,
            place: Place::Outside,
        }
    }
    /// When it was last sent, as the sender counts: in microseconds (`tcp_skb_timestamp_us`).
    pub(super) fn sent(&self) -> Instant {
        to_microseconds(self.sent_exactly)
    }
}

/// The outstanding segments, and how many of them are in which state.
#[derive(Debug, Default)]
pub(super) struct Queue {
    records: VecDeque<Record>,
    first: Id,
    oldest: Option<Id>,
    newest: Option<Id>,
    /// One of the order that everything of it up to there was sent before what [`Queue::newest_before`] was asked for last.
    passed: Option<Id>,
    departures: u64,
    /// Lost, and not sent again since.
    to_resend: BTreeSet<Id>,
    pub(super) sacked: u32,
    pub(super) lost: u32,
    /// Of those, segments that were lost over the air.
    excused: u32,
    pub(super) resent: u32,
    /// The end of the segment furthest right that SACK has reported.
    highest_sacked: Offset,
}

impl Queue {
    pub(super) fn len(&self) -> u32 {
        self.records.len() as u32
    }
    pub(super) fn is_empty(&self) -> bool {
        self.records.is_empty()
    }
    /// Segments in the network: sent, and neither arrived nor lost (RFC 6675's pipe).
    pub(super) fn in_flight(&self) -> u32 {
        self.len() + self.resent - self.sacked - self.lost
    }
    /// Segments that have left the network before they are acknowledged cumulatively.
    pub(super) fn left_out(&self) -> u32 {
        self.sacked + self.lost
    }
    pub(super) fn head(&self) -> Option<&Record> {
        self.records.front()
    }
    pub(super) fn last_id(&self) -> Option<Id> {
        (!self.is_empty()).then(|| self.first + self.records.len() as Id - 1)
    }
    pub(super) fn get(&self, id: Id) -> &Record {
        &self.records[(id - self.first) as usize]
    }
    fn get_mut(&mut self, id: Id) -> &mut Record {
        &mut self.records[(id - self.first) as usize]
    }
    pub(super) fn first_id(&self) -> Id {
        self.first
    }
    /// All records with their names, in the order of sequence numbers.
    pub(super) fn ids(&self) -> std::ops::Range<Id> {
        self.first..self.first + self.records.len() as Id
    }
    /// The first record that ends beyond `at`.
    pub(super) fn find(&self, at: Offset) -> Id {
        self.first + self.records.partition_point(|record| record.end <= at) as Id
    }
    /// The end of what SACK has reported, or `unacknowledged` when it has reported nothing.
    pub(super) fn highest_sacked(&self, unacknowledged: Offset) -> Offset {
        if self.sacked == 0 { unacknowledged } else { self.highest_sacked.max(unacknowledged) }
    }
    /// Whether anything outstanding was sent more than once, as far as the first segment shows.
    pub(super) fn any_resent(&self) -> bool {
        self.resent > 0 || self.head().is_some_and(|head| head.ever_resent)
    }

    pub(super) fn push(&mut self, record: Record) {
        let id = self.first + self.records.len() as Id;
        self.records.push_back(record);
        self.append_to_order(id);
    }
    /// The segment was sent again.
    pub(super) fn note_resent(&mut self, id: Id, sent_exactly: Instant, snapshot: Snapshot, counted: bool) {
        let record = self.get_mut(id);
        record.sent_exactly = sent_exactly;
        record.snapshot = snapshot;
        record.ever_resent = true;
        if counted && !record.resent {
            record.resent = true;
            self.resent += 1;
        }
        if counted {
            self.to_resend.remove(&id);
        }
        self.remove_from_order(id);
        self.append_to_order(id);
        let Record { lost, resent, .. } = *self.get(id);
        if lost && !resent {
            self.set_aside(id);
        }
    }
    /// The latest word on the loss of this segment, if it is lost.
    pub(super) fn attribute(&mut self, id: Id, excused: bool) {
        let record = self.get_mut(id);
        let before = std::mem::replace(&mut record.excused, excused);
        if record.lost {
            self.excused = self.excused + u32::from(excused) - u32::from(before);
        }
    }
    /// Whether something is lost that nothing excuses.
    pub(super) fn any_lost_to_congestion(&self) -> bool {
        self.lost > self.excused
    }
    /// The lost segment to send again next.
    pub(super) fn next_to_resend(&self) -> Option<Id> {
        self.to_resend.first().copied()
    }
    /// The segment is taken to be lost. Returns whether that is news.
    pub(super) fn mark_lost(&mut self, id: Id) -> bool {
        let record = self.get_mut(id);
        if record.sacked || (record.lost && !record.resent) {
            return false;
        }
        if record.lost {
            record.resent = false;
            self.resent -= 1;
        } else {
            record.lost = true;
            self.excused += u32::from(record.excused);
            self.lost += 1;
        }
        // After an undone timeout a retransmission may be under way of what was taken to be lost: that one can be lost, too.
        if !self.get(id).resent {
            self.to_resend.insert(id);
            self.set_aside(id);
        }
        true
    }
    /// Nothing is lost after all.
    pub(super) fn unmark_lost(&mut self) {
        self.records.iter_mut().for_each(|record| record.lost = false);
        self.to_resend.clear();
        self.lost = 0;
        self.excused = 0;
        if self.records.iter().any(|record| record.place == Place::Aside) {
            self.restore_order();
        }
    }
    /// SACK reports the segment. A retransmission that was thought lost is settled with it.
    pub(super) fn mark_sacked(&mut self, id: Id) {
        let record = self.get_mut(id);
        let Record { lost, excused, resent, end, .. } = *record;
        record.sacked = true;
        record.lost = false;
        if lost {
            self.lost -= 1;
            self.excused -= u32::from(excused);
            self.to_resend.remove(&id);
        }
        if resent && lost {
            self.get_mut(id).resent = false;
            self.resent -= 1;
        }
        self.sacked += 1;
        self.highest_sacked = self.highest_sacked.max(end);
        self.remove_from_order(id);
    }
    /// A segment that SACK reports joins the ones next to it that it has reported, and is separated from those it has not (Linux,
    /// `tcp_shift_skb_data` and `tcp_fragment`). Returns by how many pieces there are more, or fewer.
    pub(super) fn rejoin(&mut self, id: Id) -> i64 {
        let Record { resent, lost, .. } = *self.get(id);
        let mut more = 0;
        if !self.get(id).ends_burst {
            self.get_mut(id).ends_burst = true;
            more += 1;
        }
        if id > self.first {
            let before = *self.get(id - 1);
            let joins = before.sacked && !before.resent && (lost || !resent);
            more += self.set_end(id - 1, !joins);
        }
        if id + 1 < self.ids().end {
            let after = *self.get(id + 1);
            if after.sacked && !after.resent && (lost || !resent) {
                more += self.set_end(id, false);
            }
        }
        more
    }
    /// The last of at most so many segments, from this one on, that left together, are all to be sent again, and end before `edge`.
    pub(super) fn last_of_burst(&self, id: Id, most: u64, edge: Offset) -> Id {
        let goes_on = |last: &Id| {
            let next = last + 1;
            next < self.ids().end
                && !self.get(*last).ends_burst
                && self.get(next).end <= edge
                && self.to_resend.contains(&next)
        };
        (id..id + most - 1).take_while(goes_on).count() as Id + id
    }
    /// Whether all that is outstanding left together, if anything is.
    pub(super) fn is_one_burst(&self) -> bool {
        self.records.iter().rev().skip(1).all(|record| !record.ends_burst)
    }
    /// Segments leave again together: they are a piece. Returns by how many pieces there are more.
    pub(super) fn separate(&mut self, first: Id, last: Id) -> i64 {
        let before =
            if first > self.first && !self.get(first - 1).resent { self.set_end(first - 1, true) } else { 0 };
        before + self.set_end(last, true)
    }
    fn set_end(&mut self, id: Id, ends: bool) -> i64 {
        let before = std::mem::replace(&mut self.get_mut(id).ends_burst, ends);
        i64::from(ends) - i64::from(before)
    }
    /// A retransmission that is known to have arrived is not under way.
    pub(super) fn settle_resent(&mut self, id: Id) {
        let record = self.get_mut(id);
        if std::mem::take(&mut record.resent) {
            self.resent -= 1;
        }
    }
    /// The receiver has dropped what it had reported.
    pub(super) fn forget_sacked(&mut self) {
        self.records.iter_mut().for_each(|record| record.sacked = false);
        self.sacked = 0;
    }
    pub(super) fn stop_counting(&mut self, id: Id) {
        self.get_mut(id).snapshot.counts = false;
    }
    /// The first segment is acknowledged cumulatively.
    pub(super) fn pop(&mut self) -> Option<Record> {
        let id = self.first;
        self.head()?;
        self.remove_from_order(id);
        let record = self.records.pop_front()?;
        self.first += 1;
        self.sacked -= u32::from(record.sacked);
        self.resent -= u32::from(record.resent);
        if record.lost {
            self.lost -= 1;
            self.excused -= u32::from(record.excused);
            self.to_resend.remove(&id);
        }
        Some(record)
    }
    /// A part of the first segment is acknowledged.
    pub(super) fn trim_head(&mut self, to: Offset) {
        if let Some(head) = self.records.front_mut() {
            head.start = head.start.max(to);
        }
    }
}
