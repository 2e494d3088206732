//! An acknowledgment is taken in, in the order of Linux's `tcp_ack`.

use super::alert::Resend;
use super::delivery::Sampling;
use super::limits::Limit;
use super::*;
use crate::cc::{Acked, Decision, RateSample};
use crate::ecn::Report;
use crate::sender::Acknowledgment;
use seamline_wire::Segment;

/// What an acknowledgment has shown so far.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen {
    /// SND.UNA before it.
    pub(super) previous: Offset,
    /// It advances SND.UNA.
    pub(super) advanced: bool,
    /// It carries payload.
    pub(super) has_data: bool,
    /// It changes the peer's window, or repeats nothing in another way.
    pub(super) window_updated: bool,
    /// It reports that a packet was marked.
    pub(super) is_marked: bool,
    /// Its SACK blocks report new segments.
    pub(super) sacked: bool,
    /// It reports a duplicate that our retransmissions explain.
    pub(super) duplicate_reported: bool,
    /// That duplicate is the tail loss probe.
    pub(super) duplicate_of_probe: bool,
    /// Segments that were outstanding are acknowledged cumulatively.
    pub(super) acknowledged: bool,
    /// One of them was sent more than once.
    pub(super) resent_acknowledged: bool,
    /// A segment sent once, and before the present recovery, has arrived.
    pub(super) original_arrived: bool,
    /// The first outstanding segment had been reported by SACK: the receiver dropped it.
    pub(super) reneged: bool,
    /// A retransmission is lost.
    pub(super) lost_again: bool,
    /// The timer starts over.
    pub(super) sets_timer: bool,
    /// The receiver may have delayed it.
    pub(super) maybe_delayed: bool,
    /// The leftmost segment that arrived after something further right.
    pub(super) reordered_from: Offset,
    /// When the first and the last of the segments that SACK reports were sent; only those sent once.
    pub(super) first_sacked: Option<Instant>,
    pub(super) last_sacked: Option<Instant>,
    /// Segments that SACK reports, and reported duplicates.
    pub(super) delivered_by_sack: u64,
    /// The echoed timestamp.
    pub(super) echo: Option<u32>,
    /// The round-trip time by it.
    pub(super) timestamp_sample: Option<Duration>,
    pub(super) sampling: Sampling,
    /// The round-trip time for congestion control.
    pub(super) round_trip: Option<Duration>,
}

impl Seen {
    fn new(previous: Offset, ack: &Acknowledgment, segment: &Segment, has_timestamps: bool) -> Self {
        let echo =
            segment.timestamps.filter(|times| has_timestamps && times.echo != 0).map(|times| times.echo);
        Seen {
            previous,
            advanced: ack.offset > previous,
            has_data: segment.sequence_length() > 0,
            window_updated: false,
            is_marked: false,
            sacked: false,
            duplicate_reported: false,
            duplicate_of_probe: false,
            acknowledged: false,
            resent_acknowledged: false,
            original_arrived: false,
            reneged: false,
            lost_again: false,
            sets_timer: false,
            maybe_delayed: false,
            reordered_from: Offset(u64::MAX),
            first_sacked: None,
            last_sacked: None,
            delivered_by_sack: 0,
            echo,
            timestamp_sample: ack.timestamp_sample,
            sampling: Sampling::default(),
            round_trip: None,
        }
    }
    /// It repeats what was known.
    fn is_not_new(&self) -> bool {
        !(self.has_data || self.window_updated || self.acknowledged)
    }
    /// A duplicate acknowledgment that reports nothing.
    pub(super) fn is_duplicate_acknowledgment(&self) -> bool {
        !self.advanced && self.is_not_new() && !self.duplicate_reported
    }
    fn makes_progress(&self) -> bool {
        self.acknowledged || self.sacked
    }
}

