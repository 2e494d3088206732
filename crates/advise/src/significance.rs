//! How sure a gain is, when several schemes are tried at once.

use seamline_record::statistics::{Estimate, estimate, mean};
use statrs::distribution::{ContinuousCDF, StudentsT};

/// The chance to call something a gain that is none, over all schemes together.
const ERROR: f64 = 0.05;

/// Whether the mean of paired gains is above zero, when it is one of so many that are asked about: Student's t at a level
/// of 5 % divided by their number (Bonferroni). Never from fewer than two samples.
pub(crate) fn is_gain(gains: &[f64], asked: usize) -> bool {
    let n = gains.len();
    let Some(mean) = mean(gains).filter(|mean| *mean > 0.0 && n >= 2) else { return false };
    let squares: f64 = gains.iter().map(|gain| (gain - mean) * (gain - mean)).sum();
    let standard_error = (squares / (n - 1) as f64 / n as f64).sqrt();
    let quantile = StudentsT::new(0.0, 1.0, (n - 1) as f64)
        .map_or(f64::INFINITY, |t| t.inverse_cdf(1.0 - ERROR / 2.0 / asked.max(1) as f64));
    mean > quantile * standard_error
}

/// The mean of samples; there are some wherever this is asked.
pub(crate) fn estimate_of(samples: &[f64]) -> Estimate {
    estimate(samples).unwrap_or(Estimate { mean: f64::NAN, low: None, high: None, samples: 0 })
}

#[cfg(test)]
mod tests {
    use super::is_gain;

    /// Mean 1, standard error 0.5 / sqrt(10) * ... : for [0.5, 1.5] five times each, s = 0.527, s/sqrt(10) = 0.1667, t = 6.
    #[test]
    fn several_at_once_need_more() {
        let clear: Vec<f64> = (0..10).map(|n| if n % 2 == 0 { 0.5 } else { 1.5 }).collect();
        assert!(is_gain(&clear, 1) && is_gain(&clear, 10));
        // Shifted to a mean of 0.4: t = 2.4, between 2.262 (one asked, 9 degrees) and 3.69 (ten asked).
        let faint: Vec<f64> = clear.iter().map(|gain| gain - 0.6).collect();
        assert!(is_gain(&faint, 1) && !is_gain(&faint, 10));
        assert!(!is_gain(&[-1.0, -2.0], 1) && !is_gain(&[5.0], 1) && !is_gain(&[], 1));
    }
}
