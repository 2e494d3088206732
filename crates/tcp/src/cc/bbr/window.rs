//! What is to be in flight by the model of the path, and the window that follows from it.

use super::*;

impl Bbr {
    fn burst(&self, view: &View) -> u64 {
        bandwidth::burst(self.pacing_rate, bandwidth::least_burst(self.pacing_rate), view.segment_size)
    }
    pub(super) fn product(&self, bandwidth: Bandwidth, gain: u64) -> u64 {
        self.smallest.map_or(u64::from(INITIAL_WINDOW), |smallest| bandwidth.product(smallest, gain))
    }
    /// Room for bursts at both ends, and for delayed acknowledgments (`bbr_quantization_budget`).
    fn with_bursts(&self, segments: u64, view: &View) -> u64 {
        let even = (segments + 3 * self.burst(view)).next_multiple_of(2);
        let probes = self.mode == Mode::ProbeBandwidth && self.cycle_index == 0;
        even + if probes { 2 } else { 0 }
    }
    pub(super) fn in_flight(&self, bandwidth: Bandwidth, gain: u64, view: &View) -> u64 {
        self.with_bursts(self.product(bandwidth, gain), view)
    }
    /// Segments in the network when the next one leaves (`bbr_packets_in_net_at_edt`).
    pub(super) fn in_flight_at_departure(&self, in_flight: u32, view: &View) -> u64 {
        let delivered = self.bandwidth().segments_in(view.tracked.until_departure);
        let more = if self.pacing_gain > UNIT { self.burst(view) } else { 0 };
        (u64::from(in_flight) + more).saturating_sub(delivered)
    }

    /// The window after an acknowledgment (`bbr_set_cwnd`), with which the round-trip time is probed at most `probe`.
    pub(super) fn next_window(
        &mut self,
        window: u32,
        sample: &RateSample,
        bandwidth: Bandwidth,
        probe: u32,
        view: &View,
    ) -> u32 {
        let mut next = window;
        let acked = sample.acknowledged as u32;
        if acked > 0 {
            let (recovering, conserved) = self.window_in_recovery(window, sample, view);
            next = recovering;
            if !conserved {
                let extra = if self.is_full { self.aggregation.window(bandwidth) } else { 0 };
                let target = self.with_bursts(self.product(bandwidth, self.window_gain) + extra, view) as u32;
                if self.is_full {
                    next = (next + acked).min(target);
                } else if next < target || view.tracked.delivered < u64::from(INITIAL_WINDOW) {
                    next += acked;
                }
                next = next.max(LEAST_WINDOW);
            }
        }
        if self.mode == Mode::ProbeRoundTrip { next.min(probe) } else { next }
    }
    /// Packet conservation in the first round trip of a recovery; afterwards the window before it comes back. The second value says
    /// whether packets are conserved.
    fn window_in_recovery(&mut self, window: u32, sample: &RateSample, view: &View) -> (u32, bool) {
        let (before, state) = (self.previous_state, view.tracked.state);
        let acked = sample.acknowledged as u32;
        let mut next = window;
        if sample.lost > 0 {
            next = next.saturating_sub(sample.lost as u32).max(1);
        }
        if state == RecoveryState::Recovery && before != RecoveryState::Recovery {
            self.conserves_packets = true;
            self.round_ends = view.tracked.delivered;
            next = view.tracked.in_flight + acked;
        } else if before >= RecoveryState::Recovery && state < RecoveryState::Recovery {
            next = next.max(self.prior_window);
            self.conserves_packets = false;
        }
        self.previous_state = state;
        if self.conserves_packets {
            next = next.max(view.tracked.in_flight + acked);
        }
        (next, self.conserves_packets)
    }
}
