//! The receiving side: reassembly, the window offered, selective and delayed acknowledgments.

mod acknowledging;
mod adaptive;
mod blocks;
mod delayed_duplicates;
mod tuning;
mod window;

pub use adaptive::Timing;

use crate::offset::Offset;
use crate::parameters::Parameters;
use crate::scoreboard::{RangeSet, most_ranges};
use adaptive::Adaptive;
use delayed_duplicates::DelayedDuplicates;
use seamline_wire::{Instant, SequenceNumber};
use std::sync::Arc;
use tuning::Tuning;

/// What a segment's payload did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Received {
    /// Bytes that became readable in order.
    pub delivered: u64,
    /// Bytes that had not arrived before.
    pub new: u64,
    /// Nothing was taken, because too many gaps would have to be remembered: it has to come again.
    pub refused: bool,
}

/// What both ends have agreed on that matters to the receiving side.
#[derive(Clone, Copy, Debug, Default)]
pub struct Agreed {
    /// Shift of the windows this end offers.
    pub window_shift: u8,
    /// The largest segment this end accepts: payload plus options, in bytes.
    pub segment_size: u32,
    /// The same without the options that every segment has.
    pub payload: u32,
    /// Whether the peer takes SACK blocks in.
    pub selective: bool,
}

/// An acceptable segment.
#[derive(Clone, Copy, Debug)]
pub struct Arrival {
    /// When it arrives.
    pub now: Instant,
    /// Where its payload begins.
    pub start: Offset,
    /// Bytes of payload.
    pub length: u32,
    /// Whether the stream ends with it.
    pub fin: bool,
    /// Whether a write of the peer's application ends with it (PSH).
    pub push: bool,
    /// What the sending side knows of time.
    pub timing: Timing,
}

/// The receiving side of a connection.
#[derive(Debug)]
pub struct Receiver {
    parameters: Arc<Parameters>,
    /// The receive buffer in bytes that has been set, in place of that of the parameters and their tuning.
    own_buffer: Option<u32>,
    initial: SequenceNumber,
    next: Offset,
    read: Offset,
    offered_edge: Offset,
    agreed: Agreed,
    adaptive: Option<Box<Adaptive>>,
    delayed_duplicates: Option<Box<DelayedDuplicates>>,
    tuning: Option<Box<Tuning>>,
    /// The longest payload so far: the size of the peer's full segments.
    longest_payload: u32,
    out_of_order: RangeSet,
    recent: Vec<(Offset, Offset)>,
    /// What has come twice, until that is reported.
    duplicate: Option<(Offset, Offset)>,
    fin_at: Option<Offset>,
    segments_unacknowledged: u32,
    acknowledge_at: Option<Instant>,
    acknowledge_now: bool,
    last_acknowledged: Offset,
    finished: bool,
    /// What has come is not for the application yet.
    withheld: bool,
    /// What is taken in when the connection opens.
    early: Option<Box<Arrival>>,
    closed_on_purpose: bool,
    accepts_what_fits: bool,
}

impl Receiver {
    /// A receiver whose peer began at `initial`, whose next byte is `next`, and who has offered nothing yet.
    pub fn new(parameters: Arc<Parameters>, initial: SequenceNumber, next: Offset, agreed: Agreed) -> Self {
        Receiver::with_buffer(parameters, None, initial, next, agreed)
    }

    /// A receiver with the same parameters and buffer.
    pub(crate) fn again(&self, initial: SequenceNumber, next: Offset, agreed: Agreed) -> Self {
        Receiver::with_buffer(Arc::clone(&self.parameters), self.own_buffer, initial, next, agreed)
    }

