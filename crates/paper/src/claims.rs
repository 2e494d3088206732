//! `papers/ID/claims.toml`: what a paper claims, and what counts as reproducing it.

use crate::documents::NothingElse;
use crate::measure::Measure;
use seamline_report::paper::OtherProgram;
use serde::Deserialize;
use std::collections::BTreeMap;

/// All claims of a paper.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claims {
    /// The paper's letter.
    pub paper: String,
    /// Its title.
    pub title: String,
    /// Where it appeared.
    pub cite: String,
    /// The claims.
    pub claim: Vec<Claim>,
}

/// One claim.
#[derive(Clone, Debug, Deserialize)]
pub struct Claim {
    /// Its name: `E1`.
    pub id: String,
    /// The claim in a sentence.
    pub statement: String,
    /// Where the paper makes it.
    pub r#where: String,
    /// The scenarios whose records it is measured on.
    #[serde(default)]
    pub figures: Vec<String>,
    /// How it is measured.
    #[serde(flatten)]
    pub measure: Measure,
    /// The table of the paper, for [`crate::measure::Statistic::Matches`].
    pub table: Option<String>,
    /// How cells become one number.
    pub aggregate: String,
    /// The paper's number, two numbers, or word.
    pub paper: toml::Value,
    /// Bounds of the statistic.
    pub accept: [f64; 2],
    /// Further conditions.
    #[serde(default)]
    pub also: Vec<Condition>,
    /// The paper's absolute numbers, for the table of cells.
    pub rates: Option<Rates>,
    /// The same measured with other programs.
    #[serde(default)]
    pub other_programs: Vec<OtherProgram>,
    #[serde(flatten)]
    _rest: NothingElse,
}

/// A further condition of a claim.
#[derive(Clone, Debug, Deserialize)]
pub struct Condition {
    /// The condition in a sentence.
    pub what: String,
    /// The scenarios whose records it is measured on; by default those of its claim.
    #[serde(default)]
    pub figures: Vec<String>,
    /// How it is measured.
    #[serde(flatten)]
    pub measure: Measure,
    /// Bounds of the statistic.
    pub accept: [f64; 2],
    #[serde(flatten)]
    _rest: NothingElse,
}

/// A claim as a reading measures it. Its bounds are fixed before the first run, like those of the claim.
#[derive(Clone, Debug, Deserialize)]
pub struct Measured {
    /// How it is measured.
    #[serde(flatten)]
    pub measure: Measure,
    /// How cells become one number.
    pub aggregate: String,
    /// Bounds of the statistic.
    pub accept: [f64; 2],
    /// Further conditions.
    #[serde(default)]
    pub also: Vec<Condition>,
    #[serde(flatten)]
    _rest: NothingElse,
}

impl Measured {
    /// The claim measured in this way.
    pub(crate) fn of(&self, claim: Claim) -> Claim {
        let Measured { measure, aggregate, accept, also, .. } = self.clone();
        Claim { measure, aggregate, accept, also, ..claim }
    }
}

impl Claim {
    /// All scenarios whose records decide it: its own, and those of its further conditions.
    pub fn decided_by(&self) -> impl Iterator<Item = &String> {
        self.figures.iter().chain(self.also.iter().flat_map(|condition| &condition.figures))
    }
}

/// Absolute numbers in kb/s: by scheme, then by TCP.
#[derive(Clone, Debug, Deserialize)]
pub struct Rates {
    /// How far a cell may be off, in percent.
    pub tolerance_percent: f64,
    /// The paper's table.
    #[serde(flatten)]
    pub by_scheme: BTreeMap<String, BTreeMap<String, f64>>,
}

impl Rates {
    /// The paper's number for the cell of these values.
    pub fn of(&self, values: &BTreeMap<String, String>) -> Option<f64> {
        self.by_scheme.get(values.get("scheme")?)?.get(values.get("variant")?).copied()
    }
}

impl Claims {
    /// Whether one of them is about this table.
    pub fn claims_table(&self, table: &str) -> bool {
        self.claim.iter().any(|claim| claim.table.as_deref() == Some(table))
    }
}
