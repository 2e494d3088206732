//! Tail loss probes (RFC 8985 section 7): when acknowledgments stop, send one segment so that the receiver says what is missing.

use super::rack::LEAST_WAIT;
use super::timer::Purpose;
use super::writing::Occasion;
use super::*;

/// The probe that is under way.
#[derive(Clone, Debug, Default)]
pub(super) struct LossProbe {
    /// TLP.end_seq: what had been sent when the probe left.
    pub(super) high: Option<Offset>,
    /// TLP.is_retrans: it was a retransmission.
    pub(super) was_resent: bool,
}

impl Run<'_, '_> {
    /// Arm the timer for a probe (section 7.2); `restarts` says that the retransmission timeout begins now, not when the first
    /// outstanding segment was sent. Returns false where no probe is due.
    pub(super) fn schedule_probe(&mut self, restarts: bool) -> bool {
        let calm = matches!(self.t.state, RecoveryState::Open | RecoveryState::Reducing);
        if self.t.queue.is_empty() || !calm {
            return false;
        }
        let mut wait = if self.t.timeout.has_sample() {
            let margin = if self.t.queue.len() == 1 { self.t.timeout.minimum() } else { LEAST_WAIT };
            self.t.timeout.smoothed() * 2 + margin
        } else {
            self.s.view.parameters.round_trip.initial_timeout
        };
        let until_timeout = if restarts { Some(self.t.timeout.current()) } else { self.until_timeout() };
        if let Some(until_timeout) = until_timeout {
            wait = wait.min(until_timeout);
        }
        self.arm(Purpose::LossProbe, wait);
        true
    }

    /// The timer for a probe has expired (section 7.3).
    pub(super) fn on_probe_timer(&mut self) {
        if self.t.probe.high.is_none() {
            self.t.probe.was_resent = false;
            let sent = if self.may_send_beyond_window() { self.write_probe() } else { self.resend_last() };
            if sent {
                self.t.probe.high = Some(self.s.view.highest_sent);
                self.s.statistics.tail_loss_probes += 1;
                self.t.timer.stop();
            }
        }
        self.rearm_timeout();
    }
    fn write_probe(&mut self) -> bool {
        let sent_before = self.t.segments_sent;
        self.write_as(Occasion::Probe);
        self.t.segments_sent > sent_before
    }
    fn resend_last(&mut self) -> bool {
        let Some(id) = self.t.queue.last_id() else { return false };
        self.t.probe.was_resent = self.resend(id, false);
        self.t.probe.was_resent
    }

    /// An acknowledgment arrives while a probe is out (section 7.4): it may have repaired a loss, for which the window falls.
    pub(super) fn settle_probe(&mut self, acknowledged: Offset, seen: &super::acknowledging::Seen) {
        let Some(high) = self.t.probe.high.filter(|&high| acknowledged >= high) else { return };
        if !self.t.probe.was_resent || seen.duplicate_of_probe {
            self.t.probe.high = None;
        } else if acknowledged > high {
            self.begin_reduction(super::reduction::Cause::Loss(crate::cc::Loss::Detected));
            self.enter(RecoveryState::Reducing);
            self.end_reduction();
            self.keep_open();
        } else if !seen.advanced && seen.is_duplicate_acknowledgment() && !seen.sacked {
            self.t.probe.high = None;
        }
    }
}
