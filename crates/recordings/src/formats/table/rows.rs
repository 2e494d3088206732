//! Rows of tables as text.

use super::time::TimeForm;
use crate::Recording;
use crate::error::ImportError;
use crate::file::quoted;
use ::csv::{Reader, ReaderBuilder, StringRecord, Trim};

/// Letters that separate fields.
const SEPARATORS: [u8; 3] = *b",;\t";
/// The longest header that is looked at, in bytes.
const LONGEST_HEADER: usize = 1 << 16;
/// What is written where a value is missing, in small letters.
const MISSING: [&str; 8] = ["", "-", "nan", "null", "none", "na", "n/a", "?"];

/// Whether a field says that there is no value.
pub(in crate::formats) fn is_missing(field: &str) -> bool {
    MISSING.iter().any(|word| field.eq_ignore_ascii_case(word))
}

/// The names in the first line.
pub(in crate::formats) struct Header {
    pub(in crate::formats) names: Vec<String>,
    separator: u8,
}

impl Header {
    /// The first line as a header; `None` when it is no row of at least two names.
    pub(in crate::formats) fn of(recording: &Recording) -> Option<Header> {
        let (_, line) = recording.lines().next()?;
        let line = line.trim_start_matches('\u{feff}');
        if line.len() > LONGEST_HEADER || line.starts_with(['{', '[']) {
            return None;
        }
        let count = |separator: &u8| line.bytes().filter(|letter| letter == separator).count();
        let separator = SEPARATORS.into_iter().max_by_key(count)?;
        let mut reader = builder(separator).has_headers(false).from_reader(line.as_bytes());
        let mut record = StringRecord::new();
        reader.read_record(&mut record).ok().filter(|read| *read)?;
        let names: Vec<String> = record.iter().map(str::to_owned).collect();
        let is_name = |name: &String| name.parse::<f64>().is_err() && name.chars().any(char::is_alphabetic);
        (names.len() >= 2 && names.iter().any(is_name)).then_some(Header { names, separator })
    }

    /// Whether these columns are all there.
    pub(in crate::formats) fn has(&self, wanted: &[&str]) -> bool {
        wanted.iter().all(|name| self.names.iter().any(|it| it == name))
    }
}

fn builder(separator: u8) -> ReaderBuilder {
    let mut builder = ReaderBuilder::new();
    builder.delimiter(separator).trim(Trim::All);
    builder
}

/// Rows of a table, one after the other.
pub(in crate::formats) trait Rows {
    /// The names of the columns.
    fn names(&self) -> &[String];

    /// How the file itself says that a column writes times.
    fn form(&self, column: usize) -> Option<TimeForm>;

    /// The fields of the next row and its number for errors; `None` at the end.
    fn next(&mut self, fields: &mut Vec<String>) -> Result<Option<u64>, ImportError>;
}

/// Rows of a text.
pub(in crate::formats) struct Fields<'a> {
    recording: &'a Recording,
    names: Vec<String>,
    reader: Reader<&'a [u8]>,
    record: StringRecord,
}

impl<'a> Fields<'a> {
    /// Begin below the header.
    pub(in crate::formats) fn open(recording: &'a Recording) -> Result<Self, ImportError> {
        let Some(Header { names, separator }) = Header::of(recording) else {
            let (line, found) = recording.lines().next().map_or((1, ""), |it| it);
            let help = "put the names of the columns into the first line, with their units";
            return Err(recording.at(line, None, quoted(found), "a header line with names of columns", help));
        };
        let text = recording.text().trim_start_matches('\u{feff}');
        let mut reader = builder(separator).from_reader(text.as_bytes());
        reader.headers().map_err(|why| recording.malformed(&why))?;
        Ok(Fields { recording, names, reader, record: StringRecord::new() })
    }
}

impl Rows for Fields<'_> {
    fn names(&self) -> &[String] {
        &self.names
    }

    fn form(&self, _column: usize) -> Option<TimeForm> {
        None
    }

    fn next(&mut self, fields: &mut Vec<String>) -> Result<Option<u64>, ImportError> {
        let read = self.reader.read_record(&mut self.record);
        if !read.map_err(|why| self.recording.malformed(&why))? {
            return Ok(None);
        }
        fields.resize(self.record.len(), String::new());
        for (field, text) in fields.iter_mut().zip(&self.record) {
            field.clear();
            field.push_str(text);
        }
        Ok(Some(self.record.position().map_or(0, ::csv::Position::line)))
    }
}
