//! BBR, version 1, as in Linux (Cardwell et al., ACM Queue 14(5), 2016; draft-cardwell-iccrg-bbr-congestion-control-00;
//! tcp_bbr.c): the window and the pacing rate follow a model of the path's bandwidth and its smallest round-trip time.

mod leocc;
mod policer;
mod window;

use super::aggregation::{self, Aggregation};
use super::bandwidth::{self, Bandwidth, MaximumFilter};
use super::*;
use policer::Policer;

pub use leocc::LeoCcParameters;

pub(super) static LEOCC: &Algorithm = &leocc::ALGORITHM;
pub(super) static ALGORITHM: Algorithm = Algorithm {
    name: "bbr",
    summary: "paces at the measured bandwidth, with a window of twice bandwidth times smallest round-trip time (version 1, as in Linux)",
    cite: "Cardwell et al., ACM Queue 14(5), 2016; Linux, tcp_bbr.c",
    refuses: NEEDS_RECORDS,
    needs_send_log: false,
    build: &|parameters| Box::new(Bbr::new(&parameters.congestion_control.bbr)),
};

parameters! {
    /// What of BBR can be set.
    pub struct BbrParameters {
        /// The place in the cycle of pacing gains where each stay in PROBE_BW begins, in turn: 0 probes, 1 drains, 2 to 7 cruise. Linux
        /// draws it at random, and never 1 (`bbr_reset_probe_bw_mode`). After the last, and by default, it follows from the time.
        pub cycle_starts: Vec<u64> = Vec::new(),
    }
}

/// Gains are in 1/256.
const UNIT: u64 = 256;
/// 2/ln 2: doubles the rate each round trip.
const HIGH_GAIN: u64 = UNIT * 2885 / 1000 + 1;
const DRAIN_GAIN: u64 = UNIT * 1000 / 2885;
const WINDOW_GAIN: u64 = 2 * UNIT;
/// Probe for more bandwidth, drain what that has queued, cruise.
const CYCLE: [u64; 8] = [UNIT * 5 / 4, UNIT * 3 / 4, UNIT, UNIT, UNIT, UNIT, UNIT, UNIT];
/// Bandwidth is the largest of so many round trips.
const BANDWIDTH_ROUNDS: u64 = 10;
/// The smallest round-trip time expires, ...
const ROUND_TRIP_EXPIRES: Duration = Duration::from_secs(10);
/// ... and is then measured with a nearly empty pipe for so long.
const PROBE_FOR: Duration = Duration::from_millis(200);
const LEAST_WINDOW: u32 = 4;
const INITIAL_WINDOW: u32 = 10;
/// The pipe is full when the bandwidth has not grown by a quarter in three round trips.
const FULL_THRESHOLD: u64 = UNIT * 5 / 4;
const FULL_ROUNDS: u32 = 3;

/// What the flow is doing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Mode {
    #[default]
    Startup,
    Drain,
    ProbeBandwidth,
    ProbeRoundTrip,
}

/// BBR's model of the path, and where it is in its cycle.
#[derive(Debug, Default)]
pub(super) struct Bbr {
    mode: Mode,
    is_set_up: bool,
    has_seen_round_trip: bool,
    bandwidths: MaximumFilter,
    rounds: u64,
    round_ends: u64,
    round_started: bool,
    smallest: Option<Duration>,
    smallest_at: Instant,
    probe_ends: Option<Instant>,
    probe_round_is_over: bool,
    cycle_began: Instant,
    cycle_index: usize,
    /// The next start is the last of these.
    cycle_starts: Vec<u64>,
    delivered_at: Instant,
    previous_state: RecoveryState,
    conserves_packets: bool,
    restarts_from_idle: bool,
    prior_window: u32,
    full_bandwidth: Bandwidth,
    full_rounds: u32,
    is_full: bool,
    pacing_gain: u64,
    window_gain: u64,
    pacing_rate: u64,
    policer: Policer,
    aggregation: Aggregation,
}

impl Bbr {
    fn new(parameters: &BbrParameters) -> Self {
        let cycle_starts = parameters.cycle_starts.iter().rev().copied().collect();
        Bbr { cycle_starts, ..Bbr::default() }
    }
    fn bandwidth(&self) -> Bandwidth {
        self.policer.bandwidth().unwrap_or(self.bandwidths.get())
    }
    /// The connection is open: begin with the window and the round-trip time of the handshake.
    fn set_up(&mut self, view: &View) {
        if self.is_set_up {
            return;
        }
        self.is_set_up = true;
        self.smallest = view.tracked.minimum_round_trip;
        self.smallest_at = view.now;
        self.round_ends = view.tracked.delivered;
        self.delivered_at = view.now;
        (self.pacing_gain, self.window_gain) = (HIGH_GAIN, HIGH_GAIN);
        self.aggregation.restart(view.now);
        self.set_rate_from_round_trip(view);
    }
    fn set_rate_from_round_trip(&mut self, view: &View) {
        self.has_seen_round_trip = !view.round_trip.smoothed.is_zero();
        self.pacing_rate = bandwidth::rate_of_window(view, HIGH_GAIN);
    }
    fn set_pacing_rate(&mut self, bandwidth: Bandwidth, gain: u64, view: &View) {
        let rate = bandwidth.rate(view.segment_size, gain);
        if !self.has_seen_round_trip && !view.round_trip.smoothed.is_zero() {
            self.set_rate_from_round_trip(view);
        }
        if self.is_full || rate > self.pacing_rate {
            self.pacing_rate = rate;
        }
    }

