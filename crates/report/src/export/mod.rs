//! The numbers of a report as tables for notebooks: CSV, JSON and Parquet, each with its provenance.

mod csv;
mod json;
mod parquet;
pub mod table;
pub mod tables;

pub use self::csv::csv;
pub use self::json::json;
pub use self::parquet::parquet;

use crate::files::{File, ReportError};
use crate::model::Report;
use table::Table;

/// All tables of a report in all formats. Those without rows are left out. CSV has no place for
/// provenance, so `provenance.json` lies beside it.
///
/// # Errors
/// When a table cannot be written in its format, which is a fault of this program.
pub fn files(report: &Report) -> Result<Vec<File>, ReportError> {
    let provenance = serde_json::to_string_pretty(&report.provenance);
    let provenance = provenance.map_err(|error| ReportError(format!("provenance.json: {error}")))?;
    let mut files = vec![File::text("provenance.json", provenance + "\n")];
    for table in tables::summary(report).into_iter().chain(tables::over_time(report)) {
        if table.rows() > 0 {
            files.push(File::text(format!("{}.csv", table.name), csv(&table)));
            files.push(File::text(format!("{}.json", table.name), json(&table, &report.provenance)?));
            files.push(parquet_file(&table, report)?);
        }
    }
    // One row a segment: too many for text.
    let segments = tables::segments(report);
    if segments.rows() > 0 {
        files.push(parquet_file(&segments, report)?);
    }
    Ok(files)
}

fn parquet_file(table: &Table, report: &Report) -> Result<File, ReportError> {
    let bytes = parquet(table, &report.provenance)?;
    Ok(File { name: format!("{}.parquet", table.name), bytes })
}