    fn with_buffer(
        shared: Arc<Parameters>,
        own_buffer: Option<u32>,
        initial: SequenceNumber,
        next: Offset,
        agreed: Agreed,
    ) -> Self {
        let parameters = &shared.receiver;
        let delay = parameters.delayed_acknowledgment;
        let first_window = own_buffer.unwrap_or_else(|| parameters.first_window(agreed.payload));
        let adaptive = delay.and_then(|delay| {
            Some(Adaptive::new(delay.adaptive?, delay.timeout, agreed.payload, first_window.into()))
        });
        let delayed_duplicates = parameters.duplicate_delay.map(DelayedDuplicates::new);
        let tuning = parameters.tuning.filter(|_| own_buffer.is_none()).map(|tuning| {
            Tuning::new(tuning, agreed.payload, agreed.window_shift, parameters.buffer, first_window)
        });
        Receiver {
            parameters: shared,
            own_buffer,
            delayed_duplicates: delayed_duplicates.map(Box::new),
            adaptive: adaptive.map(Box::new),
            tuning: tuning.map(Box::new),
            initial,
            next,
            read: next,
            offered_edge: next,
            agreed,
            longest_payload: 1,
            out_of_order: RangeSet::default(),
            recent: Vec::new(),
            duplicate: None,
            fin_at: None,
            segments_unacknowledged: 0,
            acknowledge_at: None,
            acknowledge_now: false,
            last_acknowledged: next,
            finished: false,
            withheld: false,
            early: None,
            closed_on_purpose: false,
            accepts_what_fits: false,
        }
    }

    /// RCV.NXT.
    pub fn next(&self) -> Offset {
        self.next
    }

    /// The acknowledgment number to send.
    pub fn acknowledgment(&self) -> SequenceNumber {
        self.next.sequence(self.initial)
    }

    /// The position of a sequence number of the peer, `None` before its beginning.
    pub fn offset(&self, sequence: SequenceNumber) -> Option<Offset> {
        self.next.nearest(sequence, self.initial)
    }

    /// Bytes received in order that the application has not read.
    pub fn readable(&self) -> u64 {
        if self.withheld { 0 } else { (self.next - self.read) - u64::from(self.finished) }
    }

    /// Whether the peer's FIN has been received in order.
    pub fn is_finished(&self) -> bool {
        self.finished && !self.withheld
    }

    /// The connection is not open: what comes is kept from the application until [`Receiver::open`].
    pub(crate) fn withhold(&mut self) {
        self.withheld = true;
    }

    /// What comes before the connection is open is taken in, and acknowledged, when it opens.
    pub(crate) fn take_in_when_open(&mut self, arrival: Arrival) {
        self.early = Some(Box::new(arrival));
    }

    /// The connection is open. Returns how many bytes are readable by that.
    pub(crate) fn open(&mut self, now: Instant) -> u64 {
        self.withheld = false;
        self.has_buffer();
        if let Some(adaptive) = &mut self.adaptive {
            adaptive.open(now);
        }
        if let Some(arrival) = self.early.take() {
            self.accept(&Arrival { now, ..*arrival });
        }
        let offered = self.offered();
        if let Some(tuning) = &mut self.tuning {
            tuning.open(now, self.read, offered);
        }
        self.readable()
    }

    /// Whether neither its acknowledgments nor its window adapt.
    pub(crate) fn is_predictable(&self) -> bool {
        self.adaptive.is_none() && self.tuning.is_none() && self.delayed_duplicates.is_none()
    }
    /// Whether the next data would only be appended: nothing is missing or to be reported, and the stream does not end. An
    /// acknowledgment that is due has to leave with what comes now. For one that [is predictable](Receiver::is_predictable).
    pub(crate) fn is_simple(&self, now: Instant) -> bool {
        self.out_of_order.is_empty()
            && self.duplicate.is_none()
            && self.fin_at.is_none()
            && !(self.finished || self.withheld || self.acknowledge_now)
            && self.acknowledge_at.is_none_or(|at| at > now)
    }
    /// Whether the next segment fits, if it is so long.
    pub(crate) fn has_room(&self, length: u32) -> bool {
        self.next + u64::from(length) <= self.edge()
    }
    /// Take in the next segment of a stream that [`Receiver::is_simple`], for which it [`Receiver::has_room`].
    pub(crate) fn take_next(&mut self, now: Instant, length: u32) {
        self.longest_payload = self.longest_payload.max(length);
        self.next += u64::from(length);
        self.schedule_acknowledgment(now);
    }

