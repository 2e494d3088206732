//! Axes: positions and labels of ticks.

/// Ticks at round numbers, 1, 2 or 5 times a power of ten apart.
#[derive(Clone, Debug, PartialEq)]
pub struct Ticks {
    /// Where.
    pub at: Vec<f64>,
    /// The distance between two.
    pub step: f64,
}

impl Ticks {
    /// About `wanted` ticks within `low..=high`; none when there is no room between them.
    pub fn new(low: f64, high: f64, wanted: usize) -> Ticks {
        let span = high - low;
        if span.is_nan() || span <= 0.0 || !span.is_finite() || wanted == 0 {
            return Ticks { at: Vec::new(), step: 0.0 };
        }
        let step = round_step(span / wanted as f64);
        let first = (low / step - 1e-9).ceil() as i64;
        let last = (high / step + 1e-9).floor() as i64;
        Ticks { at: (first..=last).map(|place| place as f64 * step).collect(), step }
    }

    /// As many decimals as the step needs.
    pub fn decimals(&self) -> usize {
        let mut decimals = 0;
        let mut step = self.step;
        while decimals < 9 && step > 0.0 && (step - step.round()).abs() > 1e-6 * step {
            step *= 10.0;
            decimals += 1;
        }
        decimals
    }

    /// The label of a tick, with as many decimals as its neighbours.
    pub fn label(&self, value: f64) -> String {
        let value = if value.abs() < self.step * 1e-6 { 0.0 } else { value };
        format!("{value:.*}", self.decimals())
    }
}

/// The smallest of 1, 2, 5, 10, ... times a power of ten that is at least `least`.
fn round_step(least: f64) -> f64 {
    let power = libm::pow(10.0, libm::floor(libm::log10(least)));
    let steps = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power);
    steps.into_iter().find(|step| *step >= least * (1.0 - 1e-9)).unwrap_or(10.0 * power)
}

/// A linear scale from data to pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Linear {
    /// The data at the first pixel.
    pub low: f64,
    /// The data at the last pixel.
    pub high: f64,
    /// The first pixel.
    pub first: f64,
    /// The last pixel.
    pub last: f64,
}

impl Linear {
    /// The position of a value.
    pub fn place(&self, value: f64) -> f64 {
        let span = self.high - self.low;
        if span == 0.0 {
            self.first
        } else {
            self.first + (value - self.low) / span * (self.last - self.first)
        }
    }
}

/// The end of an axis from zero that leaves a little room above the largest value.
pub fn top(largest: f64) -> f64 {
    if largest > 0.0 && largest.is_finite() { largest * 1.06 } else { 1.0 }
}

/// The ends of an axis that holds zero and these values, with a little room beyond the outermost; values that are
/// not finite are left out.
pub fn with_zero(values: impl IntoIterator<Item = f64>) -> (f64, f64) {
    let finite = values.into_iter().filter(|value| value.is_finite());
    let (least, most) =
        finite.fold((0.0, 0.0), |(least, most): (f64, f64), value| (least.min(value), most.max(value)));
    let low = if least < 0.0 { -top(-least) } else { 0.0 };
    let high = if most > 0.0 || low == 0.0 { top(most) } else { 0.0 };
    (low, high)
}
