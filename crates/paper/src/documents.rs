//! The files that describe a paper: its claims, figures, deviations and findings.

use crate::bundled::Paper;
use crate::claims::Claims;
use crate::figures::Figures;
pub use crate::readings::{Deviation, Deviations, Reading};
use crate::run::PaperError;
use crate::verdict::Verdict;
use seamline_report::paper::Cause;
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
    /// Its readings that were not taken.
    pub readings: Vec<Reading>,
    /// What was found out about its claims.
    pub findings: Findings,
    /// The verdicts of the last full run, by the names of claims.
    pub verdicts: BTreeMap<String, Verdict>,
    /// What is drawn.
    pub figures: Figures,
}

impl Documents {
    /// Read the files of a paper.
    ///
    /// # Errors
    /// When a file is malformed.
    pub fn of(paper: &Paper) -> Result<Self, PaperError> {
        let deviations: Deviations = read(paper, "deviations.toml", paper.deviations)?;
        let readings = deviations
            .readings()
            .map_err(|reason| PaperError::File { file: path(paper, "deviations.toml"), reason })?;
        let claims: Claims = read(paper, "claims.toml", paper.claims)?;
        let is_claim = |id: &String| claims.claim.iter().any(|claim| claim.id == *id);
        if let Some(id) = readings.iter().flat_map(|it| it.measures.keys()).find(|id| !is_claim(id)) {
            let reason = format!("measures: there is no claim {id:?}");
            return Err(PaperError::File { file: path(paper, "deviations.toml"), reason });
        }
        Ok(Documents {
            claims,
            deviations,
            readings,
            findings: read(paper, "findings.toml", paper.findings)?,
            verdicts: read(paper, "verdicts.toml", paper.verdicts)?,
            figures: read(paper, "figures.toml", paper.figures)?,
        })
    }
}

pub(crate) fn read<T: DeserializeOwned>(paper: &Paper, file: &str, text: &str) -> Result<T, PaperError> {
    toml::from_str(text)
        .map_err(|error| PaperError::File { file: path(paper, file), reason: error.to_string() })
}

fn path(paper: &Paper, file: &str) -> String {
    format!("papers/{}/{file}", paper.name)
}

/// `papers/ID/findings.toml`: what was found out about each claim, and why those that are not reproduced are not.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Findings {
    /// The causes, by the names of claims.
    #[serde(default)]
    pub cause: BTreeMap<String, Cause>,
    /// The findings, by the names of claims.
    #[serde(flatten)]
    pub of: BTreeMap<String, String>,
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