    /// Take in payload and FIN.
    pub fn accept(&mut self, arrival: &Arrival) -> Received {
        let &Arrival { start, length, fin, .. } = arrival;
        self.longest_payload = self.longest_payload.max(length);
        let data_end = start + u64::from(length);
        let edge = self.edge();
        let stream_end = self.fin_at.unwrap_or(Offset(u64::MAX));
        let (from, to) = (start.max(self.next), data_end.min(edge).min(stream_end));
        let fin = fin && data_end <= edge && !self.finished && self.may_end_at(data_end);
        if self.parameters().forgets_older_blocks {
            self.duplicate_reported();
        }
        self.note_duplicate(start, to.max(start));
        if self.out_of_order.is_empty() && from == self.next && !self.finished {
            return self.accept_in_order(arrival, to, fin);
        }
        let before = self.next;
        let end = if fin { data_end + 1 } else { to };
        let most = most_ranges(u64::from(self.buffer()), self.agreed.segment_size);
        if before < from && from < end && !self.out_of_order.has_room_for(from, end, most) {
            self.acknowledge_now = true;
            return Received { refused: true, ..Received::default() };
        }
        let waits = before < from && from < end && self.note_beyond_gap(arrival);
        let new = if from < to { self.out_of_order.insert(from, to) } else { 0 };
        if fin {
            self.fin_at = Some(data_end);
            self.out_of_order.insert(data_end.max(self.next), data_end + 1);
        }
        self.advance_over_received();
        if self.next == before && from < end {
            self.remember_block(from, end);
            let beyond_gap = self.beyond_gap();
            if let Some(tuning) = &mut self.tuning {
                tuning.note_beyond_gap(beyond_gap);
            }
        }
        let fin_reached = self.finished && before != self.next;
        let delivered = (self.next - before) - u64::from(fin_reached);
        match self.next > before {
            true => self.note_in_order(arrival, fin_reached, true),
            false if waits => {}
            false => self.note_nothing_in_order(from < end),
        }
        Received { delivered, new, refused: false }
    }

    /// Take in payload that comes with a SYN: it says nothing about when to acknowledge, as the answer to the SYN does
    /// that, nor about the window that the peer needs.
    pub(crate) fn accept_with_syn(&mut self, arrival: &Arrival) -> Received {
        let (adaptive, tuning) = (self.adaptive.take(), self.tuning.take());
        let received = self.accept(arrival);
        (self.adaptive, self.tuning) = (adaptive, tuning);
        received
    }

    fn accept_in_order(&mut self, arrival: &Arrival, to: Offset, fin: bool) -> Received {
        let delivered = to.saturating_since(self.next);
        self.next = self.next.max(to);
        if fin {
            self.next += 1;
            self.finished = true;
        }
        match fin || delivered > 0 {
            true => self.note_in_order(arrival, fin, false),
            false if arrival.length > 0 => self.note_nothing_in_order(false),
            false => {}
        }
        Received { delivered, new: delivered, refused: false }
    }

    /// How far beyond the next byte data has arrived.
    fn beyond_gap(&self) -> u64 {
        self.out_of_order.end().map_or(0, |end| end.saturating_since(self.next))
    }

    /// Whether the stream may end here: no other end is known, and nothing beyond has been taken.
    fn may_end_at(&self, end: Offset) -> bool {
        match self.fin_at {
            Some(known) => known == end,
            None => self.out_of_order.end().is_none_or(|taken| taken <= end),
        }
    }

    fn advance_over_received(&mut self) {
        let reached = self.out_of_order.next_missing(self.next);
        if reached == self.next {
            return;
        }
        self.next = reached;
        self.out_of_order.remove_before(reached);
        self.recent.retain(|&(_, right)| right > reached);
        self.finished |= self.fin_at.is_some_and(|fin| reached > fin);
    }
}
