//! A cgroup for each run with a `seamline-host sender`: others that run meanwhile have theirs.

use seamline_lab::system::explained;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A cgroup (version 2) of its own. Dropping it removes it if all its processes have ended.
#[derive(Debug)]
pub(super) struct Cgroup(PathBuf);

impl Cgroup {
    /// Make one below another, called as a run's folder is.
    pub(super) fn below(parent: &Path, folder: &Path) -> io::Result<Self> {
        let name = folder.file_name().ok_or_else(|| io::Error::other("a run has no directory"))?;
        let path = parent.join(name);
        fs::create_dir(&path).map_err(|error| explained(error, path.display()))?;
        Ok(Cgroup(path))
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Cgroup {
    fn drop(&mut self) {
        // What is left when something is still ending is removed with the parent.
        let _ = fs::remove_dir(&self.0);
    }
}
