//! Files of JSON documents, one a line, to which one process at a time appends.

use crate::error::Error;
use seamline_experiment::lines::LineFile;
use serde::de::DeserializeOwned;
use std::fs::File;
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Seek, SeekFrom};
use std::path::Path;

/// What a file holds.
#[derive(Debug)]
pub struct Lines<T> {
    /// The documents, in the order of the file.
    pub documents: Vec<T>,
    /// What is no document.
    pub rest: Rest,
}

/// What of a file is no document.
#[derive(Debug, Default)]
pub struct Rest {
    /// Lines that hold none: their numbers, from 1, and why.
    pub damaged: Vec<(usize, String)>,
    /// Whether the last line is incomplete; opening the file to append removes it.
    pub is_torn: bool,
}

/// Where a document is in its file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    first: u64,
    length: usize,
}

impl Place {
    /// How many bytes it has.
    pub(crate) fn length(self) -> usize {
        self.length
    }

    /// Read the document again.
    ///
    /// # Errors
    /// When it cannot be read, or no document is there by now.
    pub(crate) fn read<T: DeserializeOwned>(self, file: &mut File) -> io::Result<T> {
        let mut line = vec![0; self.length];
        file.seek(SeekFrom::Start(self.first))?;
        file.read_exact(&mut line)?;
        serde_json::from_slice(&line).map_err(io::Error::other)
    }
}

/// Take the documents of a file one by one, so that one at a time is in memory. An incomplete line at the end is ignored.
///
/// # Errors
/// When it cannot be read.
pub fn each<T: DeserializeOwned>(from: impl BufRead, mut take: impl FnMut(T)) -> io::Result<Rest> {
    each_placed(from, |document, _| take(document))
}

/// Like [`each`], with the place of each document.
fn each_placed<T: DeserializeOwned>(from: impl BufRead, mut take: impl FnMut(T, Place)) -> io::Result<Rest> {
    let (mut from, mut rest, mut line) = (from, Rest::default(), Vec::new());
    let mut next = 0;
    for number in 1.. {
        line.clear();
        from.read_until(b'\n', &mut line)?;
        let place = Place { first: next, length: line.len() };
        next += line.len() as u64;
        let Some(whole) = line.strip_suffix(b"\n") else { break };
        if whole.is_empty() {
            continue;
        }
        match serde_json::from_slice(whole) {
            Ok(document) => take(document, place),
            Err(error) => rest.damaged.push((number, error.to_string())),
        }
    }
    rest.is_torn = !line.is_empty();
    Ok(rest)
}

/// Like [`each`], for the file at a path.
///
/// # Errors
/// When it cannot be read.
pub fn each_of<T: DeserializeOwned>(path: &Path, mut take: impl FnMut(T)) -> Result<Rest, Error> {
    each_placed_of(path, |document, _| take(document))
}

/// Like [`each_of`], with the place of each document.
pub(crate) fn each_placed_of<T: DeserializeOwned>(
    path: &Path,
    take: impl FnMut(T, Place),
) -> Result<Rest, Error> {
    let file = File::open(path).map_err(|cause| Error::read(path, cause))?;
    each_placed(BufReader::new(file), take).map_err(|cause| Error::read(path, cause))
}

/// Open a file to append to, making it if need be. Returns it and whether its last line was incomplete and is removed: its writer
/// was interrupted.
///
/// # Errors
/// When it cannot be read or written, or while another process appends to it; `tip` says what to do then.
pub fn open(path: &Path, tip: &str) -> Result<(LineFile, bool), Error> {
    LineFile::open(path).map_err(|cause| match cause.kind() {
        ErrorKind::ResourceBusy => {
            Error::refused(format!("another process is writing to {}", path.display()), tip)
        }
        _ => Error::write(path, cause),
    })
}

impl<T: DeserializeOwned> Lines<T> {
    /// The documents of a file's content. An incomplete line at the end is ignored.
    pub fn parse(text: &[u8]) -> Self {
        let mut documents = Vec::new();
        // Memory can always be read.
        let rest = each(text, |document| documents.push(document)).unwrap_or_default();
        Lines { documents, rest }
    }

    /// The documents of a file.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let mut documents = Vec::new();
        let rest = each_of(path, |document| documents.push(document))?;
        Ok(Lines { documents, rest })
    }

    /// The documents, if every line is one.
    ///
    /// # Errors
    /// The first damaged line of the file at `path`; `tip` says what to do.
    pub fn undamaged(self, path: &Path, tip: &str) -> Result<Vec<T>, Error> {
        match self.rest.damaged.first() {
            Some((line, why)) => Err(Error::refused(format!("{}:{line}: {why}", path.display()), tip)),
            None => Ok(self.documents),
        }
    }
}
