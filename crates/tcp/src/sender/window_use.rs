//! Congestion window validation: a window says how much the network took lately, and what was not used of
//! it says nothing (RFC 5681 section 4.1, RFC 2861). Names in comments are Linux's.

use super::*;

/// How much of the window has been used; kept only where an unused one decays.
#[derive(Clone, Debug)]
pub(super) struct WindowUse {
    /// is_cwnd_limited: whether the window was full in the flight that ends at `flight_end`.
    was_full: bool,
    /// max_packets_out: the most segments outstanding in that flight.
    most_in_flight: f64,
    /// cwnd_usage_seq.
    flight_end: Offset,
    /// snd_cwnd_used: the most segments outstanding since the window was last full.
    used: f64,
    /// snd_cwnd_stamp: when the window was last full, acknowledged into, or replaced.
    confirmed_at: Instant,
    /// high_seq of a retransmission timeout: up to here what is acknowledged makes good for a loss.
    loss_ends: Offset,
}

impl WindowUse {
    pub(super) fn new(first: Offset) -> Self {
        WindowUse {
            was_full: false,
            most_in_flight: 0.0,
            flight_end: first,
            used: 0.0,
            confirmed_at: Instant::ZERO,
            loss_ends: first,
        }
    }
    fn confirm(&mut self, now: Instant) {
        self.used = 0.0;
        self.confirmed_at = now;
    }
}

/// ssthresh of a window that shrinks without a loss (tcp_current_ssthresh).
fn remembered_threshold(window: Window) -> f64 {
    window.threshold.max(0.75 * window.congestion)
}

impl Sender {
    /// The application supplies data: see what idling has left of the window.
    pub(super) fn restart_if_idle(&mut self, now: Instant) {
        if self.view.outstanding() > 0 || self.view.unacknowledged <= Offset::FIRST_BYTE {
            return;
        }
        let timeout = self.estimator.timeout();
        let idle_from = self.last_sent + timeout;
        let window = self.view.window;
        match self.view.parameters.window.idle_restart {
            IdleRestart::RestartWindow if now > idle_from => {
                let congestion = window.congestion.min(self.initial_window);
                self.set_window(Window { congestion, ..window });
            }
            IdleRestart::Decay if now > idle_from => {
                let floor = window.congestion.min(self.view.window_of_route());
                let mut congestion = window.congestion;
                let mut halved_at = idle_from;
                while now > halved_at && congestion > floor {
                    congestion = (congestion / 2.0).max(floor);
                    halved_at += timeout;
                }
                self.set_window(Window { congestion, threshold: remembered_threshold(window) });
                if let Some(window_use) = &mut self.window_use {
                    window_use.confirm(now);
                }
            }
            IdleRestart::OneSegment if now.saturating_since(self.progress_at) >= timeout => {
                self.set_window(Window { congestion: window.congestion.min(1.0), ..window });
            }
            _ => {}
        }
    }

    /// Something is acknowledged that was not before (tcp_cong_avoid, tcp_end_cwnd_reduction).
    pub(super) fn note_window_progress(&mut self, now: Instant) {
        if let Some(window_use) = &mut self.window_use {
            window_use.confirmed_at = now;
        }
    }

    /// The retransmission timer has expired (tcp_enter_loss).
    pub(super) fn note_acknowledgments_lost(&mut self) {
        if let Some(window_use) = &mut self.window_use {
            window_use.confirmed_at = self.view.now;
            window_use.loss_ends = self.view.highest_sent;
        }
    }

    /// All that may be sent has been; `sent` says whether that was anything (tcp_cwnd_validate).
    pub(super) fn validate_window(&mut self, sent: bool) {
        let Some(window_use) = &mut self.window_use else { return };
        let (view, now) = (&self.view, self.view.now);
        let (in_flight, window) = (view.flight_segments(), view.window);
        let full = view.congestion_limited || in_flight >= libm::floor(window.congestion);
        if !sent && !full {
            return;
        }
        let news = full || (!window_use.was_full && in_flight > window_use.most_in_flight);
        if news || view.unacknowledged >= window_use.flight_end {
            window_use.was_full = full;
            window_use.most_in_flight = in_flight;
            window_use.flight_end = view.next;
        }
        let starting = window.congestion < window.threshold;
        if window_use.was_full || (starting && window.congestion < 2.0 * window_use.most_in_flight) {
            window_use.confirm(now);
            return;
        }
        window_use.used = window_use.used.max(in_flight);
        if now.saturating_since(window_use.confirmed_at) < self.estimator.timeout() {
            return;
        }
        let open = !self.recovery.in_recovery()
            && self.recovery.duplicate_acks() == 0
            && view.unacknowledged >= window_use.loss_ends;
        let used = window_use.used.max(view.window_of_route());
        window_use.confirmed_at = now;
        if !open {
            return;
        }
        window_use.used = 0.0;
        if used < window.congestion {
            let congestion = (window.congestion + used) / 2.0;
            self.set_window(Window { congestion, threshold: remembered_threshold(window) });
        }
    }
}
