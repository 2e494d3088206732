//! Time as integer nanoseconds, so that every machine computes the same schedule.

use std::fmt;
use std::ops::{AddAssign, SubAssign};

/// A point in time, in nanoseconds since the start of the run (simulated) or since an arbitrary
/// origin (monotonic clock of a live host). Range: 0 to 584 years; constructors and arithmetic saturate at both
/// ends.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Instant(u64);

/// A span of time in nanoseconds. Range: 0 to 584 years; constructors and arithmetic saturate at both ends.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Duration(u64);

const NANOS_PER_SECOND: u64 = 1_000_000_000;

impl Instant {
    /// The start of the run.
    pub const ZERO: Instant = Instant(0);
    /// Later than anything that will happen.
    pub const MAX: Instant = Instant(u64::MAX);

    /// The instant `nanos` nanoseconds after the start.
    pub const fn from_nanos(nanos: u64) -> Self {
        Instant(nanos)
    }
    /// The instant `seconds` seconds after the start.
    pub const fn from_secs(seconds: u64) -> Self {
        Instant(seconds.saturating_mul(NANOS_PER_SECOND))
    }
    /// The instant `millis` milliseconds after the start.
    pub const fn from_millis(millis: u64) -> Self {
        Instant(millis.saturating_mul(1_000_000))
    }
    /// Nanoseconds since the start.
    pub const fn as_nanos(self) -> u64 {
        self.0
    }
    /// Whole milliseconds since the start.
    pub const fn as_millis(self) -> u64 {
        self.0 / 1_000_000
    }
    /// Seconds since the start; exact to the nanosecond up to 104 days.
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / NANOS_PER_SECOND as f64
    }
    /// The time from `earlier` to `self`, zero when `earlier` is the later of the two.
    pub const fn saturating_since(self, earlier: Instant) -> Duration {
        Duration(self.0.saturating_sub(earlier.0))
    }
}

impl Duration {
    /// No time at all.
    pub const ZERO: Duration = Duration(0);
    /// The longest span that can be expressed.
    pub const MAX: Duration = Duration(u64::MAX);

    /// A span of `nanos` nanoseconds.
    pub const fn from_nanos(nanos: u64) -> Self {
        Duration(nanos)
    }
    /// A span of `micros` microseconds.
    pub const fn from_micros(micros: u64) -> Self {
        Duration(micros.saturating_mul(1_000))
    }
    /// A span of `millis` milliseconds.
    pub const fn from_millis(millis: u64) -> Self {
        Duration(millis.saturating_mul(1_000_000))
    }
    /// A span of `seconds` seconds.
    pub const fn from_secs(seconds: u64) -> Self {
        Duration(seconds.saturating_mul(NANOS_PER_SECOND))
    }
    /// A span of `seconds` seconds, rounded to the nearest nanosecond; negative and not-a-number give
    /// zero, too large gives [`Duration::MAX`].
    pub fn from_secs_f64(seconds: f64) -> Self {
        Duration((seconds * NANOS_PER_SECOND as f64 + 0.5) as u64)
    }
    /// The span in nanoseconds.
    pub const fn as_nanos(self) -> u64 {
        self.0
    }
    /// The span in whole microseconds, rounded down.
    pub const fn as_micros(self) -> u64 {
        self.0 / 1_000
    }
    /// The span in whole milliseconds, rounded down.
    pub const fn as_millis(self) -> u64 {
        self.0 / 1_000_000
    }
    /// The span in seconds.
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / NANOS_PER_SECOND as f64
    }
    /// The span in milliseconds.
    pub fn as_millis_f64(self) -> f64 {
        self.0 as f64 / 1e6
    }
    /// Whether the span is empty.
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }
    /// The absolute difference of two spans.
    pub const fn abs_diff(self, other: Duration) -> Duration {
        Duration(self.0.abs_diff(other.0))
    }
    /// The span times a factor, rounded to the nearest nanosecond; a negative factor and not-a-number give
    /// zero, a too large one [`Duration::MAX`].
    pub fn mul_f64(self, factor: f64) -> Duration {
        Duration((self.0 as f64 * factor + 0.5) as u64)
    }
}

