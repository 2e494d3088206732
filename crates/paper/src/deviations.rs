//! `papers/ID/deviations.toml`: where a paper is silent, and what was read into it.

use serde::Deserialize;

/// All readings of a paper.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Deviations {
    /// The readings.
    pub deviation: Vec<Deviation>,
}

/// One silent point.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Deviation {
    /// What it is called.
    pub id: String,
    /// What the paper leaves open.
    pub silent: String,
    /// How it is read.
    pub reading: String,
    /// The parameter in the scenarios; `*` stands for every name.
    pub key: String,
    /// Why it is read so.
    pub reason: String,
    /// The scenarios that other readings are tried on.
    #[serde(default)]
    pub figures: Vec<String>,
    /// Other readings.
    #[serde(default)]
    pub r#try: Vec<Alternative>,
}

/// Another reading.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Alternative {
    /// What it is.
    pub reading: String,
    /// The keys that make it so, as `--set` takes them.
    pub set: Vec<String>,
}

impl Deviations {
    /// Read the file.
    ///
    /// # Errors
    /// When it is not as it should be.
    pub fn parse(text: &str) -> Result<Self, toml::de::Error> {
        toml::from_str(text)
    }
}
