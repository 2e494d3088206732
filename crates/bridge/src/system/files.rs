//! How many files this process may have open.

use nix::sys::resource::{Resource, getrlimit, setrlimit};
use seamline_host::metrics::CLIENTS;
use std::io;

/// Open files other than split connections: interfaces, locks, listeners, clients, the log, pipes to programs.
pub(super) const OWN: usize = 64 + CLIENTS;

/// How many files this process may open, after raising its limit as far as wanted and allowed.
pub(super) fn open_files(wanted: u64) -> u64 {
    let Ok((soft, hard)) = getrlimit(Resource::RLIMIT_NOFILE) else { return wanted };
    if soft >= wanted {
        return soft;
    }
    let raised = wanted.min(hard);
    setrlimit(Resource::RLIMIT_NOFILE, raised, hard).map_or(soft, |()| raised)
}

/// # Errors
/// If the process may open too few files even without split connections.
pub(super) fn require_own() -> io::Result<()> {
    let files = open_files(OWN as u64);
    if files >= OWN as u64 {
        return Ok(());
    }
    let why =
        format!("this process may open {files} files and needs {OWN}: ulimit -n, or LimitNOFILE= of systemd");
    Err(io::Error::new(io::ErrorKind::InvalidInput, why))
}
