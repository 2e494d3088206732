//! The runs of an experiment where they are stored: of results that do not fit into memory, those of some grid cells are read at a time.

use crate::error::Error;
use crate::files::Files;
use crate::jobs::Jobs;
use crate::json_lines::{Place, each_placed_of};
use crate::store::{Keys, Line, line_files};
use crate::stored::flows_of;
use seamline_experiment::{CellResult, Job};
use seamline_scenario::Parts;
use std::collections::BTreeMap;
use std::path::Path;

/// All runs of an experiment, in the folder of its sweep. In memory is where they are.
#[derive(Debug)]
pub struct StoredRuns<'a> {
    jobs: Jobs<'a>,
    files: Files,
    /// The file and the place of each run.
    places: BTreeMap<[u8; 16], (usize, Place)>,
    only_flows: bool,
}

impl<'a> StoredRuns<'a> {
    /// Those of all grid cells of all parts. `only_flows` leaves out what summaries do not need, as
    /// [`SweepOptions::only_flows`](crate::SweepOptions::only_flows).
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn new(parts: &'a Parts<'_>, folder: &Path, only_flows: bool) -> Result<Self, Error> {
        let paths = line_files(folder)?;
        let mut places = BTreeMap::new();
        for (file, path) in paths.iter().enumerate() {
            each_placed_of(path, |line: Line, place| {
                places.entry(Keys::short(&line.key)).or_insert((file, place));
            })?;
        }
        Ok(StoredRuns { jobs: Jobs(&parts.totals().cells), files: Files::new(paths), places, only_flows })
    }

    /// The results of some grid cells, in this order.
    ///
    /// # Errors
    /// When a run is not stored, or cannot be read.
    pub fn read(&mut self, cells: &[usize]) -> Result<Vec<CellResult>, Error> {
        cells.iter().map(|&cell| self.read_cell(cell)).collect()
    }

    fn read_cell(&mut self, cell: usize) -> Result<CellResult, Error> {
        let mut result = CellResult::default();
        for seed in 0..self.jobs.0[cell].seeds.len() {
            let key = self.jobs.key(Job { cell, seed });
            let Some(&(file, place)) = self.places.get(&Keys::short(&key)) else {
                return Err(Error::refused(
                    "a run is not stored",
                    "repeat the sweep, which runs only what is missing",
                ));
            };
            let run = self.files.read(file, place, &key)?.run;
            result.runs.push(if self.only_flows { flows_of(run) } else { run });
        }
        Ok(result)
    }
}
