//! LeoCC (Lai et al., "LeoCC: Making Internet Congestion Control Robust to LEO Satellite Dynamics", ACM SIGCOMM 2025), after the kernel
//! module for replayed recordings that its authors publish (github.com/SpaceNetLab/LeoCC, `leocc/simulation`): BBR, version 1, that
//! knows when satellites are reconfigured. At each reconfiguration it empties half of the pipe, takes the round-trip time that it then
//! measures, and starts up again; in between, where the round-trip time is above its minimum by more than paths fluctuate, a filtered
//! bandwidth takes the place of the largest one.
//!
//! Reconfigurations come by the clock, as in that module, or are reported by a handover scheme ([`CongestionControl::on_path_change`]),
//! in the place of the authors' daemon for live networks, which pings the gateway every 10 ms and reports gaps of more than 45 ms.
//! The detection of policers, which the module has not, is left out with it.

use super::*;

pub(in crate::cc) static ALGORITHM: Algorithm = Algorithm {
    name: "leocc",
    summary: "BBR that measures the path again at each reconfiguration of the satellites, by the clock or by a handover scheme's report",
    cite: "Lai et al., ACM SIGCOMM 2025; github.com/SpaceNetLab/LeoCC",
    refuses: NEEDS_RECORDS,
    needs_send_log: false,
    build: &|parameters| Box::new(LeoCc::new(&parameters.congestion_control.leocc)),
};

parameters! {
    /// What of LeoCC can be set.
    pub struct LeoCcParameters {
        /// When the first reconfiguration comes, counted from the beginning of the run (`offset`); Starlink's come at 12, 27, 42 and 57 s of
        /// each minute.
        pub first_reconfiguration: Duration = Duration::from_secs(12),
        /// Time from one to the next (`PERIOD`); zero where only a handover scheme reports them.
        pub reconfigured_every: Duration = Duration::from_secs(15),
        /// By how much round-trip times vary without a queue (`min_rtt_fluctuation`); the authors recommend 5 to 20 ms.
        pub fluctuation: Duration = Duration::from_millis(10),
    }
}

/// A reconfiguration counts as due so long before its time.
const AHEAD: Duration = Duration::from_millis(100);
/// The smallest round-trip time expires.
const ROUND_TRIP_EXPIRES: Duration = Duration::from_secs(20);
/// When the round-trip time falls by more than this below its filtered value, the path is another one: its bandwidth is the last sample.
const FALL: Duration = Duration::from_millis(45);
/// The first gain of the cycle where the filtered bandwidth is used, in place of 5/4.
const CAREFUL_PROBE: u64 = UNIT * 21 / 20;
/// Both variances of the filters, and the first estimate of the error.
const VARIANCE: u64 = 4;
const FIRST_ERROR: u64 = 25;

/// A scalar Kalman filter in the kernel's arithmetic.
#[derive(Debug)]
struct Filter {
    estimate: u64,
    error: u64,
}

impl Default for Filter {
    fn default() -> Self {
        Filter { estimate: 0, error: FIRST_ERROR }
    }
}

impl Filter {
    fn take(&mut self, measured: u64) {
        let error = self.error + VARIANCE;
        let gain = error * UNIT / (error + VARIANCE);
        self.estimate = ((UNIT - gain) * self.estimate + gain * measured) / UNIT;
        self.error = (UNIT - gain) * error / UNIT;
    }
}

/// BBR with what LeoCC adds.
#[derive(Debug)]
struct LeoCc {
    bbr: Bbr,
    parameters: LeoCcParameters,
    /// A reconfiguration is to be answered, and is until the flow has started up again (`reconfiguration_trigger`).
    is_triggered: bool,
    /// The largest sample of this round trip, and the last one.
    round_bandwidth: Bandwidth,
    last_bandwidth: Bandwidth,
    /// What the path delivered when its round-trip time fell.
    new_bandwidth: Bandwidth,
    bandwidth: Filter,
    round_trip: Filter,
    /// The filtered bandwidth is in use.
    is_filtered: bool,
}

