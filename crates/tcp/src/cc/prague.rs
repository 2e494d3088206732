//! Prague (draft-briscoe-iccrg-prague-congestion-control-04; the L4S team's `tcp_prague.c`): DCTCP for the Internet. Packets carry ECT(1),
//! marks are counted, the window keeps fractions and grows by what was not marked, and a flow with a short round-trip time behaves as one
//! of 25 ms. Segments are paced. A loss halves the window.
//!
//! Left out: the detection of queues that mark as RFC 3168 has it (off in `tcp_prague.c`), and the other ways of depending on the round-trip time.

use super::*;

pub(super) static ALGORITHM: Algorithm = Algorithm {
    name: "prague",
    summary: "reduces the window by the share of marked segments, paced, with ECT(1): low latency over the Internet (L4S)",
    cite: "draft-briscoe-iccrg-prague-congestion-control-04",
    refuses: super::NEEDS_RECORDS,
    needs_send_log: false,
    build: &|_| Box::<Prague>::default(),
};

/// The gain of the moving average (section 2.4.2).
const GAIN: f64 = 1.0 / 16.0;
/// The round-trip time that shorter ones behave as (section 2.4.3; `prague_rtt_target`), ...
const TARGET: Duration = Duration::from_millis(25);
/// ... after so many rounds beyond slow start (`prague_rtt_transition`).
const TRANSITION: u32 = 500;
const LEAST_WINDOW: f64 = 2.0;
/// The largest burst is sent in 1/4096 s, about 0.25 ms (`prague_burst_shift`).
const BURSTS_PER_SECOND: u64 = 4096;
const HEADERS: u32 = 52;

#[derive(Debug, Default)]
struct Prague {
    /// The window with its fraction; zero before anything is sent.
    window: f64,
    /// The share of marked segments: all until there is an estimate.
    share: Option<f64>,
    has_seen_marks: bool,
    round_ends: Offset,
    rounds: u32,
    estimated_at: Instant,
    reduced_at: Instant,
    delivered_before: u64,
    marked_before: u64,
    marked_so_far: u64,
    before_loss: f64,
    in_loss: bool,
    segment_size: u32,
}

impl Prague {
    fn set_up(&mut self, view: &View) {
        if self.window == 0.0 {
            self.window = view.window.congestion;
            self.segment_size = view.segment_size;
            self.round_ends = view.highest_sent;
        }
    }
    fn share(&self) -> f64 {
        self.share.unwrap_or(1.0)
    }
    /// Whether it behaves as with the target round-trip time.
    fn is_mature(&self, view: &View) -> bool {
        self.rounds >= TRANSITION && view.window.congestion >= view.window.threshold
    }
    /// Growth in a round-trip time, in segments: as many in the target time as a flow has that takes so long.
    fn increase(&self, view: &View) -> f64 {
        let smoothed = view.round_trip.smoothed;
        if !self.is_mature(view) || smoothed >= TARGET || smoothed.is_zero() {
            return 1.0;
        }
        let ratio = smoothed.as_secs_f64() / TARGET.as_secs_f64();
        ratio * ratio
    }
    fn grow(&mut self, unmarked: u64, view: &View) {
        if unmarked == 0 || self.in_loss || !view.congestion_limited {
            return;
        }
        let segments = unmarked as f64;
        if view.window.congestion < view.window.threshold {
            self.window = (self.window + segments).min(view.window.threshold);
        } else {
            self.window += segments * self.increase(view) / self.window;
        }
    }
    fn estimate(&mut self, view: &View) {
        let too_soon = self.is_mature(view) && view.now.saturating_since(self.estimated_at) < TARGET;
        if view.unacknowledged < self.round_ends || too_soon {
            return;
        }
        let Tracked { delivered, marked, .. } = view.tracked;
        if self.has_seen_marks {
            let segments = (delivered - self.delivered_before).max(1) as f64;
            let marked = (marked - self.marked_before) as f64;
            let share = self.share() * (1.0 - GAIN) + GAIN * (marked / segments).min(1.0);
            self.share = Some(share.min(1.0));
            self.estimated_at = view.now;
        }
        self.round_ends = view.highest_sent;
        self.rounds += u32::from(view.window.congestion >= view.window.threshold);
        (self.delivered_before, self.marked_before) = (delivered, marked);
    }
    /// The window follows its exact value by a segment for each acknowledgment; as it falls, slow start is over.
    fn follow(&self, view: &View) -> Window {
        let exact = self.window.ceil().max(LEAST_WINDOW);
        let Window { congestion, threshold } = view.window;
        if view.window.congestion < threshold && exact > congestion {
            return Window { congestion: exact, threshold };
        }
        if exact < congestion {
            return Window { congestion: congestion - 1.0, threshold: congestion - 1.0 };
        }
        Window { congestion: exact.min(congestion + 1.0), threshold }
    }
    /// Window / round-trip time, twice that in slow start.
    fn pacing_rate(&self, view: &View) -> u64 {
        let smoothed = view.round_trip.smoothed.as_secs_f64();
        if smoothed == 0.0 {
            return u64::MAX;
        }
        let gain = if view.window.congestion < (view.window.threshold / 2.0).trunc() { 2.0 } else { 1.0 };
        (f64::from(view.segment_size) * self.window * gain / smoothed) as u64
    }
}