impl Run<'_, '_> {
    /// An acknowledgment at or beyond SND.UNA.
    pub(super) fn on_ack(&mut self, ack: &Acknowledgment, segment: &Segment) {
        let previous = self.unacknowledged();
        let mut seen = Seen::new(previous, ack, segment, self.exit.header.timestamps.is_some());
        let acknowledged = self.s.view.segments(ack.offset.saturating_since(previous));
        let report = self.exit.header.ecn.take_report(segment, acknowledged);
        seen.is_marked = report != Report::Nothing;
        let had_outstanding = !self.t.queue.is_empty();
        let (delivered_before, lost_before) = (self.t.delivery.delivered, self.t.delivery.lost);
        let prior_in_flight = self.t.queue.in_flight();
        let highest_sacked_before = self.t.queue.highest_sacked(previous);
        if seen.advanced {
            self.t.timeouts_in_a_row = 0;
        }
        self.take_window(ack, &mut seen);
        self.take_blocks(segment, &mut seen);
        self.t.delivery.delivered += seen.delivered_by_sack;
        self.t.delivery.marked += match report {
            Report::Nothing => 0,
            Report::Echo => seen.delivered_by_sack,
            Report::Marks(marks) => marks,
        };
        self.give_feedback();
        if !had_outstanding {
            return self.on_ack_of_nothing(ack, &mut seen);
        }
        let delivered = self.t.delivery.delivered;
        self.take_cumulative(highest_sacked_before, &mut seen);
        if report == Report::Echo {
            self.t.delivery.marked += self.t.delivery.delivered - delivered;
        }
        self.t.rack.adapt_window(seen.sampling.prior_delivered(), self.t.delivery.delivered);
        self.settle_probe(ack.offset, &seen);
        self.take_notified_losses(segment);
        let acked = self.acked(&seen, self.t.delivery.delivered - delivered_before);
        self.s.control.observe(&acked, &self.s.view);
        let mut resend = None;
        if self.is_dubious(&seen) {
            resend = self.alert(&mut seen);
        }
        if self.t.state < RecoveryState::Recovery && self.t.queue.next_to_resend().is_some() {
            resend = Some(Resend::Lost);
        }
        if seen.sets_timer {
            self.set_timer();
        }
        let delivered = self.t.delivery.delivered - delivered_before;
        let lost = self.t.delivery.lost - lost_before;
        self.control_window(&seen, prior_in_flight, delivered, lost);
        self.resend_after(resend);
    }
    fn give_feedback(&mut self) {
        self.s.view.tracked.delivered = self.t.delivery.delivered;
        self.s.view.tracked.marked = self.t.delivery.marked;
        self.s.control.on_feedback(&self.s.view);
    }
    /// Nothing was outstanding: only a window, or a report about what is long acknowledged.
    fn on_ack_of_nothing(&mut self, ack: &Acknowledgment, seen: &mut Seen) {
        if seen.duplicate_reported {
            self.alert(seen);
        }
        self.settle_window_probe();
        self.settle_probe(ack.offset, seen);
    }
    /// An acknowledgment older than SND.UNA: its blocks still count, because acknowledgments may overtake one another.
    pub(super) fn on_old_ack(&mut self, ack: &Acknowledgment, segment: &Segment) {
        if segment.sack.is_empty() {
            return;
        }
        let mut seen = Seen::new(self.unacknowledged(), ack, segment, self.exit.header.timestamps.is_some());
        seen.advanced = false;
        self.take_blocks(segment, &mut seen);
        self.t.delivery.delivered += seen.delivered_by_sack;
        let resend = self.alert(&mut seen);
        self.resend_after(resend);
    }

