//! What a guest leaves: files of its runs, and what its commands print.

use seamline_experiment::atomic::{self, WriteError};
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// Move the files of a folder that a guest has written to a folder of the host, in the order of their names.
pub(super) fn take_files(from: &Path, to: &Path) -> Vec<Result<PathBuf, WriteError>> {
    let entries = fs::read_dir(from).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    let moved = |path: &PathBuf| {
        let to = to.join(path.file_name().unwrap_or_default());
        let bytes = fs::read(path).map_err(|cause| WriteError { path: to.clone(), cause })?;
        atomic::write(&to, &bytes)
    };
    paths.iter().map(moved).collect()
}

/// Passes on what a guest appends to a file.
#[derive(Debug)]
pub(super) struct Follower<W> {
    file: File,
    to: W,
}

impl<W: Write> Follower<W> {
    pub(super) fn new(path: &Path, to: W) -> io::Result<Self> {
        Ok(Follower { file: File::open(path)?, to })
    }

    /// Pass on what is new. When the other end is gone, the rest goes nowhere, as with any command in a pipe.
    pub(super) fn pass_on(&mut self) {
        let mut new = Vec::new();
        if self.file.read_to_end(&mut new).is_ok() && !new.is_empty() {
            let _ = self.to.write_all(&new).and_then(|()| self.to.flush());
        }
    }
}
