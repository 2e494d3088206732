//! Line-based files that one process at a time appends to. An interrupted write leaves whole lines and possibly a
//! truncated one.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// A file that this process appends lines to. A lock keeps other processes out.
#[derive(Debug)]
pub struct LineFile {
    path: PathBuf,
    file: File,
    /// The length of all whole lines in bytes.
    length: u64,
}

impl Drop for LineFile {
    fn drop(&mut self) {
        // Closing the file is not enough: a process that another thread starts has it, too, until it executes its program.
        let _ = self.file.unlock();
    }
}

impl LineFile {
    /// Open a file for appending, and create it if necessary. Returns it, and whether a truncated line at its end was removed.
    ///
    /// # Errors
    /// When it cannot be read or written; [`ErrorKind::ResourceBusy`] while another process holds the lock.
    pub fn open(path: &Path) -> io::Result<(Self, bool)> {
        let mut file = OpenOptions::new().read(true).append(true).create(true).open(path)?;
        file.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => ErrorKind::ResourceBusy.into(),
            TryLockError::Error(error) => error,
        })?;
        let whole = whole_length(&mut file)?;
        let is_truncated = whole < file.metadata()?.len();
        if is_truncated {
            file.set_len(whole)?;
        }
        Ok((LineFile { path: path.to_owned(), file, length: whole }, is_truncated))
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

/// The number of bytes up to the last line break, looked for from the end on.
fn whole_length(file: &mut File) -> io::Result<u64> {
    let mut end = file.metadata()?.len();
    let mut block = [0; 4096];
    while end > 0 {
        let start = end.saturating_sub(block.len() as u64);
        let block = &mut block[..(end - start) as usize];
        file.seek(SeekFrom::Start(start))?;
        file.read_exact(block)?;
        if let Some(place) = block.iter().rposition(|byte| *byte == b'\n') {
            return Ok(start + place as u64 + 1);
        }
        end = start;
    }
    Ok(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_holds_it_at_a_time_and_frees_it_though_somebody_else_has_the_file_open() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lines");
        let (first, _) = LineFile::open(&path).unwrap();
        assert_eq!(LineFile::open(&path).unwrap_err().kind(), ErrorKind::ResourceBusy);
        let copy = first.file.try_clone().unwrap();
        drop(first);
        assert!(LineFile::open(&path).is_ok());
        drop(copy);
    }
}
