//! What is to be written: names and bytes.

use crate::model::Report;
use crate::{export, page, picture};
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

/// Everything a report consists of: tables, pictures and, last, the page, so that a page which is there
/// has its companions next to it.
///
/// # Errors
/// When a table cannot be written in its format, which is a fault of this program.
pub fn all(report: &Report) -> Result<Vec<File>, ReportError> {
    let mut files = export::files(report)?;
    files.extend(picture::files(report));
    files.push(File::text("report.html", page::html(report)));
    Ok(files)
}
