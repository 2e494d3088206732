//! The send buffer: how much of what the application supplies the host takes in, and in which pieces (`tcp_sendmsg_locked`).

use super::limits::Limit;
use super::writing::Occasion;
use super::*;
use crate::parameters::SendBuffer;
use std::collections::VecDeque;

/// Memory of the bookkeeping for a piece (Linux: `SKB_TRUESIZE` of an empty buffer for sending).
pub(super) const BOOKKEEPING: u64 = 896;
/// Memory that the buffer is to have for each segment of the window: a full segment in a buffer of its own.
const PER_SEGMENT: u64 = 2304;
/// Segments that the buffer is for at least.
const LEAST_SEGMENTS: u32 = 10;
/// The largest piece (64 KiB less room for headers).
pub(super) const LARGEST_PIECE: u64 = 65_279;

/// Data that waits, and leaves in bursts of its own.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    pub(super) length: u64,
    /// Its end is pushed: a write ends there, or half a window has gone by.
    pub(super) pushes: bool,
    /// A record ends with it: nothing joins it from behind.
    pub(super) ends_record: bool,
}

/// What the host has taken in and not sent.
#[derive(Clone, Debug)]
pub(super) struct Buffer {
    tuning: SendBuffer,
    limit: u64,
    /// Memory of what waits and of what is not acknowledged.
    pub(super) used: u64,
    pub(super) pieces: VecDeque<Piece>,
    /// The end of what was taken in.
    pub(super) written: Offset,
    pushed: Offset,
    /// The application waits for room.
    pub(super) is_short: bool,
    /// It is about to go on.
    wakes: bool,
    /// How often it was woken.
    pub(super) woken: u64,
    /// The limit was set, and does not grow.
    is_fixed: bool,
    /// Room ends where so many bytes are not sent (TCP_NOTSENT_LOWAT).
    pub(super) most_unsent: u64,
}

impl Buffer {
    pub(super) fn new(tuning: &SendBuffer) -> Self {
        Buffer {
            limit: u64::from(tuning.first),
            tuning: tuning.clone(),
            used: 0,
            pieces: VecDeque::new(),
            written: Offset::FIRST_BYTE,
            pushed: Offset::FIRST_BYTE,
            is_short: false,
            wakes: false,
            woken: 0,
            is_fixed: false,
            most_unsent: u64::MAX,
        }
    }
    /// Memory for a window of so many segments, `factor` times.
    fn expand(&mut self, segments: u32, factor: u64) {
        if self.is_fixed {
            return;
        }
        let wanted = factor * u64::from(segments) * PER_SEGMENT;
        self.limit = self.limit.max(wanted.min(u64::from(self.tuning.most)));
    }
    /// Hold so many bytes of memory from now on, however large the window is.
    pub(super) fn fix_limit(&mut self, bytes: u64) {
        self.limit = bytes;
        self.is_fixed = true;
    }
    pub(super) fn limit(&self) -> u64 {
        self.limit
    }
    fn has_room(&self, sent: Offset) -> bool {
        self.used < self.limit && self.written.saturating_since(sent) < self.most_unsent
    }
    /// Whether there is so much room that an application that waits for it goes on (`sk_stream_is_writeable`).
    pub(super) fn is_worth_waking(&self, sent: Offset) -> bool {
        let unsent = self.written.saturating_since(sent);
        self.used < self.limit && self.limit - self.used >= self.used / 2 && 2 * unsent < self.most_unsent
    }
    /// Memory of an acknowledged segment is free; `ends` says whether it was the last one of its burst.
    pub(super) fn release(&mut self, bytes: u64, ends: bool) {
        self.used = self.used.saturating_sub(bytes + if ends { BOOKKEEPING } else { 0 });
    }
    /// There are so many pieces more, or fewer.
    pub(super) fn count_pieces(&mut self, more: i64) {
        self.used = self.used.saturating_add_signed(more * BOOKKEEPING as i64);
    }
    /// Let the first piece grow up to `length` at the cost of the one behind it (`tcp_grow_skb`).
    pub(super) fn grow_first(&mut self, length: u64) {
        if self.pieces.len() < 2 || self.pieces[0].length >= length || self.pieces[0].ends_record {
            return;
        }
        let moved = (length - self.pieces[0].length).min(self.pieces[1].length);
        self.pieces[0].length += moved;
        self.pieces[1].length -= moved;
        if self.pieces[1].length == 0
            && let Some(eaten) = self.pieces.remove(1)
        {
            self.pieces[0].pushes |= eaten.pushes;
            self.pieces[0].ends_record = eaten.ends_record;
            self.used = self.used.saturating_sub(BOOKKEEPING);
        }
    }
    /// So many bytes leave. Returns whether the last of them end a piece that is pushed.
    pub(super) fn take(&mut self, bytes: u64) -> bool {
        let mut left = bytes;
        while let Some(first) = self.pieces.front_mut() {
            if left < first.length {
                first.length -= left;
                self.used += BOOKKEEPING;
                return false;
            }
            left -= first.length;
            let pushes = first.pushes;
            self.pieces.pop_front();
            if left == 0 {
                return pushes;
            }
        }
        false
    }
    /// What ends at `end` was sent by other means.
    pub(super) fn skip(&mut self, end: Offset) {
        self.written = end;
        self.pushed = end;
    }
    /// What waits is not sent after all: the stream ends at `end`.
    pub(super) fn cut(&mut self, end: Offset) {
        if self.written > end {
            let waiting: u64 = self.pieces.iter().map(|piece| piece.length + BOOKKEEPING).sum();
            self.used = self.used.saturating_sub(waiting);
            self.pieces.clear();
            self.written = end;
        }
    }
    /// Add to the last piece, or begin another one; the first part of a write takes back that the last one ended there. Returns how
    /// many bytes fit, none when there is no room; `sent` is what has been sent.
    fn add(&mut self, bytes: u64, goal: u64, is_first: bool, sent: Offset) -> u64 {
        let open = self.pieces.back().filter(|last| !last.ends_record);
        let room = open.map_or(0, |last| goal.saturating_sub(last.length));
        let taken = if room > 0 { room.min(bytes) } else { goal.min(bytes) };
        if room == 0 {
            if !self.has_room(sent) {
                return 0;
            }
            self.pieces.push_back(Piece { length: 0, pushes: false, ends_record: false });
            self.used += BOOKKEEPING;
        }
        if let Some(last) = self.pieces.back_mut() {
            last.length += taken;
            last.pushes &= !is_first;
        }
        self.used += taken;
        self.written += taken;
        taken
    }
    fn last_is_full(&self, goal: u64) -> bool {
        self.pieces.back().is_some_and(|last| last.length >= goal)
    }
    fn end_record(&mut self) {
        if let Some(last) = self.pieces.back_mut() {
            last.ends_record = true;
        }
    }
    fn push_end(&mut self) {
        if let Some(last) = self.pieces.back_mut() {
            last.pushes = true;
        }
        self.pushed = self.written;
    }
}

