//! `papers/ID/figures.toml`: what is drawn of the runs of each scenario.

use serde::Deserialize;

/// All figures of a paper.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Figures {
    /// The figures.
    pub figure: Vec<Figure>,
}

/// One figure: bars of mean throughput with their intervals.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Figure {
    /// The scenario whose records it shows.
    pub scenario: String,
    /// Its title.
    pub title: String,
    /// What to see, in a line.
    pub caption: String,
    /// The key whose values are the groups of bars.
    pub group: String,
    /// The key whose values are the bars of a group; without it a group is one bar.
    pub series: Option<String>,
    /// The flow shown.
    pub flow: String,
}

impl Figures {
    /// Read the file.
    ///
    /// # Errors
    /// When it is not as it should be.
    pub fn parse(text: &str) -> Result<Self, toml::de::Error> {
        toml::from_str(text)
    }
}
