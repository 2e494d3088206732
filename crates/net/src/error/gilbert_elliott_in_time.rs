//! A channel with a good and a bad state that changes with time, whether or not anything is sent.

use super::{Arrival, ErrorModel};
use seamline_wire::random::Stream;
use seamline_wire::{Duration, Instant};

/// The two-state Markov channel in continuous time: how long each state lasts on average, and what it loses.
///
/// The states are those of Gilbert (BSTJ 39, 1960) and Elliott (BSTJ 42, 1963); in continuous time each lasts
/// for an exponentially distributed time, as fades on a radio link do whatever is being sent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GilbertElliottTimes {
    /// Mean duration of the good state.
    pub mean_good: Duration,
    /// Mean duration of the bad state.
    pub mean_bad: Duration,
    /// Loss in the good state, `1 - k`.
    pub loss_in_good: f64,
    /// Loss in the bad state, `1 - h`.
    pub loss_in_bad: f64,
}

impl GilbertElliottTimes {
    /// The share of packets lost in the long run, when they arrive at times that do not depend on the state.
    pub fn stationary_loss(&self) -> f64 {
        let (good, bad) = (self.mean_good.as_secs_f64(), self.mean_bad.as_secs_f64());
        (bad * self.loss_in_bad + good * self.loss_in_good) / (good + bad)
    }
}

/// The Gilbert-Elliott channel in continuous time. It starts in the good state at the start of the run. One
/// stream gives the durations of the states and another the fates of packets, one draw each: when the channel
/// is good and when bad depends on nothing that is sent, so all schemes of a comparison meet the same fades.
#[derive(Clone, Debug)]
pub struct GilbertElliottInTime {
    parameters: GilbertElliottTimes,
    bad: bool,
    until: Instant,
    durations: Stream,
    fates: Stream,
}

impl GilbertElliottInTime {
    /// A channel in the good state, with the streams of the durations of its states and of the fates of packets.
    pub fn new(parameters: GilbertElliottTimes, durations: Stream, fates: Stream) -> Self {
        let mut channel =
            GilbertElliottInTime { parameters, bad: false, until: Instant::ZERO, durations, fates };
        channel.stay();
        channel
    }

    /// Draw how long the state lasts: at least a nanosecond, so that time passes.
    fn stay(&mut self) {
        let mean = if self.bad { self.parameters.mean_bad } else { self.parameters.mean_good };
        let seconds = self.durations.exponential(mean.as_secs_f64());
        self.until += Duration::from_secs_f64(seconds).max(Duration::from_nanos(1));
    }
}

impl ErrorModel for GilbertElliottInTime {
    fn loses(&mut self, arrival: Arrival<'_>) -> bool {
        while self.until <= arrival.at {
            self.bad = !self.bad;
            self.stay();
        }
        let loss = if self.bad { self.parameters.loss_in_bad } else { self.parameters.loss_in_good };
        self.fates.chance(loss)
    }
}
