//! Loss detection by time (RFC 8985): a segment is lost when one sent later has arrived and the path has had time to reorder.

use super::queue::{Id, Record};
use super::timer::Purpose;
use super::*;

/// State of RFC 8985 section 5.3.
#[derive(Clone, Debug)]
pub(super) struct Rack {
    /// Of the segments that have arrived, the place of the one sent last. RACK.xmit_ts and RACK.end_seq order what is sent again and
    /// what is new only where each acknowledgment has a time of its own; several that come as a batch do not.
    departure: u64,
    /// RACK.rtt.
    round_trip: Duration,
    /// Something has arrived since losses were looked for.
    pub(super) advanced: bool,
    /// How often the path was seen to reorder.
    pub(super) reordered: u64,
    /// RACK.reo_wnd_mult.
    window_steps: u32,
    /// Recoveries until the window is small again (RACK.reo_wnd_persist).
    pub(super) window_persists: u32,
    /// The receiver has reported a duplicate in this round trip.
    pub(super) duplicate_seen: bool,
    round_begins: u64,
}

/// After so many recoveries without D-SACK the reordering window is small again.
pub(super) const RECOVERIES: u32 = 16;
const MOST_STEPS: u32 = 0xff;
/// Timers for reordering and probes wait at least so long (Linux, `TCP_TIMEOUT_MIN_US`).
pub(super) const LEAST_WAIT: Duration = Duration::from_millis(2);

impl Default for Rack {
    fn default() -> Self {
        Rack {
            departure: 0,
            round_trip: Duration::ZERO,
            advanced: false,
            reordered: 0,
            window_steps: 1,
            window_persists: 0,
            duplicate_seen: false,
            round_begins: 0,
        }
    }
}

impl Rack {
    /// A segment has arrived (section 6.2, step 1). One that was sent again and arrives sooner than anything could is the original's
    /// acknowledgment.
    pub(super) fn advance(&mut self, now: Instant, record: &Record, minimum: Option<Duration>) {
        let round_trip = now.saturating_since(record.sent());
        if record.ever_resent && minimum.is_none_or(|minimum| round_trip < minimum) {
            return;
        }
        self.advanced = true;
        self.round_trip = round_trip;
        self.departure = self.departure.max(record.departure);
    }

    /// The window widens with each round trip in which the receiver reports duplicates (section 6.2, step 4).
    pub(super) fn adapt_window(&mut self, prior_delivered: Option<u64>, delivered: u64) {
        let Some(prior) = prior_delivered.filter(|&prior| prior > 0) else { return };
        if prior < self.round_begins {
            self.duplicate_seen = false;
        }
        if std::mem::take(&mut self.duplicate_seen) {
            self.window_steps = (self.window_steps + 1).min(MOST_STEPS);
            self.round_begins = delivered;
            self.window_persists = RECOVERIES;
        } else if self.window_persists == 0 {
            self.window_steps = 1;
        }
    }
}

impl Run<'_, '_> {
    /// RACK.reo_wnd.
    fn reordering_window(&self) -> Duration {
        let (t, smoothed) = (&self.t, self.t.timeout.smoothed());
        if t.rack.reordered == 0 && (t.in_recovery() || t.queue.sacked >= t.reordering) {
            return Duration::ZERO;
        }
        let quarter = t
            .minimum_round_trip
            .get()
            .map_or(Duration::MAX, |minimum| minimum / 4 * u64::from(t.rack.window_steps));
        quarter.min(smoothed)
    }
    /// How long the segment still has, in microseconds; none is left for one that is lost.
    fn time_left(&self, id: Id, reordering_window: Duration) -> Option<Duration> {
        let waited = self.now().saturating_since(self.t.queue.get(id).sent());
        let allowed = self.t.rack.round_trip + reordering_window;
        (allowed > waited).then(|| allowed - waited)
    }
    /// Whether after a timeout the segment may still arrive.
    pub(super) fn may_still_arrive(&self, id: Id) -> bool {
        self.time_left(id, Duration::ZERO).is_some()
    }

    /// Mark what is lost (section 6.2, step 5). Returns how long the last of what may only be late has.
    fn detect_losses(&mut self) -> Option<Duration> {
        let (window, departure) = (self.reordering_window(), self.t.rack.departure);
        let was_overtaken = |queue: &Queue, id: &Id| queue.get(*id).departure < departure;
        // What was sent later has at least as much time left.
        while let Some(id) = self.t.queue.oldest().filter(|id| was_overtaken(&self.t.queue, id))
            && self.time_left(id, window).is_none()
        {
            self.mark_lost(id);
            self.t.queue.remove_from_order(id);
        }
        self.t.queue.newest_before(departure).and_then(|id| self.time_left(id, window))
    }
    pub(super) fn mark_lost(&mut self, id: Id) {
        if self.t.queue.mark_lost(id) {
            self.t.delivery.lost += 1;
            let lost = self.t.delivery.lost_segment(self.t.queue.get(id));
            self.s.control.on_segment_lost(&lost, &self.s.view);
        }
    }

    /// Look for losses after an acknowledgment. Returns whether the timer waits for what may only be late.
    pub(super) fn look_for_losses(&mut self) -> bool {
        if !std::mem::take(&mut self.t.rack.advanced) {
            return false;
        }
        let wait = self.detect_losses();
        if let Some(wait) = wait {
            let after = (wait + LEAST_WAIT).min(self.t.timeout.current());
            self.t.timer.arm(Purpose::Reordering, self.now(), after);
        }
        wait.is_some()
    }

    /// What may only have been late has had its time.
    pub(super) fn on_reordering_timer(&mut self) {
        let (before, lost_before) = (self.t.queue.in_flight(), self.t.delivery.lost);
        self.detect_losses();
        if self.t.queue.in_flight() != before {
            if self.t.state != RecoveryState::Recovery && self.t.queue.any_lost_to_congestion() {
                self.enter_recovery();
                if !self.s.control.controls_rate() {
                    self.reduce(1, self.t.delivery.lost - lost_before, false);
                }
            }
            self.resend_lost();
        }
        if self.t.timer.purpose() != Some(Purpose::Retransmission) {
            self.rearm_timeout();
        }
    }
}
