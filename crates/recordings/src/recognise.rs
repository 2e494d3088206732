//! Which format a file has.

use crate::error::ImportError;
use crate::formats::FORMATS;
use crate::formats::table::{self, Column};
use crate::{Format, Measured, Recording, native, summary};

/// What a recording was taken for.
#[derive(Clone, Debug, PartialEq)]
pub struct Recognised {
    /// The name of the format.
    pub format: &'static str,
    /// What was read, in one line: length, and mean, minimum and maximum of the values.
    pub summary: String,
    /// What was read.
    pub measured: Measured,
}

/// The format of a recording, judged by its content. A recording that can be read but says what no network does is refused: it is
/// more likely in another format or unit.
///
/// # Errors
/// With the name of each format that the file looks like and why it cannot be read; nothing when it looks like none.
pub fn recognise(recording: &Recording) -> Result<Recognised, Vec<(&'static str, ImportError)>> {
    let mut reasons = Vec::new();
    for format in FORMATS.iter().filter(|format| (format.looks_like)(recording)) {
        match read(recording, format) {
            Ok(recognised) => return Ok(recognised),
            Err(error) => reasons.push((format.name, error)),
        }
    }
    Err(reasons)
}

/// Why a file was not recognised, in words; `reasons` are those of [`recognise`].
pub fn explain(name: &str, reasons: &[(&str, ImportError)]) -> String {
    if reasons.is_empty() {
        return format!("{name} looks like none of the known formats: {}", Format::names());
    }
    let reasons: String = reasons.iter().map(|(format, error)| format!("\n  as {format}: {error}")).collect();
    format!("{name} is not a recording of a known format{reasons}")
}

/// Read a recording as one format, or as what it looks like.
///
/// # Errors
/// When it cannot be read so. Of several formats that it looks like, the error is that of the first.
pub fn read_as(recording: &Recording, format: Option<&Format>) -> Result<Recognised, ImportError> {
    match format {
        Some(format) => read(recording, format),
        None => recognise(recording).map_err(|reasons| {
            reasons.into_iter().next().map_or_else(|| unknown(recording), |(_, error)| error)
        }),
    }
}

/// Read a table by columns that the caller names.
///
/// # Errors
/// When it cannot be read so.
pub fn read_columns(recording: &Recording, columns: &[Column]) -> Result<Recognised, ImportError> {
    let measured = table::read_columns(recording, columns)?;
    Ok(Recognised { format: "table", summary: summary::of(&measured), measured })
}

/// The error for a file that looks like nothing known.
fn unknown(recording: &Recording) -> ImportError {
    let expected = format!("a recording of one of the formats {}", Format::names());
    recording.whole("none of them".into(), &expected, "if it is one, name its format")
}

fn read(recording: &Recording, format: &Format) -> Result<Recognised, ImportError> {
    let measured = (format.read)(recording)?;
    // A format that names its columns and units cannot be mistaken for another one.
    if let Some(conditions) = measured.conditions.as_ref().filter(|_| !native::looks_like(recording)) {
        summary::refuse_implausible(recording, &conditions.down)?;
    }
    Ok(Recognised { format: format.name, summary: summary::of(&measured), measured })
}
