//! The receiving side: reassembly, the window offered, selective and delayed acknowledgments.

use crate::offset::Offset;
use crate::parameters::ReceiverParameters;
use crate::scoreboard::{RangeSet, most_ranges};
use seamline_wire::{Instant, Loss, LossCause, Losses, SackBlock, SackBlocks, SequenceNumber};

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

/// The receiving side of a connection.
#[derive(Debug)]
pub struct Receiver {
    parameters: ReceiverParameters,
    initial: SequenceNumber,
    next: Offset,
    read: Offset,
    offered_edge: Offset,
    window_shift: u8,
    segment_size: u32,
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
    closed_on_purpose: bool,
}

impl Receiver {
    /// A receiver whose peer began at `initial` and whose next byte is `next`.
    pub fn new(
        parameters: ReceiverParameters,
        initial: SequenceNumber,
        next: Offset,
        window_shift: u8,
        segment_size: u32,
    ) -> Self {
        let offered_edge = next + u64::from(parameters.buffer);
        Receiver {
            parameters,
            initial,
            next,
            read: next,
            offered_edge,
            window_shift,
            segment_size,
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
            closed_on_purpose: false,
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
        (self.next - self.read) - u64::from(self.finished)
    }
    /// Whether the peer's FIN has been received in order.
    pub fn is_finished(&self) -> bool {
        self.finished
    }
    /// The application reads `bytes` (at most what is readable). Returns whether the window opened
    /// enough to report it: by two segments, or half the buffer, as in 4.4BSD; less rides on the
    /// next acknowledgment. One that is closed on purpose stays closed.
    pub fn consume(&mut self, bytes: u64) -> bool {
        self.read += bytes.min(self.readable());
        let offered = self.offered_edge.saturating_since(self.next);
        let opened = self.window().saturating_sub(offered);
        let worth_telling = (2 * u64::from(self.segment_size)).min(u64::from(self.parameters.buffer) / 2);
        !self.closed_on_purpose && opened > 0 && opened >= worth_telling
    }
    /// The receive buffer in bytes from now on. A smaller one takes nothing back that was offered (RFC 9293 section 3.8.6):
    /// until that has come, it shows in [`Receiver::committed`].
    pub fn set_buffer(&mut self, bytes: u32) {
        self.parameters.buffer = bytes;
    }
    /// Nothing has been offered: the first window is that of the buffer.
    pub(crate) fn offer_nothing_yet(&mut self) {
        self.offered_edge = self.next + u64::from(self.parameters.buffer);
    }
    /// Bytes that the peer can have sent before the next one expected without hearing of it: the buffer, and no less than a window
    /// without scaling, in case it was larger once.
    pub(crate) fn largest_window(&self) -> u64 {
        u64::from(self.parameters.buffer.max(u32::from(u16::MAX)))
    }
    /// The receive buffer in bytes.
    pub fn buffer(&self) -> u32 {
        self.parameters.buffer
    }
    /// Bytes that are not read, or may still come because they were offered.
    pub fn committed(&self) -> u64 {
        self.offered_edge.saturating_since(self.read)
    }
    /// The application reads everything there is, before the window is offered again.
    pub fn consume_all(&mut self) {
        self.read += self.readable();
    }
    /// RCV.WND in bytes; the right edge never moves left (RFC 9293 section 3.8.6).
    pub fn window(&self) -> u64 {
        let kept = self.next - self.read;
        let free = u64::from(self.parameters.buffer).saturating_sub(kept);
        let edge = self.next + free;
        let step = u64::from(self.segment_size).min(u64::from(self.parameters.buffer) / 2);
        let edge = if edge.saturating_since(self.offered_edge) < step { self.offered_edge } else { edge };
        edge.saturating_since(self.next)
    }
    /// The window field to send, and remember it as offered. `scaled` is false on a SYN.
    pub fn offer(&mut self, scaled: bool) -> u16 {
        let shift = if scaled { self.window_shift } else { 0 };
        let window = if self.closed_on_purpose { 0 } else { self.window() };
        let field = (window >> shift).min(u64::from(u16::MAX)) as u16;
        self.offered_edge = self.offered_edge.max(self.next + (u64::from(field) << shift));
        field
    }
    /// Offer a window of zero from now on. The true right edge stays where it is, so that what is under way
    /// is still accepted.
    pub fn close_window(&mut self) {
        self.closed_on_purpose = true;
    }
    /// Offer the true window again.
    pub fn open_window(&mut self) {
        self.closed_on_purpose = false;
    }
    /// The right edge of the window, as it was offered or could be.
    pub(crate) fn edge(&self) -> Offset {
        self.offered_edge.max(self.next + self.window())
    }
    /// Whether a segment of `length` at `start` overlaps the window (RFC 9293 section 3.4, table 6). What
    /// occupies no sequence space may also stand at the right edge: there a peer is that has filled the
    /// window, and if its acknowledgments were refused, two such ends would answer each other for ever.
    pub fn accepts(&self, start: Option<Offset>, length: u32) -> bool {
        let Some(start) = start else { return false };
        let edge = self.edge();
        let end = start + u64::from(length);
        match length {
            0 => start >= self.next && start <= edge,
            _ => start < edge && end > self.next && edge > self.next,
        }
    }

    /// Whether a reset at `start` lies in the window (RFC 5961 section 3.2).
    pub fn contains(&self, start: Option<Offset>) -> bool {
        let edge = self.edge();
        start.is_some_and(|start| start == self.next || (start > self.next && start < edge))
    }

    /// Take in payload and FIN of an acceptable segment that begins at `start`.
    pub fn accept(&mut self, now: Instant, start: Offset, length: u32, fin: bool) -> Received {
        self.longest_payload = self.longest_payload.max(length);
        let data_end = start + u64::from(length);
        let edge = self.offered_edge.max(self.next);
        let stream_end = self.fin_at.unwrap_or(Offset(u64::MAX));
        let (from, to) = (start.max(self.next), data_end.min(edge).min(stream_end));
        let fin = fin && data_end <= edge && !self.finished && self.may_end_at(data_end);
        self.note_duplicate(start, to.max(start));
        if self.out_of_order.is_empty() && from == self.next && !self.finished {
            return self.accept_in_order(now, length, to, fin);
        }
        let before = self.next;
        let end = if fin { data_end + 1 } else { to };
        let most = most_ranges(u64::from(self.parameters.buffer), self.segment_size);
        if before < from && from < end && !self.out_of_order.has_room_for(from, end, most) {
            self.acknowledge_now = true;
            return Received { refused: true, ..Received::default() };
        }
        let new = if from < to { self.out_of_order.insert(from, to) } else { 0 };
        if fin {
            self.fin_at = Some(data_end);
            self.out_of_order.insert(data_end.max(self.next), data_end + 1);
        }
        self.advance_over_received();
        if self.next == before && from < to {
            self.remember_block(from);
        }
        self.acknowledge_now = true;
        let fin_reached = u64::from(self.finished && before != self.next);
        Received { delivered: (self.next - before) - fin_reached, new, refused: false }
    }

    /// Payload of the peer has come from `start` to `end`: what of it had come before is to be reported, the first of it where that is
    /// in several parts (RFC 2883 section 4).
    pub(crate) fn note_duplicate(&mut self, start: Offset, end: Offset) {
        if !self.parameters.reports_duplicates {
            return;
        }
        let has_come = start < self.next || self.out_of_order.contains(start);
        let known = if has_come { Some(start) } else { self.out_of_order.next_present(start) };
        let Some(left) = known.filter(|left| *left < end) else { return };
        let right = if left < self.next { self.next } else { self.out_of_order.next_missing(left) };
        self.duplicate = Some((left, right.min(end)));
    }
    /// What has come twice is reported.
    pub(crate) fn duplicate_reported(&mut self) {
        self.duplicate = None;
    }

    fn accept_in_order(&mut self, now: Instant, length: u32, to: Offset, fin: bool) -> Received {
        let delivered = to.saturating_since(self.next);
        self.next = self.next.max(to);
        if fin {
            self.next += 1;
            self.finished = true;
        }
        if fin || (delivered == 0 && length > 0) {
            self.acknowledge_now = true;
        } else if delivered > 0 {
            self.schedule_acknowledgment(now);
        }
        Received { delivered, new: delivered, refused: false }
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

    /// The block that holds `from` is now the most recent one; those it has swallowed are gone
    /// (RFC 2018 section 4).
    fn remember_block(&mut self, from: Offset) {
        let ranges = self.out_of_order.as_slice();
        let after = ranges.partition_point(|&(left, _)| left <= from);
        let block = ranges[after - 1];
        self.recent.retain(|&(left, right)| left < block.0 || right > block.1);
        self.recent.insert(0, block);
        self.recent.truncate(SackBlocks::MAX);
    }

    fn schedule_acknowledgment(&mut self, now: Instant) {
        let Some(delay) = self.parameters.delayed_acknowledgment else {
            self.acknowledge_now = true;
            return;
        };
        self.segments_unacknowledged += 1;
        if self.segments_unacknowledged >= delay.segments {
            self.acknowledge_now = true;
        } else if self.acknowledge_at.is_none() {
            self.acknowledge_at = Some(now + delay.timeout);
        }
    }

    /// The blocks to report: what has come twice (RFC 2883 section 4), the most recent, then others that have been reported longer
    /// ago, as many as there is room for (RFC 2018 section 4).
    pub fn sack_blocks(&self) -> SackBlocks {
        let ranges = self.out_of_order.as_slice();
        if ranges.is_empty() && self.duplicate.is_none() {
            return SackBlocks::new();
        }
        let block = |&(left, right): &(Offset, Offset)| SackBlock {
            left: left.sequence(self.initial),
            right: right.sequence(self.initial),
        };
        let older = ranges.iter().rev().filter(|range| !self.recent.contains(range));
        self.duplicate
            .iter()
            .chain(&self.recent)
            .chain(older)
            .take(self.parameters.most_sack_blocks)
            .map(block)
            .collect()
    }
    /// The segments missing before something that has arrived, last in sequence first (eln-ack, section III): this end does not know
    /// why they are.
    pub fn losses(&self) -> Losses {
        let ranges = self.out_of_order.as_slice();
        let size = u64::from(self.longest_payload);
        let starts = (0..ranges.len()).rev().flat_map(|place| {
            let begin = if place == 0 { self.next } else { ranges[place - 1].1 };
            let end = ranges[place].0;
            let nearest = (begin - self.next).min(u64::from(Losses::FURTHEST));
            let most = (u64::from(Losses::FURTHEST) - nearest) / size + 1;
            let segments = (end - begin).div_ceil(size).min(most);
            (0..segments).rev().map(move |n| begin - self.next + n * size)
        });
        let losses = starts.filter_map(|offset| u32::try_from(offset).ok());
        losses.map(|offset| Loss { offset, cause: LossCause::Congestion }).collect()
    }
    /// Whether an acknowledgment must leave before anything else happens.
    pub fn must_acknowledge(&self) -> bool {
        self.acknowledge_now
    }
    /// Acknowledge with the next segment, at once.
    pub fn acknowledge_soon(&mut self) {
        self.acknowledge_now = true;
    }
    /// Last.ACK.sent (RFC 7323 section 4.3).
    pub fn last_acknowledged(&self) -> Offset {
        self.last_acknowledged
    }
    /// When a delayed acknowledgment is due.
    pub fn acknowledge_at(&self) -> Option<Instant> {
        self.acknowledge_at
    }
    /// A segment with an acknowledgment has left.
    pub fn acknowledged(&mut self) {
        self.last_acknowledged = self.next;
        self.acknowledge_now = false;
        self.acknowledge_at = None;
        self.segments_unacknowledged = 0;
    }
}
