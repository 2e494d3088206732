//! BBR, version 3 (draft-ietf-ccwg-bbr, text of August 2026, whose names the comments give; where it leaves something open, as in
//! tcp_bbr.c of Google's branch v3). Like version 1 it paces at the measured bandwidth. In addition it bounds what is in flight by
//! what the path has carried without losing more than 2 %, and it spaces its probes so that Reno and CUBIC get along.
//!
//! The draft specifies no response to marks that is different from that to losses: here a mark is a loss of one segment.

mod bounds;
mod cycle;
mod round_trip;
mod startup;
#[cfg(test)]
mod tests;
mod window;

use super::NEEDS_RECORDS;
use super::aggregation::{self, Aggregation};
use super::bandwidth::{self, Bandwidth};
use super::*;
use bounds::{Bounds, Undo};
use cycle::Cycle;
use round_trip::Delay;
use startup::FullPipe;

pub(super) static ALGORITHM: Algorithm = Algorithm {
    name: "bbr3",
    summary: "BBR, version 3: paces at the measured bandwidth, and bounds what is in flight by losses above 2 % and by headroom",
    cite: "draft-ietf-ccwg-bbr; google/bbr, branch v3",
    refuses: NEEDS_RECORDS,
    needs_send_log: false,
    build: &|_| Box::<Bbr3>::default(),
};

/// Gains are in 1/256.
const UNIT: u64 = 256;
/// 4 ln 2: doubles the rate each round trip (StartupPacingGain).
const STARTUP_GAIN: u64 = UNIT * 277 / 100 + 1;
const DRAIN_GAIN: u64 = UNIT / 2;
const DOWN_GAIN: u64 = UNIT * 90 / 100;
const UP_GAIN: u64 = UNIT * 5 / 4;
const WINDOW_GAIN: u64 = 2 * UNIT;
const UP_WINDOW_GAIN: u64 = UNIT * 9 / 4;
/// MinPipeCwnd.
const LEAST_WINDOW: u64 = 4;
const INITIAL_WINDOW: u64 = 10;
/// No bound is known.
const UNBOUNDED: u64 = u64::MAX;

/// BBR.state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Startup,
    Drain,
    /// Slower than the bandwidth, until the queue is gone and there is headroom.
    Down,
    /// At the bandwidth.
    Cruise,
    /// At the bandwidth without the bounds of the last losses, for a round trip.
    Refill,
    /// Faster than the bandwidth.
    Up,
    ProbeRoundTrip,
}

impl State {
    /// IsInAProbeBWState.
    fn probes_bandwidth(self) -> bool {
        matches!(self, State::Down | State::Cruise | State::Refill | State::Up)
    }
    /// IsProbingBW.
    fn accelerates(self) -> bool {
        matches!(self, State::Startup | State::Refill | State::Up)
    }
    fn gains(self) -> (u64, u64) {
        match self {
            State::Startup => (STARTUP_GAIN, WINDOW_GAIN),
            State::Drain => (DRAIN_GAIN, WINDOW_GAIN),
            State::Down => (DOWN_GAIN, WINDOW_GAIN),
            State::Cruise | State::Refill => (UNIT, WINDOW_GAIN),
            State::Up => (UP_GAIN, UP_WINDOW_GAIN),
            State::ProbeRoundTrip => (UNIT, UNIT / 2),
        }
    }
}

/// Round trips, counted by what is delivered.
#[derive(Debug, Default)]
struct Rounds {
    count: u64,
    ends: u64,
    started: bool,
}

impl Rounds {
    /// StartRound.
    fn begin(&mut self, view: &View) {
        self.ends = view.tracked.delivered;
    }
    fn update(&mut self, sample: &RateSample, view: &View) {
        self.started = sample.rate.is_some() && sample.prior_delivered >= self.ends;
        if self.started {
            self.begin(view);
            self.count += 1;
        }
    }
}

/// BBR's model of the path, and where it is in its cycle.
#[derive(Debug, Default)]
pub(super) struct Bbr3 {
    state: State,
    is_set_up: bool,
    has_seen_round_trip: bool,
    rounds: Rounds,
    full: FullPipe,
    cycle: Cycle,
    bounds: Bounds,
    undo: Undo,
    delay: Delay,
    aggregation: Aggregation,
    /// The largest bandwidths of the last cycle and of this one (MaxBwFilter).
    bandwidths: [Bandwidth; 2],
    delivered_at: Instant,
    previous_state: RecoveryState,
    restarts_from_idle: bool,
    prior_window: f64,
    pacing_rate: u64,
}

/// What an acknowledgment measures.
#[derive(Clone, Copy, Debug)]
struct Measured {
    /// RS.delivery_rate.
    bandwidth: Bandwidth,
    /// RS.delivered.
    delivered: u64,
}

impl Measured {
    fn of(sample: &RateSample) -> Option<Measured> {
        let (delivered, interval) = sample.rate.filter(|(_, interval)| !interval.is_zero())?;
        (sample.acknowledged > 0)
            .then(|| Measured { bandwidth: Bandwidth::of(delivered, interval), delivered })
    }
}

