//! Taking back a reduction that turns out to have been needless: by timestamps (Eifel, RFC 3522 and 4015), by D-SACK (RFC 3708), or
//! because after a timeout the originals arrive (F-RTO, RFC 5682).

use super::acknowledging::Seen;
use super::*;
use crate::view::Window;
use seamline_wire::Event;

/// What a reduction would have to be taken back to.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Undo {
    /// SND.UNA when the window was reduced (`undo_marker`).
    pub(super) marker: Option<Offset>,
    /// Retransmissions that no D-SACK has reported yet; `None` before there were any.
    pub(super) unreported: Option<u32>,
    /// The window before the reduction, while it may come back.
    pub(super) before: Option<Window>,
    /// The clock of timestamps when the first retransmission left (`retrans_stamp`).
    pub(super) first_resent: Option<u32>,
    /// F-RTO is under way.
    pub(super) forward: bool,
}

/// What an attempt to leave recovery did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Partial {
    /// A retransmission is still under way: wait for its report.
    Wait,
    /// Go on.
    Continue,
}

impl Run<'_, '_> {
    /// A recovery begins (`tcp_init_undo`).
    pub(super) fn begin_undo(&mut self) {
        let probe = u32::from(self.t.probe.high.is_some() && self.t.probe.was_resent);
        let under_way = self.t.queue.resent + probe;
        self.t.undo.marker = Some(self.unacknowledged());
        self.t.undo.unreported = (under_way > 0).then_some(under_way);
    }
    /// So many retransmissions are reported to have been needless.
    pub(super) fn note_reported(&mut self, segments: u32) {
        if let Some(unreported) = self.t.undo.unreported.as_mut() {
            *unreported = unreported.saturating_sub(segments);
        }
    }
    /// Whether a retransmission was never needed: the acknowledgment answers a segment sent before it.
    fn answers_original(&self, seen: &Seen) -> bool {
        match (self.t.undo.first_resent, seen.echo) {
            (Some(first), Some(echo)) => (echo.wrapping_sub(first) as i32) < 0,
            (Some(_), None) => false,
            (None, _) => true,
        }
    }
    fn may_undo(&self, seen: &Seen) -> bool {
        self.t.undo.marker.is_some() && (self.t.undo.unreported == Some(0) || self.answers_original(seen))
    }
    fn undo_reduction(&mut self, unmark: bool) {
        if unmark {
            self.t.queue.unmark_lost();
        }
        if let Some(before) = self.t.undo.before {
            let prior =
                Window { congestion: f64::from(self.t.reduction.prior_window), threshold: before.threshold };
            self.s.view.window = self.s.control.restore(prior, &self.s.view);
        }
        self.t.use_of_window.confirm(self.now());
        self.t.undo.marker = None;
        self.t.rack.advanced = true;
        self.s.statistics.undone_cuts += 1;
        let port = self.exit.header.local.port;
        self.exit.out.event(|| Event::CutUndone { port });
    }

    /// Everything of a recovery is acknowledged.
    pub(super) fn finish_recovery(&mut self, seen: &Seen) {
        if self.may_undo(seen) {
            self.undo_reduction(false);
        } else {
            self.t.rack.window_persists = self.t.rack.window_persists.saturating_sub(1);
        }
        self.t.reneged = false;
        self.enter(RecoveryState::Open);
    }
    /// Every retransmission is reported to have been needless.
    pub(super) fn undo_by_duplicates(&mut self) -> bool {
        let needless = self.t.undo.marker.is_some() && self.t.undo.unreported == Some(0);
        if needless {
            self.t.rack.window_persists = (self.t.rack.window_persists + 1).min(super::rack::RECOVERIES);
            self.undo_reduction(false);
        }
        needless
    }
    /// A part of a recovery is acknowledged.
    pub(super) fn undo_partial(&mut self, seen: &Seen) -> Partial {
        if self.t.undo.marker.is_none() || !self.answers_original(seen) {
            return Partial::Continue;
        }
        self.note_reordering(seen.previous);
        if self.t.queue.resent > 0 {
            return Partial::Wait;
        }
        self.forget_first_resent();
        self.undo_reduction(true);
        self.keep_open();
        Partial::Continue
    }
    /// After a timeout: `originals` says that what arrives was never sent again.
    fn undo_timeout(&mut self, seen: &Seen, originals: bool) -> bool {
        if !originals && !self.may_undo(seen) {
            return false;
        }
        self.undo_reduction(true);
        self.t.timeouts_in_a_row = 0;
        self.t.reneged = false;
        self.enter(RecoveryState::Open);
        true
    }
    pub(super) fn forget_first_resent(&mut self) {
        if !self.t.queue.any_resent() {
            self.t.undo.first_resent = None;
        }
    }

    /// An acknowledgment after a timeout (RFC 5682 section 3.1; `tcp_process_loss`). Returns what to send.
    pub(super) fn recover_from_timeout(&mut self, seen: &Seen) -> Option<super::alert::Resend> {
        use super::alert::Resend;
        let recovered = self.unacknowledged() >= self.t.high;
        if seen.advanced && self.undo_timeout(seen, false) {
            return None;
        }
        if self.t.undo.forward {
            if seen.original_arrived && self.undo_timeout(seen, true) {
                return None;
            }
            if self.s.view.highest_sent > self.t.high {
                if seen.sacked || seen.is_duplicate_acknowledgment() {
                    self.t.undo.forward = false;
                }
            } else if seen.advanced && !recovered {
                self.t.high = self.s.view.highest_sent;
                if self.s.has_unsent() && self.room_in_peer_window() > 0 {
                    return Some(Resend::New);
                }
                self.t.undo.forward = false;
            }
        }
        if recovered {
            self.finish_recovery(seen);
            return None;
        }
        Some(Resend::Lost)
    }
}