impl LeoCc {
    fn new(parameters: &LeoCcParameters) -> Self {
        LeoCc {
            bbr: Bbr::default(),
            parameters: parameters.clone(),
            is_triggered: false,
            round_bandwidth: Bandwidth::default(),
            last_bandwidth: Bandwidth::default(),
            new_bandwidth: Bandwidth::default(),
            bandwidth: Filter::default(),
            round_trip: Filter::default(),
            is_filtered: false,
        }
    }
    /// Whether the clock says that a reconfiguration is due.
    fn look_at_clock(&mut self, now: Instant) {
        let period = self.parameters.reconfigured_every.as_nanos();
        if period == 0 || self.is_triggered {
            return;
        }
        let first = self.parameters.first_reconfiguration.as_nanos() % period;
        let until_next = (first + period - now.as_nanos() % period) % period;
        self.is_triggered = until_next <= AHEAD.as_nanos();
    }
    /// `leocc_update_bw`.
    fn update_bandwidth(&mut self, sample: &RateSample, view: &View) {
        let bbr = &mut self.bbr;
        bbr.round_started = false;
        let Some((delivered, interval)) = sample.rate.filter(|(_, interval)| !interval.is_zero()) else {
            return;
        };
        if sample.prior_delivered >= bbr.round_ends {
            if bbr.mode == Mode::ProbeBandwidth {
                self.bandwidth.take(self.round_bandwidth.0);
            }
            bbr.round_ends = view.tracked.delivered;
            bbr.rounds += 1;
            bbr.round_started = true;
            bbr.conserves_packets = false;
            self.round_bandwidth = Bandwidth::default();
        }
        let bandwidth = Bandwidth::of(delivered, interval);
        self.round_bandwidth = self.round_bandwidth.max(bandwidth);
        let fell = |round_trip: Duration| self.round_trip.estimate > (round_trip + FALL).as_micros();
        if bbr.mode == Mode::ProbeRoundTrip && sample.round_trip.is_some_and(fell) {
            self.new_bandwidth = self.last_bandwidth;
        }
        if !sample.application_limited || bandwidth >= bbr.bandwidths.get() {
            bbr.bandwidths.take(bbr.rounds, bandwidth, BANDWIDTH_ROUNDS);
        }
        self.last_bandwidth = bandwidth;
    }
    /// `leocc_update_min_rtt`. Returns whether what is outstanding says nothing about the bandwidth.
    fn update_smallest(&mut self, sample: &RateSample, view: &View, window: &mut Window) -> bool {
        let bbr = &mut self.bbr;
        let expired = view.now.as_millis() > (bbr.smallest_at + ROUND_TRIP_EXPIRES).as_millis();
        if let Some(round_trip) = sample.round_trip
            && (bbr.smallest.is_none_or(|least| round_trip < least) || (expired && !sample.maybe_delayed))
        {
            bbr.smallest = Some(round_trip);
            bbr.smallest_at = view.now;
        }
        let is_due = expired || self.is_triggered;
        if is_due && !bbr.restarts_from_idle && bbr.mode == Mode::ProbeBandwidth {
            bbr.save_window(view);
            bbr.mode = Mode::ProbeRoundTrip;
            bbr.probe_ends = None;
        }
        let probes = bbr.mode == Mode::ProbeRoundTrip;
        if probes {
            self.probe_round_trip(sample, view, window);
        }
        if sample.rate.is_some_and(|(delivered, _)| delivered > 0) {
            self.bbr.restarts_from_idle = false;
        }
        probes
    }
    fn probe_round_trip(&mut self, sample: &RateSample, view: &View, window: &mut Window) {
        let least = self.probe_window();
        let bbr = &mut self.bbr;
        let Some(ends) = bbr.probe_ends else {
            if u64::from(view.tracked.in_flight) <= least {
                bbr.probe_ends = Some(view.now + PROBE_FOR);
                bbr.probe_round_is_over = false;
                bbr.round_ends = view.tracked.delivered;
            }
            return;
        };
        bbr.probe_round_is_over |= bbr.round_started;
        if bbr.probe_round_is_over && view.now.as_millis() > ends.as_millis() {
            bbr.smallest = sample.round_trip.or(bbr.smallest);
            bbr.smallest_at = view.now;
            self.leave_round_trip_probe(view, window);
        }
    }
    /// `leocc_check_probe_rtt_done` and `leocc_reset_mode`.
    fn leave_round_trip_probe(&mut self, view: &View, window: &mut Window) {
        window.congestion = window.congestion.max(f64::from(self.bbr.prior_window));
        if self.bbr.is_full && !self.is_triggered {
            return self.bbr.begin_probing(view);
        }
        self.bbr.mode = Mode::Startup;
        self.bbr.is_full = false;
        self.bbr.full_bandwidth = Bandwidth::default();
        self.bbr.full_rounds = 0;
        if self.is_triggered {
            self.bbr.bandwidths = MaximumFilter::default();
            self.bbr.bandwidths.take(self.bbr.rounds, self.new_bandwidth, BANDWIDTH_ROUNDS);
        }
    }
    /// `leocc_probe_rtt_cwnd`: half of what fills the path.
    fn probe_window(&self) -> u64 {
        let half = self.bbr.product(self.bbr.bandwidths.get(), UNIT / 2);
        half.max(u64::from(LEAST_WINDOW))
    }
    /// Which bandwidth to go by: the filtered one where a queue stands.
    fn choose_bandwidth(&mut self) -> Bandwidth {
        let least = self.bbr.smallest.map_or(u64::MAX, Duration::as_micros);
        let without_queue = least.saturating_add(self.parameters.fluctuation.as_micros());
        self.is_filtered = self.round_trip.estimate >= without_queue
            && !self.is_triggered
            && self.bbr.mode == Mode::ProbeBandwidth;
        if self.is_filtered { Bandwidth(self.bandwidth.estimate) } else { self.bbr.bandwidths.get() }
    }
    /// `leocc_check_drain`: the reconfiguration is answered when the flow has started up again.
    fn check_drain(&mut self, view: &View, window: &mut Window) {
        if self.bbr.mode == Mode::Startup && self.bbr.is_full {
            self.new_bandwidth = Bandwidth::default();
            self.is_triggered = false;
        }
        self.bbr.check_drain(view, window);
    }
    /// The kernel sets the gain for the next acknowledgment.
    fn update_gains(&mut self) {
        self.bbr.update_gains();
        if self.is_filtered && self.bbr.mode == Mode::ProbeBandwidth && self.bbr.cycle_index == 0 {
            self.bbr.pacing_gain = CAREFUL_PROBE;
        }
    }
}

