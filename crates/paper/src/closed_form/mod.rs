//! Closed forms that simulations are compared with.

mod two_links;

use seamline_experiment::statistics::Estimate;
use seamline_model::vegas::{Detour, detour_rates};
use seamline_report::picture::lines::Line;
use serde::Deserialize;
use std::collections::BTreeMap;
pub use two_links::{TwoLinks, TwoLinksThroughput};

/// A closed form of the goodput in a figure, in kb/s.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum ClosedForm {
    /// The rates at which Vegas settles on a detour.
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

    /// With other values of symbols; those it does not have change nothing.
    #[must_use]
    pub(crate) fn with(self, symbols: &BTreeMap<String, f64>) -> Self {
        match self {
            ClosedForm::VegasDetour(_) => self,
            ClosedForm::TwoWirelessLinks(form) => ClosedForm::TwoWirelessLinks(form.with(symbols)),
        }
    }

    /// Its number for a cell of these values; `None` when it gives a range, or nothing.
    pub fn expected(self, cell: &BTreeMap<String, String>) -> Option<f64> {
        match self {
            ClosedForm::VegasDetour(_) => None,
            ClosedForm::TwoWirelessLinks(form) => form.expected(cell),
        }
    }
}

/// The range of rates in which Vegas settles when a detour, of the milliseconds on the axis, was added to its path after it
/// measured BaseRTT: [`seamline_model::vegas`].
#[derive(Clone, Copy, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct VegasDetour {
    /// Payload of a segment in bytes.
    segment_size: u32,
    /// Alpha in segments.
    alpha: f64,
    /// Beta in segments.
    beta: f64,
    /// Payload rate of the bottleneck in kb/s, which no flow exceeds.
    most: f64,
}

impl VegasDetour {
    /// Its lines at these detours.
    fn lines(self, at: &[f64]) -> Vec<Line> {
        let VegasDetour { segment_size, alpha, beta, most } = self;
        let rate = |milliseconds: f64, rounds_difference: bool, end: usize| {
            let detour =
                Detour { seconds: milliseconds / 1000.0, segment_size, alpha, beta, rounds_difference };
            (detour_rates(detour)[end] / 1000.0).min(most)
        };
        let line = |name: &str, rounds: bool, end: usize| Line {
            name: name.to_owned(),
            points: at.iter().map(|at| (*at, Estimate::single(rate(*at, rounds, end)))).collect(),
        };
        vec![
            line("closed form: beta", false, 1),
            line("closed form: alpha", false, 0),
            line("closed form: alpha - 1/2, as ns-2 rounds", true, 0),
        ]
    }
}
