//! Slow start and congestion avoidance in whole segments, as Linux counts them (`tcp_reno`).

use super::slow_start::Ending;
use super::*;

/// Growth by one segment for each so many that are acknowledged (`tcp_cong_avoid_ai`).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct AdditiveIncrease {
    counted: u32,
}

impl AdditiveIncrease {
    /// The window after so many segments, when each `step` of them lets it grow by one.
    pub(super) fn grow(&mut self, window: u32, step: u32, segments: u32) -> u32 {
        let mut window = window;
        // The step may have become shorter meanwhile.
        if self.counted >= step {
            self.counted = 0;
            window += 1;
        }
        self.counted += segments;
        if self.counted >= step {
            let more = self.counted / step;
            self.counted -= more * step;
            window += more;
        }
        window
    }
    pub(super) fn restart(&mut self) {
        self.counted = 0;
    }
}

/// Reno in whole segments.
#[derive(Debug)]
pub(super) struct RenoWhole {
    increase: AdditiveIncrease,
    ending: Ending,
}

impl RenoWhole {
    pub(super) fn new(parameters: &Parameters) -> Self {
        RenoWhole {
            increase: AdditiveIncrease::default(),
            ending: Ending::new(parameters, SlowStart::Standard),
        }
    }
}

impl CongestionControl for RenoWhole {
    fn on_ack(&mut self, acked: &Acked, view: &View) -> Window {
        let mut window = view.window;
        if !view.congestion_limited {
            return window;
        }
        let mut left = acked.segments(view);
        if window.congestion < window.threshold {
            let (after, rest) = self.ending.grow(window, left, view);
            window.congestion = f64::from(after);
            left = rest;
        }
        if left > 0 {
            let segments = window.congestion as u32;
            window.congestion = f64::from(self.increase.grow(segments, segments, left));
        }
        window
    }
    fn on_loss(&mut self, loss: Loss, view: &View) -> Window {
        self.increase.restart();
        let threshold = f64::from((view.window.congestion as u32 / 2).max(2));
        let congestion = if loss == Loss::Detected { threshold } else { 1.0 };
        Window { congestion, threshold }
    }
    fn on_round_trip(&mut self, sample: Duration, view: &View) -> Option<Window> {
        let smallest = view.tracked.minimum_round_trip.map_or(sample, |smallest| smallest.min(sample));
        self.ending.on_round_trip(sample, smallest, view)
    }
    fn on_state(&mut self, state: RecoveryState, view: &View) {
        if state == RecoveryState::Loss {
            self.ending.restart(view);
        }
    }
}
