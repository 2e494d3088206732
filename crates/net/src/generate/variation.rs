//! How a rate varies from second to second.

use seamline_wire::random::Stream;

/// A positive factor that varies from second to second around a mean of one: log-normal, and
/// autoregressive of the first order in its logarithm.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Variation {
    /// Standard deviation of the factor, 0 and up.
    pub coefficient: f64,
    /// Correlation of the logarithm between one second and the next, 0 to less than 1.
    pub correlation: f64,
}

impl Variation {
    pub(super) fn start(self, stream: &mut Stream) -> Varying {
        let deviation = libm::sqrt(libm::log(1.0 + self.coefficient * self.coefficient));
        Varying { deviation, correlation: self.correlation, state: stream.normal(0.0, 1.0) }
    }
}

/// The factor in the present second.
pub(super) struct Varying {
    deviation: f64,
    correlation: f64,
    state: f64,
}

impl Varying {
    pub(super) fn factor(&self) -> f64 {
        libm::exp(self.deviation * self.state - self.deviation * self.deviation / 2.0)
    }

    pub(super) fn next_second(&mut self, stream: &mut Stream) {
        let fresh = libm::sqrt(1.0 - self.correlation * self.correlation);
        self.state = self.correlation * self.state + fresh * stream.normal(0.0, 1.0);
    }
}
