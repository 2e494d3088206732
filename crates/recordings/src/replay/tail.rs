//! How long something can be by chance.

use super::outages::FALSE_ALARMS;
use seamline_wire::Duration;

/// What the longest of these lengths exceeds by chance in [`FALSE_ALARMS`] of all recordings. A share of them has a tail, which is
/// taken to be exponential and fitted to the 95th percentile of all. `None` when there are none.
pub(super) fn longest_by_chance(mut lengths: Vec<Duration>, share: f64) -> Option<Duration> {
    lengths.sort_unstable();
    let percentile = lengths.get(lengths.len() * 95 / 100)?;
    let mean = percentile.as_secs_f64() / libm::log(share / 0.05);
    let most = mean * libm::log(share * lengths.len() as f64 / FALSE_ALARMS);
    Some(Duration::from_secs_f64(most.max(0.0)))
}