impl CongestionControl for Prague {
    fn on_ack(&mut self, _acked: &Acked, view: &View) -> Window {
        view.window
    }
    fn on_loss(&mut self, _loss: Loss, view: &View) -> Window {
        self.set_up(view);
        self.before_loss = self.window;
        self.window = (self.window / 2.0).max(LEAST_WINDOW);
        self.in_loss = true;
        Window { congestion: view.window.congestion, threshold: self.window }
    }
    fn on_loss_in_reduction(&mut self, view: &View) -> Option<Window> {
        Some(self.on_loss(Loss::Detected, view))
    }
    fn on_marks(&mut self, view: &View) -> Window {
        self.set_up(view);
        if self.is_mature(view) && view.now.saturating_since(self.reduced_at) < TARGET {
            return view.window;
        }
        self.reduced_at = view.now;
        self.window = (self.window * (1.0 - self.share() / 2.0)).max(LEAST_WINDOW);
        view.window
    }
    fn restore(&mut self, before: Window, view: &View) -> Window {
        self.window = self.window.max(self.before_loss).max(before.congestion);
        view.window.at_least(before)
    }
    fn on_path_change(&mut self, _round_trip_time: Option<Duration>, view: &View) -> Window {
        view.window
    }
    fn on_window_replaced(&mut self) {
        self.window = 0.0;
    }
    fn on_state(&mut self, state: RecoveryState, _view: &View) {
        self.in_loss &= state != RecoveryState::Open;
    }
    fn on_transmission_start(&mut self, _idle: Duration, view: &View) -> Option<Decision> {
        self.set_up(view);
        let pacing_rate = self.pacing_rate(view);
        Some(Decision { window: view.window, pacing_rate, application_limited: false })
    }
    fn controls_rate(&self) -> bool {
        true
    }
    fn on_rate_sample(&mut self, sample: &RateSample, view: &View) -> Decision {
        self.set_up(view);
        let marks = view.tracked.marked - self.marked_so_far;
        self.marked_so_far = view.tracked.marked;
        self.has_seen_marks |= marks > 0;
        self.grow(sample.acknowledged.saturating_sub(marks), view);
        let window = self.follow(view);
        self.estimate(view);
        Decision { window, pacing_rate: self.pacing_rate(view), application_limited: false }
    }
    fn most_burst(&self, pacing_rate: u64) -> Option<u32> {
        let packet = u64::from(self.segment_size + HEADERS);
        Some((pacing_rate / packet / BURSTS_PER_SECOND).clamp(1, 40) as u32)
    }
    fn ecn_needs(&self) -> EcnNeeds {
        EcnNeeds::Counts
    }
}
