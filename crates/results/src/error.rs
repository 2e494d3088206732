//! Why results could not be stored, read or compared.

use seamline_experiment::atomic::WriteError;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Why something did not work.
#[derive(Debug)]
pub enum Error {
    /// What was asked for makes no sense.
    Refused {
        /// Why.
        reason: String,
        /// What to do instead.
        tip: String,
    },
    /// A file cannot be read.
    Read {
        /// Which.
        path: PathBuf,
        /// Why.
        cause: io::Error,
    },
    /// A file cannot be written.
    Write(WriteError),
    /// A run failed: why. What had finished before is stored.
    Run(String),
    /// Lines could not be stored where they belong.
    Unstored {
        /// Why.
        cause: WriteError,
        /// How many.
        count: usize,
        /// Where they are instead; or the lines themselves, when nothing could be written.
        rescued: Result<PathBuf, String>,
    },
}

impl Error {
    pub(crate) fn refused(reason: impl Into<String>, tip: impl Into<String>) -> Self {
        Error::Refused { reason: reason.into(), tip: tip.into() }
    }
    pub(crate) fn read(path: &Path, cause: io::Error) -> Self {
        Error::Read { path: path.to_owned(), cause }
    }
    pub(crate) fn write(path: &Path, cause: io::Error) -> Self {
        Error::Write(WriteError { path: path.to_owned(), cause })
    }
}

impl From<WriteError> for Error {
    fn from(error: WriteError) -> Self {
        Error::Write(error)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Refused { reason, tip } if tip.is_empty() => f.write_str(reason),
            Error::Refused { reason, tip } => write!(f, "{reason}\ntip: {tip}"),
            Error::Read { path, cause } => write!(f, "cannot read {}: {cause}", path.display()),
            Error::Run(why) => f.write_str(why),
            Error::Write(error) => write!(f, "{error}"),
            Error::Unstored { cause, count, rescued: Ok(path) } => write!(
                f,
                "{cause}\n{count} finished runs are in {} instead; when there is room again: cat {} >> {}",
                path.display(),
                path.display(),
                cause.path.display()
            ),
            Error::Unstored { cause, count, rescued: Err(_) } => write!(
                f,
                "{cause}\n{count} finished runs are on standard output instead; append them to {}",
                cause.path.display()
            ),
        }
    }
}

impl std::error::Error for Error {}
