//! Whether two samples of independent runs have the same mean (Welch 1947, "The generalization of
//! 'Student's' problem when several different population variances are involved").

use statrs::distribution::{ContinuousCDF, StudentsT};

/// The difference of two means with its confidence interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Difference {
    /// Mean of the first sample minus mean of the second.
    pub(crate) mean: f64,
    /// Half the width of the 95 % confidence interval; infinite with fewer than two values a side.
    pub(crate) half_width: f64,
}

impl Difference {
    /// Whether the interval contains zero.
    pub(crate) fn includes_zero(&self) -> bool {
        self.mean.abs() <= self.half_width
    }
}

/// Welch's 95 % interval of the difference between the means of `ours` and `theirs`.
pub(crate) fn difference(ours: &[f64], theirs: &[f64]) -> Difference {
    let (a, b) = (Moments::of(ours), Moments::of(theirs));
    let mean = a.mean - b.mean;
    let variance = a.variance_of_mean + b.variance_of_mean;
    if ours.len() < 2 || theirs.len() < 2 {
        return Difference { mean, half_width: f64::INFINITY };
    }
    if variance == 0.0 {
        return Difference { mean, half_width: 0.0 };
    }
    let freedom = variance * variance / (a.square_over_freedom() + b.square_over_freedom());
    Difference { mean, half_width: student_quantile(freedom) * variance.sqrt() }
}

/// The two-sided 95 % quantile of Student's distribution.
pub(crate) fn student_quantile(freedom: f64) -> f64 {
    StudentsT::new(0.0, 1.0, freedom).map_or(f64::INFINITY, |t| t.inverse_cdf(0.975))
}

struct Moments {
    count: f64,
    mean: f64,
    variance_of_mean: f64,
}

impl Moments {
    fn of(sample: &[f64]) -> Moments {
        let count = sample.len() as f64;
        let mean = sample.iter().sum::<f64>() / count;
        let squares: f64 = sample.iter().map(|x| (x - mean) * (x - mean)).sum();
        Moments { count, mean, variance_of_mean: squares / (count - 1.0).max(1.0) / count }
    }
    fn square_over_freedom(&self) -> f64 {
        self.variance_of_mean * self.variance_of_mean / (self.count - 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The worked example of R's `t.test(extra ~ group, data = sleep)` (Student 1908): 95 percent
    /// confidence interval -3.3654832 to 0.2054832, df = 17.776.
    #[test]
    fn students_sleep_data() {
        let first = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0];
        let second = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4];
        let found = difference(&first, &second);
        assert!((found.mean - -1.58).abs() < 1e-12, "{found:?}");
        assert!((found.mean - found.half_width - -3.365_483_2).abs() < 1e-6, "{found:?}");
        assert!((found.mean + found.half_width - 0.205_483_2).abs() < 1e-6, "{found:?}");
        assert!(found.includes_zero());
    }

    #[test]
    fn equal_constants_agree_and_different_ones_do_not() {
        assert!(difference(&[3.0, 3.0], &[3.0, 3.0]).includes_zero());
        assert!(!difference(&[3.0, 3.0], &[4.0, 4.0]).includes_zero());
    }
}
