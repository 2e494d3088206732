//! Numbers of many measurements.

use seamline_report::statistics::nearest_rank;
use serde::Serialize;

/// A distribution, in microseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Spread {
    /// Half are not larger.
    pub median_us: f64,
    /// 99 % are not larger.
    pub p99_us: f64,
    /// None is larger.
    pub max_us: f64,
}

impl Spread {
    /// Of durations in nanoseconds; zero of none.
    pub(super) fn of(nanos: impl IntoIterator<Item = i64>) -> Spread {
        let mut nanos: Vec<i64> = nanos.into_iter().collect();
        nanos.sort_unstable();
        let at = |share| nearest_rank(&nanos, share).map_or(0.0, |nanos| nanos as f64 / 1000.0);
        Spread { median_us: at(500), p99_us: at(990), max_us: at(1000) }
    }
}

#[cfg(test)]
mod tests {
    use super::Spread;

    #[test]
    fn quantiles_are_values_that_occurred() {
        let of = |nanos: &[i64]| Spread::of(nanos.iter().copied());
        assert_eq!(of(&[]), Spread::default());
        assert_eq!(of(&[3000]), Spread { median_us: 3.0, p99_us: 3.0, max_us: 3.0 });
        let hundred: Vec<i64> = (1..=100).rev().map(|n| n * 1000).collect();
        assert_eq!(of(&hundred), Spread { median_us: 50.0, p99_us: 99.0, max_us: 100.0 });
    }
}
