//! What handover schemes want of a tracking sender.

use super::*;
use crate::cc::{Careful, Loss, SavedPath};
use crate::handover::Action;
use crate::sender::moving::Hold;

impl Run<'_, '_> {
    /// Do what a handover scheme wants.
    pub(super) fn act(&mut self, action: Action) {
        if action.renews_window() {
            self.t.undo.before = None;
        }
        match action {
            Action::HaltTimer => self.s.hold = self.s.hold.max(Hold::Timer),
            Action::Freeze => self.s.hold = Hold::Everything,
            Action::SendOne => self.send_one(),
            Action::Probe => self.despite_hold(|it| it.ask_again()),
            Action::Thaw => self.thaw(),
            Action::ForgetRoundTrip => {
                self.t.timeout.forget();
                self.t.minimum_round_trip.forget();
            }
            Action::SetWindow(window) => {
                self.s.set_window(window);
                self.t.use_of_window.confirm(self.now());
            }
            Action::SlowStart => {
                self.cut(super::reduction::Cause::Loss(Loss::Collapsed));
                self.set_window(1);
            }
            Action::RenewPath { round_trip_time } => {
                self.t.minimum_round_trip.forget();
                self.s.view.window = self.s.control.on_path_change(round_trip_time, &self.s.view);
            }
            Action::ExpectLosses { until } => self.s.control.expect_losses(until),
            Action::Resume(saved) => self.resume_path(saved),
            Action::GoBack => self.go_back(),
            Action::Acknowledge { .. }
            | Action::Mark { .. }
            | Action::CloseWindow
            | Action::OpenWindow
            | Action::AdvanceEcho
            | Action::HoldAcknowledgments
            | Action::ReleaseAcknowledgments(_) => {}
        }
    }
    /// Begin again with the initial window on a path that is remembered.
    fn resume_path(&mut self, saved: SavedPath) {
        self.t.minimum_round_trip.forget();
        self.s.set_window(self.s.first_window());
        self.t.use_of_window.confirm(self.now());
        self.show();
        let control = &mut self.s.control;
        if !control.resume(saved, &self.s.view) && !control.controls_rate() {
            Careful::around(control, saved, &self.s.view);
            control.resume(saved, &self.s.view);
        }
    }
    /// Do this although a scheme may hold everything.
    fn despite_hold(&mut self, act: impl FnOnce(&mut Self)) {
        let hold = std::mem::take(&mut self.s.hold);
        act(self);
        self.s.hold = hold;
    }
    fn send_one(&mut self) {
        self.despite_hold(|it| {
            if let Some(id) = it.t.queue.next_to_resend() {
                it.resend(id, true);
            } else if it.may_send_beyond_window() && it.t.queue.in_flight() < it.window() {
                it.write_one();
            }
        });
    }
    fn thaw(&mut self) {
        if std::mem::take(&mut self.s.hold) != Hold::Nothing {
            self.s.progress_at = self.now();
            self.t.pacing.stop_waiting();
            self.rearm_timeout();
            self.go_on();
        }
    }
    /// What is outstanding was lost with the path, and not to congestion: it is sent again, and the window stays
    /// (`tcp_non_congestion_loss_retransmit`).
    fn go_back(&mut self) {
        self.t.queue.ids().for_each(|id| self.mark_lost(id));
        self.t.timeout.reset_backoff();
        self.t.timeouts_in_a_row = 0;
        if self.t.queue.lost > 0 {
            self.t.high = self.s.view.highest_sent;
            self.t.undo = Undo::default();
            self.t.probe.high = None;
            self.enter(RecoveryState::Loss);
        }
        self.rearm_timeout();
        self.go_on();
    }
    /// The path is there again.
    pub(super) fn resume(&mut self) {
        let probing = self.t.timer.purpose() == Some(super::timer::Purpose::WindowProbe);
        if probing || (self.s.view.peer_window == 0 && !self.t.queue.is_empty()) {
            self.t.window_probes = 0;
            self.s.send_probe(self.exit);
            self.arm_window_probe();
        } else if !self.t.queue.is_empty() {
            self.go_back();
        }
    }
    /// Send the first outstanding segment again, for the sake of its acknowledgment.
    pub(super) fn ask_again(&mut self) {
        if !self.t.queue.is_empty() {
            self.resend(self.t.queue.first_id(), false);
            self.rearm_timeout();
        }
    }
}
