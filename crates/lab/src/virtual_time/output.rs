//! What a guest leaves: files of its runs, and what its commands print.

use seamline_experiment::atomic::{self, WriteError};
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// Move the single file of a folder that a guest has written to its place on the host. `None` when there is none.
pub(super) fn take_file(from: &Path, to: &Path) -> Result<Option<PathBuf>, WriteError> {
    let Some(Ok(entry)) = fs::read_dir(from).ok().and_then(|mut entries| entries.next()) else {
        return Ok(None);
    };
    let bytes = fs::read(entry.path()).map_err(|cause| WriteError { path: to.to_owned(), cause })?;
    atomic::write(to, &bytes).map(Some)
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