    fn take_window(&mut self, ack: &Acknowledgment, seen: &mut Seen) {
        let before = self.s.view.peer_window;
        self.s.view.unacknowledged = ack.offset;
        seen.window_updated =
            seen.advanced || ack.window.is_some_and(|window| ack.newer || window > before || window == 0);
        if let Some(window) = ack.window.filter(|_| seen.window_updated) {
            self.s.set_peer_window(window);
            if window != before && self.s.has_unsent() {
                self.restart_after_idle();
            }
        }
        if seen.advanced {
            self.s.progress_at = self.now();
            self.s.view.scoreboard.remove_before(ack.offset);
        }
    }

    /// Remove what is acknowledged cumulatively (`tcp_clean_rtx_queue`).
    fn take_cumulative(&mut self, highest_sacked_before: Offset, seen: &mut Seen) {
        let sacked_before = self.t.queue.sacked;
        let unacknowledged = self.unacknowledged();
        let mut reordered_from = self.s.view.highest_sent;
        let (mut first_sent, mut last_sent) = (None, None);
        let mut count: u64 = 0;
        while let Some(record) = self.t.queue.head().copied().filter(|head| head.end <= unacknowledged) {
            if record.ever_resent {
                seen.resent_acknowledged = true;
            } else if !record.sacked {
                last_sent = Some(record.sent());
                first_sent = first_sent.or(last_sent);
                reordered_from = reordered_from.min(record.start);
                seen.original_arrived |= record.end <= self.t.high;
            }
            if !record.sacked {
                self.t.delivery.delivered += 1;
                if !self.was_resent_needlessly(&record, seen) {
                    self.note_arrival(&record);
                }
            }
            self.t.delivery.take(&record, &mut seen.sampling);
            self.t.queue.pop();
            if let Some(buffer) = &mut self.t.buffer {
                buffer.release(
                    record.end.min(self.s.data_end).saturating_since(record.start),
                    record.ends_burst,
                );
            }
            count += 1;
        }
        self.trim_head();
        if count > 0 {
            self.end_limit(Limit::Busy);
        }
        seen.acknowledged = count > 0;
        seen.reneged = self.t.queue.head().is_some_and(|head| head.sacked);
        let timed = first_sent.filter(|_| !seen.resent_acknowledged);
        if timed.is_some() {
            let one = count == 1 && sacked_before == 0;
            let small = unacknowledged.saturating_since(seen.previous) < u64::from(self.s.view.segment_size);
            let alone =
                seen.sampling.prior_delivered().is_some_and(|prior| prior + 1 == self.t.delivery.delivered);
            seen.maybe_delayed = one && small && alone && !seen.sacked && !seen.duplicate_reported;
        }
        let updated = self.take_round_trip(timed, last_sent.filter(|_| timed.is_some()), seen);
        if seen.acknowledged {
            seen.sets_timer = true;
            if reordered_from < highest_sacked_before {
                self.note_reordering(reordered_from);
            }
        } else if let (Some(head), true, Some(first)) = (self.t.queue.head(), updated, seen.first_sacked) {
            seen.sets_timer = first < head.sent();
        }
        if let Some(sample) = seen.round_trip {
            self.s.view.tracked.delivered = self.t.delivery.delivered;
            if let Some(window) = self.s.control.on_round_trip(sample, &self.s.view) {
                self.s.view.window = window;
            }
        }
    }
    /// A part of the first segment may be acknowledged.
    fn trim_head(&mut self) {
        let unacknowledged = self.unacknowledged();
        let Some(head) = self.t.queue.head().filter(|head| head.start < unacknowledged) else { return };
        let trimmed = unacknowledged - head.start;
        self.t.queue.trim_head(unacknowledged);
        if let Some(buffer) = &mut self.t.buffer {
            buffer.release(trimmed, false);
        }
    }
    /// The acknowledgment answers what was sent before the retransmission.
    fn was_resent_needlessly(&self, record: &super::queue::Record, seen: &Seen) -> bool {
        let Some(clock) = self.exit.header.timestamps.filter(|_| record.ever_resent) else { return false };
        seen.echo.is_some_and(|echo| (echo.wrapping_sub(clock.value(record.sent())) as i32) < 0)
    }
    /// Round-trip times: of the first segment for the timer, of the last for congestion control (`tcp_ack_update_rtt`).
    fn take_round_trip(&mut self, first: Option<Instant>, last: Option<Instant>, seen: &mut Seen) -> bool {
        let now = self.now();
        let since = |at: Instant| now.saturating_since(at);
        let mut for_timer = first.map(since).or(seen.first_sacked.map(since));
        let mut for_control = seen.last_sacked.or(last).map(since);
        if for_timer.is_none() && seen.acknowledged {
            for_timer = seen.timestamp_sample;
            for_control = seen.timestamp_sample;
        }
        seen.round_trip = for_control;
        let Some(sample) = for_timer else { return false };
        if let Some(shortest) = for_control {
            let delayed =
                seen.maybe_delayed && self.t.minimum_round_trip.get().is_some_and(|least| shortest > least);
            if !delayed {
                self.t.minimum_round_trip.take(now, shortest);
            }
        }
        self.t.timeout.sample(sample, self.unacknowledged(), self.s.view.highest_sent);
        true
    }

