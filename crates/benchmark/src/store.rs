//! Where runs are kept: one JSON document to a line, appended as they end, so that what is interrupted continues where it was.

use crate::case::Job;
use crate::measure::Measured;
use crate::trial::Period;
use seamline_experiment::atomic::WriteError;
use seamline_experiment::lines::LineFile;
use seamline_lab::system::explained;
use seamline_results::Error;
use seamline_results::json_lines::{self, Lines};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::io;
use std::marker::PhantomData;
use std::path::Path;

/// A run that has ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// What was run.
    #[serde(flatten)]
    pub job: Job,
    /// The definition of what is run and measured ([`crate::measure::DEFINITION`]).
    pub definition: u32,
    /// Its measurements.
    pub measured: Measured,
    /// How often it was repeated because the host was too busy to emulate it well.
    pub repeated: u32,
    /// Warnings about its quality; runs with any are left out of all numbers.
    #[serde(alias = "doubts")]
    pub warnings: Vec<String>,
    /// The kernel's release.
    pub kernel: String,
}

/// What is kept in a file.
pub trait Kept: Serialize + DeserializeOwned {
    /// The file's name within its folder.
    const FILE: &str;
}

impl Kept for Run {
    const FILE: &str = "runs.jsonl";
}

impl Kept for Period {
    const FILE: &str = "periods.jsonl";
}

/// The file of a benchmark or a trial.
#[derive(Debug)]
pub struct Store<T> {
    file: LineFile,
    kept: PhantomData<T>,
}

const TIP: &str = "give --out another directory";

impl<T: Kept> Store<T> {
    /// Open the file of a folder, which is made if need be, and read what is in it. An incomplete last line is removed: its run
    /// was interrupted while it was written.
    ///
    /// # Errors
    /// When it cannot be read or written, or a line is no run: which.
    pub fn open(folder: &Path) -> Result<(Self, Vec<T>), Error> {
        let write = |path: &Path, cause| WriteError { path: path.to_owned(), cause };
        std::fs::create_dir_all(folder).map_err(|error| write(folder, error))?;
        let path = folder.join(T::FILE);
        let (file, _) = json_lines::open(&path, TIP)?;
        let runs = Lines::read(&path)?;
        Ok((Store { file, kept: PhantomData }, runs.undamaged(&path, TIP)?))
    }

    /// The runs of a folder.
    ///
    /// # Errors
    /// When there are none, or a line is no run: which.
    pub fn read(folder: &Path) -> Result<Vec<T>, Error> {
        let path = folder.join(T::FILE);
        Lines::read(&path)?.undamaged(&path, TIP)
    }

    /// Keep a run; it is on the disk afterwards.
    ///
    /// # Errors
    /// When it cannot be written. The file is as it was before.
    pub fn keep(&mut self, run: &T) -> io::Result<()> {
        let line = serde_json::to_string(run)? + "\n";
        let path = self.file.path().to_owned();
        self.file.append(&line).map_err(|error| explained(error, path.display()))
    }
}
