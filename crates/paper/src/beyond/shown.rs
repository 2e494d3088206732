//! `papers/ID/beyond/shown.toml`: what is shown of the scenarios.

use serde::Deserialize;

/// All that is shown.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shown {
    /// The key whose values are the schemes.
    pub scheme: String,
    /// The scheme that the others are compared with.
    pub baseline: String,
    /// Schemes compared on a network.
    pub comparison: Vec<ComparisonOf>,
    /// Benefits over two parameters.
    pub map: Vec<MapOf>,
}

/// Schemes compared on a network.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ComparisonOf {
    /// The scenario.
    pub scenario: String,
    /// What it is called.
    pub title: String,
}

/// A benefit over two parameters.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MapOf {
    /// The scenario.
    pub scenario: String,
    /// What it is called.
    pub title: String,
    /// The key of the columns.
    pub x: String,
    /// What the columns are.
    pub x_axis: String,
    /// The key of the rows.
    pub y: String,
    /// What the rows are.
    pub y_axis: String,
    /// What a reader must know to read it.
    pub note: String,
}

impl Shown {
    /// Read the file.
    ///
    /// # Errors
    /// When it is not as it should be.
    pub fn parse(text: &str) -> Result<Self, toml::de::Error> {
        toml::from_str(text)
    }
}