operators! {
    Instant: Add add Duration = Instant, |at, span| Instant(at.0.saturating_add(span.0));
    Instant: Sub sub Duration = Instant, |at, span| Instant(at.0.saturating_sub(span.0));
    /// # Panics
    /// In debug builds, when `other` is later than `self`: time never runs backwards here.
    Instant: Sub sub Instant = Duration, |later, earlier| {
        debug_assert!(later >= earlier, "time went backwards: {earlier:?} is after {later:?}");
        later.saturating_since(earlier)
    };
    Duration: Add add Duration = Duration, |one, other| Duration(one.0.saturating_add(other.0));
    Duration: Sub sub Duration = Duration, |one, other| Duration(one.0.saturating_sub(other.0));
    Duration: Mul mul u64 = Duration, |span, times| Duration(span.0.saturating_mul(times));
    Duration: Div div u64 = Duration, |span, parts| Duration(span.0 / parts);
}

impl AddAssign<Duration> for Instant {
    fn add_assign(&mut self, span: Duration) {
        *self = *self + span;
    }
}
impl AddAssign for Duration {
    fn add_assign(&mut self, other: Duration) {
        *self = *self + other;
    }
}
impl SubAssign for Duration {
    fn sub_assign(&mut self, other: Duration) {
        *self = *self - other;
    }
}

impl fmt::Display for Instant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:09}", self.0 / NANOS_PER_SECOND, self.0 % NANOS_PER_SECOND)
    }
}
impl fmt::Debug for Instant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}s")
    }
}
impl fmt::Display for Duration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            n if n >= NANOS_PER_SECOND => write!(f, "{} s", n as f64 / 1e9),
            n if n >= 1_000_000 => write!(f, "{} ms", n as f64 / 1e6),
            n if n >= 1_000 => write!(f, "{} us", n as f64 / 1e3),
            n => write!(f, "{n} ns"),
        }
    }
}
impl fmt::Debug for Duration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arithmetic_saturates_instead_of_wrapping() {
        assert_eq!(Instant::MAX + Duration::from_secs(1), Instant::MAX);
        assert_eq!(Duration::from_secs(1) - Duration::from_secs(2), Duration::ZERO);
        assert_eq!(Duration::MAX * 2, Duration::MAX);
    }

    /// The largest argument of each constructor that still fits, and the one after it.
    #[test]
    fn constructors_saturate_at_the_edge() {
        let edge = |per_unit: u64| u64::MAX / per_unit;
        let (seconds, millis, micros) = (edge(NANOS_PER_SECOND), edge(1_000_000), edge(1_000));
        assert_eq!(Instant::from_secs(seconds).as_nanos(), seconds * NANOS_PER_SECOND);
        assert_eq!(Instant::from_secs(seconds + 1), Instant::MAX);
        assert_eq!(Instant::from_millis(millis).as_nanos(), millis * 1_000_000);
        assert_eq!(Instant::from_millis(millis + 1), Instant::MAX);
        assert_eq!(Duration::from_secs(seconds).as_nanos(), seconds * NANOS_PER_SECOND);
        assert_eq!(Duration::from_secs(seconds + 1), Duration::MAX);
        assert_eq!(Duration::from_millis(millis).as_nanos(), millis * 1_000_000);
        assert_eq!(Duration::from_millis(millis + 1), Duration::MAX);
        assert_eq!(Duration::from_micros(micros).as_nanos(), micros * 1_000);
        assert_eq!(Duration::from_micros(micros + 1), Duration::MAX);
        assert_eq!(
            (Instant::from_secs(u64::MAX), Duration::from_micros(u64::MAX)),
            (Instant::MAX, Duration::MAX)
        );
        const IN_CONSTANTS: Duration = Duration::from_secs(u64::MAX);
        assert_eq!(IN_CONSTANTS, Duration::MAX);
    }

    #[test]
    fn spans_times_a_factor_saturate() {
        let second = Duration::from_secs(1);
        assert_eq!(second.mul_f64(1.5), Duration::from_millis(1500));
        assert_eq!(second.mul_f64(-1.0), Duration::ZERO);
        assert_eq!(second.mul_f64(f64::NAN), Duration::ZERO);
        assert_eq!(second.mul_f64(f64::INFINITY), Duration::MAX);
        assert_eq!(Duration::MAX.mul_f64(2.0), Duration::MAX);
    }

    #[test]
    fn fractions_round_to_the_nearest_nanosecond() {
        assert_eq!(Duration::from_secs_f64(0.1), Duration::from_millis(100));
        assert_eq!(Duration::from_secs_f64(-1.0), Duration::ZERO);
        assert_eq!(Duration::from_secs_f64(f64::NAN), Duration::ZERO);
        assert_eq!(Duration::from_secs_f64(1e300), Duration::MAX);
    }

    #[test]
    fn display_picks_the_unit() {
        assert_eq!(Duration::from_micros(1500).to_string(), "1.5 ms");
        assert_eq!(Instant::from_millis(1500).to_string(), "1.500000000");
    }
}
