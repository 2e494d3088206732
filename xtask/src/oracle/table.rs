//! Reference tables: each row is one run, its columns are settings and results by name.

use super::layout;
use super::setup::Setup;
use std::path::{Path, PathBuf};

/// One run of a table.
#[derive(Debug)]
pub(super) struct TableRow {
    /// Line in the file, counted from 1.
    pub(super) line: usize,
    pub(super) setup: Setup,
    /// Columns that are no settings, as they stand in the file.
    pub(super) results: Vec<(String, String)>,
}

#[derive(Debug)]
pub(super) struct Table {
    pub(super) path: PathBuf,
    pub(super) rows: Vec<TableRow>,
    /// Rows that name settings we have no counterpart for, with the reason.
    pub(super) skipped: Vec<String>,
}

impl Table {
    /// Read a table; `defaults` gives the settings that a row does not mention, from the row's own
    /// `config` column if there is one.
    pub(super) fn read(path: &Path, defaults: impl Fn(Option<&str>) -> Setup) -> Result<Table, String> {
        let fail = |e: csv::Error| format!("{}: {e}", path.display());
        let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(layout::open(path)?);
        let names = reader.headers().map_err(fail)?.clone();
        let config_column = names.iter().position(|name| name == "config");
        let mut table = Table { path: path.to_owned(), rows: Vec::new(), skipped: Vec::new() };
        for (n, record) in reader.records().enumerate() {
            const FIRST_LINE: usize = 2;
            let record = record.map_err(fail)?;
            let mut setup = defaults(config_column.and_then(|column| record.get(column)));
            match take_settings(&mut setup, names.iter().zip(&record)) {
                Ok(results) => table.rows.push(TableRow { line: n + FIRST_LINE, setup, results }),
                Err(reason) => table.skipped.push(format!("line {}: {reason}", n + FIRST_LINE)),
            }
        }
        Ok(table)
    }
    /// The name of the file, for messages.
    pub(super) fn name(&self) -> String {
        self.path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
    }
}

fn take_settings<'a>(
    setup: &mut Setup,
    fields: impl Iterator<Item = (&'a str, &'a str)>,
) -> Result<Vec<(String, String)>, String> {
    let mut results = Vec::new();
    for (name, value) in fields {
        if !setup.set(name, value)? {
            results.push((name.to_owned(), value.to_owned()));
        }
    }
    Ok(results)
}
