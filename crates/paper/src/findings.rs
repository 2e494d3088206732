//! `papers/ID/findings.toml`: what was found out about each claim.

use serde::Deserialize;

/// All findings about a paper.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Findings {
    /// The findings.
    pub finding: Vec<Finding>,
}

/// One finding.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Finding {
    /// The claim's id.
    pub claim: String,
    /// What was found out.
    pub found: String,
}

impl Findings {
    /// Read the file.
    ///
    /// # Errors
    /// When it is not as it should be.
    pub fn parse(text: &str) -> Result<Self, toml::de::Error> {
        toml::from_str(text)
    }
    /// What was found out about a claim; empty when there is nothing to say.
    pub fn about(&self, claim: &str) -> String {
        self.finding
            .iter()
            .find(|finding| finding.claim == claim)
            .map(|it| it.found.clone())
            .unwrap_or_default()
    }
}
