//! Files of lines that are read again, line by line.

use crate::error::Error;
use crate::json_lines::Place;
use crate::store::Line;
use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::path::PathBuf;

/// Files that are open at a time.
const MOST_OPEN: usize = 64;

/// Files of lines, a few of them open.
#[derive(Debug)]
pub(crate) struct Files {
    paths: Vec<PathBuf>,
    open: BTreeMap<usize, File>,
}

impl Files {
    pub(crate) fn new(paths: Vec<PathBuf>) -> Self {
        Files { paths, open: BTreeMap::new() }
    }

    /// Read a line again, whose key is known: the one at a place of the file with this number.
    pub(crate) fn read(&mut self, file: usize, place: Place, key: &str) -> Result<Line, Error> {
        let path = &self.paths[file];
        let read = |cause| Error::read(path, cause);
        if !self.open.contains_key(&file) {
            if self.open.len() >= MOST_OPEN {
                self.open.clear();
            }
            self.open.insert(file, File::open(path).map_err(read)?);
        }
        let Some(file) = self.open.get_mut(&file) else { unreachable!("it is open") };
        let found: Line = place.read(file).map_err(read)?;
        match found.key == *key {
            true => Ok(found),
            false => Err(read(io::Error::other("the file was replaced while it was read"))),
        }
    }
}