    fn update_bandwidth(&mut self, sample: &RateSample, view: &View) {
        self.round_started = false;
        let Some((delivered, interval)) = sample.rate.filter(|(_, interval)| !interval.is_zero()) else {
            return;
        };
        if sample.prior_delivered >= self.round_ends {
            self.round_ends = view.tracked.delivered;
            self.rounds += 1;
            self.round_started = true;
            self.conserves_packets = false;
        }
        self.sample_policer(sample, view);
        let bandwidth = Bandwidth::of(delivered, interval);
        if !sample.application_limited || bandwidth >= self.bandwidths.get() {
            self.bandwidths.take(self.rounds, bandwidth, BANDWIDTH_ROUNDS);
        }
    }
    /// A token bucket drops what exceeds its rate: then the rate is not probed.
    fn sample_policer(&mut self, sample: &RateSample, view: &View) {
        let probes = self.mode == Mode::ProbeBandwidth;
        let seen =
            policer::Seen { delivered_at: self.delivered_at, round_started: self.round_started, probes };
        if self.policer.sample(sample, &seen, view) == policer::Outcome::ProbesAgain {
            self.begin_probing(view);
        }
    }
    fn update_aggregation(&mut self, sample: &RateSample, view: &View) {
        let (started, rounds, bandwidth) = (self.round_started, aggregation::ROUNDS, self.bandwidth());
        self.aggregation.update(sample, started, rounds, self.delivered_at, bandwidth, view);
    }
    fn check_full(&mut self, sample: &RateSample) {
        if self.is_full || !self.round_started || sample.application_limited {
            return;
        }
        let largest = self.bandwidths.get();
        if largest >= self.full_bandwidth.times(FULL_THRESHOLD) {
            self.full_bandwidth = largest;
            self.full_rounds = 0;
            return;
        }
        self.full_rounds += 1;
        self.is_full = self.full_rounds >= FULL_ROUNDS;
    }
    fn check_drain(&mut self, view: &View, window: &mut Window) {
        let target = self.in_flight(self.bandwidths.get(), UNIT, view);
        if self.mode == Mode::Startup && self.is_full {
            window.threshold = target as f64;
            self.mode = Mode::Drain;
        }
        if self.mode == Mode::Drain && self.in_flight_at_departure(view.tracked.in_flight, view) <= target {
            self.begin_probing(view);
        }
    }
    /// Begin the cycle anywhere but where it drains. Flows that share a link are to differ; here by the time.
    fn begin_probing(&mut self, view: &View) {
        self.mode = Mode::ProbeBandwidth;
        let by_time = CYCLE.len() as u64 - view.now.as_nanos() / 1000 % 7;
        let start = self.cycle_starts.pop().unwrap_or(by_time);
        self.enter_phase(start as usize);
    }
    fn enter_phase(&mut self, index: usize) {
        self.cycle_index = index % CYCLE.len();
        self.cycle_began = self.delivered_at;
    }
    fn update_cycle(&mut self, sample: &RateSample, view: &View) {
        if self.mode == Mode::ProbeBandwidth && self.is_next_phase(sample, view) {
            self.enter_phase(self.cycle_index + 1);
        }
    }
    fn is_next_phase(&self, sample: &RateSample, view: &View) -> bool {
        let is_long =
            self.smallest.is_some_and(|least| self.delivered_at.saturating_since(self.cycle_began) > least);
        if self.pacing_gain == UNIT {
            return is_long;
        }
        let in_flight = self.in_flight_at_departure(sample.prior_in_flight, view);
        let largest = self.bandwidths.get();
        if self.pacing_gain > UNIT {
            let is_reached = sample.lost > 0 || in_flight >= self.in_flight(largest, self.pacing_gain, view);
            return is_long && is_reached;
        }
        is_long || in_flight <= self.in_flight(largest, UNIT, view)
    }
    fn leave_round_trip_probe(&mut self, view: &View, window: &mut Window) {
        if self.probe_ends.is_none_or(|ends| view.now.as_millis() <= ends.as_millis()) {
            return;
        }
        self.smallest_at = view.now;
        window.congestion = window.congestion.max(f64::from(self.prior_window));
        if self.is_full { self.begin_probing(view) } else { self.mode = Mode::Startup }
    }
    /// Returns whether what is outstanding says nothing about the bandwidth.
    fn update_smallest(&mut self, sample: &RateSample, view: &View, window: &mut Window) -> bool {
        let expired = view.now.as_millis() > (self.smallest_at + ROUND_TRIP_EXPIRES).as_millis();
        if let Some(round_trip) = sample.round_trip
            && (self.smallest.is_none_or(|least| round_trip < least) || (expired && !sample.maybe_delayed))
        {
            self.smallest = Some(round_trip);
            self.smallest_at = view.now;
        }
        if expired && !self.restarts_from_idle && self.mode != Mode::ProbeRoundTrip {
            self.mode = Mode::ProbeRoundTrip;
            self.save_window(view);
            self.probe_ends = None;
        }
        let probes = self.mode == Mode::ProbeRoundTrip;
        if probes {
            if self.probe_ends.is_none() && view.tracked.in_flight <= LEAST_WINDOW {
                self.probe_ends = Some(view.now + PROBE_FOR);
                self.probe_round_is_over = false;
                self.round_ends = view.tracked.delivered;
            } else if self.probe_ends.is_some() {
                self.probe_round_is_over |= self.round_started;
                if self.probe_round_is_over {
                    self.leave_round_trip_probe(view, window);
                }
            }
        }
        if sample.rate.is_some_and(|(delivered, _)| delivered > 0) {
            self.restarts_from_idle = false;
        }
        probes
    }
    fn update_gains(&mut self) {
        (self.pacing_gain, self.window_gain) = match self.mode {
            Mode::Startup => (HIGH_GAIN, HIGH_GAIN),
            Mode::Drain => (DRAIN_GAIN, HIGH_GAIN),
            Mode::ProbeBandwidth if self.policer.bandwidth().is_some() => (UNIT, WINDOW_GAIN),
            Mode::ProbeBandwidth => (CYCLE[self.cycle_index], WINDOW_GAIN),
            Mode::ProbeRoundTrip => (UNIT, UNIT),
        };
    }
    fn save_window(&mut self, view: &View) {
        let window = view.window.congestion as u32;
        let calm = self.previous_state < RecoveryState::Recovery && self.mode != Mode::ProbeRoundTrip;
        self.prior_window = if calm { window } else { self.prior_window.max(window) };
    }
}

