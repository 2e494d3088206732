//! Running a plan: every cell under every seed, on all processors, the results in the order of the grid.

use crate::atomic::WriteError;
use crate::build::{Part, Places, build};
use crate::observe::{EventList, RunObserver, SenderCapture, SeriesRecorder};
use crate::plan::{Cell, Plan};
use crate::record::{LinkRecord, RunRecord};
use crate::schema::Scenario;
use crate::summary::label;
use rayon::prelude::*;
use seamline_net::Link;
use seamline_report::series::RunSeries;
use seamline_sim::{ElementId, World};
use seamline_wire::Instant;
use std::path::{Path, PathBuf};

/// What to write beside the records. Paths start from the working directory.
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
}

/// What came of a cell.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CellResult {
    /// One record for each seed, in the order of the scenario.
    pub runs: Vec<RunRecord>,
    /// Files written.
    pub files: Vec<PathBuf>,
    /// The first run over time, when it was wanted.
    pub series: Option<RunSeries>,
}

/// Run everything, on as many processors as rayon's pool has. `finished` is called after every run, from
/// any thread. The order in which runs take place changes nothing.
///
/// # Errors
/// When a file cannot be written; the first of them in the order of the grid.
pub fn run(
    plan: &Plan,
    options: &RunOptions,
    finished: &(dyn Fn() + Sync),
) -> Result<Vec<CellResult>, WriteError> {
    let jobs: Vec<(usize, usize)> = plan
        .cells
        .iter()
        .enumerate()
        .flat_map(|(cell, spec)| (0..spec.scenario.seeds.len()).map(move |seed| (cell, seed)))
        .collect();
    let done = jobs.par_iter().map(|(cell, seed)| {
        let wanted = *seed == 0 && (!options.only_last_cell || cell + 1 == plan.cells.len());
        let files = if wanted { Files::of(plan, *cell, options)? } else { Files::default() };
        let over_time = *seed == 0 && *cell < options.cells_over_time;
        let outcome = run_one(plan, *cell, *seed, files, over_time);
        finished();
        outcome
    });
    let done: Vec<Result<Done, WriteError>> = done.collect();
    let mut results: Vec<CellResult> = plan.cells.iter().map(|_| CellResult::default()).collect();
    for ((cell, _), outcome) in jobs.iter().zip(done) {
        let Done { record, files, series } = outcome?;
        results[*cell].runs.push(record);
        results[*cell].files.extend(files);
        results[*cell].series = results[*cell].series.take().or(series);
    }
    Ok(results)
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
struct Done {
    record: RunRecord,
    files: Vec<PathBuf>,
    series: Option<RunSeries>,
}

fn run_one(plan: &Plan, cell: usize, seed: usize, files: Files, over_time: bool) -> Result<Done, WriteError> {
    let scenario = &plan.cells[cell].scenario;
    let is_first = seed == 0;
    let seed = scenario.seeds[seed];
    let places = Places::new(scenario);
    let mut observer = RunObserver::new(scenario, &places, files.capture, files.events);
    observer.series = over_time.then(|| SeriesRecorder::new(scenario, &places));
    let mut world: World<Part, RunObserver> = World::with_observer(observer);
    let mut runner = build(scenario, seed, &mut world, &places);
    runner.run_until(&mut world, Instant::ZERO + scenario.duration);
    let record = RunRecord {
        seed,
        flows: world.observer().records(scenario, is_first),
        links: link_records(scenario, &world, &places),
    };
    let RunObserver { capture, events, series, .. } = world.into_observer();
    let mut written = Vec::new();
    written.extend(capture.map(SenderCapture::finish).transpose()?);
    written.extend(events.map(EventList::finish).transpose()?);
    let series = series.map(|series| series.finish(cell, label(plan, cell), &record));
    Ok(Done { record, files: written, series })
}

pub(crate) fn link_records(
    scenario: &Scenario,
    world: &World<Part, RunObserver>,
    places: &Places,
) -> Vec<LinkRecord> {
    let mut records = Vec::new();
    for (link, [down, up]) in scenario.links.iter().zip(&places.links) {
        records.extend(link_record(world, *down, format!("{}/down", link.name)));
        records.extend(link_record(world, *up, format!("{}/up", link.name)));
    }
    for (cell, places) in scenario.cells.iter().zip(&places.cells) {
        let lost = match world.machine(places.coverage) {
            Some(Part::Coverage(coverage)) => coverage.left_cell_drops().map(Some),
            _ => [None, None],
        };
        for (element, side, lost_to_departure) in [(places.down, "down", lost[0]), (places.up, "up", lost[1])]
        {
            let record = link_record(world, element, format!("{}/{side}", cell.name));
            records.extend(record.map(|record| LinkRecord { lost_to_departure, ..record }));
        }
    }
    records
}

fn link_record(world: &World<Part, RunObserver>, element: ElementId, name: String) -> Option<LinkRecord> {
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
    })
}
