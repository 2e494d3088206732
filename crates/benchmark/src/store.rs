//! Where runs are kept: one JSON document to a line, appended as they end, so that an interrupted benchmark goes on where it was.

use crate::case::Job;
use crate::measure::Measured;
use seamline_experiment::lines::{LineFile, whole_length};
use serde::{Deserialize, Serialize};
use std::io::{self, ErrorKind};
use std::path::Path;

/// A run that has ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// What was run.
    #[serde(flatten)]
    pub job: Job,
    /// The definition of what is run and measured ([`crate::measure::DEFINITION`]).
    pub definition: u32,
    /// What came of it.
    pub measured: Measured,
    /// How often it was repeated because the host was too busy to emulate it well.
    pub repeated: u32,
    /// Why it should not be trusted; runs with doubts are left out of all numbers.
    pub doubts: Vec<String>,
    /// The kernel's release.
    pub kernel: String,
}

/// The file of a benchmark.
#[derive(Debug)]
pub struct Store {
    file: LineFile,
}

/// The file's name within its folder.
pub const FILE: &str = "runs.jsonl";

impl Store {
    /// Open the file of a folder, which is made if need be, and read what is in it. A last line that is not whole is cut off: its run
    /// was interrupted while it was written.
    ///
    /// # Errors
    /// When it cannot be read or written, or a line is no run: which.
    pub fn open(folder: &Path) -> io::Result<(Self, Vec<Run>)> {
        std::fs::create_dir_all(folder).map_err(|error| explained(&error, folder))?;
        let path = folder.join(FILE);
        let (file, text, _) = LineFile::open(&path).map_err(|error| match error.kind() {
            ErrorKind::ResourceBusy => io::Error::new(
                error.kind(),
                format!("{}: another benchmark writes there now", path.display()),
            ),
            _ => explained(&error, &path),
        })?;
        let runs = read(&text, &path)?;
        Ok((Store { file }, runs))
    }

    /// The runs of a folder.
    ///
    /// # Errors
    /// When there are none, or a line is no run: which.
    pub fn read(folder: &Path) -> io::Result<Vec<Run>> {
        let path = folder.join(FILE);
        let text = std::fs::read(&path).map_err(|error| explained(&error, &path))?;
        read(&text[..whole_length(&text)], &path)
    }

    /// Keep a run; it is on the disk afterwards.
    ///
    /// # Errors
    /// When it cannot be written. The file is as it was before.
    pub fn keep(&mut self, run: &Run) -> io::Result<()> {
        let mut line = serde_json::to_string(run)?;
        line.push('\n');
        self.file.append(&line).map_err(|error| explained(&error, self.file.path()))
    }
}

fn read(lines: &[u8], path: &Path) -> io::Result<Vec<Run>> {
    let parse = |(place, line): (usize, &[u8])| {
        serde_json::from_slice(line).map_err(|error| {
            let place = place + 1;
            let why = format!(
                "{}:{place}: no run of this benchmark: {error}\ntip: give --out another folder",
                path.display()
            );
            io::Error::new(ErrorKind::InvalidData, why)
        })
    };
    lines.split_inclusive(|byte| *byte == b'\n').enumerate().map(parse).collect()
}

fn explained(error: &io::Error, path: &Path) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}
