//! Networks, handovers message by message, and the figures of a paper that are not drawn.

use serde::Deserialize;
use std::collections::BTreeMap;

/// The network of a scenario.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Network {
    /// The scenario.
    pub scenario: String,
    /// The name of its picture.
    pub name: String,
    /// Its title.
    pub title: String,
}

/// The first handover of a run, message by message.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MessageChart {
    /// The scenario of the run.
    pub scenario: String,
    /// The name of its picture.
    pub name: String,
    /// Its title.
    pub title: String,
    /// What to see, in a line.
    pub caption: String,
    /// The cell of the run, by the values of the grid.
    pub cell: BTreeMap<String, String>,
    /// How much of the run is needed, in seconds.
    pub until_s: f64,
}

/// A figure of the paper that is not drawn.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NotDrawn {
    /// What the paper calls it: `Figure 3`.
    pub figure: String,
    /// What it is about, and why it is not drawn.
    pub reason: String,
}
