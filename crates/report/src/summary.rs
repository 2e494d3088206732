//! One flow of one cell over all seeds, and what it is compared with.

use crate::shares::Shares;
use crate::statistics::Estimate;
use serde::Serialize;

/// Each of these once, in the order of its first appearance.
pub fn distinct<T: PartialEq>(all: impl Iterator<Item = T>) -> Vec<T> {
    let mut found = Vec::new();
    for one in all {
        if !found.contains(&one) {
            found.push(one);
        }
    }
    found
}

/// The axes of additional comparisons, in the order of the grid.
pub fn axes<'a>(summaries: impl Iterator<Item = &'a FlowSummary>) -> Vec<&'a str> {
    distinct(summaries.flat_map(|summary| &summary.along).map(|along| along.axis.as_str()))
}

/// One flow of one cell, over all seeds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FlowSummary {
    /// Place of the cell.
    pub cell: usize,
    /// The flow.
    pub flow: String,
    /// The name of the variant.
    pub variant: String,
    /// Goodput in bits per second.
    pub goodput_bits_per_second: Estimate,
    /// Segments retransmitted in a run.
    pub retransmissions_mean: f64,
    /// Expiries of the retransmission timer in a run.
    pub timeouts_mean: f64,
    /// Duration of the transfer in seconds, over the runs that completed it.
    pub completion_s: Option<Estimate>,
    /// The median time to recover from a handover, over all handovers of all runs; one that was not
    /// recovered from counts as longer than any other. `None` when that is the median, or without any.
    pub recovery_median_ms: Option<f64>,
    /// Handovers met in all runs.
    pub handovers: usize,
    /// How its connections share its goodput, where they are many.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shares: Option<Shares>,
    /// Compared with what; `None` for a baseline.
    pub against: Option<Comparison>,
    /// Compared along single axes of the grid, in addition: with the cell that differs in that axis only.
    pub along: Vec<AlongAxis>,
}

/// A comparison with the cell that differs only in one axis of the grid.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AlongAxis {
    /// The key of the axis and the value of the baseline, such as `agent.station.kind = none`.
    pub axis: String,
    /// The comparison; the baseline itself has none.
    #[serde(flatten)]
    pub against: Comparison,
}

/// A factor relative to a baseline.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// Place of the baseline's cell.
    pub cell: usize,
    /// The baseline's flow.
    pub flow: String,
    /// The name of the baseline.
    pub name: String,
    /// Goodput divided by the baseline's, seed by seed; `None` when one of them is zero.
    pub goodput_factor: Option<Estimate>,
}

impl FlowSummary {
    /// The same, where `places` has the place in the grid for each place here.
    #[must_use]
    pub fn moved(mut self, places: &[usize]) -> Self {
        self.cell = places[self.cell];
        let comparisons =
            self.against.iter_mut().chain(self.along.iter_mut().map(|along| &mut along.against));
        comparisons.for_each(|against| against.cell = places[against.cell]);
        self
    }

    /// By which factor its goodput exceeds the baseline's; `None` for the baseline itself, and when no factor exists.
    pub fn factor(&self) -> Option<&Estimate> {
        self.against.as_ref()?.goodput_factor.as_ref()
    }
}
