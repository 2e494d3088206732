//! One build of a kernel at a time.

use crate::Error;
use crate::error::failed;
use nix::errno::Errno;
use nix::fcntl::{Flock, FlockArg};
use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

/// The right to build or remove a kernel; given back when dropped, however the process ends.
#[derive(Debug)]
pub(crate) struct Lock {
    _file: Flock<File>,
}

impl Lock {
    /// Take it.
    ///
    /// # Errors
    /// When another process has it; the message names the process.
    pub(crate) fn take(path: &Path, name: &str) -> Result<Self, Error> {
        let file = File::options().read(true).write(true).create(true).truncate(false).open(path);
        let file = file.map_err(failed("cannot open", path))?;
        match Flock::lock(file, FlockArg::LockExclusiveNonblock) {
            Ok(mut file) => {
                file.set_len(0)?;
                write!(&mut *file, "{}", std::process::id())?;
                Ok(Lock { _file: file })
            }
            Err((_, Errno::EWOULDBLOCK)) => {
                let owner = fs::read_to_string(path).unwrap_or_default();
                Err(Error::Input(format!(
                    "{name} is being built or removed by process {owner}\ntip: wait until it has ended, or end it; what it has done is kept"
                )))
            }
            Err((_, errno)) => Err(failed("cannot lock", path)(errno.into())),
        }
    }
}
