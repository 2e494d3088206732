//! Proportional rate reduction (RFC 9937): in recovery what is sent follows what arrives.

use super::*;
use crate::cc::Loss;

/// Why the window falls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cause {
    /// Packets were marked.
    Marks,
    /// Packets were lost.
    Loss(Loss),
}

/// RFC 9937 section 6.2.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Reduction {
    /// The window before the loss (RecoverFS).
    pub(super) prior_window: u32,
    /// Segments delivered in recovery.
    delivered: u64,
    /// Segments sent in recovery.
    pub(super) out: u64,
}

impl Run<'_, '_> {
    /// The window is to fall to a new threshold (`tcp_init_cwnd_reduction`).
    pub(super) fn begin_reduction(&mut self, cause: Cause) {
        self.t.high = self.s.view.highest_sent;
        self.t.probe.high = None;
        self.t.reduction = Reduction { prior_window: self.window(), delivered: 0, out: 0 };
        self.cut(cause);
        self.exit.header.ecn.reduce();
    }
    /// Take congestion control's new threshold; the window follows by other rules.
    pub(super) fn cut(&mut self, cause: Cause) {
        self.s.statistics.window_cuts += 1;
        self.s.control.keep();
        let window = match cause {
            Cause::Marks => self.s.control.on_marks(&self.s.view),
            Cause::Loss(loss) => self.s.control.on_loss(loss, &self.s.view),
        };
        self.s.view.window.threshold = window.threshold;
        if self.s.control.controls_rate() {
            self.s.view.window.congestion = window.congestion;
        }
    }
    /// The window for what was just delivered and lost (section 6.2).
    pub(super) fn reduce(&mut self, delivered: u64, lost: u64, advanced: bool) {
        if delivered == 0 || self.t.reduction.prior_window == 0 {
            return;
        }
        let in_flight = i64::from(self.t.queue.in_flight());
        let threshold = i64::from(self.threshold());
        let reduction = &mut self.t.reduction;
        reduction.delivered += delivered;
        let (so_far, out) = (reduction.delivered as i64, reduction.out as i64);
        let room = threshold - in_flight;
        let prior = i64::from(reduction.prior_window);
        let mut send = if room < 0 {
            (threshold * so_far + prior - 1) / prior - out
        } else {
            let mut send = (so_far - out).max(delivered as i64);
            if advanced && lost == 0 {
                send += 1;
            }
            send.min(room)
        };
        send = send.max(i64::from(out == 0));
        self.set_window((in_flight + send).max(1) as u32);
    }
    /// The reduction is over: the window is the threshold.
    pub(super) fn end_reduction(&mut self) {
        if self.s.control.controls_rate() {
            return;
        }
        let reduced = self.t.state == RecoveryState::Reducing || self.t.undo.marker.is_some();
        if self.s.view.window.threshold.is_finite() && reduced {
            self.set_window(self.threshold());
            self.t.use_of_window.confirm(self.now());
        }
    }
    /// The threshold to remember when the window falls without a loss (`tcp_current_ssthresh`).
    pub(super) fn remembered_threshold(&self) -> f64 {
        let window = self.s.view.window;
        if self.is_reducing() {
            return window.threshold;
        }
        let segments = self.window();
        window.threshold.max(f64::from((segments >> 1) + (segments >> 2)))
    }
}
