//! What is wrong with a recording.

use std::fmt;

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
