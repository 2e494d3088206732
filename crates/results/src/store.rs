//! The folder of a sweep: files of lines, each written by one process at a time.

use crate::error::Error;
use crate::line::{Line, parse_lines, whole_length};
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// The name of the file of lines of a sweep that is not divided; shards have `runs-1-of-4.jsonl`.
pub const LINES: &str = "runs.jsonl";

/// A file of lines that is being added to. No other process adds to it meanwhile.
#[derive(Debug)]
pub(crate) struct LineFile {
    path: PathBuf,
    file: File,
    /// Bytes that are whole lines.
    length: u64,
}

/// What was found in a file.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(crate) lines: Vec<Line>,
    /// Whole lines that cannot be read.
    pub(crate) damaged: usize,
    /// What a reader should know.
    pub(crate) notes: Vec<String>,
}

impl LineFile {
    /// Open a file to add to, making it if need be. A line that was torn off when it was last written is
    /// taken away.
    pub(crate) fn open(path: &Path) -> Result<(Self, Found), Error> {
        let fail = |cause| Error::write(path, cause);
        let mut options = OpenOptions::new();
        let mut file = options.read(true).append(true).create(true).open(path).map_err(fail)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let reason = format!("another process is writing to {}", path.display());
                return Err(Error::refused(
                    reason,
                    "wait for it, or divide the work with --shard 1/2 and 2/2",
                ));
            }
            Err(TryLockError::Error(cause)) => return Err(fail(cause)),
        }
        let mut text = Vec::new();
        file.read_to_end(&mut text).map_err(|cause| Error::read(path, cause))?;
        let whole = whole_length(&text);
        let mut found = found(path, &text);
        if whole < text.len() {
            file.set_len(whole as u64).map_err(fail)?;
            let note = format!("{}: the last line was torn off; its run is repeated", path.display());
            found.notes.push(note);
        }
        Ok((LineFile { path: path.to_owned(), file, length: whole as u64 }, found))
    }

    /// Add whole lines; they are on the disk afterwards. On failure the file is as it was before.
    pub(crate) fn append(&mut self, lines: &str) -> io::Result<()> {
        let written = self.file.write_all(lines.as_bytes()).and_then(|()| self.file.sync_data());
        match written {
            Ok(()) => self.length += lines.len() as u64,
            // What cannot be taken away again is found to be torn off by whoever opens the file next.
            Err(_) => drop(self.file.set_len(self.length)),
        }
        written
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Remove the file, whose lines are elsewhere by now.
    pub(crate) fn remove(self) -> Result<(), Error> {
        std::fs::remove_file(&self.path).map_err(|cause| Error::write(&self.path, cause))
    }
}

fn found(path: &Path, text: &[u8]) -> Found {
    let (lines, damaged) = parse_lines(text);
    let mut notes = Vec::new();
    if damaged > 0 {
        let plural = if damaged == 1 { "" } else { "s" };
        notes.push(format!("{}: {damaged} damaged line{plural} passed over", path.display()));
    }
    Found { lines, damaged, notes }
}

/// The files of lines in a folder, in alphabetical order.
///
/// # Errors
/// When the folder cannot be read.
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

/// All lines of these files, each key once, in the order in which they stand.
///
/// # Errors
/// When one of them cannot be read.
pub(crate) fn read_lines(files: &[PathBuf]) -> Result<Found, Error> {
    let mut all = Found::default();
    let mut known = BTreeMap::new();
    for path in files {
        let text = std::fs::read(path).map_err(|cause| Error::read(path, cause))?;
        let found = found(path, &text);
        all.notes.extend(found.notes);
        all.damaged += found.damaged;
        for line in found.lines {
            if known.insert(line.key.clone(), ()).is_none() {
                all.lines.push(line);
            }
        }
    }
    Ok(all)
}
