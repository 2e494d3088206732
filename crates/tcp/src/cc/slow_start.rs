//! What ends slow start before a loss does, for congestion controls that count the window in whole segments.

use super::hystart::HyStart;
use super::hystart_plus_plus::HyStartPlusPlus;
use super::*;

/// What ends slow start before a loss does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlowStart {
    /// Nothing: it goes on to the threshold (RFC 5681).
    Standard,
    /// HyStart, by long trains of acknowledgments and by delay (Linux, `tcp_cubic.c`).
    HyStart,
    /// HyStart++, by delay, with a slower growth first (RFC 9406).
    HyStartPlusPlus,
}

/// Slow start up to the threshold. Returns the window, and the segments that are left for congestion avoidance.
pub(super) fn slow_start(window: Window, segments: u32) -> (u32, u32) {
    let before = window.congestion as u32;
    let after = f64::from(before + segments).min(window.threshold) as u32;
    (after, segments - (after - before))
}

/// The state of [`SlowStart`].
#[derive(Debug)]
pub(super) enum Ending {
    Standard,
    HyStart(HyStart),
    PlusPlus(HyStartPlusPlus),
}

impl Ending {
    /// What the parameters ask for, or the `usual` one.
    pub(super) fn new(parameters: &Parameters, usual: SlowStart) -> Self {
        match parameters.window.slow_start.unwrap_or(usual) {
            SlowStart::Standard => Ending::Standard,
            SlowStart::HyStart => Ending::HyStart(HyStart::default()),
            SlowStart::HyStartPlusPlus => Ending::PlusPlus(HyStartPlusPlus::default()),
        }
    }
    /// Slow start begins again.
    pub(super) fn restart(&mut self, view: &View) {
        if let Ending::HyStart(hystart) = self {
            hystart.restart(view);
        }
    }
    /// The window after so many segments in slow start, and how many are left for congestion avoidance.
    pub(super) fn grow(&mut self, window: Window, segments: u32, view: &View) -> (u32, u32) {
        match self {
            Ending::PlusPlus(hystart) if window.threshold.is_infinite() => {
                (slow_start(window, hystart.growth(segments, view)).0, 0)
            }
            _ => slow_start(window, segments),
        }
    }
    /// A new round-trip time; `smallest` is the smallest so far. Returns the window if slow start is to end.
    pub(super) fn on_round_trip(
        &mut self,
        sample: Duration,
        smallest: Duration,
        view: &View,
    ) -> Option<Window> {
        let window = view.window;
        let ends = window.congestion < window.threshold
            && match self {
                Ending::Standard => false,
                Ending::HyStart(hystart) => hystart.ends_slow_start(sample, smallest, view),
                Ending::PlusPlus(hystart) => hystart.ends_slow_start(sample, view),
            };
        ends.then_some(Window { threshold: window.congestion, ..window })
    }
}
