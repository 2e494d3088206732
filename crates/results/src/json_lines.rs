//! Files of JSON documents, one a line, to which one process at a time appends.

use crate::error::Error;
use seamline_experiment::lines::{LineFile, whole_length};
use serde::de::DeserializeOwned;
use std::io::ErrorKind;
use std::path::Path;

/// What a file holds.
#[derive(Debug)]
pub struct Lines<T> {
    /// The documents, in the order of the file.
    pub documents: Vec<T>,
    /// Lines that hold no such document: their numbers, from 1, and why.
    pub damaged: Vec<(usize, String)>,
    /// Whether the last line is incomplete; opening the file to append removes it.
    pub is_torn: bool,
}

impl<T: DeserializeOwned> Lines<T> {
    /// The documents of a file's content. An incomplete line at the end is ignored.
    pub fn parse(text: &[u8]) -> Self {
        let mut lines =
            Lines { documents: Vec::new(), damaged: Vec::new(), is_torn: whole_length(text) < text.len() };
        let whole = text[..whole_length(text)].split(|byte| *byte == b'\n').enumerate();
        for (place, line) in whole.filter(|(_, line)| !line.is_empty()) {
            match serde_json::from_slice(line) {
                Ok(document) => lines.documents.push(document),
                Err(error) => lines.damaged.push((place + 1, error.to_string())),
            }
        }
        lines
    }

    /// The documents of a file.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn read(path: &Path) -> Result<Self, Error> {
        Ok(Lines::parse(&std::fs::read(path).map_err(|cause| Error::read(path, cause))?))
    }

    /// Open a file to append to, making it if need be. An incomplete last line is removed: its writer was interrupted.
    ///
    /// # Errors
    /// When it cannot be read or written, or while another process appends to it; `tip` says what to do then.
    pub fn open(path: &Path, tip: &str) -> Result<(LineFile, Self), Error> {
        let (file, text, is_torn) = LineFile::open(path).map_err(|cause| match cause.kind() {
            ErrorKind::ResourceBusy => {
                Error::refused(format!("another process is writing to {}", path.display()), tip)
            }
            _ => Error::write(path, cause),
        })?;
        Ok((file, Lines { is_torn, ..Lines::parse(&text) }))
    }

    /// The documents, if every line is one.
    ///
    /// # Errors
    /// The first damaged line of the file at `path`; `tip` says what to do.
    pub fn undamaged(self, path: &Path, tip: &str) -> Result<Vec<T>, Error> {
        match self.damaged.first() {
            Some((line, why)) => Err(Error::refused(format!("{}:{line}: {why}", path.display()), tip)),
            None => Ok(self.documents),
        }
    }
}