impl CongestionControl for Bbr {
    fn on_ack(&mut self, _acked: &Acked, view: &View) -> Window {
        view.window
    }
    /// Losses do not set a threshold; the window before them comes back after recovery.
    fn on_loss(&mut self, _loss: Loss, view: &View) -> Window {
        self.save_window(view);
        view.window
    }
    fn restore(&mut self, _before: Window, view: &View) -> Window {
        self.full_bandwidth = Bandwidth::default();
        self.full_rounds = 0;
        self.policer.restart(self.delivered_at, view);
        view.window
    }
    fn on_path_change(&mut self, round_trip_time: Option<Duration>, view: &View) -> Window {
        self.smallest = round_trip_time;
        self.smallest_at = view.now;
        view.window
    }
    fn on_state(&mut self, state: RecoveryState, view: &View) {
        if state == RecoveryState::Loss {
            self.previous_state = RecoveryState::Loss;
            self.full_bandwidth = Bandwidth::default();
            self.round_started = true;
            self.sample_policer(&RateSample { lost: 1, ..RateSample::default() }, view);
        }
    }
    fn on_transmission_start(&mut self, _idle: Duration, view: &View) -> Option<Decision> {
        if !self.is_set_up {
            self.set_up(view);
            return Some(Decision {
                window: view.window,
                pacing_rate: self.pacing_rate,
                application_limited: false,
            });
        }
        if !view.tracked.is_application_limited {
            return None;
        }
        let mut window = view.window;
        self.restarts_from_idle = true;
        self.aggregation.restart(view.now);
        if self.mode == Mode::ProbeBandwidth {
            self.set_pacing_rate(self.bandwidth(), UNIT, view);
        } else if self.mode == Mode::ProbeRoundTrip {
            self.leave_round_trip_probe(view, &mut window);
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
        self.update_bandwidth(sample, view);
        self.update_aggregation(sample, view);
        self.update_cycle(sample, view);
        self.check_full(sample);
        self.check_drain(view, &mut window);
        let application_limited = self.update_smallest(sample, view, &mut window);
        self.update_gains();
        let bandwidth = self.bandwidth();
        self.set_pacing_rate(bandwidth, self.pacing_gain, view);
        window.congestion =
            f64::from(self.next_window(window.congestion as u32, sample, bandwidth, LEAST_WINDOW, view));
        Decision { window, pacing_rate: self.pacing_rate, application_limited }
    }
    fn least_burst(&self, pacing_rate: u64) -> Option<u32> {
        Some(bandwidth::least_burst(pacing_rate))
    }
}
