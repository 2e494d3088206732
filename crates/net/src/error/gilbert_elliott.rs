//! Losses that come in bursts of random length: a channel with a good and a bad state.

use super::{Arrival, ErrorModel};
use seamline_wire::random::Stream;

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
    /// Everything is lost in the bad state and nothing in the good one, with the given share of packets
    /// lost (0 to less than 1) and mean number of packets lost in a row (1 or more).
    pub fn from_loss_and_burst(loss: f64, mean_burst: f64) -> Self {
        let bad_to_good = 1.0 / mean_burst;
        GilbertElliottParameters {
            good_to_bad: bad_to_good * loss / (1.0 - loss),
            bad_to_good,
            loss_in_good: 0.0,
            loss_in_bad: 1.0,
        }
    }

    /// The share of packets lost in the long run.
    pub fn stationary_loss(&self) -> f64 {
        let bad = self.good_to_bad / (self.good_to_bad + self.bad_to_good);
        bad * self.loss_in_bad + (1.0 - bad) * self.loss_in_good
    }
}

/// The Gilbert-Elliott channel. It starts in the good state. For each packet it first moves to its next
/// state and then decides about the packet there: two draws per packet. Time does not count: a link that
/// carries nothing stays in its state. For a channel that changes with time see
/// [`super::GilbertElliottInTime`].
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
