//! Losses by enumeration.

use super::{Arrival, ErrorModel};

/// Loses the packets whose arrival index is listed: zero for the first packet the model is asked about,
/// as in ns-2's `ErrorModel/List`.
#[derive(Clone, Debug)]
pub struct DropList {
    /// In descending order, so that the next one is at the end.
    remaining: Vec<u64>,
}

impl DropList {
    /// Losses at these indices, in any order; naming one twice changes nothing.
    pub fn new(indices: impl IntoIterator<Item = u64>) -> Self {
        let mut remaining: Vec<u64> = indices.into_iter().collect();
        remaining.sort_unstable_by(|a, b| b.cmp(a));
        remaining.dedup();
        DropList { remaining }
    }
}

impl ErrorModel for DropList {
    fn loses(&mut self, arrival: Arrival<'_>) -> bool {
        self.remaining.pop_if(|next| *next == arrival.index).is_some()
    }
}
