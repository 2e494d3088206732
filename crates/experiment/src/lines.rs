//! Files of lines that are added to, by one process at a time. Who is interrupted while it writes leaves whole lines and a torn one.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

/// A file of lines that is being added to. No other process adds to it meanwhile.
#[derive(Debug)]
pub struct LineFile {
    path: PathBuf,
    file: File,
    /// Bytes that are whole lines.
    length: u64,
}

impl LineFile {
    /// Open a file to add to, making it if need be. Returns it with the whole lines that are in it, and whether a line was torn off
    /// when it was last written, which is taken away.
    ///
    /// # Errors
    /// When it cannot be read or written; [`ErrorKind::ResourceBusy`] while another process adds to it.
    pub fn open(path: &Path) -> io::Result<(Self, Vec<u8>, bool)> {
        let mut file = OpenOptions::new().read(true).append(true).create(true).open(path)?;
        file.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => ErrorKind::ResourceBusy.into(),
            TryLockError::Error(error) => error,
        })?;
        let mut text = Vec::new();
        file.read_to_end(&mut text)?;
        let whole = whole_length(&text);
        let is_torn = whole < text.len();
        if is_torn {
            file.set_len(whole as u64)?;
            text.truncate(whole);
        }
        Ok((LineFile { path: path.to_owned(), file, length: whole as u64 }, text, is_torn))
    }

    /// Add whole lines; they are on the disk afterwards. On failure the file is as it was before.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn append(&mut self, lines: &str) -> io::Result<()> {
        let written = self.file.write_all(lines.as_bytes()).and_then(|()| self.file.sync_data());
        match written {
            Ok(()) => self.length += lines.len() as u64,
            // What cannot be taken away again is found to be torn off by whoever opens the file next.
            Err(_) => drop(self.file.set_len(self.length)),
        }
        written
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Remove the file, whose lines are elsewhere by now.
    ///
    /// # Errors
    /// When it cannot be removed.
    pub fn remove(self) -> io::Result<()> {
        std::fs::remove_file(&self.path)
    }
}

/// Bytes up to the last line break.
pub fn whole_length(text: &[u8]) -> usize {
    text.iter().rposition(|byte| *byte == b'\n').map_or(0, |place| place + 1)
}
