//! What values are drawn from: distributions given by a few published quantiles, and a rate that varies from second to second.

use crate::schedule::ScheduleError;
use seamline_wire::random::Stream;
use std::borrow::Cow;

/// A distribution whose quantile function is linear between given points `(probability, value)`, from
/// probability 0 (the least value) to 1 (the greatest).
#[derive(Clone, Debug, PartialEq)]
pub struct Quantiles(Cow<'static, [(f64, f64)]>);

impl Quantiles {
    /// A distribution with these quantiles.
    ///
    /// # Errors
    /// When the probabilities do not increase from 0 to 1, or a value is negative, not finite, or less than
    /// the one before it.
    pub fn new(points: Vec<(f64, f64)>) -> Result<Self, ScheduleError> {
        let ends = points.first().is_some_and(|first| first.0 == 0.0)
            && points.last().is_some_and(|last| last.0 == 1.0);
        let rises = points.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 <= pair[1].1);
        let valid = points.iter().all(|(_, value)| value.is_finite() && *value >= 0.0);
        if ends && rises && valid { Ok(Quantiles(points.into())) } else { Err(ScheduleError::NotQuantiles) }
    }

    pub(super) const fn table(points: &'static [(f64, f64)]) -> Self {
        Quantiles(Cow::Borrowed(points))
    }

    /// The value that a share of `probability` (0 to 1) does not exceed.
    pub fn quantile(&self, probability: f64) -> f64 {
        let upper = self.0.partition_point(|(at, _)| *at < probability).clamp(1, self.0.len() - 1);
        let (from, to) = (self.0[upper - 1], self.0[upper]);
        from.1 + (to.1 - from.1) * (probability - from.0) / (to.0 - from.0)
    }

    /// A value from the distribution; one draw.
    pub fn draw(&self, stream: &mut Stream) -> f64 {
        self.quantile(stream.uniform())
    }
}

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
