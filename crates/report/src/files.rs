//! What is to be written: names and bytes.

use crate::export::{self, table};
use crate::model::Report;
use crate::page::{self, downloads::downloads};
use crate::picture::topology::topology;
use crate::picture::{Picture, messages, over_time, results};
use std::fmt;

/// A file to write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Its name within the folder of the report.
    pub name: String,
    /// What is in it.
    pub bytes: Vec<u8>,
}

impl File {
    /// A file of text.
    pub fn text(name: impl Into<String>, text: String) -> Self {
        File { name: name.into(), bytes: text.into_bytes() }
    }
}

/// A report that could not be put together.
#[derive(Debug)]
pub struct ReportError(pub(crate) String);

impl fmt::Display for ReportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for ReportError {}

/// The files of a report: tables, pictures and, last, the page, so that a page which is there has its companions
/// next to it. With `alone` the page is the only file, and what would be in others can be saved from it.
///
/// # Errors
/// When a table cannot be written in its format, which is a bug of this program.
pub fn of_report(report: &Report, alone: bool) -> Result<Vec<File>, ReportError> {
    let origin = &report.provenance;
    let tables = table::summary(report);
    let pictures = results::of_report(report);
    let network = (!report.network.nodes.is_empty()).then(|| topology(&report.network, "Network"));
    let charts: Vec<(&str, Picture)> =
        report.series.iter().filter_map(|run| Some((run.name.as_str(), messages::of_run(run)?))).collect();
    let downloads = if alone { downloads(&tables, origin) } else { String::new() };
    let page = File::text(
        "report.html",
        page::render(report, &tables, network.as_ref(), &pictures, &charts, &downloads),
    );
    if alone {
        return Ok(vec![page]);
    }
    let over_time: Vec<Picture> = report.series.iter().flat_map(over_time::of_run).collect();
    let mut files = vec![export::provenance(origin)];
    for table in tables.iter().chain(&table::connections(report)).chain(&table::over_time(report)) {
        files.extend(export::of_table(table, origin)?);
    }
    let network = network.into_iter().flatten();
    files.extend(network.map(|picture| picture.file(origin)));
    let charts = charts.iter().map(|(_, chart)| chart);
    files.extend(pictures.iter().chain(&over_time).chain(charts).map(|picture| picture.file(origin)));
    files.push(page);
    Ok(files)
}
