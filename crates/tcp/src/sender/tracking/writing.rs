//! Sending what was not sent before (`tcp_write_xmit`).

use super::buffer::{LARGEST_PIECE, Piece};
use super::queue::{Record, Snapshot};
use super::timer::Purpose;
use super::*;

/// What stops a sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stop {
    /// Nothing is left, or it waits for its time.
    Other,
    /// The congestion window is full.
    Window,
    /// The peer's window is full.
    Peer,
}

/// Why data is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Occasion {
    /// Something may have become possible.
    Usual,
    /// The end of what waits is pushed: it does not wait for more.
    Pushed,
    /// More follows: a part of a segment waits for it.
    Corked,
    /// The first piece is complete: one burst of it leaves without waiting for a larger one.
    One,
    /// Acknowledgments have stopped: one burst leaves, of a segment at least, although the congestion window is full.
    Probe,
}

impl Occasion {
    fn is_one_burst(self) -> bool {
        matches!(self, Occasion::One | Occasion::Probe)
    }
}

/// A burst is what the pacing rate sends in 1/1024 s (`sk_pacing_shift`).
pub(super) const BURST_SHIFT: u32 = 10;
/// On short paths bursts may be longer: by what is left of the largest after so many halvings (`tcp_tso_rtt_log`).
const ROUND_TRIP_SHIFT: u32 = 9;
/// A burst is not held back for one that is larger where a third of the window is free (`tcp_tso_win_divisor`).
const WINDOW_DIVISOR: u64 = 3;
/// Nor when the next acknowledgment is further away than this.
const NEAR: Duration = Duration::from_millis(1);

impl Run<'_, '_> {
    /// The application has supplied data, or the window may have opened.
    pub(super) fn pump(&mut self) {
        self.take_in(Write::default());
        self.write();
    }
    /// Take in what the application writes, perhaps as the first data or after a pause.
    pub(super) fn take_in(&mut self, write: Write) {
        if self.t.segments_sent == 0 && !self.s.control.controls_rate() {
            self.update_pacing_rate();
        }
        self.restart_after_idle();
        self.fill(write);
    }
    /// Send all that may leave, and take in more.
    pub(super) fn write(&mut self) {
        self.write_as(Occasion::Usual);
        self.wake_application();
    }
    pub(super) fn write_as(&mut self, occasion: Occasion) {
        let sent_before = self.t.segments_sent;
        let stop = self.write_bursts(occasion);
        self.note_peer_limit(stop == Stop::Peer);
        let sent = self.t.segments_sent - sent_before;
        let full = stop == Stop::Window || self.t.queue.in_flight() >= self.window();
        if sent > 0 || full {
            self.validate_window(full);
        }
        if sent > 0 {
            if self.is_reducing() {
                self.t.reduction.out += sent;
            }
            if occasion != Occasion::Probe {
                self.schedule_probe(false);
            }
        } else if self.t.queue.is_empty() && self.something_waits() && self.t.timer.purpose().is_none() {
            self.arm_window_probe();
        }
    }
    fn write_bursts(&mut self, occasion: Occasion) -> Stop {
        if self.t.segments_sent == 0 && self.s.control.controls_rate() && self.something_waits() {
            // Its rate bounds the first burst, too.
            self.start_transmission();
        }
        let largest = self.largest_burst();
        while self.something_waits() && !self.s.is_frozen() {
            if self.t.pacing.holds(self.t.exact_now) {
                break;
            }
            let least = u64::from(occasion == Occasion::Probe);
            let quota = self.quota().max(least).min(largest);
            if quota == 0 {
                return Stop::Other;
            }
            let size = u64::from(self.s.view.segment_size);
            let (piece, is_last) = self.first_piece(quota * size);
            if self.room_in_peer_window() < piece.length.min(size).max(1) {
                return Stop::Peer;
            }
            if piece.length <= size {
                // Not where the FIN is in it.
                if is_last && piece.length < size && !self.s.view.finishing && self.holds_part(occasion) {
                    break;
                }
            } else if !occasion.is_one_burst()
                && let Some(stop) = self.waits_for_larger_burst(largest, piece.length, is_last)
            {
                return stop;
            }
            let length = self.burst(quota, piece.length, is_last, occasion);
            if length == 0 || self.host_holds(length, false) {
                break;
            }
            if !self.send_new(length) || occasion.is_one_burst() {
                break;
            }
        }
        Stop::Other
    }

