//! The files that describe a paper: its claims, figures, deviations and findings.

use crate::bundled::Paper;
use crate::claims::Claims;
use crate::figures::Figures;
use crate::run::PaperError;
use serde::de::{DeserializeOwned, Error, IgnoredAny};
use serde::{Deserialize, Deserializer};
use std::collections::BTreeMap;

/// The files of a paper, except for its scenarios.
#[derive(Clone, Debug)]
pub struct Documents {
    /// What it claims.
    pub claims: Claims,
    /// Where it is silent, and how that was read.
    pub deviations: Deviations,
    /// What was found out about its claims, by their names.
    pub findings: BTreeMap<String, String>,
    /// What is drawn.
    pub figures: Figures,
}

impl Documents {
    /// Read the files of a paper.
    ///
    /// # Errors
    /// When a file is malformed.
    pub fn of(paper: &Paper) -> Result<Self, PaperError> {
        Ok(Documents {
            claims: read(paper, "claims.toml", paper.claims)?,
            deviations: read(paper, "deviations.toml", paper.deviations)?,
            findings: read(paper, "findings.toml", paper.findings)?,
            figures: read(paper, "figures.toml", paper.figures)?,
        })
    }
}

pub(crate) fn read<T: DeserializeOwned>(paper: &Paper, file: &str, text: &str) -> Result<T, PaperError> {
    toml::from_str(text).map_err(|error| PaperError::File {
        file: format!("papers/{}/{file}", paper.name),
        reason: error.to_string(),
    })
}

/// `papers/ID/deviations.toml`: where a paper is silent, and how that was read.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Deviations {
    /// The silent points.
    pub deviation: Vec<Deviation>,
}

/// One silent point.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Deviation {
    /// Its name.
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

/// Another reading of a silent point.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Alternative {
    /// The reading.
    pub reading: String,
    /// The overrides that select it, as `--set` takes them.
    pub set: Vec<String>,
}

/// The last, flattened field of a table. It refuses every key that no other field took: `deny_unknown_fields` does not work
/// for structures with flattened parts.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct NothingElse;

impl<'de> Deserialize<'de> for NothingElse {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match BTreeMap::<String, IgnoredAny>::deserialize(deserializer)?.into_keys().next() {
            Some(key) => Err(D::Error::custom(format!("unknown field `{key}`"))),
            None => Ok(NothingElse),
        }
    }
}
