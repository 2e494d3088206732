//! Means and medians with their 95 % intervals, and factors between paired runs.
//!
//! Runs of different seeds are independent samples of one distribution, so the mean of a cell has the
//! interval of Student's t with n - 1 degrees of freedom (Gosset 1908). Runs of two variants under the
//! same seed met the same losses, so they are compared pair by pair (common random numbers).

use serde::{Deserialize, Serialize};
use statrs::distribution::{ContinuousCDF, StudentsT};

/// A mean and the 95 % interval of it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// The mean (for a factor: the geometric mean).
    pub mean: f64,
    /// Lower end of the interval; `None` with fewer than two samples.
    pub low: Option<f64>,
    /// Upper end of the interval; `None` with fewer than two samples.
    pub high: Option<f64>,
    /// Number of samples.
    pub samples: usize,
}

impl Estimate {
    /// A value without an interval.
    pub fn single(mean: f64) -> Self {
        Estimate { mean, low: None, high: None, samples: 1 }
    }
    /// The mean and the ends of the interval under a function that rises, such as a change of unit.
    #[must_use]
    pub fn map(&self, change: impl Fn(f64) -> f64) -> Self {
        let end = |end: Option<f64>| end.map(&change);
        Estimate { mean: change(self.mean), low: end(self.low), high: end(self.high), samples: self.samples }
    }
    /// `12.0 ± 0.30`, each number as `text` writes it; the mean alone without an interval.
    pub fn to_text(&self, text: impl Fn(f64) -> String) -> String {
        let half = self.half_width().map(|half| format!(" ± {}", text(half)));
        text(self.mean) + &half.unwrap_or_default()
    }
    /// The interval, or the mean alone twice.
    pub fn ends(&self) -> (f64, f64) {
        (self.low.unwrap_or(self.mean), self.high.unwrap_or(self.mean))
    }
    /// Half the width of the interval.
    pub fn half_width(&self) -> Option<f64> {
        Some((self.high? - self.low?) / 2.0)
    }
    /// Half the width as a share of the mean; `None` when there is none or the mean is zero.
    pub fn relative_half_width(&self) -> Option<f64> {
        self.half_width().filter(|_| self.mean != 0.0).map(|half| half / self.mean.abs())
    }
}

/// The chance that a 95 % interval leaves out what it is about.
pub const ERROR_95: f64 = 0.05;

/// The quantile of Student's t with so many degrees of freedom that is exceeded, either way, with a chance of `error`; `None` with none.
fn student_t(degrees_of_freedom: usize, error: f64) -> Option<f64> {
    let distribution = StudentsT::new(0.0, 1.0, degrees_of_freedom as f64).ok()?;
    Some(distribution.inverse_cdf(1.0 - error / 2.0))
}

/// The two-sided 95 % quantile of Student's t with so many degrees of freedom; `None` with none.
pub fn student_t_95(degrees_of_freedom: usize) -> Option<f64> {
    student_t(degrees_of_freedom, ERROR_95)
}

/// The mean of the samples and its 95 % interval; `None` without samples.
pub fn estimate(samples: &[f64]) -> Option<Estimate> {
    estimate_at(samples, ERROR_95)
}

/// The mean of the samples and the interval of it that leaves out the truth with a chance of `error`; `None` without samples. Intervals
/// of so many means hold together at 95 % when `error` is [`ERROR_95`] divided by their number (Bonferroni).
pub fn estimate_at(samples: &[f64], error: f64) -> Option<Estimate> {
    let n = samples.len();
    let mean = mean(samples)?;
    let squares: f64 = samples.iter().map(|sample| (sample - mean) * (sample - mean)).sum();
    let half = student_t(n - 1, error).map(|t| t * (squares / (n - 1) as f64 / n as f64).sqrt());
    Some(Estimate { mean, low: half.map(|half| mean - half), high: half.map(|half| mean + half), samples: n })
}

