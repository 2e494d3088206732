//! Lines as a table for notebooks: Parquet, one row for each flow of each run.
//!
//! The columns are `key`, `engine`, `sweep`, `seed`, one for each key of the grid, one for each field of a
//! flow's record, and `links`. Lists (handovers, links) are JSON strings. Everything about where the results
//! come from is in the file's metadata under `seamline`.

use crate::compare::plain;
use crate::error::Error;
use crate::files::Files;
use crate::json_lines::{Place, each_placed_of};
use crate::manifest::Manifest;
use crate::store::{Keys, Line, line_files};
use seamline_experiment::atomic::AtomicFile;
use seamline_report::export::ParquetFile;
use seamline_report::export::table::{Data, Table};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The name of the table.
pub const TABLE: &str = "runs.parquet";

/// Bytes of lines that become rows together, at least one line.
const BATCH: usize = 4 << 20;

/// Write all lines of a folder as a table next to them. Returns the path of the table and its number of rows.
///
/// # Errors
/// When the folder cannot be read, or the table not written.
pub fn compact(folder: &Path) -> Result<(PathBuf, usize), Error> {
    compact_in(folder, BATCH)
}

fn compact_in(folder: &Path, batch: usize) -> Result<(PathBuf, usize), Error> {
    let manifest = Manifest::read(folder)?;
    let Index { mut files, lines, columns } = Index::of(line_files(folder)?)?;
    if lines.is_empty() {
        let reason = format!("{} has no finished runs", folder.display());
        return Err(Error::refused(reason, "run a sweep into it first: seamline sweep FILE --out DIR"));
    }
    let path = folder.join(TABLE);
    let provenance = serde_json::to_string(&manifest.sweeps).unwrap_or_default();
    let file = AtomicFile::create(&path)?;
    let about = vec![("seamline", provenance), ("seamline_version", env!("CARGO_PKG_VERSION").to_owned())];
    let failed = |error| Error::write(&path, io::Error::other(error));
    let columns = columns.in_order();
    let mut file = ParquetFile::new(file, &table(&columns, &[]), about).map_err(failed)?;
    let (mut rows, mut bytes, mut count) = (Vec::new(), 0, 0);
    for (number, line) in lines.iter().enumerate() {
        rows.extend(rows_of(&files.read(line.file, line.place, &line.key)?));
        bytes += line.place.length();
        if bytes >= batch || number + 1 == lines.len() {
            file.append(&table(&columns, &rows)).map_err(failed)?;
            count += rows.len();
            (rows, bytes) = (Vec::new(), 0);
        }
    }
    let mut file = file.finish().map_err(failed)?;
    file.flush().map_err(|cause| Error::write(&path, cause))?;
    file.finish()?;
    Ok((path, count))
}

/// Where the lines of a folder are.
struct Index {
    files: Files,
    /// Lines stand in the order in which runs were finished, which is no property of the results. Here they have the order of their sweeps
    /// and keys.
    lines: Vec<Indexed>,
    columns: Columns,
}

/// A line that can be read again.
#[derive(Debug)]
struct Indexed {
    /// The place of its file.
    file: usize,
    place: Place,
    /// The place of its sweep among all.
    sweep: usize,
    key: Box<str>,
}

impl Index {
    /// Each line once.
    fn of(paths: Vec<PathBuf>) -> Result<Self, Error> {
        let (mut known, mut columns, mut lines) = (Keys::default(), Columns::default(), Vec::new());
        let mut sweeps: Vec<String> = Vec::new();
        for (file, path) in paths.iter().enumerate() {
            each_placed_of(path, |line: Line, place| {
                if !known.insert(&line.key) {
                    return;
                }
                let sweep = sweeps.iter().position(|known| *known == line.sweep).unwrap_or_else(|| {
                    sweeps.push(line.sweep.clone());
                    sweeps.len() - 1
                });
                columns.add(&line);
                lines.push(Indexed { file, place, sweep, key: line.key.into() });
            })?;
        }
        lines.sort_by(|a, b| (&sweeps[a.sweep], &a.key).cmp(&(&sweeps[b.sweep], &b.key)));
        Ok(Index { files: Files::new(paths), lines, columns })
    }
}

