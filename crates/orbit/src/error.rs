//! What can be wrong with the description of an orbit.

use std::fmt;

/// Why there is no result. The text says what is wrong, where, and what to write instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrbitError {
    /// The line of the text that was read, from 1, if one is at fault.
    pub line: Option<usize>,
    /// What is wrong.
    pub what: String,
}

impl OrbitError {
    pub(crate) fn new(what: impl Into<String>) -> Self {
        OrbitError { line: None, what: what.into() }
    }

    pub(crate) fn at(line: usize, what: impl Into<String>) -> Self {
        OrbitError { line: Some(line), what: what.into() }
    }
}

impl fmt::Display for OrbitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "line {line}: {}", self.what),
            None => f.write_str(&self.what),
        }
    }
}

impl std::error::Error for OrbitError {}
