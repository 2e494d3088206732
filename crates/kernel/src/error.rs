//! Why a kernel was not built, found or removed.

use std::fmt;
use std::io;
use std::path::Path;

/// Why something was not done.
#[derive(Debug)]
pub enum Error {
    /// What was asked for is not possible; the message names the fix.
    Input(String),
    /// It failed on the way.
    Failed(String),
    /// The user asked to stop; a repeated call continues.
    Interrupted,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Input(message) | Error::Failed(message) => f.write_str(message),
            Error::Interrupted => f.write_str("interrupted"),
        }
    }
}

impl std::error::Error for Error {}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        Error::Failed(error.to_string())
    }
}

/// A failure with a file or folder, and what was attempted.
pub(crate) fn failed(attempt: &str, path: &Path) -> impl FnOnce(io::Error) -> Error {
    move |error| Error::Failed(format!("{attempt} {}: {error}", path.display()))
}
