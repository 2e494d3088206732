//! The numbers of a report as tables for notebooks: CSV, JSON and Parquet, each with its provenance.

mod csv;
mod json;
mod parquet;
pub mod table;
pub mod tables;

pub(crate) use self::csv::comments;
pub use self::csv::{csv, csv_rows};
pub use self::json::json;
pub use self::parquet::{parquet, write_parquet};

use crate::files::{File, ReportError};
use crate::model::{Provenance, Report};
use table::Table;

/// All tables of a report in all formats. Those without rows are left out.
///
/// # Errors
/// When a table cannot be written in its format, which is a fault of this program.
pub fn files(report: &Report) -> Result<Vec<File>, ReportError> {
    let mut files = vec![provenance(&report.provenance)?];
    for table in tables::summary(report).into_iter().chain(tables::over_time(report)) {
        files.extend(of_table(&table, &report.provenance)?);
    }
    // One row a segment: too many for text.
    let segments = tables::segments(report);
    if segments.rows() > 0 {
        files.push(parquet_file(&segments, &report.provenance)?);
    }
    Ok(files)
}

/// The origin of all files next to it, as `provenance.json`: with the whole text of the scenario, of which CSV and
/// SVG hold the hash only.
///
/// # Errors
/// Never in practice: every value can be written as JSON.
pub fn provenance(provenance: &Provenance) -> Result<File, ReportError> {
    let text = serde_json::to_string_pretty(provenance);
    let text = text.map_err(|error| ReportError(format!("provenance.json: {error}")))?;
    Ok(File::text("provenance.json", text + "\n"))
}

/// A table as CSV, JSON and Parquet; no files for a table without rows.
///
/// # Errors
/// When it cannot be written in a format, which is a fault of this program.
pub fn of_table(table: &Table, provenance: &Provenance) -> Result<Vec<File>, ReportError> {
    if table.rows() == 0 {
        return Ok(Vec::new());
    }
    Ok(vec![
        File::text(format!("{}.csv", table.name), csv(table, provenance)),
        File::text(format!("{}.json", table.name), json(table, provenance)?),
        parquet_file(table, provenance)?,
    ])
}

fn parquet_file(table: &Table, provenance: &Provenance) -> Result<File, ReportError> {
    let bytes = parquet(table, provenance)?;
    Ok(File { name: format!("{}.parquet", table.name), bytes })
}
