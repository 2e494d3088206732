//! The result document (JSON) of an experiment, and its provenance.

use crate::run::CellResult;
use crate::summary::{FlowSummary, label};
use seamline_config::source::SourceId;
use seamline_report::record::RunRecord;
use seamline_scenario::plan::Plan;
use serde::Serialize;

/// The version of this program and a fingerprint of the sources that results depend on. While it stays the same, the
/// same scenario and seed give the same record.
pub const ENGINE: &str = concat!(env!("CARGO_PKG_VERSION"), "+", env!("SEAMLINE_ENGINE"));

/// What produced a result, and how to reproduce it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Provenance {
    /// The version of this program.
    pub seamline: &'static str,
    /// The fingerprint of the engine, see [`ENGINE`].
    pub engine: &'static str,
    /// The commit it was built from, with `-dirty` when there were uncommitted changes; `unknown` outside a
    /// repository.
    pub revision: &'static str,
    /// The path of the scenario as given.
    pub scenario: String,
    /// The BLAKE3 hash of the scenario's text.
    pub scenario_blake3: String,
    /// `--set` arguments.
    pub overrides: Vec<String>,
    /// The command that reproduces the result.
    pub reproduce: String,
}

impl Provenance {
    /// The provenance of a plan with its command.
    pub fn new(plan: &Plan, reproduce: String) -> Self {
        let file = plan.sources.get(SourceId::FILE);
        Provenance {
            seamline: env!("CARGO_PKG_VERSION"),
            engine: ENGINE,
            revision: env!("SEAMLINE_REVISION"),
            scenario: file.name.clone(),
            scenario_blake3: blake3::hash(file.text.as_bytes()).to_hex().to_string(),
            overrides: plan.sources.iter().skip(1).map(|source| source.text.clone()).collect(),
            reproduce,
        }
    }
}

/// The text of the first comment of a capture.
impl std::fmt::Display for Provenance {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "seamline {} (revision {})", self.seamline, self.revision)?;
        writeln!(f, "scenario {} (blake3 {})", self.scenario, self.scenario_blake3)?;
        write!(f, "{}", self.reproduce)
    }
}

/// The result document: all grid cells with their runs, and the summary.
#[derive(Clone, Debug, Serialize)]
pub struct ResultDocument<'a> {
    /// What produced it.
    pub provenance: &'a Provenance,
    /// The identity of all grid cells: everything they depend on, including the content of input files, but not seeds
    /// and program.
    pub identity: String,
    /// The title of the scenario.
    pub title: Option<&'a str>,
    /// The common part of all grid cells: the scenario without its grid.
    pub scenario: &'a serde_json::Value,
    /// Length of a run in seconds.
    pub duration_s: f64,
    /// All grid cells in order.
    pub cells: Vec<CellResultDocument<'a>>,
    /// Each flow of each grid cell over all seeds, compared with the baseline.
    pub summary: &'a [FlowSummary],
}

/// The result of one grid cell.
#[derive(Clone, Debug, Serialize)]
pub struct CellResultDocument<'a> {
    /// Its name.
    pub name: String,
    /// The values that the grid set.
    pub values: serde_json::Map<String, serde_json::Value>,
    /// Its runs, one per seed.
    pub runs: &'a [RunRecord],
}

impl<'a> ResultDocument<'a> {
    /// Combine the parts of a result.
    pub fn new(
        plan: &'a Plan,
        results: &'a [CellResult],
        summary: &'a [FlowSummary],
        provenance: &'a Provenance,
    ) -> Self {
        let first = plan.cells.first().map(|cell| &cell.scenario);
        let cells = plan.cells.iter().zip(results).enumerate().map(|(index, (cell, result))| {
            let values = cell.values.iter().map(|(path, value)| (path.clone(), value.to_json()));
            CellResultDocument { name: label(plan, index), values: values.collect(), runs: &result.runs }
        });
        ResultDocument {
            provenance,
            identity: plan.identity().to_string(),
            title: first.and_then(|scenario| scenario.title.as_deref()),
            scenario: &plan.base,
            duration_s: first.map_or(0.0, |scenario| scenario.duration.as_secs_f64()),
            cells: cells.collect(),
            summary,
        }
    }

    /// Format as indented JSON with a final line break.
    ///
    /// # Errors
    /// Never in practice: every value is valid JSON.
    pub fn to_json(&self) -> serde_json::Result<String> {
        serde_json::to_string_pretty(self).map(|text| text + "\n")
    }
}

/// Quote a word for the shell if necessary.
pub fn quoted(word: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_./=,+:".contains(letter);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}
