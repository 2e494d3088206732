//! Line-based files that one process at a time appends to. An interrupted write leaves whole lines and possibly a
//! truncated one.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

/// A file that this process appends lines to. A lock keeps other processes out.
#[derive(Debug)]
pub struct LineFile {
    path: PathBuf,
    file: File,
    /// The length of all whole lines in bytes.
    length: u64,
}

impl LineFile {
    /// Open a file for appending, and create it if necessary. Returns it with its whole lines, and whether a
    /// truncated line at its end was removed.
    ///
    /// # Errors
    /// When it cannot be read or written; [`ErrorKind::ResourceBusy`] while another process holds the lock.
    pub fn open(path: &Path) -> io::Result<(Self, Vec<u8>, bool)> {
        let mut file = OpenOptions::new().read(true).append(true).create(true).open(path)?;
        file.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => ErrorKind::ResourceBusy.into(),
            TryLockError::Error(error) => error,
        })?;
        let mut text = Vec::new();
        file.read_to_end(&mut text)?;
        let whole = whole_length(&text);
        let is_truncated = whole < text.len();
        if is_truncated {
            file.set_len(whole as u64)?;
            text.truncate(whole);
        }
        Ok((LineFile { path: path.to_owned(), file, length: whole as u64 }, text, is_truncated))
    }

    /// Append whole lines and sync them to disk. On failure the file is as before.
    ///
    /// # Errors
    /// When the lines cannot be written.
    pub fn append(&mut self, lines: &str) -> io::Result<()> {
        let written = self.file.write_all(lines.as_bytes()).and_then(|()| self.file.sync_data());
        match written {
            Ok(()) => self.length += lines.len() as u64,
            // If truncating fails too, the next open finds and removes the partial line.
            Err(_) => drop(self.file.set_len(self.length)),
        }
        written
    }

    /// The path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Remove the file after its lines have been stored elsewhere.
    ///
    /// # Errors
    /// When it cannot be removed.
    pub fn remove(self) -> io::Result<()> {
        std::fs::remove_file(&self.path)
    }
}

/// The number of bytes up to the last line break.
pub fn whole_length(text: &[u8]) -> usize {
    text.iter().rposition(|byte| *byte == b'\n').map_or(0, |place| place + 1)
}
