//! Run a plan: every grid cell with every seed, on all processors. Results are in grid order.

use crate::atomic::WriteError;
use crate::files::Files;
use crate::observe::{MessageRecorder, Recorders, RunObserver, SeriesRecorder, StreamRecorder};
use crate::records::record_of;
use crate::summary::label;
use rayon::prelude::*;
use seamline_report::emulation::EmulationRecord;
use seamline_report::messages::Occasion;
use seamline_report::record::RunRecord;
use seamline_report::series::RunSeries;
use seamline_scenario::build::{Ends, Part, Places, build};
use seamline_scenario::plan::Plan;
use seamline_scenario::schema::added;
use seamline_sim::World;
use seamline_wire::{Duration, Instant};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::convert::Infallible;
use std::fmt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// What to write in addition to the records, and when to stop. Paths are relative to the working directory.
#[derive(Clone, Debug, Default)]
pub struct RunOptions {
    /// The folder for captures, instead of the scenario's: one file per grid cell, of its first seed.
    pub pcapng: Option<PathBuf>,
    /// The folder for event lists, instead of the scenario's: one file per grid cell, of its first seed.
    pub events: Option<PathBuf>,
    /// The folder for tables of all events and packets, instead of the scenario's: two per grid cell, of its first seed.
    pub parquet: Option<PathBuf>,
    /// The folder for time-sequence graphs, instead of the scenario's: one file per flow of each grid cell, of its first
    /// seed.
    pub xplot: Option<PathBuf>,
    /// The folder for results in the format of iperf3, instead of the scenario's: one file per flow of every run.
    pub iperf3: Option<PathBuf>,
    /// Write files only for the last grid cell.
    pub only_last_cell: bool,
    /// The provenance of a capture, for its first comment.
    pub provenance: String,
    /// Record the first run of each of this many grid cells over time, for a report.
    pub cells_over_time: usize,
    /// What their message charts are about.
    pub messages_around: Occasion,
    /// How many processors one run may use, if its network can be cut into parts with about equal work; 0 means one. Results are the same.
    /// Where other crates or Python have added congestion controls, schemes or agents, a run gets one: these may share state.
    pub threads: usize,
    /// Set it from any thread: no further run starts, and running ones are given up with their files.
    pub stop: Arc<AtomicBool>,
    /// Gets warnings about runs that are under way.
    pub warn: Warn,
    /// Receives the progress of runs.
    pub advance: Advance,
}

/// The function that receives the progress of runs every few milliseconds, on any thread; none by default.
#[derive(Clone, Default)]
pub struct Advance(pub Option<Arc<dyn Fn(Advanced) + Send + Sync>>);

/// The progress of a run since the last report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Advanced {
    /// Simulated time.
    pub simulated: Duration,
    /// Segments with data that senders have sent.
    pub segments: u64,
}

impl fmt::Debug for Advance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Advance").field(&self.0.is_some()).finish()
    }
}

impl Advance {
    /// Report the progress of a run since `told`, which becomes the present.
    fn tell(&self, told: &mut (Instant, u64), now: Instant, segments: u64) {
        if let Some(tell) = &self.0 {
            tell(Advanced { simulated: now.saturating_since(told.0), segments: segments - told.1 });
            *told = (now, segments);
        }
    }
}

/// Where warnings go; nowhere by default.
#[derive(Clone, Copy, Debug)]
pub struct Warn(pub fn(&str));

impl Default for Warn {
    fn default() -> Self {
        Warn(|_| {})
    }
}

/// The result of a grid cell.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CellResult {
    /// One record per seed that was run, in scenario order.
    pub runs: Vec<RunRecord>,
    /// The files written.
    pub files: Vec<PathBuf>,
    /// The first run over time, if requested.
    pub series: Option<RunSeries>,
}

/// An incomplete result. Runs that depend on something outside the program may also fail with an `E`.
#[derive(Debug)]
pub struct Incomplete<E = Infallible> {
    /// The available results: all grid cells with the same seeds, in order. Empty when no seed is complete.
    pub results: Vec<CellResult>,
    /// The files written by finished runs, when there are no results that name them.
    pub files: Vec<PathBuf>,
    /// Files that could not be written, in grid order.
    pub unwritten: Vec<WriteError>,
    /// How many runs did not finish, because [`RunOptions::stop`] was set or one failed.
    pub left_out: usize,
    /// The failure of a run; no run started after it.
    pub failure: Option<E>,
}

impl<E> Default for Incomplete<E> {
    fn default() -> Self {
        Incomplete {
            results: Vec::new(),
            files: Vec::new(),
            unwritten: Vec::new(),
            left_out: 0,
            failure: None,
        }
    }
}

impl<E> Incomplete<E> {
    /// No run of the plan was started.
    pub fn nothing(plan: &Plan, failure: E) -> Self {
        let failure = Some(failure);
        Incomplete { left_out: plan.runs(), failure, ..Incomplete::default() }
    }
    /// Convert the failure.
    pub fn map_failure<F>(self, map: impl FnOnce(E) -> F) -> Incomplete<F> {
        let Incomplete { results, files, unwritten, left_out, failure } = self;
        Incomplete { results, files, unwritten, left_out, failure: failure.map(map) }
    }
}

