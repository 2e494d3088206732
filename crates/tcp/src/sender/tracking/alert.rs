//! The states that connect detection, reduction and undoing (`tcp_fastretrans_alert`).

use super::acknowledging::Seen;
use super::reduction::Cause;
use super::timer::Purpose;
use super::undo::Partial;
use super::*;
use crate::cc::Loss;
use seamline_wire::Event;

/// What to send because of losses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Resend {
    /// What is lost.
    Lost,
    /// New data first: whether that is acknowledged tells whether the timeout was needless (F-RTO).
    New,
}

/// After the receiver has dropped what it had reported, the timeout comes no sooner than this.
const LEAST_WAIT_AFTER_RENEGING: Duration = Duration::from_millis(10);

impl Run<'_, '_> {
    /// Something is out of order, or recovery is under way.
    pub(super) fn alert(&mut self, seen: &mut Seen) -> Option<Resend> {
        if seen.reneged && seen.advanced {
            let wait = (self.t.timeout.smoothed() / 2).max(LEAST_WAIT_AFTER_RENEGING);
            self.t.timer.arm(Purpose::Retransmission, self.now(), wait);
            seen.sets_timer = false;
            return None;
        }
        self.leave_if_over(seen);
        match self.t.state {
            RecoveryState::Recovery => self.alert_in_recovery(seen),
            RecoveryState::Loss => {
                let resend = self.recover_from_timeout(seen);
                self.find_losses(seen);
                if self.t.state != RecoveryState::Open && !seen.lost_again {
                    return resend;
                }
                self.alert_otherwise(seen, resend)
            }
            _ => self.alert_otherwise(seen, None),
        }
    }
    /// A reduction or recovery ends when what was outstanding at its beginning is acknowledged.
    fn leave_if_over(&mut self, seen: &Seen) {
        if self.t.state == RecoveryState::Open {
            self.t.undo.first_resent = None;
        } else if self.unacknowledged() >= self.t.high {
            match self.t.state {
                // The first acknowledgment beyond, so that one that was delayed does not end it.
                RecoveryState::Reducing if self.unacknowledged() > self.t.high => {
                    self.end_reduction();
                    self.enter(RecoveryState::Open);
                }
                RecoveryState::Recovery => {
                    self.finish_recovery(seen);
                    self.end_reduction();
                }
                _ => {}
            }
        }
    }
    fn alert_in_recovery(&mut self, seen: &mut Seen) -> Option<Resend> {
        if seen.advanced && self.undo_partial(seen) == Partial::Wait {
            return None;
        }
        if self.undo_by_duplicates() {
            self.try_to_open(seen);
        }
        self.find_losses(seen);
        if self.t.state != RecoveryState::Recovery {
            if !self.t.queue.any_lost_to_congestion() {
                return None;
            }
            self.enter_recovery();
        }
        Some(Resend::Lost)
    }
    fn alert_otherwise(&mut self, seen: &mut Seen, resend: Option<Resend>) -> Option<Resend> {
        if self.t.state <= RecoveryState::Disorder {
            self.undo_by_duplicates();
        }
        self.find_losses(seen);
        if !self.t.queue.any_lost_to_congestion() {
            self.try_to_open(seen);
            return resend;
        }
        self.enter_recovery();
        Some(Resend::Lost)
    }
    fn find_losses(&mut self, seen: &mut Seen) {
        if self.t.queue.is_empty() {
            return;
        }
        let resent = self.t.queue.resent;
        if self.look_for_losses() {
            seen.sets_timer = false;
        }
        seen.lost_again |= resent > self.t.queue.resent;
    }

    fn try_to_open(&mut self, seen: &Seen) {
        self.forget_first_resent();
        if seen.is_marked {
            self.reduce_for_mark();
        }
        if self.t.state != RecoveryState::Reducing {
            self.keep_open();
        }
    }
    /// A packet was marked (`tcp_enter_cwr`): the window falls, once for what is outstanding.
    fn reduce_for_mark(&mut self) {
        self.t.undo.before = None;
        if self.t.state < RecoveryState::Reducing {
            self.t.undo.marker = None;
            self.begin_reduction(Cause::Marks);
            self.enter(RecoveryState::Reducing);
        }
    }
    pub(super) fn keep_open(&mut self) {
        let disordered = self.t.queue.left_out() > 0 || self.t.queue.any_resent();
        let state = if disordered { RecoveryState::Disorder } else { RecoveryState::Open };
        if self.t.state != state {
            self.enter(state);
            self.t.high = self.s.view.highest_sent;
        }
    }
    pub(super) fn enter_recovery(&mut self) {
        self.forget_first_resent();
        self.t.undo.before = None;
        self.begin_undo();
        if !self.is_reducing() {
            self.remember_window();
            self.begin_reduction(Cause::Loss(Loss::Detected));
        } else if let Some(window) = self.s.control.on_loss_in_reduction(&self.s.view) {
            self.s.view.window.threshold = window.threshold;
        }
        self.enter(RecoveryState::Recovery);
        self.s.statistics.recoveries += 1;
        let port = self.exit.header.local.port;
        self.exit.out.event(|| Event::RecoveryStarted { port });
    }
    fn remember_window(&mut self) {
        let threshold = self.remembered_threshold();
        self.t.undo.before = Some(crate::view::Window { threshold, ..self.s.view.window });
    }

    /// The retransmission timer has expired (`tcp_enter_loss`).
    pub(super) fn enter_loss(&mut self) {
        let is_new = self.t.state < RecoveryState::Recovery;
        self.mark_all_lost();
        let again = self.t.state == RecoveryState::Loss && self.t.timeouts_in_a_row == 0;
        if self.t.state <= RecoveryState::Disorder || self.t.high <= self.unacknowledged() || again {
            self.remember_window();
            self.t.reduction.prior_window = self.window();
            self.cut(Cause::Loss(Loss::Collapsed));
            self.begin_undo();
        }
        self.exit.header.ecn.reduce();
        self.set_window(self.t.queue.in_flight() + 1);
        self.t.use_of_window.confirm(self.now());
        if self.t.state <= RecoveryState::Disorder && self.t.queue.sacked >= REORDERING {
            self.t.reordering = self.t.reordering.min(REORDERING);
        }
        self.enter(RecoveryState::Loss);
        self.t.high = self.s.view.highest_sent;
        self.t.probe.high = None;
        self.t.undo.forward = is_new || self.t.timeouts_in_a_row > 0;
    }
    /// What was sent only a moment ago may still arrive; everything else is lost.
    fn mark_all_lost(&mut self) {
        if self.t.queue.head().is_some_and(|head| head.sacked) {
            self.t.queue.forget_sacked();
            self.s.view.scoreboard.clear();
            self.t.reneged = true;
            self.t.queue.ids().for_each(|id| self.mark_lost(id));
            return;
        }
        let first = self.t.queue.first_id();
        for id in self.t.queue.ids() {
            if id == first || !self.may_still_arrive(id) {
                self.mark_lost(id);
            }
        }
    }
}
