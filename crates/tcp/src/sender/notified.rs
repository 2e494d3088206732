//! What the sender does about losses whose cause is reported: [`crate::loss_notification`].

use super::*;

/// What an acknowledgment reports about losses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reported {
    /// Nothing.
    Nothing,
    /// Of some, but the first missing segment was lost to congestion, or recovery is under way: everything goes its way.
    Some,
    /// The first missing segment was lost over the air: the acknowledgment is no sign of congestion.
    OverTheAir,
    /// Likewise, and it has had what it asks for.
    Answered,
}

impl Sender {
    pub(super) fn acts_on_losses(&self) -> bool {
        self.view.parameters.loss_notification.scheme != LossNotification::None
    }

    /// Record what an acknowledgment reports about losses, once SND.UNA has advanced by so many bytes.
    pub(super) fn take_losses(
        &mut self,
        segment: &Segment,
        is_duplicate: bool,
        acknowledged: u64,
    ) -> Reported {
        if !self.acts_on_losses() {
            return Reported::Nothing;
        }
        if self.view.parameters.ns2.first_marked_duplicate_repairs {
            return self.answer_as_ns2(segment, is_duplicate);
        }
        self.notified.begin(self.view.unacknowledged);
        let losses = segment.mark.and_then(Mark::losses);
        if let Some(losses) = losses {
            self.list_losses(losses, segment);
        }
        let reported = match losses {
            None => Reported::Nothing,
            Some(_) if self.recovery.in_recovery() => Reported::Some,
            Some(_) if self.notified.is_lost_over_the_air(self.view.unacknowledged) => Reported::OverTheAir,
            Some(_) => Reported::Some,
        };
        if !self.recovery.in_recovery() {
            self.settle_loan(reported, is_duplicate, acknowledged);
        }
        reported
    }

    fn answer_as_ns2(&mut self, segment: &Segment, is_duplicate: bool) -> Reported {
        if !is_duplicate || segment.mark.and_then(Mark::losses).is_none() {
            return Reported::Nothing;
        }
        self.recovery.note_duplicate();
        let missing = self.view.unacknowledged;
        let is_first = self.recovery.duplicate_acks() == 1;
        if is_first && self.notified.repaired_to.is_none_or(|end| missing > end) {
            self.notified.repaired_to = Some(missing + u64::from(self.view.segment_size));
            self.commands.push(Command::Retransmit(missing));
        } else {
            self.commands.push(Command::SEND);
        }
        Reported::Answered
    }

    /// A segment is lent for each one that has left the network. What is acknowledged takes back what it had lent, but for the
    /// segment that was missing.
    fn settle_loan(&mut self, reported: Reported, is_duplicate: bool, acknowledged: u64) {
        // A timeout or a recovery in between has reset the inflation.
        let before = self.notified.lent.min(self.view.inflation);
        let sack_reports = !self.view.scoreboard.is_empty();
        let lends = self.view.parameters.loss_notification.duplicates_let_segments_go && !sack_reports;
        let arrived = self.view.segments(acknowledged).saturating_sub(1) as u32;
        self.notified.lent = match reported {
            Reported::OverTheAir if lends && is_duplicate => before + 1,
            Reported::OverTheAir if lends => before.saturating_sub(arrived),
            _ => 0,
        };
        if self.notified.lent < before {
            self.view.inflation = self.notified.lent;
        }
    }

    fn list_losses(&mut self, losses: Losses, segment: &Segment) {
        for loss in losses.iter() {
            let at = self.offset(loss.sequence(segment.acknowledgment));
            let outstanding = self.view.unacknowledged..self.view.highest_sent;
            if let Some(at) = at.filter(|at| outstanding.contains(at)) {
                self.notified.list(at, loss.cause);
            }
        }
    }

    /// Send what was lost over the air again, at once, and what may go in its place. Recovery has had its turn, so what it has
    /// sent again just now is not sent twice.
    pub(super) fn repair(&mut self, reported: Reported, exit: &mut Exit<'_>) {
        if matches!(reported, Reported::Nothing | Reported::Answered) {
            return;
        }
        self.send_again_what_the_air_has_lost(exit);
        if reported == Reported::OverTheAir && self.notified.lent > 0 {
            self.commands.extend([Command::Inflate(self.notified.lent), Command::SEND]);
            self.apply_all(None, None, exit);
        }
    }

    fn send_again_what_the_air_has_lost(&mut self, exit: &mut Exit<'_>) {
        let (first, next, now) = (self.view.unacknowledged, self.view.next, self.view.now);
        let timeout = self.repeat_timeout();
        let is_due = |missing: &Missing| {
            let again =
                missing.sent_again.is_none_or(|at| timeout.is_some_and(|timeout| at + timeout <= now));
            again && missing.at < next && (missing.listed || missing.at == first)
        };
        let mut from = first;
        while let Some(at) = self.notified.next_over_the_air(from, is_due) {
            if self.timing.is_some_and(|(timed, _)| timed == at) {
                self.commands.push(Command::AbandonTiming);
            }
            self.commands.push(Command::Retransmit(at));
            if at == first {
                self.commands.push(Command::RestartTimer);
            }
            from = at + 1;
        }
        self.apply_all(None, None, exit);
    }

    /// After how long what was sent again and is still missing has been lost again.
    fn repeat_timeout(&self) -> Option<Duration> {
        let Repeat::AfterRoundTrip { variations } = self.view.parameters.loss_notification.repeat else {
            return None;
        };
        let wait = |known: Smoothed| known.mean + known.variation * u64::from(variations);
        Some(self.estimator.fine().map_or_else(|| self.estimator.timeout(), wait))
    }
}