impl<E: fmt::Display> fmt::Display for Incomplete<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.failure, self.unwritten.first()) {
            (Some(failure), _) => failure.fmt(f),
            (None, Some(error)) => error.fmt(f),
            (None, None) => write!(f, "interrupted; {} runs were left out", self.left_out),
        }
    }
}

impl<E: std::error::Error + 'static> std::error::Error for Incomplete<E> {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        let failure = self.failure.as_ref().map(|failure| failure as _);
        failure.or_else(|| self.unwritten.first().map(|error| error as _))
    }
}

impl<E> From<WriteError> for Incomplete<E> {
    fn from(error: WriteError) -> Self {
        Incomplete { unwritten: vec![error], ..Incomplete::default() }
    }
}

/// Run everything, on as many processors as rayon's pool has. `finished` is called after every run, from any thread.
/// The order of the runs does not affect results.
///
/// # Errors
/// When a file cannot be written, or the runs were stopped; the error has the results so far. An unwritable folder is
/// detected before the first run.
pub fn run(
    plan: &Plan,
    options: &RunOptions,
    finished: &(dyn Fn() + Sync),
) -> Result<Vec<CellResult>, Incomplete> {
    run_each(plan, options, finished, |job| Ok(run_one(plan, job, options)))
}

/// Run everything with an engine of the caller's, on as many processors as rayon's pool has. `run` returns `None` for a
/// run that was stopped. `finished` is called after every run, from any thread.
///
/// # Errors
/// Those of [`run()`], and the first failure of an engine, after which no further run starts.
pub fn run_each<E: Send>(
    plan: &Plan,
    options: &RunOptions,
    finished: &(dyn Fn() + Sync),
    run: impl Fn(Job) -> Result<Option<FinishedRun>, E> + Sync,
) -> Result<Vec<CellResult>, Incomplete<E>> {
    let jobs = jobs(plan, options)?;
    let failure = Mutex::new(None);
    let done = jobs.par_iter().map(|&job| attempt(options, &failure, finished, || run(job))).collect();
    gather(plan, &jobs, done, failure)
}

/// Run one of several jobs, unless one has failed or the user has stopped them.
pub(crate) fn attempt<E>(
    options: &RunOptions,
    failure: &Mutex<Option<E>>,
    finished: &dyn Fn(),
    run: impl FnOnce() -> Result<Option<FinishedRun>, E>,
) -> Option<FinishedRun> {
    let failure = || failure.lock().unwrap_or_else(PoisonError::into_inner);
    if options.stop.load(Ordering::Relaxed) || failure().is_some() {
        return None;
    }
    let done = run();
    finished();
    done.unwrap_or_else(|error| {
        failure().get_or_insert(error);
        None
    })
}

/// The jobs of a plan, ordered by seed, so that an interrupted experiment has some seeds of all grid cells rather
/// than all seeds of some.
pub fn by_seed(plan: &Plan) -> Vec<Job> {
    let most_seeds = plan.cells.iter().map(|cell| cell.scenario.seeds.len()).max().unwrap_or(0);
    (0..most_seeds)
        .flat_map(|seed| (0..plan.cells.len()).map(move |cell| Job { cell, seed }))
        .filter(|job| job.seed < plan.cells[job.cell].scenario.seeds.len())
        .collect()
}

/// The same, once the files that they write can be.
///
/// # Errors
/// When a requested file cannot be created.
pub(crate) fn jobs(plan: &Plan, options: &RunOptions) -> Result<Vec<Job>, WriteError> {
    let jobs = by_seed(plan);
    if let Some(job) = jobs.iter().find(|job| options.writes_cell(plan, job.cell)) {
        Files::new(plan, *job, options).check()?;
    }
    Ok(jobs)
}

/// One run of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Job {
    /// The index of its grid cell.
    pub cell: usize,
    /// The index of its seed among those of the grid cell.
    pub seed: usize,
}

impl Job {
    /// The observer of the run, and the files that cannot be written.
    pub(crate) fn observer(
        self,
        plan: &Plan,
        places: &Places,
        options: &RunOptions,
    ) -> (RunObserver, Vec<WriteError>) {
        let files = Files::new(plan, self, options);
        let (recorders, unwritten) = match files.create() {
            Ok(recorders) => (recorders, Vec::new()),
            Err(error) => (Recorders::default(), vec![error]),
        };
        let scenario = &plan.cells[self.cell].scenario;
        let with_intervals = self.seed == 0 || scenario.output.intervals_of_every_run;
        let mut observer = RunObserver::new(scenario, places, recorders, with_intervals);
        let over_time = self.is_over_time(options) || files.xplot.is_some();
        observer.series = over_time.then(|| SeriesRecorder::new(scenario, places));
        observer.messages = self
            .is_over_time(options)
            .then(|| MessageRecorder::new(scenario, places, options.messages_around));
        observer.streams = files.iperf3.is_some().then(|| StreamRecorder::new(scenario));
        (observer, unwritten)
    }

