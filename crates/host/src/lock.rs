//! What only one process at a time may do in a network namespace.

use crate::namespace::Identity;
use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, fchown};
use std::path::Path;

/// Only root and the user of Seamline's services can create files there, so others cannot hold a lock either. An abstract socket address would
/// be free for anybody to take.
const FOLDER: &str = "/run/seamline";

/// Why nothing is locked.
pub const WITHOUT: &str =
    "this user can lock no file in /run/seamline, so a second process that does the same would go unnoticed";

/// A lock on a file. It is free again with this value and with the process, however that ends. The file stays, and locks nothing then.
#[derive(Debug)]
pub struct Lock {
    file: File,
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Closing the file is not enough: a process that another thread starts has it, too, until it executes its program.
        let _ = self.file.unlock();
    }
}

impl Lock {
    /// Take the lock of this name in the network namespace of the calling thread. `None` if this user may not create files in `/run/seamline`:
    /// then nothing is locked, and [`WITHOUT`] says so.
    ///
    /// # Errors
    /// `ResourceBusy` if another process holds it; the message is its number. If others may write to the folder.
    pub fn take(name: &str) -> io::Result<Option<Self>> {
        let namespace = Identity::of_thread()?.inode;
        match take_in(Path::new(FOLDER), &format!("{name}-{namespace}.lock")) {
            Err(error) if is_unavailable(&error) => Ok(None),
            taken => taken.map(Some),
        }
    }
}

fn is_unavailable(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem | ErrorKind::NotFound)
}

fn take_in(folder: &Path, name: &str) -> io::Result<Lock> {
    let owner = prepare(folder)?;
    let path = folder.join(name);
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false).mode(0o600);
    let mut file = options.custom_flags(libc::O_NOFOLLOW).open(&path)?;
    let found = file.metadata()?;
    if !found.is_file() || found.nlink() != 1 {
        return Err(refused(&path, "must be a file of its own"));
    }
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Err(held(file)),
        Err(TryLockError::Error(error)) => return Err(error),
    }
    // A file that root makes shall be there for the user of a service, too.
    if found.uid() != owner {
        let _ = fchown(&file, Some(owner), None);
    }
    file.set_len(0)?;
    write!(file, "{}", std::process::id())?;
    Ok(Lock { file })
}

/// Make the folder if it is missing. Returns its owner: root, or the user of a service, for whom systemd has made it.
fn prepare(folder: &Path) -> io::Result<u32> {
    match DirBuilder::new().mode(0o700).create(folder) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    let found = fs::symlink_metadata(folder)?;
    if found.is_dir() && found.mode() & 0o022 == 0 {
        return Ok(found.uid());
    }
    Err(refused(folder, "must be a folder that only its owner can write to"))
}

fn refused(path: &Path, why: &str) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, format!("{0} {why}: rm -r {0}", path.display()))
}

fn held(mut file: File) -> io::Error {
    let mut process = String::new();
    let _ = file.read_to_string(&mut process);
    let who = match process.parse::<u32>() {
        Ok(number) => format!("process {number}"),
        Err(_) => "another process".to_owned(),
    };
    io::Error::new(ErrorKind::ResourceBusy, who)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    fn folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o700)).unwrap();
        folder
    }

    #[test]
    fn one_holds_it_at_a_time_and_is_named() {
        let folder = folder();
        let first = take_in(folder.path(), "a").unwrap();
        let refused = take_in(folder.path(), "a").unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::ResourceBusy);
        assert_eq!(refused.to_string(), format!("process {}", std::process::id()));
        assert!(take_in(folder.path(), "b").is_ok());
        drop(first);
        assert!(take_in(folder.path(), "a").is_ok());
    }

    /// As a process has it that has been started and executes nothing yet.
    #[test]
    fn it_is_free_though_somebody_else_has_the_file_open() {
        let folder = folder();
        let first = take_in(folder.path(), "a").unwrap();
        let copy = first.file.try_clone().unwrap();
        drop(first);
        assert!(take_in(folder.path(), "a").is_ok());
        drop(copy);
    }

    #[test]
    fn the_file_of_a_killed_process_is_in_nobodys_way() {
        let folder = folder();
        fs::write(folder.path().join("a"), "4000000000").unwrap();
        let _taken = take_in(folder.path(), "a").unwrap();
        let own = std::process::id().to_string();
        assert_eq!(fs::read_to_string(folder.path().join("a")).unwrap(), own);
    }

    /// As root only: root and the user of a service keep each other away.
    #[test]
    fn a_file_that_root_makes_belongs_to_the_owner_of_the_folder() {
        if !nix::unistd::geteuid().is_root() {
            return seamline_testing::skip("a_file_that_root_makes", "it takes root");
        }
        let folder = folder();
        std::os::unix::fs::chown(&folder, Some(65_534), None).unwrap();
        let _taken = take_in(folder.path(), "a").unwrap();
        let file = fs::metadata(folder.path().join("a")).unwrap();
        assert_eq!((file.uid(), file.mode() & 0o777), (65_534, 0o600));
    }

    #[test]
    fn links_are_not_followed_and_folders_that_others_can_write_to_are_refused() {
        let folder = folder();
        let victim = folder.path().join("victim");
        fs::write(&victim, "it").unwrap();
        symlink(&victim, folder.path().join("a")).unwrap();
        let error = take_in(folder.path(), "a").unwrap_err();
        assert_eq!(error.raw_os_error(), Some(libc::ELOOP));
        fs::hard_link(&victim, folder.path().join("c")).unwrap();
        assert_eq!(take_in(folder.path(), "c").unwrap_err().kind(), ErrorKind::InvalidData);
        assert_eq!(fs::read_to_string(&victim).unwrap(), "it");
        for (mode, is_refused) in [(0o777, true), (0o1777, true), (0o720, true), (0o755, false)] {
            fs::set_permissions(&folder, fs::Permissions::from_mode(mode)).unwrap();
            let refused = take_in(folder.path(), "b").err();
            let expected = is_refused.then_some(ErrorKind::InvalidData);
            assert_eq!(refused.map(|error| error.kind()), expected, "{mode:o}");
        }
    }
}
