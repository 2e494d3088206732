//! Which format a file has.

use crate::error::ImportError;
use crate::formats::FORMATS;
use crate::{Format, Measured, Recording, summary};

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

fn read(recording: &Recording, format: &Format) -> Result<Recognised, ImportError> {
    let measured = (format.read)(recording)?;
    if let Some(conditions) = &measured.conditions {
        summary::refuse_implausible(recording, &conditions.down)?;
    }
    Ok(Recognised { format: format.name, summary: summary::of(&measured), measured })
}
