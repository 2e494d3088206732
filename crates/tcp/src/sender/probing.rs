//! Probing the peer's window, and when the timer runs for it.

use super::*;

impl Sender {
    /// With nothing outstanding the timer runs only to probe a closed window, or to begin again when
    /// even the congestion window is closed. Probing continues when the window is too small to be used. What a
    /// frozen sender does not send says nothing about the peer's window; thawing settles the timer.
    pub(super) fn settle_timer(&mut self, now: Instant) {
        if self.is_frozen() {
            return;
        }
        if self.probing {
            // Going back or thawing has stopped the timer, because nothing is outstanding.
            if self.timer == NEVER {
                self.timer = now + self.estimator.timeout();
            }
            return;
        }
        if self.view.outstanding() > 0 {
            if self.timer == NEVER {
                self.probing = true;
                self.timer = now + self.estimator.timeout();
            }
            return;
        }
        let waiting = self.view.available > self.view.next;
        if !waiting {
            self.timer = NEVER;
            return;
        }
        self.probing = self.view.window.congestion >= 1.0;
        if self.probing {
            self.progress_at = now;
        }
        if self.probing || self.timer == NEVER {
            self.timer = now + self.estimator.timeout();
        }
    }

    pub(super) fn stop_probing(&mut self) {
        self.probing = false;
        self.estimator.reset_backoff();
        self.timer = NEVER;
        self.view.next = self.view.unacknowledged;
    }

    /// Zero-window probe, or what a small window holds (RFC 9293 sections 3.8.6.1 and 3.8.6.2.1).
    pub(super) fn probe(&mut self, exit: &mut Exit<'_>) {
        self.statistics.window_probes += 1;
        let (at, window) = (self.view.unacknowledged, self.view.peer_window);
        self.view.peer_window = window.max(1);
        self.transmit(at, exit);
        self.view.peer_window = window;
        self.timing = None;
        self.estimator.double();
        self.timer = self.view.now + self.estimator.timeout();
    }
}
