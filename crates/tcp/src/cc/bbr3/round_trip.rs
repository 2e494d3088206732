//! The smallest round-trip time of 10 s, and ProbeRTT, which measures it every 5 s with half of the pipe.

use super::*;

/// MinRTTFilterLen.
const EXPIRES: Duration = Duration::from_secs(10);
/// ProbeRTTInterval.
const PROBE_EVERY: Duration = Duration::from_secs(5);
/// ProbeRTTDuration.
const PROBE_FOR: Duration = Duration::from_millis(200);

/// A round-trip time, and when it was measured.
#[derive(Clone, Copy, Debug, Default)]
struct Least {
    value: Option<Duration>,
    at: Instant,
}

impl Least {
    fn is_above(self, other: Duration) -> bool {
        self.value.is_none_or(|value| other < value)
    }
}

/// The smallest round-trip times.
#[derive(Debug, Default)]
pub(super) struct Delay {
    /// BBR.min_rtt.
    smallest: Least,
    /// The smallest since ProbeRTT (probe_rtt_min_delay).
    recent: Least,
    recent_expired: bool,
    probe_ends: Option<Instant>,
    probe_round_is_over: bool,
}

impl Delay {
    pub(super) fn begin(&mut self, view: &View) {
        self.forget(view.tracked.minimum_round_trip, view);
    }
    /// BBR.min_rtt.
    pub(super) fn smallest(&self) -> Option<Duration> {
        self.smallest.value
    }
    pub(super) fn forget(&mut self, known: Option<Duration>, view: &View) {
        let least = Least { value: known, at: view.now };
        (self.smallest, self.recent) = (least, least);
    }
    /// UpdateMinRTT. One that the receiver may have delayed does not replace one that has expired (tcp_bbr.c).
    pub(super) fn update(&mut self, sample: &RateSample, view: &View) {
        self.recent_expired = view.now > self.recent.at + PROBE_EVERY;
        if let Some(round_trip) = sample.round_trip
            && (self.recent.is_above(round_trip) || (self.recent_expired && !sample.maybe_delayed))
        {
            self.recent = Least { value: Some(round_trip), at: view.now };
        }
        let expired = view.now > self.smallest.at + EXPIRES;
        if self.recent.value.is_some_and(|recent| self.smallest.is_above(recent) || expired) {
            self.smallest = self.recent;
        }
    }
}

impl Bbr3 {
    /// CheckProbeRTT. Returns whether what is outstanding says nothing about the bandwidth.
    pub(super) fn check_round_trip_probe(
        &mut self,
        sample: &RateSample,
        view: &View,
        window: &mut Window,
    ) -> bool {
        if self.state != State::ProbeRoundTrip && self.delay.recent_expired && !self.restarts_from_idle {
            self.save_window(view);
            self.state = State::ProbeRoundTrip;
            self.delay.probe_ends = None;
            self.cycle.feedback = cycle::Feedback::Stopping;
            self.rounds.begin(view);
        }
        let probes = self.state == State::ProbeRoundTrip;
        if probes {
            self.go_on_probing_round_trip(view, window);
        }
        if sample.rate.is_some_and(|(delivered, _)| delivered > 0) {
            self.restarts_from_idle = false;
        }
        probes
    }
    /// HandleProbeRTT.
    fn go_on_probing_round_trip(&mut self, view: &View, window: &mut Window) {
        if self.delay.probe_ends.is_some() {
            self.delay.probe_round_is_over |= self.rounds.started;
            if self.delay.probe_round_is_over {
                self.check_round_trip_probe_done(view, window);
            }
        } else if u64::from(view.tracked.in_flight) <= self.round_trip_probe_window() {
            self.delay.probe_ends = Some(view.now + PROBE_FOR);
            self.delay.probe_round_is_over = false;
            self.rounds.begin(view);
        }
    }
    /// CheckProbeRTTDone and ExitProbeRTT.
    pub(super) fn check_round_trip_probe_done(&mut self, view: &View, window: &mut Window) {
        if self.delay.probe_ends.is_none_or(|ends| view.now <= ends) {
            return;
        }
        self.delay.recent.at = view.now;
        self.restore_window(window);
        self.bounds.forget_short();
        if self.full.reached {
            self.begin_down(view);
            self.state = State::Cruise;
        } else {
            self.state = State::Startup;
        }
    }
}
