//! Acknowledgments that come in bunches: how much more than expected arrives at a time, for which the window makes room.

use super::bandwidth::Bandwidth;
use super::*;

/// The maximum is that of the present and the last window of so many round trips.
pub(super) const ROUNDS: u32 = 5;
const MOST_ACKNOWLEDGED: u64 = 0xfffff;
/// A bunch is at most what arrives in this time.
const LONGEST: Duration = Duration::from_millis(100);

/// What arrives beyond the bandwidth.
#[derive(Debug, Default)]
pub(super) struct Aggregation {
    epoch_began: Instant,
    acknowledged: u64,
    most: [u64; 2],
    index: usize,
    rounds: u32,
}

impl Aggregation {
    pub(super) fn restart(&mut self, now: Instant) {
        self.epoch_began = now;
        self.acknowledged = 0;
    }
    /// Segments of window for it.
    pub(super) fn window(&self, bandwidth: Bandwidth) -> u64 {
        self.most[0].max(self.most[1]).min(bandwidth.segments_in(LONGEST))
    }
    /// An acknowledgment; the maximum is that of the present and the last `window` round trips.
    pub(super) fn update(
        &mut self,
        sample: &RateSample,
        round_started: bool,
        window: u32,
        delivered_at: Instant,
        bandwidth: Bandwidth,
        view: &View,
    ) {
        let no_time = sample.rate.is_none_or(|(_, interval)| interval.is_zero());
        if sample.acknowledged == 0 || no_time {
            return;
        }
        if round_started {
            self.rounds += 1;
            if self.rounds >= window {
                self.rounds = 0;
                self.index ^= 1;
                self.most[self.index] = 0;
            }
        }
        let mut expected = bandwidth.segments_in(delivered_at.saturating_since(self.epoch_began));
        if self.acknowledged <= expected || self.acknowledged + sample.acknowledged > MOST_ACKNOWLEDGED {
            self.restart(delivered_at);
            expected = 0;
        }
        self.acknowledged = (self.acknowledged + sample.acknowledged).min(MOST_ACKNOWLEDGED);
        let extra = (self.acknowledged - expected).min(view.window.congestion as u64);
        self.most[self.index] = self.most[self.index].max(extra);
    }
}
