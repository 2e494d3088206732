//! Results from where they are: the folder of a sweep, a file of lines, or the JSON document of a run.

use crate::error::Error;
use crate::json_lines::{Lines, Rest};
use crate::manifest::{Manifest, Sweep};
use crate::store::{Found, Line, damaged_note, line_files, read_lines, torn_note};
use seamline_experiment::record::RunRecord;
use seamline_scenario::recordings::open_regular;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::Path;

/// Results of one scenario.
#[derive(Clone, Debug, Default)]
pub struct Results {
    /// Their name.
    pub name: String,
    /// The program that computed them; `None` when it is not known.
    pub engine: Option<String>,
    /// The identity of all cells, the files they read included; `None` when it is not known.
    pub identity: Option<String>,
    /// What the cells have in common: the scenario without its grid; `None` when it is not known.
    pub scenario: Option<Value>,
    /// The cells.
    pub cells: Vec<ResultCell>,
    /// What a reader should know.
    pub notes: Vec<String>,
}

/// One cell.
#[derive(Clone, Debug, Default)]
pub struct ResultCell {
    /// What the grid set.
    pub values: Map<String, Value>,
    /// Its runs by seed.
    pub runs: BTreeMap<u64, RunRecord>,
}

/// What is read of the document of `run --json`.
#[derive(Deserialize)]
struct Document {
    provenance: DocumentProvenance,
    identity: Option<String>,
    scenario: Option<Value>,
    cells: Vec<DocumentCell>,
}

#[derive(Deserialize)]
struct DocumentProvenance {
    engine: Option<String>,
}

#[derive(Deserialize)]
struct DocumentCell {
    values: Map<String, Value>,
    runs: Vec<RunRecord>,
}

/// Read results: a folder, a `.jsonl` file, or a JSON document.
///
/// # Errors
/// When there are none, or those of several scenarios.
pub fn load(path: &Path) -> Result<Results, Error> {
    let name = path.display().to_string();
    if path.is_dir() {
        let files = line_files(path)?;
        let (lines, Found { mut notes, torn, .. }) = read_lines(&files)?;
        notes.extend(torn.iter().map(|path| torn_note(path)));
        return of_lines(name, lines, &Manifest::read(path)?, notes);
    }
    let mut text = Vec::new();
    let read = open_regular(path).and_then(|mut file| file.read_to_end(&mut text));
    read.map_err(|cause| Error::read(path, cause))?;
    if let Ok(document) = serde_json::from_slice::<Document>(&text) {
        return Ok(of_document(name, document));
    }
    let Lines { documents: lines, rest: Rest { damaged, is_torn } } = Lines::parse(&text);
    if lines.is_empty() {
        let reason = format!("{name} holds no results");
        return Err(Error::refused(reason, EXPECTED));
    }
    let manifest = Manifest::read(path.parent().unwrap_or(Path::new("")))?;
    let notes = damaged_note(path, &damaged).into_iter().chain(is_torn.then(|| torn_note(path)));
    of_lines(name, lines, &manifest, notes.collect())
}

const EXPECTED: &str =
    "expected the directory of a sweep, its runs.jsonl, or what `seamline run FILE --json` prints";

fn of_document(name: String, document: Document) -> Results {
    let cells = document.cells.into_iter().map(|cell| ResultCell {
        values: cell.values,
        runs: cell.runs.into_iter().map(|run| (run.seed, run)).collect(),
    });
    Results {
        name,
        engine: document.provenance.engine,
        identity: document.identity,
        scenario: document.scenario,
        cells: cells.collect(),
        notes: Vec::new(),
    }
}

fn of_lines(
    name: String,
    lines: Vec<Line>,
    manifest: &Manifest,
    mut notes: Vec<String>,
) -> Result<Results, Error> {
    let origins: BTreeSet<(&str, &str)> =
        lines.iter().map(|line| (line.sweep.as_str(), line.engine.as_str())).collect();
    let Some((sweep, engine)) =
        origins.first().map(|(sweep, engine)| (sweep.to_string(), engine.to_string()))
    else {
        return Err(Error::refused(format!("{name} holds no results"), EXPECTED));
    };
    if origins.len() > 1 {
        let reason = format!("{name} holds the results of {} scenarios or versions", origins.len());
        return Err(Error::refused(reason, "sweep each of them into a directory of its own"));
    }
    let matches = |known: &&Sweep| known.identity == sweep && known.engine == engine;
    let scenario = manifest.sweeps.iter().find(matches).map(|sweep| sweep.scenario.clone());
    if scenario.is_none() {
        notes.push(format!("{name}: without its sweep.json, only the grid of the scenario is known"));
    }
    let mut cells: Vec<ResultCell> = Vec::new();
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    for line in lines {
        let values = Value::Object(line.cell.clone()).to_string();
        let place = *places.entry(values).or_insert_with(|| {
            cells.push(ResultCell { values: line.cell.clone(), runs: BTreeMap::new() });
            cells.len() - 1
        });
        cells[place].runs.insert(line.run.seed, line.run);
    }
    Ok(Results { name, engine: Some(engine), identity: Some(sweep), scenario, cells, notes })
}
