//! What congestion controls with a model of the path share: bandwidth in the kernel's units, its windowed maximum, and bursts.

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
        Bandwidth((segments << SHIFT).checked_div(time.as_micros()).unwrap_or(0))
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
        ((self.0 as u128 * u128::from(time.as_micros())) >> SHIFT) as u64
    }
    /// Bandwidth times delay with a gain, rounded up.
    pub(super) fn product(self, delay: Duration, gain: u64) -> u64 {
        let product = (self.0 as u128 * u128::from(delay.as_micros()) * u128::from(gain)) >> GAIN_SHIFT;
        product.div_ceil(1 << SHIFT) as u64
    }
}

/// The pacing rate for the window in the smoothed round-trip time, or in a millisecond as long as there is none.
pub(super) fn rate_of_window(view: &View, gain: u64) -> u64 {
    let smoothed = view.round_trip.smoothed;
    let round_trip = if smoothed.is_zero() { Duration::from_millis(1) } else { smoothed };
    Bandwidth::of(view.window.congestion as u64, round_trip).rate(view.segment_size, gain)
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

/// Segments that leave together at this rate.
pub(super) fn burst(pacing_rate: u64, least: u32, segment_size: u32) -> u64 {
    let bytes = (pacing_rate >> 10).min(LARGEST_BURST);
    (bytes / u64::from(segment_size)).max(u64::from(least)).min(MOST_SEGMENTS)
}
