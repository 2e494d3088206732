//! How many files this process may have open.

use seamline_host::metrics::CLIENTS;
use seamline_host::process::open_files;
use std::io;

/// Open files other than split connections: interfaces, locks, listeners, clients, the log, pipes to programs.
pub(super) const OWN: usize = 64 + CLIENTS;

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
