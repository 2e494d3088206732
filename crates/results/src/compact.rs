//! Lines as a table for notebooks: Parquet, one row for each flow of each run.
//!
//! The columns are `key`, `engine`, `sweep`, `seed`, one for each key of the grid, one for each field of a
//! flow's record, and `links`. Lists (handovers, links) are JSON strings. Everything about where the results
//! come from is in the file's metadata under `seamline`.

use crate::compare::plain;
use crate::error::Error;
use crate::manifest::Manifest;
use crate::store::{Line, line_files, read_lines};
use seamline_experiment::atomic::AtomicFile;
use seamline_report::export::table::{Data, Table};
use seamline_report::export::write_parquet;
use serde_json::Value;
use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The name of the table.
pub const TABLE: &str = "runs.parquet";

/// Write all lines of a folder as a table next to them. Returns the path of the table and its number of rows.
///
/// # Errors
/// When the folder cannot be read, or the table not written.
pub fn compact(folder: &Path) -> Result<(PathBuf, usize), Error> {
    let manifest = Manifest::read(folder)?;
    let (mut lines, _) = read_lines(&line_files(folder)?)?;
    if lines.is_empty() {
        let reason = format!("{} has no finished runs", folder.display());
        return Err(Error::refused(reason, "run a sweep into it first: seamline sweep FILE --out DIR"));
    }
    // Lines stand in the order in which runs were finished, which is no property of the results.
    lines.sort_by(|a, b| (&a.sweep, &a.key).cmp(&(&b.sweep, &b.key)));
    let rows: Vec<Row> = lines.iter().flat_map(rows).collect();
    let path = folder.join(TABLE);
    let provenance = serde_json::to_string(&manifest.sweeps).unwrap_or_default();
    let file = AtomicFile::create(&path)?;
    let about = vec![("seamline", provenance), ("seamline_version", env!("CARGO_PKG_VERSION").to_owned())];
    let mut file = write_parquet(file, &table(&rows), about)
        .map_err(|error| Error::write(&path, io::Error::other(error)))?;
    file.flush().map_err(|cause| Error::write(&path, cause))?;
    file.finish()?;
    Ok((path, rows.len()))
}

/// Columns and their values.
type Row = Vec<(String, Value)>;

fn rows(line: &Line) -> Vec<Row> {
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

/// All columns of the rows, in the order in which they first appear. Every one may be empty in a row: cells of different
/// sweeps have different keys.
fn table(rows: &[Row]) -> Table {
    let mut names: Vec<&str> = Vec::new();
    let mut seen = BTreeSet::new();
    for (name, _) in rows.iter().flatten() {
        if seen.insert(name.as_str()) {
            names.push(name);
        }
    }
    names.into_iter().fold(Table::new("runs"), |table, name| {
        let values: Vec<Option<&Value>> =
            rows.iter().map(|row| value(row, name).filter(|value| !value.is_null())).collect();
        table.with(name, data(&values))
    })
}

fn value<'a>(row: &'a Row, name: &str) -> Option<&'a Value> {
    row.iter().find(|(known, _)| known == name).map(|(_, value)| value)
}

/// Whole numbers if all are, numbers if all are, and strings otherwise.
fn data(values: &[Option<&Value>]) -> Data {
    let present = || values.iter().copied().flatten();
    if present().next().is_some() && present().all(Value::is_i64) {
        return Data::Whole(values.iter().map(|value| value.and_then(Value::as_i64)).collect());
    }
    if present().all(Value::is_number) {
        return Data::Real(values.iter().map(|value| value.and_then(Value::as_f64)).collect());
    }
    Data::Text(values.iter().map(|value| value.map(plain)).collect())
}
