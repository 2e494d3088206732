//! Closed forms beside what was simulated.

mod two_links;
mod vegas;

use seamline_report::picture::lines::Line;
use serde::Deserialize;
use std::collections::BTreeMap;
pub use two_links::{TwoLinks, TwoLinksThroughput};
pub use vegas::VegasDetour;

/// A closed form of the goodput in a figure, in kb/s.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum ClosedForm {
    /// Where Vegas rests on a detour.
    VegasDetour(VegasDetour),
    /// Snoop and obTCP over two wireless links.
    TwoWirelessLinks(TwoLinksThroughput),
}

impl ClosedForm {
    /// Its lines at these places of an axis.
    pub fn lines(self, axis: &str, at: &[f64]) -> Vec<Line> {
        match self {
            ClosedForm::VegasDetour(form) => form.lines(at),
            ClosedForm::TwoWirelessLinks(form) => form.lines(axis, at),
        }
    }

    /// What it gives for a cell of these values; `None` when it gives a range, or nothing.
    pub fn expected(self, cell: &BTreeMap<String, String>) -> Option<f64> {
        match self {
            ClosedForm::VegasDetour(_) => None,
            ClosedForm::TwoWirelessLinks(form) => form.expected(cell),
        }
    }
}
