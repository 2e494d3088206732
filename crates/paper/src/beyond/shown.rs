//! `papers/ID/beyond/shown.toml`: what is shown of the scenarios.

use serde::{Deserialize, Serialize};

/// All that is shown.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shown {
    /// The title of the section, after "Beyond the paper: ".
    #[serde(default = "networks_of_today")]
    pub title: String,
    /// The key whose values are the schemes.
    pub scheme: String,
    /// The scheme that the others are compared with.
    pub baseline: String,
    /// Schemes compared on a network.
    pub comparison: Vec<ComparisonOf>,
    /// Benefits over two parameters.
    pub map: Vec<MapOf>,
    /// Combinations of what helps.
    #[serde(default)]
    pub matrix: Vec<MatrixOf>,
}

fn networks_of_today() -> String {
    "the same schemes on networks of today".to_owned()
}

/// Schemes compared on a network.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ComparisonOf {
    /// The scenario.
    pub scenario: String,
    /// Its title.
    pub title: String,
}

/// A benefit over two parameters.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct MapOf {
    /// The scenario.
    pub scenario: String,
    /// Its title.
    pub title: String,
    /// The key of the columns.
    #[serde(skip_serializing)]
    pub x: String,
    /// The title of the columns.
    pub x_axis: String,
    /// The key of the rows.
    #[serde(skip_serializing)]
    pub y: String,
    /// The title of the rows.
    pub y_axis: String,
    /// What a reader must know to read it.
    pub note: String,
}

/// The gain of each combination of two kinds of help, in panels.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct MatrixOf {
    /// The scenario.
    pub scenario: String,
    /// Its title.
    pub title: String,
    /// The key of the panels.
    #[serde(skip_serializing)]
    pub panels: String,
    /// The key of the rows.
    #[serde(skip_serializing)]
    pub rows: String,
    /// The title of the rows.
    pub row_axis: String,
    /// The row of the baseline, in the column of the baseline scheme.
    #[serde(skip_serializing)]
    pub baseline_row: String,
    /// What a reader should see.
    pub caption: String,
}

impl MatrixOf {
    /// The keys and values of the cell that a field is compared with, except for its panel.
    pub(crate) fn baseline<'a>(&'a self, shown: &'a Shown) -> [(&'a str, &'a str); 2] {
        [(&self.rows, &self.baseline_row), (&shown.scheme, &shown.baseline)]
    }
}

impl Shown {
    /// The scenarios shown, in order.
    pub fn scenarios(&self) -> impl Iterator<Item = &str> {
        let comparisons = self.comparison.iter().map(|it| &it.scenario);
        let maps = self.map.iter().map(|it| &it.scenario);
        let matrices = self.matrix.iter().map(|it| &it.scenario);
        comparisons.chain(maps).chain(matrices).map(String::as_str)
    }
}
