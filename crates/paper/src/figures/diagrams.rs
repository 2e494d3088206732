//! Networks, handovers message by message, and the figures of a paper that are not drawn.

use seamline_report::messages::Occasion;
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

/// The first handover of a run, or its first loss, message by message.
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
    /// What it is about; by default the handover.
    #[serde(default)]
    pub around: Occasion,
    /// What the scenario is changed by, as on the command line: `link.air.down.loss={ model = "list", indices = [12] }`.
    #[serde(default)]
    pub set: Vec<String>,
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
