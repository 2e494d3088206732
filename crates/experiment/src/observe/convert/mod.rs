//! Event lists and captures made from the tables that have the same content.

mod events;
mod packets;
#[cfg(test)]
mod tests;

use super::event_table::EVENTS;
use super::packet_table::PACKETS;
use crate::atomic::WriteError;
use crate::columns::TableFile;
use events::EventRows;
use packets::PacketRows;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Why a table was not converted.
#[derive(Debug)]
pub enum ConvertError {
    /// The table cannot be read: its path, and why.
    Unreadable(PathBuf, io::Error),
    /// The result cannot be written.
    Unwritten(WriteError),
    /// It was stopped.
    Stopped,
}

impl fmt::Display for ConvertError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ConvertError::Unreadable(path, cause) => write!(f, "cannot read {}: {cause}", path.display()),
            ConvertError::Unwritten(error) => error.fmt(f),
            ConvertError::Stopped => f.write_str("stopped"),
        }
    }
}

impl std::error::Error for ConvertError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            ConvertError::Unreadable(_, cause) => Some(cause),
            ConvertError::Unwritten(error) => Some(error),
            ConvertError::Stopped => None,
        }
    }
}

/// The path that the event list or the capture would have had next to a table.
///
/// # Errors
/// When the file is not such a table, or cannot be read.
pub fn converted_path(table: &Path) -> Result<PathBuf, ConvertError> {
    let (_, kind) = open(table)?;
    Ok(match kind {
        Kind::Events => next_to(table, EVENTS, "csv"),
        Kind::Packets => next_to(table, PACKETS, "pcapng"),
    })
}

/// Make the event list (CSV) from a table of events, or the capture (pcapng) from a table of packets: the bytes that the run
/// would have written itself. `goes_on` is called before each row group. Returns the path of the result.
///
/// # Errors
/// When the file is not such a table, is damaged or cannot be read; when the result cannot be written; and when `goes_on` returns
/// `false`. No result is left behind then.
pub fn convert(table: &Path, to: &Path, goes_on: &dyn Fn() -> bool) -> Result<PathBuf, ConvertError> {
    let (file, kind) = open(table)?;
    let written = match kind {
        Kind::Events => {
            let mut rows = EventRows::create(to).map_err(ConvertError::Unwritten)?;
            each_group(&file, goes_on, |number| rows.group(&file, number).map_err(|it| it.of(table, to)))?;
            rows.finish()
        }
        Kind::Packets => {
            let mut rows = PacketRows::create(to, &file).map_err(ConvertError::Unwritten)?;
            each_group(&file, goes_on, |number| rows.group(&file, number).map_err(|it| it.of(table, to)))?;
            rows.finish()
        }
    };
    written.map_err(ConvertError::Unwritten)
}

/// The tables that there are.
enum Kind {
    Events,
    Packets,
}

fn open(table: &Path) -> Result<(TableFile, Kind), ConvertError> {
    let unreadable = |cause| ConvertError::Unreadable(table.to_owned(), cause);
    let file = TableFile::open(table).map_err(unreadable)?;
    let kind = match file.table.as_str() {
        EVENTS => Kind::Events,
        PACKETS => Kind::Packets,
        other => {
            return Err(unreadable(io::Error::other(format!(
                "it is a table of {other}, which this program cannot convert"
            ))));
        }
    };
    Ok((file, kind))
}

fn each_group(
    file: &TableFile,
    goes_on: &dyn Fn() -> bool,
    mut convert: impl FnMut(usize) -> Result<(), ConvertError>,
) -> Result<(), ConvertError> {
    (0..file.groups()).try_for_each(|number| match goes_on() {
        true => convert(number),
        false => Err(ConvertError::Stopped),
    })
}

/// `cubic-seed1.csv` for `cubic-seed1-events.parquet`.
fn next_to(table: &Path, kind: &str, ending: &str) -> PathBuf {
    let stem = table.file_stem().unwrap_or_default().to_string_lossy();
    let stem = stem.strip_suffix(&format!("-{kind}")).unwrap_or(&stem);
    table.with_file_name(format!("{stem}.{ending}"))
}

/// Which of two files a row group failed at.
#[derive(Debug)]
enum Failure {
    Reading(io::Error),
    Writing(io::Error),
}

impl Failure {
    fn of(self, table: &Path, to: &Path) -> ConvertError {
        match self {
            Failure::Reading(cause) => ConvertError::Unreadable(table.to_owned(), cause),
            Failure::Writing(cause) => ConvertError::Unwritten(WriteError { path: to.to_owned(), cause }),
        }
    }
}