/// A number that is made of the runs of so many seeds, all that goes into it included, and its 95 % interval by the jackknife (Tukey
/// 1958): `of` gives the number of all seeds, or with the one of this place left out. From the pseudo-values n x - (n - 1) x_i comes
/// the interval of Student's t around the number of all. For a mean it is that of [`estimate`]. Without a number of all seeds there is
/// nothing, and where one left out leaves none there is no interval.
pub fn jackknife(seeds: usize, of: impl Fn(Option<usize>) -> Option<f64>) -> Option<Estimate> {
    let all = of(None)?;
    let n = seeds as f64;
    let pseudo: Option<Vec<f64>> =
        (0..seeds).map(|seed| Some(n * all - (n - 1.0) * of(Some(seed))?)).collect();
    let half = pseudo.and_then(|pseudo| estimate(&pseudo)).and_then(|around| around.half_width());
    Some(Estimate {
        mean: all,
        low: half.map(|half| all - half),
        high: half.map(|half| all + half),
        samples: seeds,
    })
}

/// By which factor `treated` exceeds `baseline`, pair by pair: the geometric mean of the ratios, with the
/// interval of Student's t on their logarithms. `None` without pairs, or when a value is not positive:
/// then no factor exists.
pub fn paired_factor(treated: &[f64], baseline: &[f64]) -> Option<Estimate> {
    let pairs = treated.iter().zip(baseline);
    let logs: Option<Vec<f64>> =
        pairs.map(|(t, b)| (*t > 0.0 && *b > 0.0).then(|| libm::log(t / b))).collect();
    Some(estimate(&logs?)?.map(libm::exp))
}

/// The arithmetic mean; `None` without samples.
pub fn mean(samples: &[f64]) -> Option<f64> {
    (!samples.is_empty()).then(|| samples.iter().sum::<f64>() / samples.len() as f64)
}

/// How many samples would bring the relative half width down to `wanted`, if their spread stays as it is;
/// `None` when there is no spread to judge by, or more than `most` would be needed.
pub fn samples_needed(estimate: &Estimate, wanted: f64, most: usize) -> Option<usize> {
    let root = |n: usize| (n as f64).sqrt();
    let spread =
        estimate.relative_half_width()? * root(estimate.samples) / student_t_95(estimate.samples - 1)?;
    (2..=most).find(|n| student_t_95(n - 1).is_some_and(|t| t * spread / root(*n) <= wanted))
}

/// A median and an interval that holds the true one with a chance of at least 95 %, whatever the distribution: between two of the sorted
/// values (the sign test; W. R. Thompson, 1936). It takes six values; of fewer it is all of their range, with a chance that is less.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Median {
    /// The median.
    pub median: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Median {
    /// The median of some values; `None` without any.
    pub fn of(mut values: Vec<f64>) -> Option<Self> {
        values.sort_by(f64::total_cmp);
        let n = values.len();
        let (lower, upper) = (values.get(n.checked_sub(1)? / 2)?, values.get(n / 2)?);
        let out = outermost(n);
        // Infinity, for what never came, has no middle with itself.
        let median = if lower == upper { *lower } else { f64::midpoint(*lower, *upper) };
        Some(Median { median, low: values[out], high: values[n - 1 - out] })
    }
}

/// Jain's fairness index (Jain, Chiu and Hawe, DEC-TR-301, 1984) of shares of 0 or more: from 1/n when one has all, to 1 when all are equal.
/// `None` when there are none above zero.
pub fn jain_index(shares: &[f64]) -> Option<f64> {
    // Relative to the largest share, so that squares neither overflow nor underflow.
    let largest = shares.iter().copied().fold(0.0, f64::max);
    let sum: f64 = shares.iter().map(|share| share / largest).sum();
    let squares: f64 = shares.iter().map(|share| (share / largest) * (share / largest)).sum();
    (largest > 0.0).then(|| sum * sum / (shares.len() as f64 * squares))
}

/// Of sorted values the least that so many in a thousand do not exceed; `None` if there are none.
pub fn nearest_rank<T: Copy>(sorted: &[T], in_a_thousand: usize) -> Option<T> {
    sorted.get((in_a_thousand * sorted.len()).div_ceil(1000).checked_sub(1)?).copied()
}

/// How many values at each end the interval of `n` values leaves out.
fn outermost(n: usize) -> usize {
    // Twice the chance that at most so many of n fair coins fall on one side.
    let mut chance = libm::pow(0.5, n as f64) * 2.0;
    let (mut total, mut out) = (chance, 0);
    while out + 1 < n / 2 {
        chance *= (n - out) as f64 / (out + 1) as f64;
        total += chance;
        if total > ERROR_95 {
            break;
        }
        out += 1;
    }
    out
}
