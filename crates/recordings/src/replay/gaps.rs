//! Outages in recorded opportunities to send: times without any.
//!
//! They are part of the capacity already. Here they are found for people, and for the period they may have. How long a time without
//! opportunities can be by chance follows from the others: their tail is taken to be exponential, and fitted to the 95th percentile.

use super::outages::{Fate, Outage};
use super::tail::longest_by_chance;
use seamline_net::schedule::{Capacity, DeliveryOpportunities};
use seamline_wire::{Duration, Instant};

/// Opportunities are recorded in whole milliseconds: both ends of a gap are known to that.
const GRAIN: Duration = Duration::from_millis(1);

/// The outages in a capacity; none in rates, which have no gaps.
pub(super) fn find(capacity: &Capacity, length: Duration) -> Vec<Outage> {
    let Capacity::Opportunities(chances) = capacity else { return Vec::new() };
    let gaps = gaps(chances, length);
    let lengths = gaps.iter().map(|(_, gap)| *gap).collect();
    let longest = longest_by_chance(lengths, 1.0).unwrap_or(Duration::MAX);
    let outage = |(at, gap): &(Instant, Duration)| Outage {
        at: *at,
        length: *gap,
        bounds: (*gap - GRAIN.min(*gap), *gap + GRAIN),
        fate: Fate::Held,
        probes: 0,
    };
    gaps.iter().filter(|(_, gap)| *gap > longest).map(outage).collect()
}

/// Each opportunity and the time until the next.
fn gaps(chances: &DeliveryOpportunities, length: Duration) -> Vec<(Instant, Duration)> {
    let mut gaps = Vec::new();
    let mut last = chances.next_after(Instant::ZERO).at;
    while last < Instant::ZERO + length {
        let next = chances.next_after(last).at;
        gaps.push((last, next.saturating_since(last)));
        last = next;
    }
    gaps
}
