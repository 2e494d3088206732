//! One run, by the commands that a user would type: `seamline lab` for the network, and inside it `seamline load` at both ends and the
//! daemons of the remedy (`seamline-host`).

mod cgroup;
mod commands;

use crate::case::Job;
use crate::load::Timeline;
use crate::measure::{BEFORE_S, DEFINITION, UNTIL_S, measure};
use crate::process::{Ended, Process};
use crate::remedy::Notice;
use crate::store::Run;
use cgroup::Cgroup;
use commands::Commands;
use seamline_report::emulation::EmulationRecord;
use seamline_wire::{DropCause, Duration};
use serde::Deserialize;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// The scenario's text. The crate's own path is a link to the scenario, so that its package holds a copy.
const SCENARIO: &str = include_str!("../scenarios/handover-benchmark.toml");

/// How much longer than its scenario a run may take, for creating and removing the lab: many times what that takes on a busy host.
const SPARE: Duration = Duration::from_secs(120);

/// How to run.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// The `seamline` command.
    pub program: PathBuf,
    /// The command `seamline-host`.
    pub host_program: PathBuf,
    /// A cgroup (version 2) below which each run with a `seamline-host sender` gets one of its own.
    pub cgroup: Option<PathBuf>,
    /// How often a run that was badly emulated is run again.
    pub retries: u32,
}

/// Why a run has no result.
#[derive(Debug)]
pub enum RunError {
    /// A command failed; with its output.
    Failed(String),
    /// The user asked to stop.
    Stopped,
}

impl From<io::Error> for RunError {
    fn from(error: io::Error) -> Self {
        RunError::Failed(error.to_string())
    }
}

/// Run a job until it is well emulated or the retries are used up.
///
/// # Errors
/// When a command fails, or `stop` is set.
pub fn run(job: &Job, options: &RunOptions, stop: &AtomicBool) -> Result<Run, RunError> {
    let mut repeated = 0;
    loop {
        let mut run = once(job, options, stop)?;
        if run.warnings.is_empty() || repeated == options.retries {
            run.repeated = repeated;
            return Ok(run);
        }
        repeated += 1;
    }
}

/// The part of the lab's report that is needed.
#[derive(Debug, Deserialize)]
struct Document {
    emulation: EmulationRecord,
}

fn once(job: &Job, options: &RunOptions, stop: &AtomicBool) -> Result<Run, RunError> {
    let folder = tempfile::Builder::new().prefix("seamline-benchmark-").tempdir()?;
    fs::write(folder.path().join(commands::SCENARIO_FILE), SCENARIO)?;
    if let Some(policy) = job.case.remedy.mobile_policy {
        fs::write(folder.path().join(commands::POLICY_FILE), policy)?;
    }
    let parent = options.cgroup.as_deref().filter(|_| job.case.remedy.has_sender);
    let cgroup = parent.map(|parent| Cgroup::below(parent, folder.path())).transpose()?;
    let cgroup = cgroup.as_ref().map(Cgroup::path);
    let commands = Commands::new(job, options, cgroup);
    let process = Process::start(&options.program, &commands.arguments(), folder.path(), cgroup)?;
    let ended = process.wait(job.scenario_time() + SPARE, stop)?;
    let Ended { success, output, errors } = ended.ok_or(RunError::Stopped)?;
    if !success {
        return Err(RunError::Failed(format!(
            "this failed: {}\n{errors}{}",
            commands.retyped(),
            logs(folder.path())
        )));
    }
    let document: Document = serde_json::from_str(&output)
        .map_err(|error| RunError::Failed(format!("{}: {error}: {output}", commands.retyped())))?;
    let timeline = fs::read_to_string(folder.path().join(commands::TIMELINE_FILE))
        .map_err(|error| RunError::Failed(format!("{}: {error}", commands::TIMELINE_FILE)))?;
    let timeline: Timeline =
        serde_json::from_str(&timeline).map_err(|error| RunError::Failed(error.to_string()))?;
    let drops = drops(&events(folder.path())?)?;
    let mut warnings = document.emulation.warnings();
    warnings.extend(other_warnings(job, &timeline, folder.path()));
    Ok(Run {
        job: *job,
        definition: DEFINITION,
        measured: measure(job, &timeline, &drops),
        repeated: 0,
        warnings,
        kernel: document.emulation.kernel,
    })
}

/// How the run differs from what the case asks for.
fn other_warnings(job: &Job, timeline: &Timeline, folder: &Path) -> Vec<String> {
    let mut warnings = Vec::new();
    let begin_s = job.link_down().as_secs_f64() - UNTIL_S - BEFORE_S;
    if timeline.samples.first().is_none_or(|first| first.at_s > begin_s) {
        warnings.push("the connection began too late to measure its rate".to_owned());
    }
    let log = || fs::read_to_string(folder.join(commands::MOBILE_LOG)).unwrap_or_default();
    if matches!(job.case.remedy.notice, Notice::Correct(_)) && !log().contains("event=freeze ") {
        warnings.push("the phone was not ready to freeze".to_owned());
    }
    warnings
}

/// The daemons' logs, for an error.
fn logs(folder: &Path) -> String {
    let read =
        |name: &&str| fs::read_to_string(folder.join(name)).ok().map(|text| format!("{name}:\n{text}"));
    commands::LOGS.iter().filter_map(read).collect()
}

/// The event file of the lab's folder.
fn events(folder: &Path) -> io::Result<PathBuf> {
    let mut files = fs::read_dir(folder.join(commands::EVENTS_FOLDER))?;
    let missing = || io::Error::new(ErrorKind::NotFound, "the lab has written no events");
    Ok(files.next().ok_or_else(missing)??.path())
}

/// When the queue of the radio link towards the phone dropped packets because it was full, in seconds.
fn drops(events: &Path) -> Result<Vec<f64>, RunError> {
    let fail = |error: csv::Error| RunError::Failed(format!("{}: {error}", events.display()));
    let mut reader = csv::ReaderBuilder::new().comment(Some(b'#')).from_path(events).map_err(fail)?;
    let mut drops = Vec::new();
    let mut row = csv::StringRecord::new();
    while reader.read_record(&mut row).map_err(fail)? {
        let column = |place: usize| row.get(place).unwrap_or_default();
        if [column(1), column(2), column(6)] == ["radio/down", "dropped", DropCause::QueueOverflow.name()] {
            drops.push(column(0).parse().map_err(|error| RunError::Failed(format!("{error}: {row:?}")))?);
        }
    }
    Ok(drops)
}
