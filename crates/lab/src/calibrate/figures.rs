//! Numbers of many measurements.

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
        let Some(last) = nanos.len().checked_sub(1) else { return Spread::default() };
        // The smallest value that at least this share of all does not exceed.
        let at = |share: f64| {
            let rank = (share * nanos.len() as f64).ceil() as usize;
            nanos[rank.clamp(1, nanos.len()) - 1] as f64 / 1000.0
        };
        Spread { median_us: at(0.5), p99_us: at(0.99), max_us: nanos[last] as f64 / 1000.0 }
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
