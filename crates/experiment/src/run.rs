//! Running a plan: every cell under every seed, on all processors, the results in the order of the grid.

use crate::atomic::WriteError;
use crate::observe::{EventList, RunObserver, SenderCapture, SeriesRecorder};
use crate::summary::label;
use rayon::prelude::*;
use seamline_net::Link;
use seamline_report::record::{AgentRecord, LinkRecord, RunRecord};
use seamline_report::series::RunSeries;
use seamline_scenario::build::{Ends, Part, Places, build};
use seamline_scenario::plan::{Cell, Plan};
use seamline_scenario::schema::{DirectionSpec, Scenario};
use seamline_sim::{ElementId, World};
use seamline_wire::Instant;
use std::collections::BTreeSet;
use std::convert::Infallible;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What to write beside the records, and when to stop. Paths start from the working directory.
#[derive(Clone, Debug, Default)]
pub struct RunOptions {
    /// Folder for captures, in place of the scenario's: one for each cell, of its first seed.
    pub pcapng: Option<PathBuf>,
    /// Folder for lists of events, in place of the scenario's: likewise.
    pub events: Option<PathBuf>,
    /// Write these files for the last cell only.
    pub only_last_cell: bool,
    /// Where a capture comes from, for its first comment.
    pub provenance: String,
    /// Keep the first run of each of this many cells over time, for a report.
    pub cells_over_time: usize,
    /// Set from anywhere: no further run begins, and those that have begun come to their end.
    pub stop: Arc<AtomicBool>,
}

/// What came of a cell.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CellResult {
    /// One record for each seed that was run, in the order of the scenario.
    pub runs: Vec<RunRecord>,
    /// Files written.
    pub files: Vec<PathBuf>,
    /// The first run over time, when it was wanted.
    pub series: Option<RunSeries>,
}

/// Results that are not all that was asked for. Runs that depend on something outside of the program may also fail by an `E`.
#[derive(Debug)]
pub struct Incomplete<E = Infallible> {
    /// What there is: every cell with the same seeds, in their order. No cells when not one seed is complete.
    pub results: Vec<CellResult>,
    /// What could not be written, in the order of the grid.
    pub unwritten: Vec<WriteError>,
    /// How many runs did not come to their end, because [`RunOptions::stop`] was set or one has failed.
    pub left_out: usize,
    /// Why one has failed; none was begun after it.
    pub failure: Option<E>,
}

impl<E> Incomplete<E> {
    /// Nothing of a plan was run.
    pub fn nothing(plan: &Plan, failure: E) -> Self {
        let failure = Some(failure);
        Incomplete { results: Vec::new(), unwritten: Vec::new(), left_out: plan.runs(), failure }
    }
    /// The same, with another kind of failure.
    pub fn map_failure<F>(self, map: impl FnOnce(E) -> F) -> Incomplete<F> {
        let Incomplete { results, unwritten, left_out, failure } = self;
        Incomplete { results, unwritten, left_out, failure: failure.map(map) }
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
        Incomplete { results: Vec::new(), unwritten: vec![error], left_out: 0, failure: None }
    }
}

/// Run everything, on as many processors as rayon's pool has. `finished` is called after every run, from
/// any thread. The order in which runs take place changes nothing.
///
/// # Errors
/// When a file cannot be written, or it was stopped; with what was computed nevertheless. A place that nothing can
/// be written to is found out before anything is computed.
pub fn run(
    plan: &Plan,
    options: &RunOptions,
    finished: &(dyn Fn() + Sync),
) -> Result<Vec<CellResult>, Incomplete> {
    let jobs = jobs(plan, options)?;
    let done = jobs.par_iter().map(|&job| {
        if options.stop.load(Ordering::Relaxed) {
            return None;
        }
        let done = run_one(plan, job, options);
        finished();
        Some(done)
    });
    let done: Vec<Option<Done>> = done.collect();
    gather(plan, &jobs, done, None)
}

/// Every cell under every seed, by their places; by seed, so that who stops early has some seeds of all cells rather than
/// all seeds of some.
///
/// # Errors
/// When no file can be written to the place where files are wanted.
pub(crate) fn jobs(plan: &Plan, options: &RunOptions) -> Result<Vec<Job>, WriteError> {
    let most_seeds = plan.cells.iter().map(|cell| cell.scenario.seeds.len()).max().unwrap_or(0);
    let jobs: Vec<Job> = (0..most_seeds)
        .flat_map(|seed| (0..plan.cells.len()).map(move |cell| Job { cell, seed }))
        .filter(|job| job.seed < plan.cells[job.cell].scenario.seeds.len())
        .collect();
    if let Some(job) = jobs.iter().find(|job| job.writes_files(plan, options)) {
        drop(Files::of(plan, job.cell, options)?);
    }
    Ok(jobs)
}

