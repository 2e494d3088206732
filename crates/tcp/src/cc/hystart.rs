//! HyStart (Ha and Rhee, PFLDNeT 2008; Linux, tcp_cubic.c): leave slow start before it loses, when acknowledgments come in a long
//! train or the round-trip time grows.

use super::*;

/// Below this window slow start goes on.
const LOW_WINDOW: f64 = 16.0;
/// Samples of the round-trip time before a round trip is judged.
const SAMPLES: u32 = 8;
/// The round-trip time may grow by an eighth, within these bounds.
const LEAST_GROWTH: Duration = Duration::from_millis(4);
const MOST_GROWTH: Duration = Duration::from_millis(16);
/// Acknowledgments closer together than this are a train.
const TRAIN_GAP: Duration = Duration::from_millis(2);
/// A train may be longer by what four of the largest bursts take at the pacing rate, at most a millisecond.
const FOUR_BURSTS: u64 = 4 * 65_279;

/// One round trip of slow start.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct HyStart {
    began: Instant,
    last_ack: Instant,
    ends: Offset,
    least: Option<Duration>,
    samples: u32,
    found: bool,
}

impl HyStart {
    /// A round trip begins.
    fn begin_round(&mut self, view: &View) {
        *self = HyStart {
            began: view.now,
            last_ack: view.now,
            ends: view.highest_sent,
            least: None,
            samples: 0,
            found: self.found,
        };
    }
    /// Slow start begins again.
    pub(super) fn restart(&mut self, view: &View) {
        self.found = false;
        self.begin_round(view);
    }

    /// Take a sample in slow start; `smallest` is the smallest round-trip time so far. Returns whether slow start is to end.
    pub(super) fn ends_slow_start(&mut self, sample: Duration, smallest: Duration, view: &View) -> bool {
        if self.found {
            return false;
        }
        if view.unacknowledged > self.ends {
            self.begin_round(view);
        }
        if view.window.congestion < LOW_WINDOW {
            return false;
        }
        self.found = self.train_is_long(smallest, view);
        // The kernel looks at the delay even when the train has already ended slow start.
        let delayed = self.delay_has_grown(sample, smallest);
        self.found |= delayed;
        self.found
    }
    fn train_is_long(&mut self, smallest: Duration, view: &View) -> bool {
        if view.now.saturating_since(self.last_ack) > TRAIN_GAP {
            return false;
        }
        self.last_ack = view.now;
        let rate = view.tracked.pacing_rate;
        let bursts = match rate {
            0 => Duration::ZERO,
            _ => Duration::from_micros((FOUR_BURSTS * 1_000_000 / rate).min(1000)),
        };
        let allowed = smallest + bursts;
        let allowed = if view.tracked.is_paced { allowed } else { allowed / 2 };
        view.now.saturating_since(self.began) > allowed
    }
    fn delay_has_grown(&mut self, sample: Duration, smallest: Duration) -> bool {
        let least = self.least.map_or(sample, |least| least.min(sample));
        self.least = Some(least);
        if self.samples < SAMPLES {
            self.samples += 1;
            return false;
        }
        least > smallest + (smallest / 8).clamp(LEAST_GROWTH, MOST_GROWTH)
    }
}
