//! Atomic file writes: a temporary file in the same folder, renamed when complete.

use std::collections::BTreeSet;
use std::fmt;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tempfile::NamedTempFile;

/// A file that could not be written.
#[derive(Debug)]
pub struct WriteError {
    /// The file.
    pub path: PathBuf,
    /// The cause.
    pub cause: io::Error,
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot write {}: {}", self.path.display(), self.cause)
    }
}

impl std::error::Error for WriteError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.cause)
    }
}

/// Write a whole file; missing folders are created. Returns its path.
///
/// # Errors
/// When the folder cannot be created or the file cannot be written.
pub fn write(path: &Path, bytes: &[u8]) -> Result<PathBuf, WriteError> {
    let mut file = AtomicFile::create(path)?;
    file.write_all(bytes).map_err(|cause| WriteError { path: path.to_owned(), cause })?;
    file.finish()
}

/// The temporary files of this process, for [`remove_unfinished`].
static UNFINISHED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

fn unfinished() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Remove all temporary files, before a process ends without dropping what it holds.
pub fn remove_unfinished() {
    for path in std::mem::take(&mut *unfinished()) {
        drop(std::fs::remove_file(path));
    }
}

/// A file being written. Dropping it unfinished leaves nothing behind.
#[derive(Debug)]
pub struct AtomicFile {
    path: PathBuf,
    file: BufWriter<NamedTempFile>,
    _noted: Noted,
}

/// An entry in the list of temporary files.
#[derive(Debug)]
struct Noted(PathBuf);

impl Noted {
    fn new(path: &Path) -> Self {
        unfinished().insert(path.to_owned());
        Noted(path.to_owned())
    }
}

impl Drop for Noted {
    fn drop(&mut self) {
        unfinished().remove(&self.0);
    }
}

impl AtomicFile {
    /// Create a file; missing folders are created.
    ///
    /// # Errors
    /// When the folder cannot be created or is not writable.
    pub fn create(path: &Path) -> Result<Self, WriteError> {
        let fail = |cause| WriteError { path: path.to_owned(), cause };
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        std::fs::create_dir_all(folder).map_err(fail)?;
        let file = NamedTempFile::new_in(folder).map_err(fail)?;
        let noted = Noted::new(file.path());
        Ok(AtomicFile { path: path.to_owned(), file: BufWriter::new(file), _noted: noted })
    }

    /// The write error of this file with its cause.
    pub(crate) fn error(&self, cause: io::Error) -> WriteError {
        WriteError { path: self.path.clone(), cause }
    }

    /// Rename the file to its final path.
    ///
    /// # Errors
    /// When buffered data cannot be written, or the file cannot be renamed.
    pub fn finish(self) -> Result<PathBuf, WriteError> {
        let AtomicFile { path, file, _noted } = self;
        let fail = |cause| WriteError { path: path.clone(), cause };
        let file = file.into_inner().map_err(|error| fail(error.into_error()))?;
        make_readable(&file).map_err(fail)?;
        file.persist(&path).map_err(|error| fail(error.error))?;
        Ok(path)
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Temporary files are readable by their owner only; a result should have the usual permissions.
#[cfg(unix)]
fn make_readable(file: &NamedTempFile) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.as_file().set_permissions(std::fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn make_readable(_file: &NamedTempFile) -> io::Result<()> {
    Ok(())
}