/// One run of a plan: the places of its cell and of its seed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Job {
    pub(crate) cell: usize,
    pub(crate) seed: usize,
}

impl Job {
    fn writes_files(self, plan: &Plan, options: &RunOptions) -> bool {
        self.seed == 0 && (!options.only_last_cell || self.cell + 1 == plan.cells.len())
    }

    /// Who listens to the run, and what cannot be written of it.
    pub(crate) fn observer(
        self,
        plan: &Plan,
        places: &Places,
        options: &RunOptions,
    ) -> (RunObserver, Vec<WriteError>) {
        let wanted = self.writes_files(plan, options);
        let files = if wanted { Files::of(plan, self.cell, options) } else { Ok(Files::default()) };
        let (files, unwritten) = match files {
            Ok(files) => (files, Vec::new()),
            Err(error) => (Files::default(), vec![error]),
        };
        let scenario = &plan.cells[self.cell].scenario;
        let mut observer = RunObserver::new(scenario, places, files.capture, files.events);
        let over_time = self.seed == 0 && self.cell < options.cells_over_time;
        observer.series = over_time.then(|| SeriesRecorder::new(scenario, places));
        (observer, unwritten)
    }
}

/// What came of each job, by cell. With a failure there is at least one of which nothing came.
pub(crate) fn gather<E>(
    plan: &Plan,
    jobs: &[Job],
    done: Vec<Option<Done>>,
    failure: Option<E>,
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
    if results.iter().any(|result| result.runs.is_empty()) {
        results.clear();
    }
    unwritten.sort_by_key(|(cell, _)| *cell);
    let unwritten = unwritten.into_iter().map(|(_, error)| error).collect();
    Err(Incomplete { results, unwritten, left_out, failure })
}

/// The files of one run.
#[derive(Debug, Default)]
struct Files {
    capture: Option<SenderCapture>,
    events: Option<EventList>,
}

impl Files {
    fn of(plan: &Plan, cell: usize, options: &RunOptions) -> Result<Files, WriteError> {
        let output = &plan.cells[cell].scenario.output;
        let pcapng = options.pcapng.as_deref().or(output.pcapng.as_deref());
        let events = options.events.as_deref().or(output.events.as_deref());
        let place = |folder: &Path, ending: &str| folder.join(format!("{}.{ending}", file_stem(plan, cell)));
        let capture = pcapng
            .map(|folder| SenderCapture::create(&place(folder, "pcapng"), options.provenance.clone()))
            .transpose()?;
        let events = events.map(|folder| EventList::create(&place(folder, "csv"))).transpose()?;
        Ok(Files { capture, events })
    }
}

/// A file name that tells cells apart: `02-cubic-seed1`.
fn file_stem(plan: &Plan, cell: usize) -> String {
    let Cell { values, scenario, .. } = &plan.cells[cell];
    let digits = plan.cells.len().to_string().len();
    let mut stem = String::new();
    if plan.cells.len() > 1 {
        stem += &format!("{:0digits$}-", cell + 1);
    }
    for (_, value) in values {
        let plain =
            |letter: char| if letter.is_alphanumeric() || ".+".contains(letter) { letter } else { '_' };
        let value: String = value.to_string().chars().map(plain).take(40).collect();
        stem += &format!("{value}-");
    }
    stem + &format!("seed{}", scenario.seeds[0])
}

/// What came of one run.
pub(crate) struct Done {
    pub(crate) record: RunRecord,
    files: Vec<PathBuf>,
    unwritten: Vec<WriteError>,
    series: Option<RunSeries>,
}

fn run_one(plan: &Plan, job: Job, options: &RunOptions) -> Done {
    let scenario = &plan.cells[job.cell].scenario;
    let places = Places::new(scenario);
    let (observer, unwritten) = job.observer(plan, &places, options);
    let mut world: World<Part, RunObserver> = World::with_observer(observer);
    let mut runner = build(scenario, scenario.seeds[job.seed], Ends::Inside, &mut world, &places);
    runner.run_until(&mut world, Instant::ZERO + scenario.duration);
    done(plan, job, world, &places, unwritten)
}

