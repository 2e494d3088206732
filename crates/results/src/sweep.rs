//! Running everything once, however often it is begun.

use crate::error::Error;
use crate::jobs::Jobs;
use crate::manifest::{Manifest, Sweep};
use crate::merge::merge;
use crate::store::{Keys, LINES, Line, each_line, line_files, open};
use crate::stored::Stored;
use rayon::prelude::*;
use seamline_experiment::atomic::WriteError;
use seamline_experiment::lines::LineFile;
use seamline_experiment::record::RunRecord;
use seamline_experiment::report::Provenance;
use seamline_experiment::{CellResult, Job, run_seed};
use seamline_scenario::{Parts, Plan};
use std::fmt;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// One of several equal parts of a sweep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Which, from 1.
    index: usize,
    /// Of how many.
    count: usize,
}

impl Shard {
    /// Whether the run at this index of the plan belongs to it.
    pub fn has(self, place: usize) -> bool {
        place % self.count == self.index - 1
    }
    fn file_name(self) -> String {
        format!("runs-{}-of-{}.jsonl", self.index, self.count)
    }
    /// Whether a file has the name of the lines of a shard.
    pub(crate) fn owns(path: &Path) -> bool {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let middle = name.strip_prefix("runs-").and_then(|rest| rest.strip_suffix(".jsonl"));
        let shard = middle.and_then(|middle| middle.replacen("-of-", "/", 1).parse::<Shard>().ok());
        shard.is_some_and(|shard| shard.file_name() == name)
    }
}

/// `2/8`.
impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers = text.split_once('/').and_then(|(index, count)| {
            Some((index.trim().parse::<usize>().ok()?, count.trim().parse::<usize>().ok()?))
        });
        match numbers {
            Some((index, count)) if (1..=count).contains(&index) => Ok(Shard { index, count }),
            _ => Err("a shard is written 1/8, 2/8, ... 8/8".to_owned()),
        }
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.count)
    }
}

/// Where and how to sweep.
#[derive(Clone, Debug)]
pub struct SweepOptions {
    /// The folder of the results.
    pub out: PathBuf,
    /// Only this part.
    pub shard: Option<Shard>,
    /// Whether the folder may hold other results, too.
    pub add: bool,
    /// Whether [`SweepOutcome::results`] are only to have what summaries need, so that a sweep of many cells takes less memory: the
    /// means of flows and their handovers, but not their intervals, nor links and agents.
    pub only_flows: bool,
}

/// The receiver of progress.
pub trait Progress: Sync {
    /// So many runs are to be done now.
    fn begins(&self, to_do: usize);
    /// A run is done.
    fn finished_one(&self);
    /// What a reader should know about the files.
    fn note(&self, text: &str);
}

/// How a sweep ended.
#[derive(Clone, Debug, Default)]
pub struct SweepOutcome {
    /// Whether it was stopped before its end.
    pub interrupted: bool,
    /// Runs that are stored, by this process or another.
    pub stored: usize,
    /// Runs of all parts.
    pub runs: usize,
    /// The results of a plan that is the only part, when all of its runs are stored.
    pub results: Option<Vec<CellResult>>,
}

impl SweepOutcome {
    /// Whether all runs are stored.
    pub fn is_complete(&self) -> bool {
        self.stored == self.runs
    }
}

/// Run what has not been run yet, on as many processors as rayon's pool has, and store a line for each
/// finished run. When `stop` is set, runs under way are given up and those that are finished are kept.
///
/// # Errors
/// When the folder holds other results, or something cannot be read or written.
pub fn sweep(
    plan: &Plan,
    provenance: &Provenance,
    options: &SweepOptions,
    stop: &AtomicBool,
    progress: &dyn Progress,
) -> Result<SweepOutcome, Error> {
    let run = |plan: &Plan, Job { cell, seed }: Job| {
        let scenario = &plan.cells[cell].scenario;
        Ok(run_seed(scenario, scenario.seeds[seed], stop))
    };
    sweep_with(&plan.into(), provenance, options, stop, progress, &run)
}

/// Runs one job of a plan, and returns `None` when it was stopped, or why it failed.
pub type RunOne<'a> = &'a (dyn Fn(&Plan, Job) -> Result<Option<RunRecord>, String> + Sync);