/// Columns and their values.
type Row = Vec<(String, Value)>;

fn rows_of(line: &Line) -> Vec<Row> {
    let about_run = |flow: Value| {
        let text = |name: &str, value: &str| (name.to_owned(), Value::from(value));
        let mut row = vec![text("key", &line.key), text("engine", &line.engine), text("sweep", &line.sweep)];
        row.push(("seed".to_owned(), line.run.seed.into()));
        row.extend(line.cell.iter().map(|(path, value)| (path.clone(), value.clone())));
        if let Value::Object(fields) = flow {
            row.extend(
                fields
                    .into_iter()
                    .map(|(name, value)| (if name == "name" { "flow".to_owned() } else { name }, value)),
            );
        }
        row.push(("links".to_owned(), serde_json::to_value(&line.run.links).unwrap_or_default()));
        row
    };
    line.run.flows.iter().map(|flow| about_run(serde_json::to_value(flow).unwrap_or_default())).collect()
}

/// The columns of rows that are added one after the other. Every one may be empty in a row: cells of different sweeps have different keys.
#[derive(Debug, Default)]
struct Columns {
    /// For the names of the columns of a row, the first sweep and key with such a row, and the place of the row in its line.
    rows: BTreeMap<Vec<String>, (String, String, usize)>,
    kinds: BTreeMap<String, Seen>,
}

/// The kinds of values of a column so far.
#[derive(Clone, Copy, Debug)]
struct Seen {
    any: bool,
    only_whole: bool,
    only_numbers: bool,
}

impl Columns {
    fn add(&mut self, line: &Line) {
        for (number, row) in rows_of(line).into_iter().enumerate() {
            for (name, value) in &row {
                let none = Seen { any: false, only_whole: true, only_numbers: true };
                let seen = match self.kinds.get_mut(name) {
                    Some(seen) => seen,
                    None => self.kinds.entry(name.clone()).or_insert(none),
                };
                if !value.is_null() {
                    seen.any = true;
                    seen.only_whole &= value.is_i64();
                    seen.only_numbers &= value.is_number();
                }
            }
            let names = row.into_iter().map(|(name, _)| name).collect();
            let place = (line.sweep.clone(), line.key.clone(), number);
            let first = self.rows.entry(names).or_insert_with(|| place.clone());
            if place < *first {
                *first = place;
            }
        }
    }

    /// All of them, in the order in which they first appear, with the kinds of their values.
    fn in_order(&self) -> Vec<(String, Seen)> {
        let mut rows: Vec<_> = self.rows.iter().collect();
        rows.sort_by_key(|(_, first)| *first);
        let mut known = BTreeSet::new();
        let names = rows.into_iter().flat_map(|(names, _)| names).filter(|name| known.insert(name.as_str()));
        names.map(|name| (name.clone(), self.kinds[name])).collect()
    }
}

/// Rows in columns.
fn table(columns: &[(String, Seen)], rows: &[Row]) -> Table {
    columns.iter().fold(Table::new("runs"), |table, (name, seen)| {
        let values = rows.iter().map(|row| value(row, name).filter(|value| !value.is_null()));
        table.with(name, data(*seen, values))
    })
}

fn value<'a>(row: &'a Row, name: &str) -> Option<&'a Value> {
    row.iter().find(|(known, _)| known == name).map(|(_, value)| value)
}

/// Whole numbers if all are, numbers if all are, and strings otherwise.
fn data<'a>(seen: Seen, values: impl Iterator<Item = Option<&'a Value>>) -> Data {
    match seen {
        Seen { any: true, only_whole: true, .. } => {
            Data::Whole(values.map(|value| value.and_then(Value::as_i64)).collect())
        }
        Seen { only_numbers: true, .. } => {
            Data::Real(values.map(|value| value.and_then(Value::as_f64)).collect())
        }
        _ => Data::Text(values.map(|value| value.map(plain)).collect()),
    }
}

#[cfg(test)]
mod tests;
