//! The one JSON document of a run, and where it comes from.

use crate::run::CellResult;
use crate::summary::{FlowSummary, label};
use seamline_config::source::SourceId;
use seamline_report::record::RunRecord;
use seamline_scenario::plan::Plan;
use serde::Serialize;

/// The version of this program and a fingerprint of the sources that results depend on: the same scenario and
/// seed give the same record as long as this stays the same.
pub const ENGINE: &str = concat!(env!("CARGO_PKG_VERSION"), "+", env!("SEAMLINE_ENGINE"));

/// What produced a result, and how to produce it again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Provenance {
    /// Version of this program.
    pub seamline: &'static str,
    /// What computes the results, see [`ENGINE`].
    pub engine: &'static str,
    /// Commit it was built from, with `-dirty` when the tree had changes then; `unknown` outside of a
    /// repository.
    pub revision: &'static str,
    /// The scenario as it was named.
    pub scenario: String,
    /// BLAKE3 of the scenario's text.
    pub scenario_blake3: String,
    /// `--set` arguments.
    pub overrides: Vec<String>,
    /// The command that produces the result again.
    pub reproduce: String,
}

impl Provenance {
    /// Of a plan, with the command that leads to it.
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

/// For the first comment of a capture.
impl std::fmt::Display for Provenance {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "seamline {} (revision {})", self.seamline, self.revision)?;
        writeln!(f, "scenario {} (blake3 {})", self.scenario, self.scenario_blake3)?;
        write!(f, "{}", self.reproduce)
    }
}

/// The whole result.
#[derive(Clone, Debug, Serialize)]
pub struct Document<'a> {
    /// Where it comes from.
    pub provenance: &'a Provenance,
    /// The identity of all cells: what they depend on, files that they read included, but for seeds and program.
    pub identity: String,
    /// The title of the scenario.
    pub title: Option<&'a str>,
    /// What the cells have in common: the scenario without its grid.
    pub scenario: &'a serde_json::Value,
    /// Length of a run in seconds.
    pub duration_s: f64,
    /// Every cell of the grid, in its order.
    pub cells: Vec<CellDocument<'a>>,
    /// Each flow of each cell over all seeds, and compared with the baseline.
    pub summary: &'a [FlowSummary],
}

/// One cell of the grid.
#[derive(Clone, Debug, Serialize)]
pub struct CellDocument<'a> {
    /// What it is called.
    pub name: String,
    /// What the grid set.
    pub values: serde_json::Map<String, serde_json::Value>,
    /// Its runs, one for each seed.
    pub runs: &'a [RunRecord],
}

impl<'a> Document<'a> {
    /// Put a result together.
    pub fn new(
        plan: &'a Plan,
        results: &'a [CellResult],
        summary: &'a [FlowSummary],
        provenance: &'a Provenance,
    ) -> Self {
        let first = plan.cells.first().map(|cell| &cell.scenario);
        let cells = plan.cells.iter().zip(results).enumerate().map(|(place, (cell, result))| {
            let values = cell.values.iter().map(|(path, value)| (path.clone(), value.to_json()));
            CellDocument { name: label(plan, place), values: values.collect(), runs: &result.runs }
        });
        Document {
            provenance,
            identity: plan.identity().to_string(),
            title: first.and_then(|scenario| scenario.title.as_deref()),
            scenario: &plan.base,
            duration_s: first.map_or(0.0, |scenario| scenario.duration.as_secs_f64()),
            cells: cells.collect(),
            summary,
        }
    }

    /// As JSON, indented, ending with a line break.
    ///
    /// # Errors
    /// Never in practice: every value can be written as JSON.
    pub fn to_json(&self) -> serde_json::Result<String> {
        serde_json::to_string_pretty(self).map(|text| text + "\n")
    }
}

/// A word for the shell.
pub fn quoted(word: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_./=,+:".contains(letter);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}
