//! What is written about a paper, read.

use crate::bundled::Paper;
use crate::claims::Claims;
use crate::deviations::Deviations;
use crate::figures::Figures;
use crate::findings::Findings;
use crate::run::PaperError;

/// The files of a paper beside its scenarios.
#[derive(Clone, Debug)]
pub struct Documents {
    /// What it claims.
    pub claims: Claims,
    /// What was read into its silences.
    pub deviations: Deviations,
    /// What was found out.
    pub findings: Findings,
    /// What is drawn.
    pub figures: Figures,
}

impl Documents {
    /// Read them.
    ///
    /// # Errors
    /// When one is not as it should be.
    pub fn of(paper: &Paper) -> Result<Self, PaperError> {
        Ok(Documents {
            claims: read(paper, "claims.toml", Claims::parse(paper.claims))?,
            deviations: read(paper, "deviations.toml", Deviations::parse(paper.deviations))?,
            findings: read(paper, "findings.toml", Findings::parse(paper.findings))?,
            figures: read(paper, "figures.toml", Figures::parse(paper.figures))?,
        })
    }
}

pub(crate) fn read<T>(
    paper: &Paper,
    file: &str,
    parsed: Result<T, toml::de::Error>,
) -> Result<T, PaperError> {
    parsed.map_err(|error| PaperError::File {
        file: format!("papers/{}/{file}", paper.name),
        reason: error.to_string(),
    })
}