/// A run is over: its record, and its files put in their places.
pub(crate) fn done(
    plan: &Plan,
    Job { cell, seed }: Job,
    world: World<Part, RunObserver>,
    places: &Places,
    mut unwritten: Vec<WriteError>,
) -> Done {
    let scenario = &plan.cells[cell].scenario;
    let with_intervals = seed == 0 || scenario.output.intervals_of_every_run;
    let record = record_of(scenario, scenario.seeds[seed], &world, places, with_intervals);
    let RunObserver { capture, events, series, .. } = world.into_observer();
    let mut written = Vec::new();
    let finished = [capture.map(SenderCapture::finish), events.map(EventList::finish)];
    for file in finished.into_iter().flatten() {
        match file {
            Ok(path) => written.push(path),
            Err(error) => unwritten.push(error),
        }
    }
    let series = series.map(|series| series.finish(cell, label(plan, cell), &record));
    Done { record, files: written, unwritten, series }
}

/// What became of a run.
pub(crate) fn record_of(
    scenario: &Scenario,
    seed: u64,
    world: &World<Part, RunObserver>,
    places: &Places,
    with_intervals: bool,
) -> RunRecord {
    RunRecord {
        seed,
        flows: world.observer().records(scenario, with_intervals),
        links: link_records(scenario, world, places),
        agents: agent_records(scenario, world, places),
        emulation: None,
    }
}

fn agent_records(scenario: &Scenario, world: &World<Part, RunObserver>, places: &Places) -> Vec<AgentRecord> {
    let machine = |place: &Option<ElementId>| world.machine((*place)?);
    let mut records = Vec::new();
    for (spec, place) in scenario.agents.iter().zip(&places.agents) {
        let Some(Part::Agent(agent)) = machine(place) else { continue };
        let counters = agent.counters();
        records.push(AgentRecord {
            name: spec.name.clone(),
            packets: counters.packets,
            local_retransmissions: counters.local_retransmissions,
            suppressed_acknowledgments: counters.suppressed_acknowledgments,
            marked_acknowledgments: counters.marked_acknowledgments,
            messages: counters.messages,
        });
    }
    records
}

fn link_records(scenario: &Scenario, world: &World<Part, RunObserver>, places: &Places) -> Vec<LinkRecord> {
    let mut records = Vec::new();
    for (link, [down, up]) in scenario.links.iter().zip(&places.links) {
        records.extend(link_record(world, *down, format!("{}/down", link.name), &link.down));
        records.extend(link_record(world, *up, format!("{}/up", link.name), &link.up));
    }
    for (cell, places) in scenario.cells.iter().zip(&places.cells) {
        let Some(Part::Coverage(coverage)) = world.machine(places.coverage) else { continue };
        let [mut lost, at_edge] = [coverage.left_cell_drops(), coverage.edge_drops()];
        if let Some(Part::Departed(buffer)) = places.departed.and_then(|departed| world.machine(departed)) {
            lost[0] += buffer.dropped();
        }
        let directions = [(places.down, "down", &cell.down), (places.up, "up", &cell.up)];
        for (n, (element, side, direction)) in directions.into_iter().enumerate() {
            let record = link_record(world, element, format!("{}/{side}", cell.name), direction);
            records.extend(record.map(|record| LinkRecord {
                lost_to_departure: Some(lost[n]),
                lost_to_errors: record.lost_to_errors + at_edge[n],
                ..record
            }));
        }
    }
    records
}

fn link_record(
    world: &World<Part, RunObserver>,
    element: ElementId,
    name: String,
    direction: &DirectionSpec,
) -> Option<LinkRecord> {
    let counters = world.link(element).map(Link::counters)?;
    Some(LinkRecord {
        name,
        delivered_packets: counters.delivered.packets,
        delivered_bytes: counters.delivered.bytes,
        dropped_by_full_queue: counters.dropped.queue_overflow.packets,
        dropped_by_queue_management: counters.dropped.active_queue_management.packets,
        lost_to_errors: counters.dropped.error_model.packets,
        lost_to_link_down: counters.dropped.link_down.packets,
        lost_to_departure: None,
        rate_bits_per_second: direction.schedule.is_none().then(|| direction.rate.bits_per_second()),
    })
}
