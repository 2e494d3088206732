//! Bandwidth in the kernel's units, and the window that follows from it.

use super::*;

/// Segments per microsecond, in 1/2^24.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Bandwidth(pub(super) u64);

const SHIFT: u32 = 24;
const GAIN_SHIFT: u32 = 8;
/// Pace a little below the bandwidth, in percent, so that no queue builds.
const MARGIN_PERCENT: u64 = 1;
/// Below this rate in bytes per second segments leave one by one.
const SLOW: u64 = 1_200_000 >> 3;
/// Bursts are what the rate sends in 1/1024 s, and no more than this.
const LARGEST_BURST: u64 = 65_279;
const MOST_SEGMENTS: u64 = 0x7f;

impl Bandwidth {
    /// So many segments in this time; nothing for no time.
    pub(super) fn of(segments: u64, time: Duration) -> Bandwidth {
        Bandwidth((segments << SHIFT).checked_div(time.as_nanos() / 1000).unwrap_or(0))
    }
    pub(super) fn times(self, gain: u64) -> Bandwidth {
        Bandwidth((self.0 * gain) >> GAIN_SHIFT)
    }
    /// The pacing rate in bytes per second (`bbr_rate_bytes_per_sec`).
    pub(super) fn rate(self, segment_size: u32, gain: u64) -> u64 {
        let scaled = (self.0 as u128 * u128::from(segment_size) * u128::from(gain)) >> GAIN_SHIFT;
        ((scaled * u128::from(10_000 * (100 - MARGIN_PERCENT))) >> SHIFT) as u64
    }
    /// Segments delivered in this time, rounded down.
    pub(super) fn segments_in(self, time: Duration) -> u64 {
        ((self.0 as u128 * u128::from(time.as_nanos() / 1000)) >> SHIFT) as u64
    }
    /// Bandwidth times delay with a gain, rounded up.
    pub(super) fn product(self, delay: Duration, gain: u64) -> u64 {
        let product = (self.0 as u128 * u128::from(delay.as_nanos() / 1000) * u128::from(gain)) >> GAIN_SHIFT;
        product.div_ceil(1 << SHIFT) as u64
    }
}

pub(super) fn least_burst(pacing_rate: u64) -> u32 {
    if pacing_rate < SLOW { 1 } else { 2 }
}

/// The largest value of a sliding window of round trips, from three samples (lib/win_minmax.c).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct MaximumFilter([(u64, Bandwidth); 3]);

impl MaximumFilter {
    pub(super) fn get(&self) -> Bandwidth {
        self.0[0].1
    }
    pub(super) fn take(&mut self, round: u64, value: Bandwidth, window: u64) {
        let best = &mut self.0;
        let new = (round, value);
        if value >= best[0].1 || round - best[2].0 > window {
            *best = [new; 3];
            return;
        }
        if value >= best[1].1 {
            best[1] = new;
            best[2] = new;
        } else if value >= best[2].1 {
            best[2] = new;
        }
        let age = round - best[0].0;
        if age > window {
            *best = [best[1], best[2], new];
            if round - best[0].0 > window {
                *best = [best[1], new, new];
            }
        } else if best[1].0 == best[0].0 && age > window / 4 {
            best[1] = new;
            best[2] = new;
        } else if best[2].0 == best[1].0 && age > window / 2 {
            best[2] = new;
        }
    }
}

impl Bbr {
    fn burst(&self, view: &View) -> u64 {
        let bytes = (self.pacing_rate >> 10).min(LARGEST_BURST);
        let least = u64::from(least_burst(self.pacing_rate));
        (bytes / u64::from(view.segment_size)).max(least).min(MOST_SEGMENTS)
    }
    fn product(&self, bandwidth: Bandwidth, gain: u64) -> u64 {
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
        let wait = view.tracked.next_departure.saturating_since(view.now);
        let delivered = self.bandwidth().segments_in(wait);
        let more = if self.pacing_gain > UNIT { self.burst(view) } else { 0 };
        (u64::from(in_flight) + more).saturating_sub(delivered)
    }

    /// The window after an acknowledgment (`bbr_set_cwnd`).
    pub(super) fn next_window(
        &mut self,
        window: u32,
        sample: &RateSample,
        bandwidth: Bandwidth,
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
        if self.mode == Mode::ProbeRoundTrip { next.min(LEAST_WINDOW) } else { next }
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
