//! Losses that come in bursts of random length: a channel with a good and a bad state, which changes from packet to packet or
//! with time.

use super::{Arrival, ErrorModel};
use seamline_wire::random::Stream;
use seamline_wire::{Duration, Instant};

/// The four probabilities of the two-state Markov channel, per packet.
///
/// Gilbert (Bell System Technical Journal 39, 1960) introduced the bad state that loses with probability
/// `1 - h`; Elliott (BSTJ 42, 1963) let the good state lose too, with probability `1 - k`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GilbertElliottParameters {
    /// Gilbert's `P`: from the good state to the bad one.
    pub good_to_bad: f64,
    /// Gilbert's `p`: from the bad state to the good one.
    pub bad_to_good: f64,
    /// Loss in the good state, `1 - k`.
    pub loss_in_good: f64,
    /// Loss in the bad state, `1 - h`.
    pub loss_in_bad: f64,
}

impl GilbertElliottParameters {
    /// The share of packets lost in the long run.
    pub fn stationary_loss(&self) -> f64 {
        let bad = self.good_to_bad / (self.good_to_bad + self.bad_to_good);
        bad * self.loss_in_bad + (1.0 - bad) * self.loss_in_good
    }
}

/// The Gilbert-Elliott channel. It starts in the good state. For each packet it first moves to its next
/// state and then decides about the packet there: two draws per packet. Time does not count: a link that
/// carries nothing stays in its state. For a channel that changes with time see
/// [`GilbertElliottInTime`].
#[derive(Clone, Debug)]
pub struct GilbertElliott {
    parameters: GilbertElliottParameters,
    bad: bool,
    stream: Stream,
}

impl GilbertElliott {
    /// A channel in the good state.
    pub fn new(parameters: GilbertElliottParameters, stream: Stream) -> Self {
        GilbertElliott { parameters, bad: false, stream }
    }
}

impl ErrorModel for GilbertElliott {
    fn loses(&mut self, _: Arrival<'_>) -> bool {
        let leave = if self.bad { self.parameters.bad_to_good } else { self.parameters.good_to_bad };
        self.bad ^= self.stream.chance(leave);
        let loss = if self.bad { self.parameters.loss_in_bad } else { self.parameters.loss_in_good };
        self.stream.chance(loss)
    }
}

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
