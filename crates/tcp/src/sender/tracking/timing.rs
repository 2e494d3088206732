//! What the timer does when it expires, and when it starts over.

use super::timer::Purpose;
use super::*;
use seamline_wire::Event;

impl Run<'_, '_> {
    /// A timer has expired.
    pub(super) fn on_timer(&mut self) {
        if self.t.pacing.is_due(self.t.exact_now) {
            self.t.pacing.stop_waiting();
            self.go_on();
        }
        if self.t.timer.due() > self.now() {
            return;
        }
        match self.t.timer.purpose() {
            Some(Purpose::Reordering) => self.on_reordering_timer(),
            Some(Purpose::LossProbe) => self.on_probe_timer(),
            Some(Purpose::Retransmission) => self.on_retransmission_timer(),
            Some(Purpose::WindowProbe) => self.on_window_probe_timer(),
            None => {}
        }
    }
    /// RFC 6298 section 5.4 to 5.7 (`tcp_retransmit_timer`).
    fn on_retransmission_timer(&mut self) {
        self.t.timer.stop();
        if self.t.queue.is_empty() {
            return;
        }
        let window_is_closed = self.s.view.peer_window == 0;
        self.enter_loss();
        if !window_is_closed {
            self.s.statistics.timeouts += 1;
            self.t.timeouts_in_a_row += 1;
            let port = self.exit.header.local.port;
            self.exit.out.event(|| Event::RetransmissionTimeout { port });
        }
        self.resend(self.t.queue.first_id(), true);
        self.t.timeout.back_off();
        self.t.timer.arm(Purpose::Retransmission, self.now(), self.t.timeout.current());
    }

    /// Wait for `after`, and for the whole ticks that pacing holds (`tcp_pacing_delay`).
    pub(super) fn arm(&mut self, purpose: Purpose, after: Duration) {
        let held = self.t.pacing.held_for(self.t.exact_now);
        self.t.timer.arm(purpose, self.now(), after + self.t.timer.whole_ticks(held));
    }
    /// The first outstanding segment has so long until its timeout, `None` when it is overdue.
    pub(super) fn until_timeout(&self) -> Option<Duration> {
        let at = self.t.queue.head()?.sent() + self.t.timeout.current();
        let left = at.saturating_since(self.now());
        (!left.is_zero()).then_some(left)
    }
    /// The retransmission timeout begins now; where the timer was set for something sooner, when the first outstanding segment was
    /// sent (`tcp_rearm_rto`).
    pub(super) fn rearm_timeout(&mut self) {
        if self.t.queue.is_empty() {
            return self.t.timer.stop();
        }
        let sooner = matches!(self.t.timer.purpose(), Some(Purpose::Reordering | Purpose::LossProbe));
        let wait = if sooner {
            self.until_timeout().unwrap_or(Duration::from_nanos(1000))
        } else {
            self.t.timeout.current()
        };
        self.arm(Purpose::Retransmission, wait);
    }
    pub(super) fn set_timer(&mut self) {
        if !self.schedule_probe(true) {
            self.rearm_timeout();
        }
    }

    /// Nothing is outstanding, and the peer's window is too small for what waits (`tcp_ack_probe`).
    pub(super) fn settle_window_probe(&mut self) {
        if !self.s.has_unsent() || !self.t.queue.is_empty() {
            return;
        }
        if self.may_send_beyond_window() {
            self.t.window_probes = 0;
            self.t.timer.stop_if(Purpose::WindowProbe);
        } else {
            self.arm_window_probe();
        }
    }
    pub(super) fn arm_window_probe(&mut self) {
        let base = self.t.timeout.current().max(self.t.timeout.minimum());
        let wait = base * (1 << self.t.window_probes.min(20));
        let most = self.s.view.parameters.round_trip.maximum_timeout;
        self.arm(Purpose::WindowProbe, wait.min(most));
    }
    fn on_window_probe_timer(&mut self) {
        self.t.timer.stop();
        if !self.t.queue.is_empty() || !self.s.has_unsent() {
            return;
        }
        self.s.statistics.window_probes += 1;
        if !self.write_into_window() {
            self.s.send_probe(self.exit);
        }
        self.t.window_probes += 1;
        if self.t.queue.is_empty() {
            self.arm_window_probe();
        }
    }
}
