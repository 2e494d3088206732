//! The result document (JSON) of an experiment, and its provenance.

use crate::summary::FlowSummary;
use seamline_config::source::SourceId;
pub use seamline_report::Provenance;
use seamline_report::Report;
use seamline_report::record::RunRecord;
use seamline_scenario::plan::{Cell, Plan};
use seamline_scenario::schema::added;
use serde::{Serialize, Serializer};
use serde_json::json;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::sync::OnceLock;

/// The version of this program and a fingerprint of the sources that results depend on. While it stays the same, the
/// same scenario and seed give the same record.
///
/// A program with congestion controls of other crates adds a fingerprint of itself: their sources are not ours.
pub fn engine() -> &'static str {
    const OURS: &str = concat!(env!("CARGO_PKG_VERSION"), "+", env!("SEAMLINE_ENGINE"));
    static WITH_OTHERS: OnceLock<String> = OnceLock::new();
    if added::are_compiled() { WITH_OTHERS.get_or_init(|| format!("{OURS}+{}", fingerprint())) } else { OURS }
}

/// 64 bits in hexadecimal of the file of this program.
fn fingerprint() -> String {
    let hash = || -> std::io::Result<blake3::Hash> {
        let mut program = BufReader::new(File::open(std::env::current_exe()?)?);
        let mut hasher = blake3::Hasher::new();
        loop {
            let read = program.fill_buf()?;
            if read.is_empty() {
                return Ok(hasher.finalize());
            }
            hasher.update(read);
            let length = read.len();
            program.consume(length);
        }
    };
    hash().map_or("unknown".to_owned(), |hash| hash.to_hex()[..16].to_owned())
}

/// The provenance of a plan, with the command that reproduces its results.
pub fn provenance_of(plan: &Plan, reproduce: String) -> Provenance {
    let file = plan.sources.get(SourceId::FILE);
    Provenance {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        engine: engine().to_owned(),
        revision: env!("SEAMLINE_REVISION").to_owned(),
        scenario: file.name.clone(),
        scenario_blake3: blake3::hash(file.text.as_bytes()).to_hex().to_string(),
        overrides: plan.sources.iter().skip(1).map(|source| source.text.clone()).collect(),
        seeds: plan.cells.first().map(|cell| cell.scenario.seeds.clone()).unwrap_or_default(),
        reproduce,
        scenario_text: file.text.clone(),
    }
}

/// The result document: all grid cells with their runs, and the summary.
#[derive(Clone, Debug, Serialize)]
pub struct ResultDocument<'a> {
    /// What produced it.
    #[serde(serialize_with = "without_scenario")]
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
    pub summary: Vec<&'a FlowSummary>,
}

/// The result of one grid cell.
#[derive(Clone, Debug, Serialize)]
pub struct CellResultDocument<'a> {
    /// Its name.
    pub name: &'a str,
    /// The values that the grid set.
    pub values: serde_json::Map<String, serde_json::Value>,
    /// Its runs, one per seed.
    pub runs: &'a [RunRecord],
}

impl<'a> CellResultDocument<'a> {
    /// The result of a grid cell with this name.
    pub fn new(cell: &Cell, name: &'a str, runs: &'a [RunRecord]) -> Self {
        let values = cell.values.iter().map(|(path, value)| (path.clone(), value.to_json()));
        CellResultDocument { name, values: values.collect(), runs }
    }
}

impl<'a> ResultDocument<'a> {
    /// The report of a plan as a document.
    pub fn new(plan: &'a Plan, report: &'a Report) -> Self {
        let first = plan.cells.first().map(|cell| &cell.scenario);
        let cells = plan.cells.iter().zip(&report.cells);
        ResultDocument {
            provenance: &report.provenance,
            identity: plan.identity().to_string(),
            title: first.and_then(|scenario| scenario.title.as_deref()),
            scenario: &plan.base,
            duration_s: report.duration_s,
            cells: cells.map(|(cell, it)| CellResultDocument::new(cell, &it.name, &it.runs)).collect(),
            summary: report.outcomes.iter().map(|outcome| &outcome.summary).collect(),
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

/// A [`ResultDocument`] of more than fits into memory, as text in pieces: the beginning, all grid cells, [`Pieces::MIDDLE`], the summary of all
/// flows, and [`Pieces::END`]. Together they are what [`ResultDocument::to_json`] would be, if there are grid cells and flows.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pieces {
    /// Whether the list has elements.
    has_elements: bool,
}

impl Pieces {
    /// Between the last grid cell and the first flow.
    pub const MIDDLE: &str = "\n  ],\n  \"summary\": [";
    /// After the last flow.
    pub const END: &str = "\n  ]\n}\n";

    /// Up to the first grid cell. `document` has none.
    ///
    /// # Errors
    /// Never in practice: every value is valid JSON.
    pub fn beginning(document: &ResultDocument<'_>) -> serde_json::Result<String> {
        let text = document.to_json()?;
        let rest =
            text.strip_suffix("],\n  \"summary\": []\n}\n").expect("both lists are empty, and at the end");
        Ok(rest.to_owned())
    }

    /// The next element of a list.
    ///
    /// # Errors
    /// Never in practice: every value is valid JSON.
    pub fn element(&mut self, element: &impl Serialize) -> serde_json::Result<String> {
        let comma = if std::mem::replace(&mut self.has_elements, true) { "," } else { "" };
        let text = serde_json::to_string_pretty(element)?.replace('\n', "\n    ");
        Ok(format!("{comma}\n    {text}"))
    }
}

/// The document itself holds the seeds and the scenario, and it names the program where a report says `version`.
fn without_scenario<S: Serializer>(provenance: &Provenance, serializer: S) -> Result<S::Ok, S::Error> {
    let fields = [
        ("seamline", json!(provenance.version)),
        ("engine", json!(provenance.engine)),
        ("revision", json!(provenance.revision)),
        ("scenario", json!(provenance.scenario)),
        ("scenario_blake3", json!(provenance.scenario_blake3)),
        ("overrides", json!(provenance.overrides)),
        ("reproduce", json!(provenance.reproduce)),
    ];
    serializer.collect_map(fields)
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
