//! The folder that a guest and its host share: the job, the results, what the guest prints, and how far it is.

use super::own_folder::OwnFolder;
use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Where the guest finds the folder.
pub(super) const IN_GUEST: &str = "/run/seamline";

/// Where the guest's kernel finds it on the host: a name that is the same for all guests.
pub(super) const ON_HOST: &str = "/proc/self/cwd";

/// A file or folder of the shared folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shared {
    /// What the program is to do; written by the host.
    Job,
    /// What came of it; written by the guest.
    Result,
    /// Files that the program leaves.
    Output,
    /// The standard output of the program's own commands.
    StandardOutput,
    /// Their standard error.
    StandardError,
    /// The virtual time in nanoseconds up to which the guest has come.
    Progress,
}

impl Shared {
    fn name(self) -> &'static str {
        match self {
            Shared::Job => "job",
            Shared::Result => "result",
            Shared::Output => "output",
            Shared::StandardOutput => "stdout",
            Shared::StandardError => "stderr",
            Shared::Progress => "progress",
        }
    }

    /// Its path in the guest.
    pub fn in_guest(self) -> PathBuf {
        Path::new(IN_GUEST).join(self.name())
    }
}

/// The folder, as the host sees it. It is removed with this value.
#[derive(Debug)]
pub(super) struct SharedFolder {
    pub(super) folder: OwnFolder,
}

impl SharedFolder {
    /// A new one in the host's folder for temporary files.
    ///
    /// # Errors
    /// When it cannot be created, or its path has bytes that a kernel's command line cannot carry.
    pub(super) fn new() -> io::Result<Self> {
        let folder = OwnFolder::new(&env::temp_dir())?;
        let plain = |byte: &u8| byte.is_ascii_graphic() && !b"\"',".contains(byte);
        if !folder.path().as_os_str().as_encoded_bytes().iter().all(plain) {
            return Err(io::Error::other(format!(
                "{}: a guest cannot use a directory with blanks, quotes or commas in its path\ntip: set TMPDIR to another",
                folder.path().display()
            )));
        }
        fs::create_dir(folder.path().join(Shared::Output.name()))?;
        for file in [Shared::StandardOutput, Shared::StandardError, Shared::Progress] {
            fs::write(folder.path().join(file.name()), "")?;
        }
        Ok(SharedFolder { folder })
    }

    /// The path of one of its files on the host.
    pub(super) fn path(&self, of: Shared) -> PathBuf {
        self.folder.path().join(of.name())
    }
}
