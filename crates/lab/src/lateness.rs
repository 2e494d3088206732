//! How late things happened in real time.

use hdrhistogram::Histogram;
use seamline_wire::Duration;

/// How much later than they were due packets were put on an interface.
#[derive(Clone, Debug)]
pub struct Lateness(Histogram<u64>);

impl Lateness {
    const MOST: Duration = Duration::from_secs(60);

    /// Nothing yet. Values are kept with three significant digits.
    pub fn new() -> Self {
        let histogram = Histogram::new_with_max(Self::MOST.as_nanos(), 3);
        Lateness(histogram.unwrap_or_else(|_| unreachable!("three digits and a positive maximum are valid")))
    }
    /// Something happened so much late.
    pub fn note(&mut self, late: Duration) {
        self.0.saturating_record(late.as_nanos());
    }
    /// How many happened.
    pub fn count(&self) -> u64 {
        self.0.len()
    }
    /// This share of all were no later, from 0 to 1.
    pub fn quantile(&self, share: f64) -> Duration {
        Duration::from_nanos(self.0.value_at_quantile(share))
    }
    /// The latest.
    pub fn maximum(&self) -> Duration {
        Duration::from_nanos(self.0.max())
    }
}

impl Default for Lateness {
    fn default() -> Self {
        Self::new()
    }
}