    /// Whether data or FIN that the host has taken in is waiting to be sent for the first time.
    pub(super) fn something_waits(&self) -> bool {
        self.waiting() > 0 || (self.s.view.finishing && self.s.has_unsent() && self.everything_is_written())
    }
    fn everything_is_written(&self) -> bool {
        self.t.buffer.as_ref().is_none_or(|buffer| buffer.written >= self.s.data_end)
    }
    /// Bytes of payload that wait.
    pub(super) fn waiting(&self) -> u64 {
        let written = self.t.buffer.as_ref().map_or(self.s.data_end, |buffer| buffer.written);
        written.saturating_since(self.s.view.highest_sent)
    }
    /// The first piece that waits, grown to `wanted` bytes where there are so many; and whether it is the last one.
    fn first_piece(&mut self, wanted: u64) -> (Piece, bool) {
        if let Some(buffer) = &mut self.t.buffer {
            buffer.grow_first(wanted);
            let piece = buffer.pieces.front().copied();
            return (
                piece.unwrap_or(Piece { length: 0, pushes: false, ends_record: false }),
                buffer.pieces.len() <= 1,
            );
        }
        let size = u64::from(self.s.view.segment_size);
        let (waiting, largest) = (self.waiting(), LARGEST_PIECE / size * size);
        (Piece { length: waiting.min(largest), pushes: false, ends_record: false }, waiting <= largest)
    }
    fn next_length(&self, segments: u64) -> u64 {
        self.waiting().min(segments * u64::from(self.s.view.segment_size))
    }
    /// Where data leaves before the SYN is acknowledged, the window begins behind the SYN (`tcp_create_openreq_child`).
    pub(super) fn room_in_peer_window(&self) -> u64 {
        (self.unacknowledged().max(Offset::FIRST_BYTE) + self.s.view.peer_window)
            .saturating_since(self.s.view.highest_sent)
    }
    /// Whether a new segment fits into the peer's window; the congestion window does not matter.
    pub(super) fn may_send_beyond_window(&self) -> bool {
        self.something_waits() && self.room_in_peer_window() >= self.next_length(1).max(1)
    }
    /// Segments that the congestion window allows in one burst: at most half of it.
    fn quota(&self) -> u64 {
        let limit = self.s.view.parameters.window.limit;
        let (in_flight, window) = (self.t.queue.in_flight(), self.window().min(limit));
        if in_flight >= window {
            return 0;
        }
        u64::from((window - in_flight).min((window / 2).max(1)))
    }
    /// Segments of the largest burst (`tcp_tso_autosize`).
    pub(super) fn largest_burst(&self) -> u64 {
        let segments = &self.s.view.parameters.segments;
        let Some(least) = segments.least_burst else { return 1 };
        let rate = self.t.pacing.rate();
        let mut bytes = rate >> BURST_SHIFT;
        let round_trip = self.t.minimum_round_trip.get().map_or(u64::MAX, Duration::as_micros);
        let halvings = round_trip >> ROUND_TRIP_SHIFT;
        if halvings < 32 {
            bytes = bytes.saturating_add(LARGEST_PIECE >> halvings);
        }
        if let Some(most) = self.s.control.most_burst(rate) {
            return u64::from(most);
        }
        let least = self.s.control.least_burst(rate).unwrap_or(least);
        (bytes.min(LARGEST_PIECE) / u64::from(self.s.view.segment_size)).max(u64::from(least))
    }
    /// A burst smaller than it could be waits for the next acknowledgment, when that is near (`tcp_tso_should_defer`).
    fn waits_for_larger_burst(&self, largest: u64, piece: u64, is_last: bool) -> Option<Stop> {
        let view = &self.s.view;
        let long_ago = self.t.exact_now.saturating_since(self.t.pacing.last_departure()) > NEAR;
        if self.t.in_recovery() || long_ago {
            return None;
        }
        let size = u64::from(view.segment_size);
        let by_peer = self.room_in_peer_window();
        let by_window = u64::from(self.window() - self.t.queue.in_flight()) * size;
        let limit = by_peer.min(by_window);
        let chunk = view.peer_window.min(u64::from(self.window()) * size) / WINDOW_DIVISOR;
        if limit >= largest * size || (!is_last && limit >= piece) || limit >= chunk {
            return None;
        }
        let smoothed = self.t.timeout.smoothed_exactly();
        let expected = self.t.queue.head()?.sent_exactly + smoothed;
        if expected.saturating_since(self.t.exact_now) > (smoothed / 2).min(NEAR) {
            return None;
        }
        if by_window < by_peer {
            if by_window <= piece {
                return Some(Stop::Window);
            }
        } else if by_peer <= piece {
            return Some(Stop::Peer);
        }
        (!view.finishing || !is_last).then_some(Stop::Other)
    }
    /// Bytes of the next burst: full segments, and a part only where nothing holds it (`tcp_mss_split_point`).
    fn burst(&self, quota: u64, piece: u64, is_last: bool, occasion: Occasion) -> u64 {
        let size = u64::from(self.s.view.segment_size);
        let room = self.room_in_peer_window();
        let needed = piece.min(room);
        let full = quota * size;
        if piece == 0 {
            return u64::from(self.s.view.finishing);
        }
        if full <= needed || (full <= room && !is_last) {
            return full.min(needed);
        }
        let part = needed % size;
        if part != 0 && needed > part && self.holds_part(occasion) { needed - part } else { needed }
    }
    /// Whether the last part of a segment waits: for more to come, or for acknowledgments as long as another one is outstanding
    /// (Minshall; `tcp_nagle_test`).
    fn holds_part(&self, occasion: Occasion) -> bool {
        let view = &self.s.view;
        if matches!(occasion, Occasion::One | Occasion::Pushed | Occasion::Probe) {
            return false;
        }
        let small_is_outstanding = !self.t.queue.is_empty() && self.t.last_small > view.unacknowledged;
        self.t.corked || occasion == Occasion::Corked || (view.nagle && small_is_outstanding)
    }
    /// Tell the congestion control that data leaves after a pause.
    fn start_transmission(&mut self) {
        let idle = self.now().saturating_since(self.s.last_sent);
        self.show();
        if let Some(decision) = self.s.control.on_transmission_start(idle, &self.s.view) {
            self.follow(decision);
        }
    }
    /// Send so many bytes as segments that leave together. Returns whether there were any.
    fn send_new(&mut self, bytes: u64) -> bool {
        let sent_before = self.t.segments_sent;
        let size = u64::from(self.s.view.segment_size);
        let now = self.now();
        if self.t.queue.in_flight() == 0 {
            self.start_transmission();
        }
        let end = self.s.view.highest_sent + bytes;
        let data = end.min(self.s.data_end).saturating_since(self.s.view.highest_sent);
        let is_pushed = data > 0 && self.t.buffer.as_mut().is_some_and(|buffer| buffer.take(data));
        let segments_before = self.t.segments_sent;
        let nothing_outstanding = self.t.queue.is_empty();
        while self.s.view.highest_sent < end {
            let start = self.s.view.highest_sent;
            let mut to = (start + size).min(end).min(self.s.data_end.max(start));
            if to == self.s.data_end && self.s.view.finishing {
                to += 1;
            }
            if to == start {
                break;
            }
            let in_flight = self.t.queue.in_flight() + 1;
            let snapshot = self.t.delivery.snapshot(now, self.t.queue.is_empty(), in_flight);
            let mut record = Record::new(start, to, self.t.exact_now, snapshot);
            // The end of a burst is pushed, so that the receiver's host does not wait for more of it.
            record.ends_burst = to >= end;
            record.pushes = record.ends_burst && is_pushed;
            let pushes = record.pushes || (record.ends_burst && bytes > size);
            self.s.put(start, to, pushes, self.exit);
            self.t.queue.push(record);
            self.t.segments_sent += 1;
            if to <= self.t.sent_with_syn {
                self.count_as_resent(snapshot);
            } else if to - start < size {
                self.t.last_small = to;
            }
        }
        self.note_burst(bytes, segments_before);
        if nothing_outstanding || self.t.timer.purpose() == Some(Purpose::LossProbe) {
            self.rearm_timeout();
        }
        self.check_space();
        self.t.segments_sent > sent_before
    }

    /// The segment that has left was lost with the SYN (`tcp_rcv_fastopen_synack`).
    fn count_as_resent(&mut self, snapshot: Snapshot) {
        if let Some(id) = self.t.queue.last_id() {
            self.t.queue.mark_lost(id);
            self.t.queue.note_resent(id, self.t.exact_now, snapshot, true);
        }
    }

    /// Send one segment although the congestion window is full. Returns whether there was one.
    pub(super) fn write_one(&mut self) -> bool {
        if self.s.is_frozen() || !self.something_waits() {
            return false;
        }
        self.send_new(self.next_length(1).max(1))
    }
    /// Send what the peer's window holds, if it is not closed.
    pub(super) fn write_into_window(&mut self) -> bool {
        let length = self.next_length(1).min(self.room_in_peer_window());
        let writes = length > 0 && !self.s.is_frozen();
        if writes {
            self.send_new(length);
        }
        writes
    }
}
