//! What handover schemes want of the sender.

use super::*;

/// What a handover scheme keeps a sender from, each more than the one before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Hold {
    #[default]
    Nothing,
    /// No timer expires.
    Timer,
    /// Nothing is sent either.
    Everything,
}

impl Sender {
    /// Whether a handover scheme holds anything.
    pub(crate) fn is_held(&self) -> bool {
        self.hold != Hold::Nothing
    }
    /// Until then the congestion window does not grow beyond the largest one so far.
    pub(crate) fn hold_growth(&mut self, until: Instant) {
        self.growth_held_until = until;
    }
    /// What congestion control makes of an acknowledgment, unless growth is held.
    pub(super) fn grow(&mut self, acked: &Acked) {
        let before = self.view.window.congestion;
        if before > self.largest_window {
            self.largest_window = before;
        }
        self.view.window = self.control.on_ack(acked, &self.view);
        if self.view.window.congestion > self.largest_window {
            if self.view.now < self.growth_held_until {
                self.set_window(Window { congestion: self.largest_window, ..self.view.window });
            } else {
                self.largest_window = self.view.window.congestion;
            }
        }
    }
    /// Whether a handover scheme holds everything.
    pub(super) fn is_frozen(&self) -> bool {
        self.hold == Hold::Everything
    }

    /// Whether the next expiry of the timer means that nothing comes back any more, rather than that a
    /// closed window is to be probed.
    pub(crate) fn has_lost_its_clock(&self) -> bool {
        match &self.tracking {
            Some(tracking) => tracking.has_lost_its_clock() && self.view.peer_window > 0,
            None => !self.probing && self.view.peer_window > 0 && self.timer < self.recovery_wakes_at,
        }
    }
    /// An acknowledgment that says its sender has moved. Nothing leaves yet: first the scheme decides from
    /// where to continue. And what is being timed is no measure of the path, which was gone meanwhile.
    pub(crate) fn on_notification(
        &mut self,
        now: Instant,
        ack: &Acknowledgment,
        segment: &Segment,
        exit: &mut Exit<'_>,
    ) {
        self.timing = None;
        let hold = std::mem::replace(&mut self.hold, Hold::Everything);
        self.on_ack(now, ack, segment, exit);
        self.hold = hold;
    }

    /// Do what a handover scheme wants.
    pub(crate) fn act(&mut self, now: Instant, action: Action, exit: &mut Exit<'_>) {
        if self.tracking.is_some() {
            return self.act_tracked(now, action, exit);
        }
        self.view.now = now;
        if action.renews_window() {
            self.forget_kept_window();
        }
        match action {
            Action::HaltTimer => self.hold = self.hold.max(Hold::Timer),
            Action::Freeze => self.hold = Hold::Everything,
            Action::SendOne => self.send_one(exit),
            Action::Probe if self.probing => self.despite_hold(|it| it.probe(exit)),
            Action::Probe => self.despite_hold(|it| it.ask_again(now, exit)),
            Action::Thaw => self.thaw(now),
            Action::ForgetRoundTrip => self.forget_round_trip(),
            Action::SetWindow(window) => self.commands.push(Command::SetWindow(window)),
            Action::SlowStart => self.commands.push(Command::Cut(Loss::Collapsed)),
            Action::RenewPath { round_trip_time } => {
                self.commands.push(Command::RenewPath { round_trip_time })
            }
            Action::ExpectLosses { until } => self.control.expect_losses(until),
            Action::Resume(_) => self.commands.push(Command::SetWindow(self.first_window())),
            Action::GoBack => self.recovery.on_path_lost(&self.view, &mut self.commands),
            Action::Acknowledge { .. }
            | Action::Mark { .. }
            | Action::CloseWindow
            | Action::OpenWindow
            | Action::AdvanceEcho
            | Action::HoldAcknowledgments
            | Action::ReleaseAcknowledgments(_) => {}
        }
        self.apply_all(None, None, exit);
        self.settle_timer(now);
        self.note_state(exit);
    }

    /// What was under way is lost with the path, which is there again.
    pub(crate) fn resume(&mut self, now: Instant, exit: &mut Exit<'_>) {
        if self.tracking.is_some() {
            return self.resume_tracked(now, exit);
        }
        if self.view.outstanding() == 0 && !self.probing {
            return;
        }
        if self.probing || self.view.peer_window == 0 {
            self.view.now = now;
            self.probing = true;
            self.estimator.reset_backoff();
            self.probe(exit);
        } else {
            self.act(now, Action::GoBack, exit);
        }
    }

    /// Send the first outstanding segment again, for the sake of its acknowledgment.
    pub(crate) fn ask_again(&mut self, now: Instant, exit: &mut Exit<'_>) {
        if self.tracking.is_some() {
            return self.ask_again_tracked(now, exit);
        }
        if self.view.outstanding() > 0 && !self.probing {
            self.view.now = now;
            let first = self.view.unacknowledged;
            self.commands.extend([Command::AbandonTiming, Command::Retransmit(first), Command::RestartTimer]);
            self.apply_all(None, None, exit);
            self.note_state(exit);
        }
    }

    /// The window with which a flow begins.
    pub(super) fn first_window(&self) -> Window {
        Window { congestion: self.initial_window, threshold: self.view.parameters.window.initial_threshold }
    }

    fn forget_round_trip(&mut self) {
        self.timing = None;
        self.estimator.forget();
        self.view.round_trip = self.estimator.round_trip();
    }

    /// Do this although a scheme may hold everything.
    fn despite_hold(&mut self, act: impl FnOnce(&mut Self)) {
        let hold = std::mem::take(&mut self.hold);
        act(self);
        self.hold = hold;
    }
    fn send_one(&mut self, exit: &mut Exit<'_>) {
        self.despite_hold(|it| {
            it.commands.push(Command::Send { most: 1 });
            it.apply_all(None, None, exit);
        });
    }

    fn thaw(&mut self, now: Instant) {
        if std::mem::take(&mut self.hold) != Hold::Nothing {
            self.progress_at = now;
            self.restart_timer();
            if self.recovery_wakes_at <= now {
                // What it waits for could not come meanwhile.
                self.recovery_wakes_at = now + self.view.round_trip.smoothed.max(Duration::from_nanos(1));
            }
            self.commands.push(Command::SEND);
        }
    }
}
