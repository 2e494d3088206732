//! Running everything once, however often it is begun.

use crate::error::Error;
use crate::json_lines;
use crate::manifest::{Manifest, Sweep};
use crate::store::{Found, LINES, Line, each_line, key, line_files, open};
use rayon::prelude::*;
use seamline_experiment::atomic::WriteError;
use seamline_experiment::lines::LineFile;
use seamline_experiment::record::{FlowRecord, RunRecord};
use seamline_experiment::report::Provenance;
use seamline_experiment::{CellResult, Job, run_seed};
use seamline_scenario::Plan;
use std::collections::BTreeSet;
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
    fn owns(path: &Path) -> bool {
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
    /// Runs of the plan that are stored, by this process or another.
    pub stored: usize,
    /// Runs of the plan.
    pub runs: usize,
    /// The results of the plan, when all of its runs are stored.
    pub results: Option<Vec<CellResult>>,
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
    let run = |Job { cell, seed }: Job| {
        let scenario = &plan.cells[cell].scenario;
        Ok(run_seed(scenario, scenario.seeds[seed], stop))
    };
    sweep_with(plan, provenance, options, stop, progress, &run)
}

/// Runs one job of a plan, and returns `None` when it was stopped, or why it failed.
pub type RunOne<'a> = &'a (dyn Fn(Job) -> Result<Option<RunRecord>, String> + Sync);

/// The same with an engine of the caller's.
///
/// # Errors
/// Those of [`sweep()`], and the first failure of the engine, after which no further run starts.
pub fn sweep_with(
    plan: &Plan,
    provenance: &Provenance,
    options: &SweepOptions,
    stop: &AtomicBool,
    progress: &dyn Progress,
    run: RunOne<'_>,
) -> Result<SweepOutcome, Error> {
    let out = &options.out;
    std::fs::create_dir_all(out).map_err(|cause| Error::write(out, cause))?;
    let sweep = Sweep::new(plan, provenance);
    Manifest::register(out, &sweep, options.add)?;
    let name = options.shard.map_or(LINES.to_owned(), Shard::file_name);
    let (mut file, torn) = open(&out.join(name))?;
    let files = line_files(out)?;
    let mut known = BTreeSet::new();
    let found = each_line(&files, &mut known, drop)?;
    torn.iter().chain(&found.notes).for_each(|text| progress.note(text));
    let to_do = jobs(plan, options.shard, &known);
    progress.begins(to_do.len());
    let engine = Engine { run, stop, failure: Mutex::new(None) };
    run_jobs(plan, &sweep.identity, &to_do, &mut file, &engine, progress)?;
    if let Some(why) = engine.failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(Error::Run(why));
    }
    let runs = runs_of(plan, &line_files(out)?, options.only_flows)?;
    let is_missing = |job: &Job| runs[job.cell][job.seed].is_none();
    let outcome = SweepOutcome {
        interrupted: jobs(plan, options.shard, &known).iter().any(is_missing),
        stored: runs.iter().flatten().flatten().count(),
        runs: plan.runs(),
        results: results_of(runs),
    };
    if options.shard.is_none() && outcome.results.is_some() {
        let others: Vec<PathBuf> = files.into_iter().filter(|path| path.as_path() != file.path()).collect();
        merge(&mut file, &others, progress)?;
    }
    Ok(outcome)
}

fn all_jobs(plan: &Plan) -> impl Iterator<Item = Job> {
    let cells = plan.cells.iter().enumerate();
    cells.flat_map(|(cell, it)| (0..it.scenario.seeds.len()).map(move |seed| Job { cell, seed }))
}

/// The runs of a shard whose keys are not known.
fn jobs(plan: &Plan, shard: Option<Shard>, known: &BTreeSet<String>) -> Vec<Job> {
    let own = all_jobs(plan).enumerate().filter(|(place, _)| shard.is_none_or(|shard| shard.has(*place)));
    own.map(|(_, job)| job).filter(|job| !known.contains(&key(plan, *job))).collect()
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
    fn run(&self, job: Job) -> Option<RunRecord> {
        (self.run)(job).unwrap_or_else(|why| {
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
            let Some(run) = engine.run(*job) else { return };
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

/// Take the lines of shards that are done into the main file. What cannot be read of a file stays where it is.
fn merge(file: &mut LineFile, others: &[PathBuf], progress: &dyn Progress) -> Result<(), Error> {
    let main = [file.path().to_owned()];
    let mut known = BTreeSet::new();
    each_line(&main, &mut known, drop)?;
    for path in others.iter().filter(|path| Shard::owns(path)) {
        let (shard, _) = match open(path) {
            Err(Error::Refused { reason, .. }) => {
                progress.note(&format!("{reason}; it is left in place"));
                continue;
            }
            opened => opened?,
        };
        let mut fresh = Vec::new();
        let text = |line: Line| fresh.extend(line.to_text());
        let Found { damaged, .. } = each_line(std::slice::from_ref(path), &mut known, text)?;
        if damaged > 0 {
            progress.note(&format!("{} contains unreadable lines and is left in place", path.display()));
            continue;
        }
        file.append(&fresh.concat()).map_err(|cause| Error::write(file.path(), cause))?;
        shard.remove().map_err(|cause| Error::write(path, cause))?;
        progress.note(&format!(
            "{}: {} runs moved into {}",
            path.display(),
            fresh.len(),
            file.path().display()
        ));
    }
    Ok(())
}

/// The runs of this plan that are stored, by cell and seed.
fn runs_of(plan: &Plan, files: &[PathBuf], only_flows: bool) -> Result<Runs, Error> {
    // Cells that are alike have the same runs.
    let mut jobs: Vec<(String, Job)> = all_jobs(plan).map(|job| (key(plan, job), job)).collect();
    jobs.sort_unstable();
    let mut runs: Runs = plan.cells.iter().map(|cell| vec![None; cell.scenario.seeds.len()]).collect();
    let mut take = |Line { key, run, .. }: Line| {
        let run = if only_flows { flows_of(run) } else { run };
        let first = jobs.partition_point(|(known, _)| *known < key);
        for (_, job) in jobs[first..].iter().take_while(|(known, _)| *known == key) {
            runs[job.cell][job.seed].get_or_insert_with(|| run.clone());
        }
    };
    for path in files {
        json_lines::each_of(path, &mut take)?;
    }
    Ok(runs)
}

/// By cell and seed.
type Runs = Vec<Vec<Option<RunRecord>>>;

/// What summaries need.
fn flows_of(run: RunRecord) -> RunRecord {
    let thin = |mut flow: FlowRecord| {
        flow.intervals = Vec::new();
        flow.handovers.shrink_to_fit();
        flow
    };
    RunRecord {
        flows: run.flows.into_iter().map(thin).collect::<Box<[_]>>().into_vec(),
        links: Vec::new(),
        agents: Vec::new(),
        ..run
    }
}

/// The results of a plan; `None` when some runs are missing.
fn results_of(runs: Runs) -> Option<Vec<CellResult>> {
    let cell = |runs: Vec<Option<RunRecord>>| {
        let runs = runs.into_iter().collect::<Option<Vec<_>>>()?;
        Some(CellResult { runs, ..CellResult::default() })
    };
    runs.into_iter().map(cell).collect()
}
