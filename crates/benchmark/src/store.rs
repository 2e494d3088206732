//! Where runs are kept: one JSON document to a line, appended as they end, so that an interrupted benchmark goes on where it was.

use crate::case::Job;
use crate::measure::Measured;
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

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
    path: PathBuf,
    file: File,
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
        let runs = match std::fs::read_to_string(&path) {
            Ok(text) => read(&text, &path)?,
            Err(error) if error.kind() == ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(explained(&error, &path)),
        };
        let open = || {
            let file = OpenOptions::new().create(true).append(true).open(&path)?;
            file.try_lock().map_err(|error| match error {
                TryLockError::WouldBlock => {
                    io::Error::new(ErrorKind::ResourceBusy, "another benchmark writes there now")
                }
                TryLockError::Error(error) => error,
            })?;
            let text = std::fs::read(&path)?;
            let whole = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |place| place + 1);
            file.set_len(whole as u64)?;
            Ok(file)
        };
        let file = open().map_err(|error: io::Error| explained(&error, &path))?;
        Ok((Store { path, file }, runs))
    }

    /// The runs of a folder.
    ///
    /// # Errors
    /// When there are none, or a line is no run: which.
    pub fn read(folder: &Path) -> io::Result<Vec<Run>> {
        let path = folder.join(FILE);
        let text = std::fs::read_to_string(&path).map_err(|error| explained(&error, &path))?;
        read(&text, &path)
    }

    /// Keep a run.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn keep(&mut self, run: &Run) -> io::Result<()> {
        let mut line = serde_json::to_string(run)?;
        line.push('\n');
        self.file.write_all(line.as_bytes()).map_err(|error| explained(&error, &self.path))
    }
}

fn read(text: &str, path: &Path) -> io::Result<Vec<Run>> {
    let whole = text.rfind('\n').map_or("", |end| &text[..end]);
    let parse = |(place, line): (usize, &str)| {
        serde_json::from_str(line).map_err(|error| {
            let place = place + 1;
            let why = format!(
                "{}:{place}: no run of this benchmark: {error}\ntip: give --out another folder",
                path.display()
            );
            io::Error::new(ErrorKind::InvalidData, why)
        })
    };
    whole.lines().enumerate().map(parse).collect()
}

fn explained(error: &io::Error, path: &Path) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}
