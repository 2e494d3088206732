//! Recordings that a scenario names.

use crate::codes::Code;
use crate::document::Node;
use crate::reader::Context;
use crate::units::Complaint;
use seamline_orbit::{Constellation, read_elements};
use seamline_recordings::measured::Conditions;
pub use seamline_recordings::open_regular;
use seamline_recordings::{ImportError, MAXIMUM_BYTES, Recognised, Recording, explain, recognise};
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

/// What is read from the recording whose path is written at `node`. `format` names the format and its options: what `read` depends on.
///
/// # Errors
/// When the value is no path, or the file is not such a recording.
pub fn conditions(
    context: &Context<'_>,
    node: &Node,
    format: &str,
    read: impl FnOnce(&Recording) -> Result<Conditions, ImportError>,
) -> Result<Conditions, Complaint> {
    context.files.read(context, node, format, |path| read_recording(path, read))
}

/// Whether each packet in turn is lost, in the file whose path is written at `node`.
///
/// # Errors
/// When the value is no path, or the file is no loss trace.
pub fn loss_trace(context: &Context<'_>, node: &Node) -> Result<Arc<[bool]>, Complaint> {
    context.files.read(context, node, "loss trace", read_loss_trace)
}

/// The satellites in the file of element sets whose path is written at `node`.
///
/// # Errors
/// When the value is no path, or the file holds no element sets.
pub fn elements(context: &Context<'_>, node: &Node) -> Result<Constellation, Complaint> {
    context.files.read(context, node, "element sets", |path| {
        let constellation = read_elements(&read_text(path)?).and_then(Constellation::of_elements);
        constellation
            .map_err(|error| Complaint::new(format!("{}: {error}", path.display())).code(Code::NotARecording))
    })
}

fn read_recording(
    path: &Path,
    read: impl FnOnce(&Recording) -> Result<Conditions, ImportError>,
) -> Result<Conditions, Complaint> {
    let recording = Recording::open(path).map_err(|error| complaint(error, Code::Unreadable))?;
    read(&recording).map_err(|error| complaint(error, Code::NotARecording))
}

fn read_text(path: &Path) -> Result<String, Complaint> {
    let unreadable =
        |error| Complaint::new(format!("cannot read {}: {error}", path.display())).code(Code::Unreadable);
    let mut text = String::new();
    let file = open_regular(path).map_err(unreadable)?;
    file.take(MAXIMUM_BYTES).read_to_string(&mut text).map_err(unreadable)?;
    Ok(text)
}

fn read_loss_trace(path: &Path) -> Result<Arc<[bool]>, Complaint> {
    let text = read_text(path)?;
    let fate = |letter: char| match letter {
        '0' => Ok(false),
        '1' => Ok(true),
        other => Err(Complaint::new(format!("a loss trace is made of 0 and 1, found `{other}`"))
            .code(Code::NotARecording)),
    };
    let fates: Arc<[bool]> =
        text.chars().filter(|letter| !letter.is_whitespace()).map(fate).collect::<Result<_, _>>()?;
    if fates.is_empty() {
        return Err(Complaint::new("the loss trace is empty").code(Code::NotARecording));
    }
    Ok(fates)
}

/// What is wrong with a recording, in the words of a scenario.
fn complaint(error: ImportError, code: Code) -> Complaint {
    let line = error.line.map(|line| format!(":{line}")).unwrap_or_default();
    let field = error.field.map(|field| format!(", {field}")).unwrap_or_default();
    let what = format!("{}{line}{field}: found {}, expected {}", error.file, error.found, error.expected);
    Complaint::new(what).code(code).tip(error.help)
}

/// The format of a recording, judged by its content: the `kind` of a schedule that reads it, with a summary of what was read.
///
/// # Errors
/// In words, when the file cannot be read or is none of them.
pub fn detect(path: &Path) -> Result<Recognised, String> {
    let recording = Recording::open(path).map_err(|error| error.to_string())?;
    recognise(&recording).map_err(|reasons| explain(&path.display().to_string(), &reasons))
}