    /// Whether a report shows the run over time.
    fn is_over_time(self, options: &RunOptions) -> bool {
        self.seed == 0 && self.cell < options.cells_over_time
    }
}

impl RunOptions {
    /// The folders for files, each with the name of its kind.
    pub fn folders(&mut self) -> [(&'static str, &mut Option<PathBuf>); 5] {
        let RunOptions { pcapng, events, parquet, xplot, iperf3, .. } = self;
        [("pcapng", pcapng), ("events", events), ("parquet", parquet), ("xplot", xplot), ("iperf3", iperf3)]
    }

    /// Whether runs of a grid cell may write files.
    pub(crate) fn writes_cell(&self, plan: &Plan, cell: usize) -> bool {
        !self.only_last_cell || cell + 1 == plan.cells.len()
    }
}

/// The results of all jobs, by grid cell. After a failure at least one job has no result.
pub(crate) fn gather<E>(
    plan: &Plan,
    jobs: &[Job],
    done: Vec<Option<FinishedRun>>,
    failure: Mutex<Option<E>>,
) -> Result<Vec<CellResult>, Incomplete<E>> {
    let left_out = done.iter().filter(|done| done.is_none()).count();
    let unfinished: BTreeSet<usize> =
        jobs.iter().zip(&done).filter(|(_, done)| done.is_none()).map(|(job, _)| job.seed).collect();
    let mut results: Vec<CellResult> = plan.cells.iter().map(|_| CellResult::default()).collect();
    let mut unwritten = Vec::new();
    for (Job { cell, seed }, done) in jobs.iter().zip(done) {
        let Some(done) = done else { continue };
        let result = &mut results[*cell];
        unwritten.extend(done.unwritten.into_iter().map(|error| (*cell, error)));
        result.files.extend(done.files);
        result.series = result.series.take().or(done.series);
        if !unfinished.contains(seed) {
            result.runs.push(done.record);
        }
    }
    if unwritten.is_empty() && left_out == 0 {
        return Ok(results);
    }
    let mut files = Vec::new();
    if results.iter().any(|result| result.runs.is_empty()) {
        files = results.drain(..).flat_map(|result| result.files).collect();
    }
    unwritten.sort_by_key(|(cell, _)| *cell);
    let unwritten = unwritten.into_iter().map(|(_, error)| error).collect();
    let failure = failure.into_inner().unwrap_or_else(PoisonError::into_inner);
    Err(Incomplete { results, files, unwritten, left_out, failure })
}

/// A finished run.
#[derive(Debug)]
pub struct FinishedRun {
    /// Its record.
    pub record: RunRecord,
    /// The files it has written.
    pub files: Vec<PathBuf>,
    /// Those it could not write.
    pub unwritten: Vec<WriteError>,
    /// The run over time, if requested.
    pub series: Option<RunSeries>,
}

/// Run one job of a plan. `None` when it was stopped; its files are removed.
pub fn run_one(plan: &Plan, job: Job, options: &RunOptions) -> Option<FinishedRun> {
    let scenario = &plan.cells[job.cell].scenario;
    let places = Places::new(scenario);
    let (observer, unwritten) = job.observer(plan, &places, options);
    let mut world: World<Part, RunObserver> = World::with_observer(observer);
    let mut runner = build(scenario, scenario.seeds[job.seed], Ends::Inside, &mut world, &places);
    if !added::are_any() {
        runner.use_threads(options.threads);
    }
    let mut told = (Instant::ZERO, 0);
    let mut goes_on = |world: &World<Part, RunObserver>| {
        options.advance.tell(&mut told, world.now(), world.observer().segments);
        !options.stop.load(Ordering::Relaxed)
    };
    let is_complete = runner.run_while(&mut world, Instant::ZERO + scenario.duration, &mut goes_on);
    options.advance.tell(&mut told, world.now(), world.observer().segments);
    is_complete.then(|| finish_run(plan, job, options, world, &places, unwritten, None))
}

/// Finish a run: create its record, with how well it was emulated, and complete its files.
pub(crate) fn finish_run(
    plan: &Plan,
    job: Job,
    options: &RunOptions,
    world: World<Part, RunObserver>,
    places: &Places,
    mut unwritten: Vec<WriteError>,
    emulation: Option<EmulationRecord>,
) -> FinishedRun {
    let scenario = &plan.cells[job.cell].scenario;
    let record = record_of(scenario, scenario.seeds[job.seed], &world, places);
    let record = RunRecord { emulation, ..record };
    let mut observer = world.into_observer();
    let series = observer.series.take();
    let messages = observer.messages(scenario, &record);
    let series = series.map(|series| {
        let series = series.finish(job.cell, label(plan, job.cell), &record);
        RunSeries { messages, ..series }
    });
    let mut written = Vec::new();
    for file in Files::new(plan, job, options).finish(observer, &record, series.as_ref()) {
        match file {
            Ok(path) => written.push(path),
            Err(error) => unwritten.push(error),
        }
    }
    let series = series.filter(|_| job.is_over_time(options));
    FinishedRun { record, files: written, unwritten, series }
}
