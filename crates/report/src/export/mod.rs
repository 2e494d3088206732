//! Tables of numbers as files for notebooks: CSV, JSON and Parquet, each with its provenance; and flows in the formats
//! of iperf3 and xplot.

pub mod iperf3;
mod parquet;
pub mod table;
mod text;
mod xplot;

pub use self::parquet::{ParquetFile, parquet, write_parquet};
pub(crate) use self::text::comments;
pub use self::text::{csv, csv_rows, json, json_rows};
pub use self::xplot::xplot;

use crate::files::{File, ReportError};
use crate::provenance::Provenance;
use table::{SEGMENTS, Table};

/// The origin of all files next to it, as `provenance.json`: with the whole text of the scenario, of which CSV and
/// SVG hold the hash only.
pub fn provenance(provenance: &Provenance) -> File {
    let text = serde_json::to_string_pretty(provenance).expect("strings and numbers can be written as JSON");
    File::text("provenance.json", text + "\n")
}

/// A table as CSV, JSON and Parquet; no files for a table without rows. The segments of a run are too many for text.
///
/// # Errors
/// When it cannot be written in a format, which is a bug of this program.
pub fn of_table(table: &Table, provenance: &Provenance) -> Result<Vec<File>, ReportError> {
    let mut files = Vec::new();
    if table.rows() == 0 {
        return Ok(files);
    }
    if table.name != SEGMENTS {
        files.push(File::text(format!("{}.csv", table.name), csv(table, provenance)));
        files.push(File::text(format!("{}.json", table.name), json(table, provenance)));
    }
    let bytes = parquet(table, provenance)?;
    files.push(File { name: format!("{}.parquet", table.name), bytes });
    Ok(files)
}
