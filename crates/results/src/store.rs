//! The folder of a sweep: files of lines, each written by one process at a time.

use crate::error::Error;
use crate::json_lines::{self, Rest};
use seamline_experiment::lines::LineFile;
use seamline_experiment::record::RunRecord;
use seamline_experiment::report::engine;
use seamline_report::quantity::plural;
use seamline_scenario::Plan;
use seamline_scenario::identity::Identity;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The name of the file of lines of a sweep that is not divided; shards have `runs-1-of-4.jsonl`.
pub const LINES: &str = "runs.jsonl";

/// One finished run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// BLAKE3 of the cell, the seed and the program, 128 bits in hexadecimal: two lines with the same key are
    /// the same line.
    pub key: String,
    /// The program that computed it ([`engine()`]).
    pub engine: String,
    /// The sweep it belongs to: the identity of its plan.
    pub sweep: String,
    /// What the grid set.
    pub cell: Map<String, Value>,
    /// The record of the run.
    pub run: RunRecord,
}

/// The key of a run of a grid cell by this program.
pub fn key(cell: Identity, seed: u64) -> String {
    cell.run_key(seed, engine())
}

/// Keys of lines, which take few bytes each.
#[derive(Clone, Debug, Default)]
pub(crate) struct Keys(BTreeSet<[u8; 16]>);

impl Keys {
    /// Add a key. Returns whether it is new.
    pub(crate) fn insert(&mut self, key: &str) -> bool {
        self.0.insert(Keys::short(key))
    }
    pub(crate) fn contains(&self, key: &str) -> bool {
        self.0.contains(&Keys::short(key))
    }
    /// What stands for a key.
    pub(crate) fn short(key: &str) -> [u8; 16] {
        blake3::hash(key.as_bytes()).as_bytes()[..16].try_into().expect("a hash has 32 bytes")
    }
}

impl Line {
    /// The line of a run that has just finished. `sweep` is the identity of the plan.
    pub fn new(plan: &Plan, sweep: &str, cell: usize, run: RunRecord) -> Self {
        let cell = &plan.cells[cell];
        Line {
            key: key(cell.identity, run.seed),
            engine: engine().to_owned(),
            sweep: sweep.to_owned(),
            cell: cell.values.iter().map(|(path, value)| (path.clone(), value.to_json())).collect(),
            run,
        }
    }

    /// As text, ending with a line break.
    ///
    /// # Errors
    /// Never in practice: every value can be written as JSON.
    pub fn to_text(&self) -> serde_json::Result<String> {
        serde_json::to_string(self).map(|text| text + "\n")
    }
}

/// What was found in files, besides their lines.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// Files that end within a line: a run is writing it, or was interrupted.
    pub(crate) torn: Vec<PathBuf>,
    /// What a reader should know.
    pub(crate) notes: Vec<String>,
}

/// Open a file to append to, making it if need be; and what a reader should know.
pub(crate) fn open(path: &Path) -> Result<(LineFile, Option<String>), Error> {
    let tip = "wait for it, or divide the work with --shard 1/2 and 2/2";
    let (file, was_torn) = json_lines::open(path, tip)?;
    let note = || format!("{}: the last line was incomplete; its run is repeated", path.display());
    Ok((file, was_torn.then(note)))
}

/// The most line numbers that a note lists.
const MOST_LISTED: usize = 20;

/// Which lines of a file cannot be read, and how to repair it.
pub(crate) fn damaged_note(path: &Path, damaged: &[(usize, String)]) -> Option<String> {
    if damaged.is_empty() {
        return None;
    }
    let numbers: Vec<String> = damaged.iter().take(MOST_LISTED).map(|(line, _)| line.to_string()).collect();
    let more = if damaged.len() > MOST_LISTED { ", ..." } else { "" };
    Some(format!(
        "{path}: {} skipped: line {}{more}; to repair it, delete them (sed -i '{}d' {path}) and repeat the sweep, which runs only \
         what is missing",
        plural(damaged.len(), "damaged line"),
        numbers.join(", "),
        numbers.join("d;"),
        path = path.display(),
    ))
}

/// That a file ends within a line.
pub(crate) fn torn_note(path: &Path) -> String {
    format!(
        "{}: the last line is incomplete and skipped; repeat the sweep, which removes it and runs only what is missing",
        path.display()
    )
}

/// The files of lines in a folder, in alphabetical order.
pub(crate) fn line_files(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let fail = |cause| Error::read(folder, cause);
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(fail)? {
        let path = entry.map_err(fail)?.path();
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if name.strip_prefix("runs").is_some_and(|rest| rest.ends_with(".jsonl")) {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// Whether a folder has files of lines: a sweep into it goes on.
pub fn has_lines(folder: &Path) -> bool {
    line_files(folder).is_ok_and(|files| !files.is_empty())
}

/// Take all lines of these files one by one, each key once, in the order of the files. `known` are the keys to leave out; it gets the
/// others.
pub(crate) fn each_line(
    files: &[PathBuf],
    known: &mut Keys,
    mut take: impl FnMut(Line),
) -> Result<Found, Error> {
    let mut found = Found::default();
    for path in files {
        let Rest { damaged, is_torn } = json_lines::each_of(path, |line: Line| {
            if known.insert(&line.key) {
                take(line);
            }
        })?;
        found.notes.extend(damaged_note(path, &damaged));
        found.torn.extend(is_torn.then(|| path.clone()));
    }
    Ok(found)
}

/// All lines of these files, each key once, in the order of the files.
pub(crate) fn read_lines(files: &[PathBuf]) -> Result<(Vec<Line>, Found), Error> {
    let mut lines = Vec::new();
    let found = each_line(files, &mut Keys::default(), |line| lines.push(line))?;
    Ok((lines, found))
}
