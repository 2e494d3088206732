//! Readers of recorded network conditions.
//!
//! Each takes the bytes of a file, plain or gzip, and gives a part of a [`crate::Schedule`] or all of it.
//! Errors name the file, the line and the field, what is expected there, and what to
//! do; no input makes them panic or ask for more memory than a small multiple of its size.

pub mod csv;
pub mod delay_series;
pub mod leoem;
pub mod mahimahi;
mod text;

use std::fmt;

pub use text::{MAXIMUM_BYTES, Recording, open_regular};

/// Read a recording for what it is, and keep only whether that worked.
type Attempt = fn(&Recording) -> Result<(), ImportError>;

/// The formats that are recognised by content, in the order in which they are tried. Columns of a CSV file must be named.
const RECOGNISED: &[(&str, Attempt)] = &[
    ("leoem", |it| leoem::parse(it, leoem::LeoemOptions::default()).map(drop)),
    ("mahimahi", |it| mahimahi::parse(it).map(drop)),
    ("delay-series", |it| delay_series::parse(it, delay_series::USUAL_INTERVAL).map(drop)),
];

/// The name of the format of a recording, judged by its content.
///
/// # Errors
/// With the name of each format and why the recording is not in it.
pub fn recognise(recording: &Recording) -> Result<&'static str, Vec<(&'static str, ImportError)>> {
    let mut reasons = Vec::new();
    for (name, attempt) in RECOGNISED {
        match attempt(recording) {
            Ok(()) => return Ok(name),
            Err(error) => reasons.push((*name, error)),
        }
    }
    Err(reasons)
}

/// What is wrong with a recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportError {
    /// The file, as it was named by the caller.
    pub file: Box<str>,
    /// Line, counted from one; `None` when it is about the whole file.
    pub line: Option<u64>,
    /// Which field of the line, by its name.
    pub field: Option<Box<str>>,
    /// What was found.
    pub found: Box<str>,
    /// What should be there.
    pub expected: Box<str>,
    /// What to do about it.
    pub help: Box<str>,
}

impl fmt::Display for ImportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file)?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        if let Some(field) = &self.field {
            write!(f, ", {field}")?;
        }
        write!(f, ": found {}, expected {}; {}", self.found, self.expected, self.help)
    }
}

impl std::error::Error for ImportError {}