impl Bbr3 {
    /// BBR.max_bw.
    fn largest_bandwidth(&self) -> Bandwidth {
        self.bandwidths[0].max(self.bandwidths[1])
    }
    /// BBR.bw.
    fn bandwidth(&self) -> Bandwidth {
        self.largest_bandwidth().min(self.bounds.short_bandwidth)
    }
    /// OnInit: the connection is open.
    fn set_up(&mut self, view: &View) {
        if self.is_set_up {
            return;
        }
        self.is_set_up = true;
        self.delay.begin(view);
        self.rounds.begin(view);
        self.bounds.round_ends = view.tracked.delivered;
        self.delivered_at = view.now;
        self.aggregation.restart(view.now);
        self.set_rate_from_round_trip(view);
    }
    /// InitPacingRate.
    fn set_rate_from_round_trip(&mut self, view: &View) {
        self.has_seen_round_trip = !view.round_trip.smoothed.is_zero();
        self.pacing_rate = bandwidth::rate_of_window(view, STARTUP_GAIN);
    }
    fn set_pacing_rate(&mut self, gain: u64, view: &View) {
        if !self.has_seen_round_trip && !view.round_trip.smoothed.is_zero() {
            self.set_rate_from_round_trip(view);
        }
        let rate = self.bandwidth().rate(view.segment_size, gain).max(1);
        if self.full.reached || rate > self.pacing_rate {
            self.pacing_rate = rate;
        }
    }
    /// UpdateMaxBw.
    fn update_bandwidth(&mut self, measured: Measured, sample: &RateSample) {
        if measured.bandwidth >= self.largest_bandwidth() || !sample.application_limited {
            self.bandwidths[1] = self.bandwidths[1].max(measured.bandwidth);
        }
    }
    /// AdvanceMaxBwFilter; a cycle without samples keeps the one before.
    fn advance_bandwidths(&mut self) {
        if self.bandwidths[1] > Bandwidth::default() {
            self.bandwidths = [self.bandwidths[1], Bandwidth::default()];
        }
    }
    /// UpdateModelAndState.
    fn update_model(&mut self, sample: &RateSample, view: &View, window: &mut Window) -> bool {
        let measured = Measured::of(sample);
        self.rounds.update(sample, view);
        self.cycle.rounds_since_probe += u64::from(self.rounds.started);
        if let Some(measured) = measured {
            self.bounds.take_latest(measured, sample, view);
            self.update_bandwidth(measured, sample);
            self.respond_to_losses(window);
            let rounds = if self.full.reached { aggregation::ROUNDS } else { 1 };
            let (started, bandwidth) = (self.rounds.started, self.bandwidth());
            self.aggregation.update(sample, started, rounds, self.delivered_at, bandwidth, view);
            self.full.check(measured, self.rounds.started, sample);
        }
        self.check_startup(sample, view, window);
        self.check_drain(view);
        self.update_cycle(measured, sample, view, window);
        self.delay.update(sample, view);
        let application_limited = self.check_round_trip_probe(sample, view, window);
        if let Some(measured) = measured {
            self.bounds.advance_latest(measured);
        }
        application_limited
    }
    /// SaveCwnd.
    fn save_window(&mut self, view: &View) {
        let calm = self.previous_state < RecoveryState::Recovery && self.state != State::ProbeRoundTrip;
        let least = if calm { 0.0 } else { self.prior_window };
        self.prior_window = view.window.congestion.max(least);
    }
    /// RestoreCwnd.
    fn restore_window(&self, window: &mut Window) {
        window.congestion = window.congestion.max(self.prior_window);
    }
}

impl CongestionControl for Bbr3 {
    fn on_ack(&mut self, _acked: &Acked, view: &View) -> Window {
        view.window
    }
    /// OnEnterFastRecovery and OnEnterRTO; the window falls by the bounds.
    fn on_loss(&mut self, loss: Loss, view: &View) -> Window {
        self.save_state(view);
        if loss == Loss::Collapsed && !self.state.accelerates() {
            self.bounds.begin_short_in_flight(self.prior_window);
        }
        view.window
    }
    fn on_segment_lost(&mut self, lost: &LostSegment, view: &View) {
        self.handle_lost(lost, view);
    }
    fn restore(&mut self, _before: Window, view: &View) -> Window {
        let mut window = view.window;
        self.restore_window(&mut window);
        self.handle_needless_recovery(view);
        window
    }
    /// What is known of the old path's delay does not hold for the new one; its bandwidth is found by probing.
    fn on_path_change(&mut self, round_trip_time: Option<Duration>, view: &View) -> Window {
        self.delay.forget(round_trip_time, view);
        view.window
    }
    fn on_state(&mut self, state: RecoveryState, view: &View) {
        match state {
            RecoveryState::Loss => self.previous_state = RecoveryState::Loss,
            RecoveryState::Reducing => self.handle_repaired_or_marked(view),
            _ => {}
        }
    }
    /// HandleRestartFromIdle.
    fn on_transmission_start(&mut self, _idle: Duration, view: &View) -> Option<Decision> {
        let mut window = view.window;
        if !self.is_set_up {
            self.set_up(view);
        } else if view.tracked.is_application_limited {
            self.restarts_from_idle = true;
            self.aggregation.restart(view.now);
            if self.state.probes_bandwidth() {
                self.set_pacing_rate(UNIT, view);
            } else if self.state == State::ProbeRoundTrip {
                self.check_round_trip_probe_done(view, &mut window);
            }
        } else {
            return None;
        }
        Some(Decision { window, pacing_rate: self.pacing_rate, application_limited: false })
    }
    fn controls_rate(&self) -> bool {
        true
    }
    fn on_rate_sample(&mut self, sample: &RateSample, view: &View) -> Decision {
        self.set_up(view);
        if sample.acknowledged > 0 {
            self.delivered_at = view.now;
        }
        let mut window = view.window;
        let state = view.tracked.state;
        if self.previous_state >= RecoveryState::Recovery && state < RecoveryState::Recovery {
            self.restore_window(&mut window);
        }
        self.previous_state = state;
        let application_limited = self.update_model(sample, view, &mut window);
        self.set_pacing_rate(self.state.gains().0, view);
        window.congestion = self.next_window(window.congestion as u64, sample.acknowledged, view) as f64;
        Decision { window, pacing_rate: self.pacing_rate, application_limited }
    }
}
