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
