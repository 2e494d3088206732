//! Single runs of the figures over time. Sweeps keep no such details, so these few runs are run again for the page.

use crate::bundled::Paper;
use crate::documents::Documents;
use crate::figures::{Figure, SingleRuns};
use crate::job::{Job, last_part};
use crate::run::{PaperError, PaperOptions};
use seamline_experiment::RunOptions;
use seamline_report::paper::{PaperReport, Part, RunsOfFigure, Section};
use seamline_report::series::RunSeries;
use seamline_scenario::Plan;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Run the single runs that the paper's figures show over time; `None` when it was stopped. Writes nothing.
///
/// # Errors
/// When an override is invalid, or one of the paper's files is malformed.
pub fn runs(
    paper: &Paper,
    options: &PaperOptions,
    stop: &Arc<AtomicBool>,
) -> Result<Option<Vec<RunsOfFigure>>, PaperError> {
    let documents = Documents::of(paper)?;
    let mut all = Vec::new();
    for (figure, wanted) in documents.figures.with_single_runs() {
        if stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        match of_figure(paper, figure, wanted, options, stop) {
            Err(_) if stop.load(Ordering::Relaxed) => return Ok(None),
            runs => all.push(runs?),
        }
    }
    Ok(Some(all))
}

/// Add them to the page, after the figures.
pub fn add(report: &mut PaperReport, figures: Vec<RunsOfFigure>) {
    let Some(first) = figures.iter().find_map(|figure| figure.runs.first()) else { return };
    let words = format!(
        "Single runs of seed {}, to explain the differences between the means in the figures above. Choose a figure, a \
         cell, and another cell to compare it with.",
        first.seed
    );
    let section = Section {
        id: "time",
        title: "Runs over time".to_owned(),
        parts: vec![Part::Words(words), Part::TimePanels],
    };
    report.sections.insert(report.sections.len().min(1), section);
    report.over_time = figures;
}

fn of_figure(
    paper: &Paper,
    figure: &Figure,
    wanted: &SingleRuns,
    options: &PaperOptions,
    stop: &Arc<AtomicBool>,
) -> Result<RunsOfFigure, PaperError> {
    let (plan, places, note) = choose(paper, &figure.scenario, &wanted.cells, wanted.until_s, options)?;
    let run = RunOptions { cells_over_time: plan.cells.len(), stop: stop.clone(), ..RunOptions::default() };
    let results =
        seamline_experiment::run(&plan, &run, &|| ()).map_err(|error| unknown(paper, error.to_string()))?;
    let runs = results.into_iter().zip(places).filter_map(|(result, cell)| {
        let mut run = shown(result.series?, &figure.flow, wanted);
        run.notes.extend(note.clone());
        Some(RunSeries { cell, ..run })
    });
    Ok(RunsOfFigure {
        name: figure.picture().to_owned(),
        title: figure.title.clone(),
        look: wanted.look.clone(),
        shown_s: wanted.shown_s,
        runs: runs.collect(),
    })
}

/// The plan of the wanted cells, each with one seed and no longer than it is shown; their places in the grid; and a note on the
/// part of the runs that is not shown.
pub(super) fn choose(
    paper: &Paper,
    scenario: &str,
    cells: &[BTreeMap<String, String>],
    until_s: Option<f64>,
    options: &PaperOptions,
) -> Result<(Plan, Vec<usize>, Option<String>), PaperError> {
    let plan_with = |set: &[String]| Job::of_figure(paper, scenario, Path::new(""), set).map(|job| job.plan);
    let whole = plan_with(&options.set)?;
    let Some(first) = whole.cells.first().map(|cell| &cell.scenario) else {
        return Err(unknown(paper, format!("{scenario} has no cells")));
    };
    let duration_s = first.duration.as_secs_f64();
    let until_s = until_s.unwrap_or(duration_s).min(duration_s);
    let mut set = options.set.clone();
    set.extend([format!("duration={until_s} s"), "warm_up=0 s".to_owned()]);
    set.extend(first.seeds.first().map(|seed| format!("seeds=[{seed}]")));
    let mut plan = plan_with(&set)?;
    let places = cells.iter().map(|cell| {
        let place = plan.cells.iter().position(|known| is(known, cell));
        place.ok_or_else(|| unknown(paper, format!("{scenario} has no cell {cell:?}")))
    });
    let places = places.collect::<Result<Vec<usize>, PaperError>>()?;
    plan.cells = places.iter().map(|place| plan.cells[*place].clone()).collect();
    let note = (until_s < duration_s).then(|| format!("the first {until_s} s of {duration_s} s are shown"));
    Ok((plan, places, note))
}

fn is(cell: &seamline_scenario::plan::Cell, wanted: &BTreeMap<String, String>) -> bool {
    wanted.iter().all(|(key, value)| {
        cell.values.iter().any(|(path, set)| last_part(path) == key && set.to_string() == *value)
    })
}

/// The flows and queues that matter, in their order.
fn shown(run: RunSeries, flow: &str, wanted: &SingleRuns) -> RunSeries {
    let own = [flow.to_owned()];
    let flows = wanted.flows.as_deref().unwrap_or(&own).iter();
    let flows = flows.filter_map(|name| run.flows.iter().find(|flow| flow.flow == *name).cloned()).collect();
    let queues = match &wanted.queues {
        Some(names) => names
            .iter()
            .filter_map(|name| run.queues.iter().find(|queue| queue.link == *name).cloned())
            .collect(),
        None => run.queues,
    };
    RunSeries { flows, queues, ..run }
}

pub(super) fn unknown(paper: &Paper, reason: String) -> PaperError {
    PaperError::File { file: format!("papers/{}/figures.toml", paper.name), reason }
}