/// The same with an engine of the caller's, in parts of which one is in memory at a time.
///
/// # Errors
/// Those of [`sweep()`], and the first failure of the engine, after which no further run starts.
pub fn sweep_with(
    parts: &Parts<'_>,
    provenance: &Provenance,
    options: &SweepOptions,
    stop: &AtomicBool,
    progress: &dyn Progress,
    run: RunOne<'_>,
) -> Result<SweepOutcome, Error> {
    let out = &options.out;
    std::fs::create_dir_all(out).map_err(|cause| Error::write(out, cause))?;
    let sweep = Sweep::new(parts, provenance);
    Manifest::register(out, &sweep, options.add)?;
    let name = options.shard.map_or(LINES.to_owned(), Shard::file_name);
    let (mut file, torn) = open(&out.join(name))?;
    let files = line_files(out)?;
    let mut known = Keys::default();
    let found = each_line(&files, &mut known, drop)?;
    torn.iter().chain(&found.notes).for_each(|text| progress.note(text));
    let jobs = Jobs(&parts.totals().cells);
    let is_own = |place| options.shard.is_none_or(|shard| shard.has(place));
    let own = jobs.all().enumerate().filter(|(place, _)| is_own(*place)).map(|(_, job)| job);
    // Grid cells that are alike have the same runs.
    let to_do: Vec<Job> = own.filter(|job| known.insert(&jobs.key(*job))).collect();
    drop(known);
    progress.begins(to_do.len());
    let engine = Engine { run, stop, failure: Mutex::new(None) };
    let mut rest = &to_do[..];
    for cells in parts.ranges().take_while(|_| !engine.has_ended()) {
        let (now, later) = rest.split_at(rest.partition_point(|job| job.cell < cells.end));
        rest = later;
        if !now.is_empty() {
            let now: Vec<Job> = now.iter().map(|job| Job { cell: job.cell - cells.start, ..*job }).collect();
            // The next part begins when this one has ended: of its many runs only the last ones leave processors idle.
            run_jobs(&parts.part(cells), &sweep.identity, &now, &mut file, &engine, progress)?;
        }
    }
    if let Some(why) = engine.failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(Error::Run(why));
    }
    let stored = Stored::find(parts, &line_files(out)?, options.only_flows)?;
    let mut outcome =
        SweepOutcome { runs: parts.totals().runs(), results: stored.results, ..SweepOutcome::default() };
    for (place, job) in jobs.all().enumerate() {
        match stored.keys.contains(&jobs.key(job)) {
            true => outcome.stored += 1,
            false => outcome.interrupted |= is_own(place),
        }
    }
    if options.shard.is_none() && outcome.is_complete() {
        let others: Vec<PathBuf> = files.into_iter().filter(|path| path.as_path() != file.path()).collect();
        merge(&mut file, &others, progress)?;
    }
    Ok(outcome)
}

/// Runs jobs until it is told to stop or one fails.
struct Engine<'a> {
    run: RunOne<'a>,
    stop: &'a AtomicBool,
    failure: Mutex<Option<String>>,
}

impl Engine<'_> {
    fn failure(&self) -> MutexGuard<'_, Option<String>> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner)
    }
    fn has_ended(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || self.failure().is_some()
    }
    fn run(&self, plan: &Plan, job: Job) -> Option<RunRecord> {
        (self.run)(plan, job).unwrap_or_else(|why| {
            self.failure().get_or_insert(why);
            None
        })
    }
}

/// Run these; one thread writes while the others compute.
fn run_jobs(
    plan: &Plan,
    sweep: &str,
    jobs: &[Job],
    file: &mut LineFile,
    engine: &Engine<'_>,
    progress: &dyn Progress,
) -> Result<(), Error> {
    let path = file.path().to_owned();
    let failed = AtomicBool::new(false);
    let (finished, lines) = mpsc::channel();
    let outcome = std::thread::scope(|scope| {
        let writer = scope.spawn(|| write_lines(file, lines, &failed));
        jobs.par_iter().for_each_with(finished, |finished, job| {
            if engine.has_ended() || failed.load(Ordering::Relaxed) {
                return;
            }
            let Some(run) = engine.run(plan, *job) else { return };
            let line = Line::new(plan, sweep, job.cell, run).to_text();
            let Ok(line) = line else { unreachable!("every record can be written as JSON") };
            // The writer keeps what it cannot write.
            let _ = finished.send(line);
            progress.finished_one();
        });
        writer.join()
    });
    match outcome {
        Ok(Ok(())) => Ok(()),
        Ok(Err(Unstored { cause, lines })) => Err(rescue(&path, cause, &lines)),
        Err(panic) => std::panic::resume_unwind(panic),
    }
}

/// Lines that could not be stored.
#[derive(Debug)]
struct Unstored {
    cause: std::io::Error,
    lines: Vec<String>,
}

/// Store lines as they come. While the disk is busy lines gather, and all of them go in the next write, so
/// that every line is soon safe and the disk never holds up the runs. After a failure, which sets `failed`,
/// lines are kept.
fn write_lines(file: &mut LineFile, lines: Receiver<String>, failed: &AtomicBool) -> Result<(), Unstored> {
    while let Ok(first) = lines.recv() {
        let batch: Vec<String> = std::iter::once(first).chain(lines.try_iter()).collect();
        if let Err(cause) = file.append(&batch.concat()) {
            failed.store(true, Ordering::Relaxed);
            return keep(file, cause, batch, lines);
        }
    }
    Ok(())
}

/// Gather what still comes, and try once more at the end: another program may have made room.
fn keep(
    file: &mut LineFile,
    cause: std::io::Error,
    mut kept: Vec<String>,
    lines: Receiver<String>,
) -> Result<(), Unstored> {
    kept.extend(lines);
    let stored = kept.iter().take_while(|line| file.append(line).is_ok()).count();
    kept.drain(..stored);
    Err(Unstored { cause, lines: kept })
}

/// Put lines that cannot be stored where they are not lost.
fn rescue(path: &Path, cause: std::io::Error, lines: &[String]) -> Error {
    if lines.is_empty() {
        return Error::write(path, cause);
    }
    let text = lines.concat();
    let keep_elsewhere = || {
        let mut file = tempfile::Builder::new().prefix("seamline-runs-").suffix(".jsonl").tempfile()?;
        file.write_all(text.as_bytes())?;
        file.as_file().sync_data()?;
        Ok::<_, std::io::Error>(file.keep()?.1)
    };
    let rescued = keep_elsewhere().map_err(|_| text.clone());
    Error::Unstored { cause: WriteError { path: path.to_owned(), cause }, count: lines.len(), rescued }
}
