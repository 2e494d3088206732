//! Errors.

use seamline_scenario::Diagnostics;
use std::fmt;

/// A rejected value, in the terms of the option that set it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputError {
    /// The option it came from: `--from`, `--stay`.
    pub place: String,
    /// What is wrong.
    pub message: String,
    /// How to fix it.
    pub tips: Vec<String>,
}

impl InputError {
    pub(crate) fn new(place: &str, message: impl Into<String>) -> Self {
        InputError { place: place.to_owned(), message: message.into(), tips: Vec::new() }
    }
    pub(crate) fn tip(mut self, tip: impl Into<String>) -> Self {
        self.tips.push(tip.into());
        self
    }
}

impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.message)?;
        self.tips.iter().try_for_each(|tip| write!(f, "\ntip: {tip}"))
    }
}

impl std::error::Error for InputError {}

/// Why there is no advice.
#[derive(Debug)]
pub enum AdviseError {
    /// A value of the question is invalid.
    Input(InputError),
    /// A table that was copied into the scenario is invalid.
    Scenario(Box<Diagnostics>),
    /// A run over a kernel failed.
    Run(String),
    /// The caller asked to stop.
    Interrupted,
}

impl From<InputError> for AdviseError {
    fn from(error: InputError) -> Self {
        AdviseError::Input(error)
    }
}
