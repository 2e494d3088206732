//! What host and guest say to each other, as CBOR: it carries infinite numbers, which JSON does not.

use crate::run::LabError;
use crate::shell::{Shell, ShellSession};
use crate::stacks::Stacks;
use seamline_experiment::record::RunRecord;
use seamline_experiment::{FinishedRun, Job};
use seamline_report::series::RunSeries;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::fmt::Display;
use std::io::{self, ErrorKind};
use std::path::PathBuf;

/// What a guest is to do.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct GuestJob {
    /// The working folder, in which relative paths begin.
    pub(super) folder: PathBuf,
    /// The name of the scenario file; it is not read again.
    pub(super) file: PathBuf,
    /// Its text.
    pub(super) text: String,
    /// The `--set` arguments.
    pub(super) settings: Vec<String>,
    /// How long its run lasts: the host may have shortened it, to try it out.
    pub(super) duration_ns: u64,
    /// Whether grid cells with incompatible values are left out.
    pub(super) leaves_out_refused: bool,
    /// Which TCP runs where.
    pub(super) stacks: Stacks,
    /// Which files to write.
    pub(super) files: Files,
    /// Kernel modules to load.
    pub(super) modules: Vec<PathBuf>,
    /// The seed of the kernel's own randomness.
    pub(super) seed: u64,
    pub(super) task: Task,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Task {
    /// One run of the plan in the lab.
    Run(Job),
    /// One run of the plan with hosts that have the TCP of the kernel.
    Nodes(Job),
    /// A command in the network of its first run.
    Shell(Shell),
}

impl Task {
    /// The grid cell that it runs.
    pub(super) fn cell(&self) -> usize {
        match self {
            Task::Run(job) | Task::Nodes(job) => job.cell,
            Task::Shell(_) => 0,
        }
    }
}

/// The files of a run; they are named by the guest and moved by the host.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Files {
    /// The kinds that are wanted, each for a folder of this name.
    pub(super) kinds: Vec<String>,
    pub(super) cells_over_time: usize,
    pub(super) provenance: String,
}

/// What came of it.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Answer {
    Run(Box<(RunRecord, Option<RunSeries>)>),
    Shell(Box<ShellSession>),
    /// The user asked to stop.
    Stopped,
    Failed(Failed),
}

/// An error of the lab, as text.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Failed {
    Refused(String),
    Host(String),
    Other(String),
    CommandEnded(String),
    /// Its files have no room on the host.
    NoRoom,
}

impl Answer {
    /// The answer to a run. A file that cannot be written fails the run: the shared folder has no room.
    pub(super) fn of_run(run: Result<Option<FinishedRun>, LabError>) -> Self {
        match run {
            Ok(Some(FinishedRun { unwritten, .. })) if !unwritten.is_empty() => {
                Answer::Failed(Failed::of_host(&unwritten[0].cause, &unwritten[0]))
            }
            Ok(Some(FinishedRun { record, series, .. })) => Answer::Run(Box::new((record, series))),
            Ok(None) | Err(LabError::Stopped) => Answer::Stopped,
            Err(error) => Answer::Failed(error.into()),
        }
    }

    pub(super) fn of_shell(session: Result<Option<ShellSession>, LabError>) -> Self {
        match session {
            Ok(Some(session)) => Answer::Shell(Box::new(session)),
            Ok(None) | Err(LabError::Stopped) => Answer::Stopped,
            Err(error) => Answer::Failed(error.into()),
        }
    }
}

impl Failed {
    fn of_host(cause: &io::Error, error: &dyn Display) -> Self {
        match cause.kind() {
            ErrorKind::StorageFull => Failed::NoRoom,
            _ => Failed::Host(error.to_string()),
        }
    }

    /// The error to show, with that of a guest which has no room.
    pub(super) fn into_error(self, no_room: impl FnOnce() -> io::Error) -> LabError {
        match self {
            Failed::Refused(what) => LabError::Refused(what),
            Failed::Host(what) => LabError::Failed(format!("in the guest: {what}")),
            Failed::Other(what) => LabError::Failed(what),
            Failed::CommandEnded(what) => LabError::CommandEnded(what),
            Failed::NoRoom => LabError::Host(no_room()),
        }
    }
}

impl From<LabError> for Failed {
    fn from(error: LabError) -> Self {
        match error {
            LabError::Refused(what) => Failed::Refused(what),
            LabError::Failed(what) => Failed::Other(what),
            LabError::CommandEnded(what) => Failed::CommandEnded(what),
            LabError::Host(cause) => Failed::of_host(&cause, &cause),
            LabError::Stopped => Failed::Host(error.to_string()),
        }
    }
}

/// The bytes of a message.
pub(super) fn to_bytes(message: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    ciborium::into_writer(message, &mut bytes).map_err(io::Error::other)?;
    Ok(bytes)
}

/// The message in some bytes.
pub(super) fn from_bytes<T: DeserializeOwned>(bytes: &[u8]) -> io::Result<T> {
    ciborium::from_reader(bytes).map_err(|error| io::Error::other(format!("no message: {error}")))
}
