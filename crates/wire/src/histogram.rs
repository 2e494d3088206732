//! Durations, counted by size in constant memory.

use crate::time::Duration;

/// A bucket for durations up to each of these, in ascending order; one more bucket takes what is longer.
pub const BOUNDS: [Duration; 15] = [
    Duration::from_millis(1),
    Duration::from_micros(2500),
    Duration::from_millis(5),
    Duration::from_millis(10),
    Duration::from_millis(25),
    Duration::from_millis(50),
    Duration::from_millis(100),
    Duration::from_millis(250),
    Duration::from_millis(500),
    Duration::from_secs(1),
    Duration::from_millis(2500),
    Duration::from_secs(5),
    Duration::from_secs(10),
    Duration::from_secs(30),
    Duration::from_secs(60),
];

/// How many durations were of which size, and their sum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Histogram {
    counts: [u64; BOUNDS.len() + 1],
    sum_nanos: u64,
}

impl Histogram {
    /// Count a duration.
    pub fn observe(&mut self, duration: Duration) {
        let bucket = BOUNDS.partition_point(|bound| *bound < duration);
        self.counts[bucket] += 1;
        self.sum_nanos = self.sum_nanos.saturating_add(duration.as_nanos());
    }
    /// How many were counted.
    pub fn count(&self) -> u64 {
        self.counts.iter().sum()
    }
    /// The sum of all; it stays at the longest [`Duration`] once it has reached that.
    pub fn sum(&self) -> Duration {
        Duration::from_nanos(self.sum_nanos)
    }
    /// For each bound, how many were at most that long; without a bound last, all.
    pub fn cumulative(&self) -> impl Iterator<Item = (Option<Duration>, u64)> {
        let bounds = BOUNDS.into_iter().map(Some).chain([None]);
        bounds.zip(self.counts).scan(0, |all, (bound, count)| {
            *all += count;
            Some((bound, *all))
        })
    }
}

impl std::ops::Add for Histogram {
    type Output = Histogram;

    fn add(self, other: Histogram) -> Histogram {
        Histogram {
            counts: std::array::from_fn(|bucket| self.counts[bucket] + other.counts[bucket]),
            sum_nanos: self.sum_nanos.saturating_add(other.sum_nanos),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_counts_in_the_first_bucket_that_it_fits_and_in_all_behind() {
        let mut seen = Histogram::default();
        for micros in [0, 1000, 1001, 60_000_000, 60_000_001] {
            seen.observe(Duration::from_micros(micros));
        }
        let cumulative: Vec<(Option<Duration>, u64)> = seen.cumulative().collect();
        assert_eq!(cumulative[0], (Some(Duration::from_millis(1)), 2));
        assert_eq!(cumulative[1], (Some(Duration::from_micros(2500)), 3));
        assert_eq!(cumulative[13].1, 3);
        assert_eq!(cumulative[14..], [(Some(Duration::from_secs(60)), 4), (None, 5)]);
        assert_eq!((seen.count(), seen.sum()), (5, Duration::from_micros(120_002_002)));
        assert!(BOUNDS.is_sorted());
    }

    #[test]
    fn sums_add_bucket_by_bucket_and_do_not_wrap() {
        let [mut one, mut other] = [Histogram::default(); 2];
        one.observe(Duration::from_millis(1));
        other.observe(Duration::from_nanos(u64::MAX));
        let both = one + other;
        assert_eq!((both.count(), both.sum()), (2, Duration::from_nanos(u64::MAX)));
        assert_eq!(both.cumulative().next(), Some((Some(Duration::from_millis(1)), 1)));
    }
}
