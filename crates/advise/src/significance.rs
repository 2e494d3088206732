//! Whether a gain is significant when several schemes are compared, and large enough to matter.

use seamline_report::statistics::{ERROR_95, Estimate, estimate, estimate_at};

/// A difference below this share of staying is negligible: with common random numbers even microseconds are
/// significant.
pub(crate) const INDIFFERENCE: f64 = 0.01;

/// Whether the mean of paired gains is significantly above `least` (not below zero) when `asked` schemes are
/// compared: Student's t at a level of 5 % divided by their number (Bonferroni). Never with fewer than two samples.
pub(crate) fn is_gain(gains: &[f64], asked: usize, least: f64) -> bool {
    let error = ERROR_95 / asked.max(1) as f64;
    estimate_at(gains, error).and_then(|gain| gain.low).is_some_and(|low| low > least)
}

/// The mean of samples; callers pass at least one.
pub(crate) fn estimate_of(samples: &[f64]) -> Estimate {
    estimate(samples).unwrap_or(Estimate { mean: f64::NAN, low: None, high: None, samples: 0 })
}

/// Drop the interval: some samples are only lower or upper bounds.
pub(crate) fn without_interval(estimate: Estimate) -> Estimate {
    Estimate { low: None, high: None, ..estimate }
}

#[cfg(test)]
mod tests {
    use super::is_gain;

    /// Mean 1, standard error 0.5 / sqrt(10) * ... : for [0.5, 1.5] five times each, s = 0.527, s/sqrt(10) = 0.1667, t = 6.
    #[test]
    fn comparing_several_schemes_needs_a_larger_gain() {
        let clear: Vec<f64> = (0..10).map(|n| if n % 2 == 0 { 0.5 } else { 1.5 }).collect();
        assert!(is_gain(&clear, 1, 0.0) && is_gain(&clear, 10, 0.0));
        // Shifted to a mean of 0.4: t = 2.4, between 2.262 (one asked, 9 degrees) and 3.69 (ten asked).
        let faint: Vec<f64> = clear.iter().map(|gain| gain - 0.6).collect();
        assert!(is_gain(&faint, 1, 0.0) && !is_gain(&faint, 10, 0.0));
        assert!(!is_gain(&[-1.0, -2.0], 1, 0.0) && !is_gain(&[5.0], 1, 0.0) && !is_gain(&[], 1, 0.0));
    }

    /// The lower end is 1 less 2.262 times 0.1667: 0.623.
    #[test]
    fn a_significant_gain_must_also_be_large_enough() {
        let clear: Vec<f64> = (0..10).map(|n| if n % 2 == 0 { 0.5 } else { 1.5 }).collect();
        assert!(is_gain(&clear, 1, 0.62) && !is_gain(&clear, 1, 0.63));
        assert!(is_gain(&[1e-6, 1e-6], 1, 0.0) && !is_gain(&[1e-6, 1e-6], 1, 1e-3));
    }
}