impl CongestionControl for LeoCc {
    fn on_ack(&mut self, acked: &Acked, view: &View) -> Window {
        self.bbr.on_ack(acked, view)
    }
    fn on_loss(&mut self, loss: Loss, view: &View) -> Window {
        self.bbr.on_loss(loss, view)
    }
    fn restore(&mut self, before: Window, view: &View) -> Window {
        self.bbr.restore(before, view)
    }
    /// A reconfiguration is reported.
    fn on_path_change(&mut self, _round_trip_time: Option<Duration>, view: &View) -> Window {
        self.is_triggered = true;
        view.window
    }
    fn on_state(&mut self, state: RecoveryState, _view: &View) {
        if state == RecoveryState::Loss {
            self.bbr.previous_state = RecoveryState::Loss;
            self.bbr.full_bandwidth = Bandwidth::default();
            self.bbr.round_started = true;
        }
    }
    fn on_transmission_start(&mut self, idle: Duration, view: &View) -> Option<Decision> {
        if self.bbr.mode != Mode::ProbeRoundTrip || !view.tracked.is_application_limited {
            return self.bbr.on_transmission_start(idle, view);
        }
        let mut window = view.window;
        self.bbr.restarts_from_idle = true;
        self.bbr.aggregation.restart(view.now);
        if self.bbr.probe_ends.is_some_and(|ends| view.now.as_millis() > ends.as_millis()) {
            self.leave_round_trip_probe(view, &mut window);
        }
        Some(Decision { window, pacing_rate: self.bbr.pacing_rate, application_limited: false })
    }
    fn controls_rate(&self) -> bool {
        true
    }
    fn on_rate_sample(&mut self, sample: &RateSample, view: &View) -> Decision {
        self.bbr.set_up(view);
        if sample.acknowledged > 0 {
            self.bbr.delivered_at = view.now;
        }
        let mut window = view.window;
        self.look_at_clock(view.now);
        self.update_bandwidth(sample, view);
        self.bbr.update_aggregation(sample, view);
        self.bbr.update_cycle(sample, view);
        self.bbr.check_full(sample);
        self.check_drain(view, &mut window);
        let application_limited = self.update_smallest(sample, view, &mut window);
        self.update_gains();
        if let Some(round_trip) = sample.round_trip {
            self.round_trip.take(round_trip.as_micros());
        }
        let bandwidth = self.choose_bandwidth();
        self.bbr.set_pacing_rate(bandwidth, self.bbr.pacing_gain, view);
        let (before, least) = (window.congestion as u32, self.probe_window() as u32);
        window.congestion = f64::from(self.bbr.next_window(before, sample, bandwidth, least, view));
        Decision { window, pacing_rate: self.bbr.pacing_rate, application_limited }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::path::{Bottleneck, Flow};
    use super::*;

    const RATE: u64 = 10_000;
    /// Segments that fill the path.
    const PRODUCT: u64 = 400;
    const LONG: Duration = Duration::from_secs(40);

    fn path() -> Bottleneck {
        Bottleneck {
            rate: RATE,
            round_trip: Duration::from_millis(40),
            buffer: 100 * PRODUCT,
            loses_one_in: 0,
        }
    }
    fn flow(parameters: &LeoCcParameters) -> Flow<LeoCc> {
        Flow::new(LeoCc::new(parameters), path())
    }
    /// When the next probe of the round-trip time begins.
    fn next_probe(flow: &mut Flow<LeoCc>) -> Instant {
        flow.run_until(LONG, |flow| flow.control.bbr.mode != Mode::ProbeRoundTrip);
        assert!(flow.run_until(LONG, |flow| flow.control.bbr.mode == Mode::ProbeRoundTrip));
        flow.view.now
    }
    fn within(at: Instant, from: u64, to: u64) -> bool {
        (Instant::from_millis(from)..Instant::from_millis(to)).contains(&at)
    }

    /// `offset` and `PERIOD`: at 12 and 27 s, up to 100 ms earlier. Each time the window is half of the product, and the flow starts up
    /// again.
    #[test]
    fn the_path_is_measured_at_each_reconfiguration() {
        let mut flow = flow(&LeoCcParameters::default());
        for due in [12_000, 27_000] {
            let at = next_probe(&mut flow);
            assert!(within(at, due - 100, due), "{at:?}");
            assert!((190.0..210.0).contains(&flow.view.window.congestion), "{}", flow.view.window.congestion);
            assert!(flow.run_until(LONG, |flow| flow.control.bbr.mode == Mode::Startup));
            assert!(within(flow.view.now, due + 100, due + 400), "{:?}", flow.view.now);
            assert!(flow.run_until(LONG, |flow| flow.control.bbr.mode == Mode::ProbeBandwidth));
            assert!(!flow.control.is_triggered);
        }
    }

    /// Without a clock, what a handover scheme reports.
    #[test]
    fn a_report_is_a_reconfiguration() {
        let every = LeoCcParameters { reconfigured_every: Duration::ZERO, ..LeoCcParameters::default() };
        let mut flow = flow(&every);
        flow.run(Duration::from_secs(13));
        assert_eq!(flow.control.bbr.mode, Mode::ProbeBandwidth);
        let window = flow.control.on_path_change(None, &flow.view);
        flow.view.window = window;
        assert!(next_probe(&mut flow) < Instant::from_millis(14_200));
    }

    /// After a reconfiguration to a longer path the smallest round-trip time is that of the longer path, which BBR takes 10 s to notice.
    #[test]
    fn a_longer_path_is_measured_at_once() {
        let mut flow = flow(&LeoCcParameters::default());
        flow.run_until(LONG, |flow| flow.view.now >= Instant::from_millis(11_950));
        flow.path.round_trip = Duration::from_millis(60);
        flow.run(Duration::from_secs(1));
        assert_eq!(flow.control.bbr.smallest.map(|it| it.as_millis()), Some(60));
        flow.run(Duration::from_secs(2));
        let before = flow.view.tracked.delivered;
        flow.run(Duration::from_secs(5));
        let share = (flow.view.tracked.delivered - before) as f64 / (5 * RATE) as f64;
        assert!((0.95..=1.0).contains(&share), "{share}");
    }

    /// `min_rtt_fluctuation`: beyond it the filtered bandwidth counts, and a probe is by a twentieth.
    #[test]
    fn a_standing_queue_is_met_with_the_filtered_bandwidth() {
        let mut flow = flow(&LeoCcParameters::default());
        flow.run(Duration::from_secs(5));
        assert!(!flow.control.is_filtered);
        flow.path.rate = RATE / 2;
        assert!(flow.run_until(Duration::from_millis(500), |flow| flow.control.is_filtered));
        flow.run_until(LONG, |flow| flow.control.bbr.cycle_index == 0 && flow.control.is_filtered);
        flow.run(Duration::from_millis(1));
        assert!(flow.control.bbr.pacing_gain <= CAREFUL_PROBE);
    }

    /// With equal variances the filter weighs new samples by the golden ratio, 0.618, in the kernel's integers a little less.
    #[test]
    fn the_filter_converges() {
        let mut filter = Filter::default();
        (0..20).for_each(|_| filter.take(1000));
        assert!((990..=1000).contains(&filter.estimate), "{}", filter.estimate);
        filter.take(2000);
        assert!((1450..1650).contains(&filter.estimate), "{}", filter.estimate);
    }
}