    fn is_dubious(&self, seen: &Seen) -> bool {
        seen.is_not_new()
            || seen.is_marked
            || seen.sacked
            || seen.duplicate_reported
            || self.t.state != RecoveryState::Open
    }

    /// Congestion control, or the reduction in its place, decides on the window (`tcp_cong_control`).
    fn control_window(&mut self, seen: &Seen, prior_in_flight: u32, delivered: u64, lost: u64) {
        let minimum = self.t.minimum_round_trip.get();
        let (now, reneged) = (self.now(), self.t.reneged);
        let mut sample = self.t.delivery.finish(&seen.sampling, now, delivered, lost, minimum, reneged);
        sample.prior_in_flight = prior_in_flight;
        sample.round_trip = seen.round_trip;
        sample.maybe_delayed = seen.maybe_delayed;
        self.show();
        if !self.s.control.controls_rate() {
            if self.is_reducing() {
                self.reduce(delivered, lost, seen.advanced);
            } else if self.may_grow(seen) {
                self.grow(seen, delivered);
            }
        }
        // It may have taken over with this acknowledgment.
        if self.s.control.controls_rate() {
            self.follow_model(&sample);
        } else {
            self.update_pacing_rate();
        }
    }
    fn may_grow(&self, seen: &Seen) -> bool {
        if self.t.reordering > REORDERING { seen.makes_progress() } else { seen.acknowledged }
    }
    fn grow(&mut self, seen: &Seen, delivered: u64) {
        self.s.view.congestion_limited = self.t.use_of_window.is_limited(&self.s.view);
        let acked = self.acked(seen, delivered);
        self.s.grow(&acked);
        self.t.use_of_window.confirm(self.now());
    }
    /// What congestion control learns of the acknowledgment; `delivered` counts segments.
    fn acked(&self, seen: &Seen, delivered: u64) -> Acked {
        Acked {
            bytes: self.unacknowledged().saturating_since(seen.previous),
            delivered: delivered * u64::from(self.s.view.segment_size),
            duplicate: !seen.advanced,
            fine_round_trip: None,
            in_recovery: self.t.in_recovery(),
        }
    }
    fn follow_model(&mut self, sample: &RateSample) {
        self.s.view.congestion_limited = self.t.use_of_window.is_limited(&self.s.view);
        let decision = self.s.control.on_rate_sample(sample, &self.s.view);
        self.follow(decision);
        // A flow that was paced once stays paced, as in Linux.
        self.t.pacing.waits = true;
    }
    pub(super) fn follow(&mut self, decision: Decision) {
        self.s.view.window = decision.window;
        self.t.pacing.set_rate(decision.pacing_rate);
        if decision.application_limited {
            self.t.delivery.mark_application_limited(self.t.queue.in_flight());
        }
    }
}
