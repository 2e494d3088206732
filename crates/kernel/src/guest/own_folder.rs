//! Folders of a guest on the host, which go with the process that made them, however it ends.

use nix::fcntl::{Flock, FlockArg};
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use tempfile::TempDir;

const PREFIX: &str = "seamline-guest-";
/// Locked for as long as its folder is in use. The lock ends with the process.
const LOCK: &str = "lock";

/// A folder that is removed with this value. What a killed process has left is removed before the next one is made.
#[derive(Debug)]
pub(super) struct OwnFolder {
    folder: TempDir,
    _lock: Flock<File>,
}

impl OwnFolder {
    pub(super) fn new(parent: &Path) -> io::Result<Self> {
        remove_abandoned(parent);
        let folder = tempfile::Builder::new().prefix(PREFIX).tempdir_in(parent)?;
        // The name appears when the lock is held: a process that finds it unlocked may remove the folder.
        let unlocked = folder.path().join("unlocked");
        let lock = File::create(&unlocked)?;
        let lock = Flock::lock(lock, FlockArg::LockExclusiveNonblock).map_err(|(_, error)| error)?;
        fs::rename(unlocked, folder.path().join(LOCK))?;
        Ok(OwnFolder { folder, _lock: lock })
    }

    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(super) fn parent(&self) -> &Path {
        self.path().parent().unwrap_or(self.path())
    }
}

/// Remove folders of this user whose process has ended. What cannot be removed stays.
fn remove_abandoned(parent: &Path) {
    let user = nix::unistd::geteuid().as_raw();
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let is_ours = entry.file_name().to_string_lossy().starts_with(PREFIX)
            && entry.metadata().is_ok_and(|it| it.is_dir() && it.uid() == user);
        if is_ours && is_abandoned(&entry.path()) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

fn is_abandoned(folder: &Path) -> bool {
    let lock = File::open(folder.join(LOCK));
    lock.is_ok_and(|lock| Flock::lock(lock, FlockArg::LockExclusiveNonblock).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_folders_that_nothing_holds_are_removed() {
        let parent = tempfile::tempdir().unwrap();
        let held = OwnFolder::new(parent.path()).unwrap();
        let (left, unfinished) =
            (parent.path().join("seamline-guest-1"), parent.path().join("seamline-guest-2"));
        let other = parent.path().join("other");
        for folder in [&left, &unfinished, &other] {
            fs::create_dir(folder).unwrap();
        }
        for folder in [&left, &other] {
            fs::write(folder.join(LOCK), "").unwrap();
        }
        let second = OwnFolder::new(parent.path()).unwrap();
        assert!(held.path().exists() && second.path().exists() && unfinished.exists() && other.exists());
        assert!(!left.exists());
        drop((held, second));
        assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 2);
    }
}
