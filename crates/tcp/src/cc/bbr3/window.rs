//! What is to be in flight by the model of the path, and the window that follows from it.

use super::*;

/// Segments that leave together at least.
const LEAST_BURST: u32 = 2;

impl Bbr3 {
    /// BDPMultiple.
    pub(super) fn product(&self, bandwidth: Bandwidth, gain: u64) -> u64 {
        self.delay.smallest().map_or(INITIAL_WINDOW, |smallest| bandwidth.product(smallest, gain))
    }
    /// QuantizationBudget.
    fn with_bursts(&self, segments: u64, view: &View) -> u64 {
        let bursts = 3 * bandwidth::burst(self.pacing_rate, LEAST_BURST, view.segment_size);
        segments.max(bursts).max(LEAST_WINDOW) + if self.state == State::Up { 2 } else { 0 }
    }
    /// Inflight with a gain of one.
    pub(super) fn in_flight(&self, bandwidth: Bandwidth, view: &View) -> u64 {
        self.with_bursts(self.product(bandwidth, UNIT), view)
    }
    /// TargetInflight.
    pub(super) fn target_in_flight(&self, view: &View) -> u64 {
        self.product(self.bandwidth(), UNIT).min(view.window.congestion as u64)
    }
    /// ProbeRTTCwnd.
    pub(super) fn round_trip_probe_window(&self) -> u64 {
        self.product(self.bandwidth(), State::ProbeRoundTrip.gains().1).max(LEAST_WINDOW)
    }
    /// SetCwnd.
    pub(super) fn next_window(&self, window: u64, acknowledged: u64, view: &View) -> u64 {
        let mut next = window;
        if acknowledged > 0 {
            let bandwidth = self.bandwidth();
            let product = self.product(bandwidth, self.state.gains().1);
            let most = self.with_bursts(product + self.aggregation.window(bandwidth), view);
            if self.full.reached {
                next = (next + acknowledged).min(most);
            } else if next < most || view.tracked.delivered < INITIAL_WINDOW {
                next += acknowledged;
            }
            next = next.max(LEAST_WINDOW);
        }
        if self.state == State::ProbeRoundTrip {
            next = next.min(self.round_trip_probe_window());
        }
        next.min(self.most_by_bounds())
    }
    /// BoundCwndForModel.
    fn most_by_bounds(&self) -> u64 {
        let long = match self.state {
            State::Down | State::Refill | State::Up => self.bounds.long_in_flight,
            State::Cruise | State::ProbeRoundTrip => self.bounds.with_headroom(),
            State::Startup | State::Drain => UNBOUNDED,
        };
        long.min(self.bounds.short_in_flight).max(LEAST_WINDOW)
    }
}
