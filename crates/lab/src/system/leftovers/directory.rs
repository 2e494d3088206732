//! A folder that belongs to the user alone.

use crate::system::explained;
use nix::unistd::geteuid;
use std::env;
use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// The first of the usual places that can be used.
pub(super) fn find() -> io::Result<PathBuf> {
    let user = geteuid().as_raw();
    // Under `sudo` it may be that of another user, who would find our folder there.
    let own =
        |path: &PathBuf| path.is_absolute() && fs::metadata(path).is_ok_and(|folder| folder.uid() == user);
    let runtime =
        env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from).filter(own).map(|path| path.join("seamline"));
    let system = [PathBuf::from("/run/seamline"), PathBuf::from(format!("/tmp/seamline-{user}"))];
    let mut refused = io::Error::from(ErrorKind::NotFound);
    for path in runtime.into_iter().chain(system) {
        match make(&path) {
            Ok(()) => return Ok(path),
            Err(error) => refused = error,
        }
    }
    Err(refused)
}

/// Make the folder unless it exists, and check that no other user can write to it or has made it.
pub(super) fn make(path: &Path) -> io::Result<()> {
    let tried = |error| explained(error, format_args!("the directory {} for running labs", path.display()));
    match DirBuilder::new().mode(0o700).create(path) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(tried(error)),
        _ => {}
    }
    let flags = libc::O_DIRECTORY | libc::O_NOFOLLOW;
    let folder = OpenOptions::new().read(true).custom_flags(flags).open(path).map_err(tried)?.metadata()?;
    let problem = if folder.uid() != geteuid().as_raw() {
        "it belongs to another user, who may remove it"
    } else if folder.mode() & 0o077 != 0 {
        "others may use it; `chmod 700` fixes that"
    } else {
        return Ok(());
    };
    Err(tried(io::Error::new(ErrorKind::PermissionDenied, problem)))
}