impl Run<'_, '_> {
    fn buffer_factor(&self) -> u64 {
        if self.s.control.controls_rate() { 3 } else { 2 }
    }
    /// The size of a piece: half the largest window of the peer, at most what leaves at once (`tcp_xmit_size_goal`).
    fn goal(&self) -> u64 {
        let size = u64::from(self.s.view.segment_size);
        let largest = LARGEST_PIECE.min((self.s.view.largest_peer_window / 2).max(size));
        (largest / size).max(1) * size
    }

    /// Take in what the application supplies, as far as there is room, and send what may leave.
    pub(super) fn fill(&mut self, write: Write) {
        self.note_application_limit();
        let (goal, end, factor) = (self.goal(), self.s.data_end, self.buffer_factor());
        if let Some(buffer) = &mut self.t.buffer {
            buffer.expand(LEAST_SEGMENTS, factor);
        }
        let half_window = self.s.view.largest_peer_window / 2;
        let mut copied = false;
        self.t.host_queue.let_application_send(true);
        while let Some(buffer) = self.t.buffer.as_mut().filter(|buffer| buffer.written < end) {
            let taken = buffer.add(end - buffer.written, goal, !copied, self.s.view.highest_sent);
            if taken == 0 {
                buffer.is_short = true;
                break;
            }
            copied = true;
            self.t.limits.begin(Limit::Busy, self.s.view.now);
            if !buffer.last_is_full(goal) || buffer.written == end {
                continue;
            }
            if buffer.written.saturating_since(buffer.pushed) > half_window {
                buffer.push_end();
                self.write_as(Occasion::Pushed);
            } else if buffer.pieces.len() == 1 {
                self.write_as(Occasion::One);
            }
        }
        if copied {
            self.end_write(write, half_window);
        }
        self.t.host_queue.let_application_send(false);
    }
    /// A write has ended, or waits for room (`tcp_push`).
    fn end_write(&mut self, write: Write, half_window: u64) {
        let Some(buffer) = &mut self.t.buffer else { return };
        let goes_on = write.more && !buffer.is_short;
        if !goes_on || buffer.written.saturating_since(buffer.pushed) > half_window {
            buffer.push_end();
        }
        if write.ends_record && !buffer.is_short {
            buffer.end_record();
        }
        let occasion = match (buffer.is_short, write.more) {
            (true, _) => Occasion::Pushed,
            (false, true) => Occasion::Corked,
            (false, false) => Occasion::Usual,
        };
        self.write_as(occasion);
    }
    /// Room may have become free, or more may be wanted: the window was not full (`tcp_check_space`).
    pub(super) fn check_space(&mut self) {
        let (in_flight, window, reordering) = (self.t.queue.in_flight(), self.window(), self.t.reordering);
        let (factor, now) = (self.buffer_factor(), self.now());
        let Some(buffer) = self.t.buffer.as_mut().filter(|buffer| buffer.is_short) else { return };
        if in_flight < window {
            buffer.expand(window.max(reordering + 1).max(LEAST_SEGMENTS), factor);
            self.t.use_of_window.confirm(now);
        }
        if buffer.is_worth_waking(self.s.view.highest_sent) {
            buffer.is_short = false;
            buffer.wakes = true;
            buffer.woken += 1;
            self.end_limit(Limit::SendBuffer);
        }
    }
    /// The application goes on when there is room.
    pub(super) fn wake_application(&mut self) {
        self.check_space();
        if self.t.buffer.as_mut().is_some_and(|buffer| std::mem::take(&mut buffer.wakes)) {
            self.fill(Write::default());
        }
    }
    /// If the application had left the network idle until now, what is outstanding says nothing about the network
    /// (`tcp_rate_check_app_limited`).
    fn note_application_limit(&mut self) {
        let before = self.t.buffer.as_ref().map_or(self.t.supplied, |buffer| buffer.written);
        let waiting = before.saturating_since(self.s.view.highest_sent);
        self.t.supplied = self.s.data_end;
        let in_flight = self.t.queue.in_flight();
        let has_room = in_flight < self.window() && self.t.queue.lost <= self.t.queue.resent;
        if waiting < u64::from(self.s.view.segment_size) && has_room {
            self.t.delivery.mark_application_limited(in_flight);
        }
    }
}
