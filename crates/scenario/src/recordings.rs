//! Files that a scenario names: each read once, however many cells use it.

use crate::codes::Code;
use crate::document::{Node, Value};
use crate::reader::Context;
use crate::units::Complaint;
use seamline_net::Schedule;
use seamline_net::import::leoem::LeoemOptions;
use seamline_net::import::{ImportError, Recording, delay_series, leoem, mahimahi};
use seamline_net::schedule::Fates;
use seamline_wire::Duration;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The fate of each packet in turn: whether it is lost.
type PacketFates = Arc<[bool]>;

/// What has been read so far.
#[derive(Debug, Default)]
pub struct Recordings {
    /// By path and manner of reading.
    schedules: RefCell<BTreeMap<(PathBuf, String), Result<Schedule, Complaint>>>,
    /// By path.
    loss_traces: RefCell<BTreeMap<PathBuf, Result<PacketFates, Complaint>>>,
    /// By path.
    contents: RefCell<BTreeMap<PathBuf, blake3::Hash>>,
}

impl Recordings {
    /// The schedule in the file whose path is written at `node`. `manner` names the format and its
    /// options: what `read` depends on.
    ///
    /// # Errors
    /// When the value is no path, or the file is not such a recording.
    pub fn schedule(
        &self,
        context: &Context<'_>,
        node: &Node,
        manner: String,
        read: impl FnOnce(&Recording) -> Result<Schedule, ImportError>,
    ) -> Result<Schedule, Complaint> {
        let path = path_at(context, node)?;
        let mut known = self.schedules.borrow_mut();
        let schedule = known.entry((path.clone(), manner)).or_insert_with(|| read_recording(&path, read));
        schedule.clone()
    }

    /// The fate of each packet in turn, in the file whose path is written at `node`.
    ///
    /// # Errors
    /// When the value is no path, or the file is no loss trace.
    pub fn loss_trace(&self, context: &Context<'_>, node: &Node) -> Result<Arc<[bool]>, Complaint> {
        let path = path_at(context, node)?;
        let mut known = self.loss_traces.borrow_mut();
        known.entry(path.clone()).or_insert_with(|| read_loss_trace(&path)).clone()
    }

    /// BLAKE3 of what is in a file; of nothing when it cannot be read.
    pub(crate) fn content(&self, path: &Path) -> blake3::Hash {
        let mut known = self.contents.borrow_mut();
        let read = || blake3::hash(&std::fs::read(path).unwrap_or_default());
        *known.entry(path.to_owned()).or_insert_with(read)
    }
}

/// The path of an input file that is written at a place, relative to that place's folder. The results depend
/// on what is in it.
///
/// # Errors
/// When it is not a path.
fn path_at(context: &Context<'_>, node: &Node) -> Result<PathBuf, Complaint> {
    match &node.value {
        Value::Text(path) if !path.is_empty() => {
            let path = context.sources.get(node.span.source).folder.join(path);
            context.depends_on(path.clone());
            Ok(path)
        }
        Value::Text(_) => Err(Complaint::new("the path of a recording goes here").code(Code::Unreadable)),
        other => Err(Complaint::expected("a path", other)),
    }
}

fn read_recording(
    path: &Path,
    read: impl FnOnce(&Recording) -> Result<Schedule, ImportError>,
) -> Result<Schedule, Complaint> {
    let recording = Recording::open(path).map_err(|error| complaint(error, Code::Unreadable))?;
    read(&recording).map_err(|error| complaint(error, Code::NotARecording))
}

fn read_loss_trace(path: &Path) -> Result<Arc<[bool]>, Complaint> {
    let unreadable =
        |error| Complaint::new(format!("cannot read {}: {error}", path.display())).code(Code::Unreadable);
    let text = std::fs::read_to_string(path).map_err(unreadable)?;
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

/// The format of a recording, judged by its content: the `kind` of a schedule that reads it.
///
/// # Errors
/// In words, when the file cannot be read or is none of them.
pub fn detect(path: &Path) -> Result<&'static str, String> {
    let recording = Recording::open(path).map_err(|error| error.to_string())?;
    let options = LeoemOptions { interruption: Duration::ZERO, fates: Fates::SEAMLESS };
    let interval = delay_series::USUAL_INTERVAL;
    let formats = [
        ("leoem", leoem::parse(&recording, options).map(|_| ())),
        ("mahimahi", mahimahi::parse(&recording).map(|_| ())),
        ("delay-series", delay_series::parse(&recording, interval).map(|_| ())),
    ];
    let mut reasons = Vec::new();
    for (kind, read) in formats {
        match read {
            Ok(()) => return Ok(kind),
            Err(error) => reasons.push(format!("\n  as {kind}: {error}")),
        }
    }
    Err(format!("{} is not a recording of a known format{}", path.display(), reasons.concat()))
}
