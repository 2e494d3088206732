//! Units that are types: a rate divides bytes into time.

use crate::time::Duration;
use std::fmt;

/// A data rate in bits per second. Zero means that nothing passes; constructors saturate at 2^64 - 1.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rate(u64);

impl Rate {
    /// Nothing passes.
    pub const ZERO: Rate = Rate(0);

    /// A rate of `bits` bits per second.
    pub const fn from_bits_per_second(bits: u64) -> Self {
        Rate(bits)
    }
    /// A rate of `megabits` Mbit/s (10^6 bits per second).
    pub const fn from_megabits_per_second(megabits: u64) -> Self {
        Rate(megabits.saturating_mul(1_000_000))
    }
    /// Bits per second.
    pub const fn bits_per_second(self) -> u64 {
        self.0
    }
    /// How long `bytes` bytes take at this rate, rounded to the nearest nanosecond;
    /// [`Duration::MAX`] at rate zero.
    pub fn time_for(self, bytes: u64) -> Duration {
        if self.0 == 0 {
            return Duration::MAX;
        }
        const NANOBITS_PER_BYTE: u64 = 8_000_000_000;
        if let Some(nanobits) = bytes.checked_mul(NANOBITS_PER_BYTE).and_then(|n| n.checked_add(self.0 / 2)) {
            return Duration::from_nanos(nanobits / self.0);
        }
        let nanobits = u128::from(bytes) * u128::from(NANOBITS_PER_BYTE) + u128::from(self.0 / 2);
        Duration::from_nanos(u64::try_from(nanobits / u128::from(self.0)).unwrap_or(u64::MAX))
    }
    /// How many whole bytes pass in `span` at this rate.
    pub fn bytes_in(self, span: Duration) -> u64 {
        let nanobits = u128::from(self.0) * u128::from(span.as_nanos());
        u64::try_from(nanobits / 8_000_000_000).unwrap_or(u64::MAX)
    }
    /// The bandwidth-delay product of a path with this rate and the given round-trip time, in bytes.
    pub fn bandwidth_delay_product(self, round_trip_time: Duration) -> u64 {
        self.bytes_in(round_trip_time)
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            n if n >= 1_000_000_000 => write!(f, "{} Gbit/s", n as f64 / 1e9),
            n if n >= 1_000_000 => write!(f, "{} Mbit/s", n as f64 / 1e6),
            n if n >= 1_000 => write!(f, "{} kbit/s", n as f64 / 1e3),
            n => write!(f, "{n} bit/s"),
        }
    }
}
impl fmt::Debug for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_divided_by_rate_are_time() {
        let two = Rate::from_megabits_per_second(2);
        assert_eq!(two.time_for(1000), Duration::from_millis(4));
        assert_eq!(Rate::from_bits_per_second(3).time_for(1), Duration::from_nanos(2_666_666_667));
        assert_eq!(Rate::ZERO.time_for(1), Duration::MAX);
        assert_eq!(two.bytes_in(Duration::from_millis(4)), 1000);
    }

    #[test]
    fn a_rate_saturates_at_the_edge() {
        const EDGE: u64 = u64::MAX / 1_000_000;
        assert_eq!(Rate::from_megabits_per_second(EDGE).bits_per_second(), EDGE * 1_000_000);
        assert_eq!(Rate::from_megabits_per_second(EDGE + 1), Rate::from_bits_per_second(u64::MAX));
        assert_eq!(Rate::from_bits_per_second(u64::MAX).bytes_in(Duration::MAX), u64::MAX);
    }

    #[test]
    fn very_large_transfers_do_not_overflow() {
        let slow = Rate::from_bits_per_second(8);
        assert_eq!(slow.time_for(5_000_000_000), Duration::from_secs(5_000_000_000));
        assert_eq!(slow.time_for(u64::MAX), Duration::MAX);
    }

    #[test]
    fn bandwidth_delay_product_is_in_bytes() {
        let path = Rate::from_megabits_per_second(8);
        assert_eq!(path.bandwidth_delay_product(Duration::from_millis(100)), 100_000);
    }
}
