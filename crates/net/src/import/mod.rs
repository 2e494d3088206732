//! Readers of recorded network conditions.
//!
//! Each takes the bytes of a file, plain or gzip, and gives a part of a [`crate::Schedule`] or all of it.
//! Errors name the file, the line and the field, what is expected there, and what to
//! do; no input makes them panic or ask for more memory than a small multiple of its size.

pub mod csv;
pub mod delay_series;
pub mod leoem;
pub mod mahimahi;
mod summary;
mod text;

use crate::Schedule;
use std::fmt;

pub use text::{MAXIMUM_BYTES, Recording, open_regular};

/// Read a recording as one format.
type Attempt = fn(&Recording) -> Result<Schedule, ImportError>;

/// The formats that are recognised by content, in the order in which they are tried. Columns of a CSV file must be named.
const RECOGNISED: &[(&str, Attempt)] = &[
    ("leoem", |it| leoem::parse(it, leoem::LeoemOptions::default())),
    ("mahimahi", |it| {
        mahimahi::parse(it).map(|it| Schedule { capacity: Some(it.into()), ..Schedule::default() })
    }),
    ("delay-series", |it| {
        let delay = delay_series::parse(it, delay_series::USUAL_INTERVAL)?;
        Ok(Schedule { one_way_delay: Some(delay), ..Schedule::default() })
    }),
];

/// What a recording was taken for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recognised {
    /// The name of the format.
    pub format: &'static str,
    /// What was read: length, and mean, minimum and maximum of the values.
    pub summary: String,
}

/// The format of a recording, judged by its content. A recording that can be read but says what no network does is refused: it is
/// more likely in another format or unit.
///
/// # Errors
/// With the name of each format and why the recording is not in it.
pub fn recognise(recording: &Recording) -> Result<Recognised, Vec<(&'static str, ImportError)>> {
    let mut reasons = Vec::new();
    for (name, attempt) in RECOGNISED {
        let plausible = attempt(recording).and_then(|schedule| summary::of(recording, &schedule));
        match plausible {
            Ok(summary) => return Ok(Recognised { format: name, summary }),
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
