//! Whether the window is used, and what becomes of one that is not (RFC 7661's subject; Linux, `tcp_cwnd_validate`).

use super::*;
use crate::parameters::IdleRestart;
use crate::view::View;

/// How much of the window has been in use.
#[derive(Clone, Debug)]
pub(super) struct UseOfWindow {
    /// The window was full in the round trip that ends at `round_ends`.
    was_full: bool,
    /// The most segments outstanding in that round trip.
    most_outstanding: u32,
    round_ends: Offset,
    /// The most segments outstanding since the window was last full.
    used: u32,
    /// When the window was last full, grown or replaced.
    confirmed_at: Instant,
}

impl UseOfWindow {
    pub(super) fn new(first: Offset) -> Self {
        UseOfWindow {
            was_full: false,
            most_outstanding: 0,
            round_ends: first,
            used: 0,
            confirmed_at: Instant::ZERO,
        }
    }
    pub(super) fn confirm(&mut self, now: Instant) {
        self.confirmed_at = now;
    }
    /// Whether the window limits the flow: slow start may grow up to twice what was outstanding (`tcp_is_cwnd_limited`).
    pub(super) fn is_limited(&self, view: &View) -> bool {
        let window = view.window;
        let in_slow_start = window.congestion < window.threshold;
        self.was_full || (in_slow_start && window.congestion < 2.0 * f64::from(self.most_outstanding))
    }
}

impl Run<'_, '_> {
    /// All that may leave has left; `full` says whether the window stopped it.
    pub(super) fn validate_window(&mut self, full: bool) {
        let (now, outstanding) = (self.now(), self.t.queue.len());
        let (unacknowledged, highest_sent) = (self.unacknowledged(), self.s.view.highest_sent);
        let usage = &mut self.t.use_of_window;
        let more = !usage.was_full && outstanding > usage.most_outstanding;
        if full || more || unacknowledged >= usage.round_ends {
            usage.was_full = full;
            usage.most_outstanding = outstanding;
            usage.round_ends = highest_sent;
        }
        if usage.is_limited(&self.s.view) {
            usage.used = 0;
            usage.confirmed_at = now;
            return;
        }
        usage.used = usage.used.max(outstanding);
        self.note_buffer_limit();
        let usage = &self.t.use_of_window;
        let decays = self.s.view.parameters.window.application_limited_decay;
        let waited = now.saturating_since(usage.confirmed_at) >= self.t.timeout.current();
        if decays && waited && !self.s.control.controls_rate() {
            self.shrink_unused_window();
        }
    }
    fn shrink_unused_window(&mut self) {
        let waits_for_room = self.t.buffer.as_ref().is_some_and(|buffer| buffer.is_short);
        if self.t.state == RecoveryState::Open && !waits_for_room {
            let used = self.t.use_of_window.used.max(self.s.view.window_of_route() as u32);
            if used < self.window() {
                self.s.view.window.threshold = self.remembered_threshold();
                self.set_window((self.window() + used) >> 1);
            }
            self.t.use_of_window.used = 0;
        }
        self.t.use_of_window.confirmed_at = self.now();
    }

    /// Nothing was sent for a timeout: the window halves for each (`tcp_slow_start_after_idle_check`).
    pub(super) fn restart_after_idle(&mut self) {
        let idle = self.now().saturating_since(self.s.last_sent);
        let timeout = self.t.timeout.current();
        let restarts = self.s.view.parameters.window.idle_restart == IdleRestart::Decay;
        if !restarts || !self.t.queue.is_empty() || self.s.control.controls_rate() || idle <= timeout {
            return;
        }
        self.s.view.window.threshold = self.remembered_threshold();
        let floor = self.window().min(self.s.view.window_of_route() as u32);
        let (mut left, mut window) = (idle.as_nanos() as i64 - timeout.as_nanos() as i64, self.window());
        while left > 0 && window > floor {
            window >>= 1;
            left -= timeout.as_nanos() as i64;
        }
        self.set_window(window.max(floor));
        self.t.use_of_window.used = 0;
        self.t.use_of_window.confirmed_at = self.now();
    }
}
