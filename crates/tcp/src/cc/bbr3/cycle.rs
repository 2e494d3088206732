//! ProbeBW: slow down until there is headroom, cruise, refill the pipe, and probe for more.

use super::*;

/// Reno at the same bandwidth would probe after so many round trips as it has segments in flight, at most so many count.
const MOST_ROUNDS: u64 = 63;
/// Probe after 2 to 3 s.
const LEAST_WAIT: Duration = Duration::from_secs(2);
const WAIT_SPREAD_MICROSECONDS: u64 = 1_000_000;
const MOST_UP_ROUNDS: u32 = 30;

/// BBR.ack_phase: what acknowledgments say about a probe.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Feedback {
    /// Nothing.
    #[default]
    None,
    Refilling,
    Starting,
    Arriving,
    Stopping,
}

/// Where the flow is in the cycle.
#[derive(Debug, Default)]
pub(super) struct Cycle {
    pub(super) feedback: Feedback,
    /// What arrives was sent while probing (is_bw_probe_sample).
    pub(super) is_probe_sample: bool,
    pub(super) rounds_since_probe: u64,
    began: Instant,
    wait: Duration,
    /// The last probe went too high (prev_probe_too_high), ...
    pub(super) was_too_high: bool,
    /// ... or was ended before it could (prev_probe_precautionary).
    pub(super) was_cautious: bool,
    up_rounds: u32,
    up_acknowledged: u64,
    /// Segments acknowledged for one more in flight.
    up_step: u64,
}

/// A number that differs between flows and moments; all that the algorithm needs of randomness.
fn somewhere(now: Instant) -> u64 {
    (now.as_nanos() / 1000).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 20
}

impl Bbr3 {
    /// StartProbeBW_DOWN.
    pub(super) fn begin_down(&mut self, view: &View) {
        self.bounds.forget_signals();
        let chance = somewhere(view.now);
        let cycle = &mut self.cycle;
        cycle.up_step = UNBOUNDED;
        cycle.rounds_since_probe = chance % 2;
        cycle.wait = LEAST_WAIT + Duration::from_micros((chance >> 1) % WAIT_SPREAD_MICROSECONDS);
        cycle.began = view.now;
        cycle.feedback = Feedback::Stopping;
        self.rounds.begin(view);
        self.state = State::Down;
    }
    /// StartProbeBW_REFILL.
    pub(super) fn begin_refill(&mut self, view: &View) {
        self.bounds.forget_short();
        self.cycle.up_rounds = 0;
        self.cycle.up_acknowledged = 0;
        self.cycle.was_cautious = false;
        self.cycle.feedback = Feedback::Refilling;
        self.rounds.begin(view);
        self.state = State::Refill;
    }
    /// StartProbeBW_UP.
    fn begin_up(&mut self, measured: Option<Measured>, view: &View, window: &Window) {
        self.cycle.is_probe_sample = true;
        self.cycle.feedback = Feedback::Starting;
        self.rounds.begin(view);
        self.full.restart(measured.map_or(Bandwidth::default(), |it| it.bandwidth));
        self.state = State::Up;
        self.raise_slope(window);
    }

    /// UpdateProbeBWCyclePhase.
    pub(super) fn update_cycle(
        &mut self,
        measured: Option<Measured>,
        sample: &RateSample,
        view: &View,
        window: &Window,
    ) {
        if !self.full.reached || self.adapt_long_term(sample, view, window) {
            return;
        }
        match self.state {
            State::Down | State::Cruise if self.is_time_to_probe(view, window) => self.begin_refill(view),
            State::Down if self.is_time_to_cruise(view) => self.state = State::Cruise,
            State::Refill if self.rounds.started => self.begin_up(measured, view, window),
            State::Up => self.probe_up(measured, view, window),
            _ => {}
        }
    }
    /// IsTimeToProbeBW, by the clock or as Reno would.
    fn is_time_to_probe(&self, view: &View, window: &Window) -> bool {
        let target = self.product(self.bandwidth(), UNIT).min(window.congestion as u64);
        view.now > self.cycle.began + self.cycle.wait
            || self.cycle.rounds_since_probe >= target.min(MOST_ROUNDS)
    }
    fn is_time_to_cruise(&self, view: &View) -> bool {
        let in_flight = u64::from(view.tracked.in_flight);
        in_flight <= self.bounds.with_headroom()
            && in_flight <= self.in_flight(self.largest_bandwidth(), view)
    }
    fn probe_up(&mut self, measured: Option<Measured>, view: &View, window: &Window) {
        if self.is_time_to_go_down(measured, view, window) {
            self.cycle.was_too_high = false;
            self.begin_down(view);
        }
    }
    fn is_time_to_go_down(&mut self, measured: Option<Measured>, view: &View, window: &Window) -> bool {
        let long = self.bounds.long_in_flight;
        if self.cycle.was_too_high && u64::from(view.tracked.in_flight) >= long {
            self.cycle.was_cautious = true;
            return true;
        }
        if view.congestion_limited && window.congestion as u64 >= long {
            // The bound limits the bandwidth.
            self.full.restart(measured.map_or(Bandwidth::default(), |it| it.bandwidth));
            return false;
        }
        self.full.now
    }

    /// AdaptLongTermModel. Returns whether it has decided on the state.
    fn adapt_long_term(&mut self, sample: &RateSample, view: &View, window: &Window) -> bool {
        let probes = self.state.probes_bandwidth();
        match self.cycle.feedback {
            Feedback::Starting if self.rounds.started => self.cycle.feedback = Feedback::Arriving,
            Feedback::Stopping if self.rounds.started => {
                self.cycle.is_probe_sample = false;
                self.cycle.feedback = Feedback::None;
                if probes && !sample.application_limited {
                    self.advance_bandwidths();
                }
                if probes && self.cycle.was_cautious && !self.cycle.was_too_high {
                    self.begin_refill(view);
                    return true;
                }
            }
            _ => {}
        }
        let in_flight = u64::from(sample.in_flight_at_departure);
        let bounded = self.bounds.long_in_flight != UNBOUNDED;
        if bounded && !bounds::is_too_high(sample.lost_since, in_flight) {
            self.bounds.long_in_flight = self.bounds.long_in_flight.max(in_flight);
            if self.state == State::Up {
                self.raise_long_term(sample, view, window);
            }
        }
        false
    }
    /// RaiseInflightLongtermSlope: twice as much with each round trip.
    fn raise_slope(&mut self, window: &Window) {
        let growth = 1 << self.cycle.up_rounds;
        self.cycle.up_rounds = (self.cycle.up_rounds + 1).min(MOST_UP_ROUNDS);
        self.cycle.up_step = (window.congestion as u64 / growth).max(1);
    }
    /// ProbeInflightLongtermUpward.
    fn raise_long_term(&mut self, sample: &RateSample, view: &View, window: &Window) {
        if !view.congestion_limited || (window.congestion as u64) < self.bounds.long_in_flight {
            return;
        }
        let cycle = &mut self.cycle;
        cycle.up_acknowledged += sample.acknowledged;
        self.bounds.long_in_flight += cycle.up_acknowledged / cycle.up_step;
        cycle.up_acknowledged %= cycle.up_step;
        if self.rounds.started {
            self.raise_slope(window);
        }
    }
}
