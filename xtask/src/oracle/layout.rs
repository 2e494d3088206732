//! Which files a directory of reference data holds.

use crate::support::{at, files};
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

/// The reference files of a directory, by family, each list in order of name.
#[derive(Debug, Default)]
pub(super) struct Layout {
    /// Family a: counters under random loss.
    pub(super) random_loss: Vec<PathBuf>,
    /// Family a: which packets were lost.
    pub(super) loss_indices: Vec<PathBuf>,
    /// Family b: packet by packet under listed drops.
    pub(super) traces: Vec<PathBuf>,
    /// Family b: counters.
    pub(super) trace_summaries: Vec<PathBuf>,
    /// Family c: counters under periodic outage.
    pub(super) outages: Vec<PathBuf>,
    /// Family d: Vegas and small buffers.
    pub(super) vegas_buffers: Vec<PathBuf>,
    /// Family e: Snoop.
    pub(super) snoop: Vec<PathBuf>,
    /// Tables that no rule above knows.
    pub(super) unknown: Vec<PathBuf>,
}

impl Layout {
    /// Look through `directory` and the folders below it.
    pub(super) fn of(directory: &Path) -> Result<Layout, String> {
        let mut layout = Layout::default();
        for path in files(directory)? {
            layout.place(path)?;
        }
        Ok(layout)
    }

    fn place(&mut self, path: PathBuf) -> Result<(), String> {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let plain = name.strip_suffix(".gz").unwrap_or(&name);
        let is_table = plain.ends_with(".csv");
        let list = match plain {
            "b_summary.csv" => &mut self.trace_summaries,
            _ if plain.ends_with("loss_indices.json") => &mut self.loss_indices,
            _ if !is_table => return Ok(()),
            _ if plain.starts_with("a_single") => &mut self.random_loss,
            _ if plain.starts_with("c_outage") => &mut self.outages,
            _ if plain.starts_with("d_vegas") => &mut self.vegas_buffers,
            _ if plain.starts_with("e_") => &mut self.snoop,
            _ if first_line(&path)?.contains("droplist={") => &mut self.traces,
            _ => &mut self.unknown,
        };
        list.push(path);
        Ok(())
    }
}

/// Open a file for reading, unpacking it when its name ends in `.gz`.
pub(super) fn open(path: &Path) -> Result<Box<dyn BufRead>, String> {
    let file = fs::File::open(path).map_err(at(path))?;
    Ok(match path.extension() {
        Some(extension) if extension == "gz" => Box::new(BufReader::new(flate2::read::GzDecoder::new(file))),
        _ => Box::new(BufReader::new(file)),
    })
}

/// The text of a file, unpacked when its name ends in `.gz`.
pub(super) fn read(path: &Path) -> Result<String, String> {
    let mut text = String::new();
    open(path)?.read_to_string(&mut text).map_err(at(path))?;
    Ok(text)
}

fn first_line(path: &Path) -> Result<String, String> {
    let mut line = String::new();
    open(path)?.read_line(&mut line).map_err(at(path))?;
    Ok(line)
}
