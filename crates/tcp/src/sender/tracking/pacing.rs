//! Pacing: when the next segment may leave.

use super::*;

/// Segments that leave at once at the beginning of a connection (Linux: `data_segs_out >= 10`).
const UNPACED: u64 = 10;
/// Congestion control without a rate of its own paces at these multiples of window / round-trip time, in percent, in
/// slow start and otherwise (Linux, `tcp_pacing_ss_ratio` and `tcp_pacing_ca_ratio`).
const SLOW_START_PERCENT: u64 = 200;
const AVOIDANCE_PERCENT: u64 = 120;

/// The rate, and what has been sent at it.
#[derive(Clone, Debug)]
pub(super) struct Pacing {
    /// Bytes per second.
    rate: u64,
    /// Whether segments wait for their time.
    pub(super) waits: bool,
    /// When the next one may leave (`tcp_wstamp_ns`).
    next: Instant,
    /// Something waits.
    waiting: bool,
}

impl Default for Pacing {
    fn default() -> Self {
        Pacing { rate: u64::MAX, waits: false, next: Instant::ZERO, waiting: false }
    }
}

impl Pacing {
    pub(super) fn rate(&self) -> u64 {
        self.rate
    }
    pub(super) fn set_rate(&mut self, rate: u64) {
        self.rate = rate;
    }
    pub(super) fn due(&self) -> Instant {
        if self.waiting { self.next } else { Instant::MAX }
    }
    pub(super) fn is_due(&self, now: Instant) -> bool {
        self.waiting && self.next <= now
    }
    pub(super) fn stop_waiting(&mut self) {
        self.waiting = false;
    }
    pub(super) fn last_departure(&self) -> Instant {
        self.next
    }
    /// How long segments still wait.
    pub(super) fn held_for(&self, now: Instant) -> Duration {
        if self.waits { self.next.saturating_since(now) } else { Duration::ZERO }
    }
    /// Whether a segment must wait; if so, a timer is set.
    pub(super) fn holds(&mut self, now: Instant) -> bool {
        let holds = self.waits && self.next > now;
        self.waiting |= holds;
        holds
    }
    /// So many bytes leave, the last of so many segments (`tcp_update_skb_after_send`). Time that was lost is made up for by at most half.
    pub(super) fn note_sent(&mut self, now: Instant, bytes: u64, segments_sent: u64) {
        let previous = self.next;
        self.next = self.next.max(now);
        if !self.waits || self.rate == u64::MAX || self.rate == 0 || segments_sent < UNPACED {
            return;
        }
        let length = bytes.saturating_mul(1_000_000_000) / self.rate;
        let credit = self.next.saturating_since(previous).as_nanos();
        self.next += Duration::from_nanos(length - credit.min(length / 2));
    }
}

impl Run<'_, '_> {
    /// The pacing rate of a congestion control that has none of its own; it also bounds bursts (`tcp_update_pacing_rate`).
    pub(super) fn update_pacing_rate(&mut self) {
        let window = u64::from(self.window());
        let percent = if self.s.view.window.congestion < (self.s.view.window.threshold / 2.0).trunc() {
            SLOW_START_PERCENT
        } else {
            AVOIDANCE_PERCENT
        };
        let eighths = self.t.timeout.smoothed_in_eighths();
        if eighths == 0 {
            return;
        }
        let segments = window.max(u64::from(self.t.queue.len()));
        let rate = u64::from(self.s.view.segment_size) * segments * percent * 80_000 / eighths;
        self.t.pacing.set_rate(rate);
    }
}
