//! For how long links carry nothing.

use crate::links::Change;
use seamline_wire::{Histogram, Instant};
use std::collections::BTreeMap;

/// Outages of all links: those that last, and the lengths of those that are over.
#[derive(Clone, Debug, Default)]
pub(super) struct Outages {
    since: BTreeMap<u32, Instant>,
    pub(super) lengths: Histogram,
}

impl Outages {
    /// A link was reported lost, or back. Of several reports of the same the first counts.
    pub(super) fn changed(&mut self, now: Instant, index: u32, change: Change) {
        match change {
            Change::Down => drop(self.since.entry(index).or_insert(now)),
            Change::Up => {
                if let Some(since) = self.since.remove(&index) {
                    self.lengths.observe(now.saturating_since(since));
                }
            }
        }
    }
    /// The interface is gone: one that returns has another number.
    pub(super) fn gone(&mut self, index: u32) {
        self.since.remove(&index);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outage_lasts_from_the_first_report_to_the_link_that_is_up_again() {
        let mut outages = Outages::default();
        let at = Instant::from_millis;
        outages.changed(at(10), 1, Change::Up);
        for (ms, index, change) in
            [(100, 1, Change::Down), (300, 2, Change::Down), (400, 1, Change::Down), (900, 1, Change::Up)]
        {
            outages.changed(at(ms), index, change);
        }
        outages.gone(2);
        outages.changed(at(5000), 2, Change::Up);
        assert_eq!((outages.lengths.count(), outages.lengths.sum().as_millis()), (1, 800));
    }
}
