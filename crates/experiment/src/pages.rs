//! Converts an experiment into a report, in the terms of `seamline-report`.

use crate::atomic::{self, WriteError};
use crate::report::Provenance;
use crate::run::CellResult;
use crate::summary::{FlowSummary, label};
use crate::text::{emulation_warnings, judgement, name, sentences, warnings, why_no_factor};
use seamline_config::source::SourceId;
use seamline_report::model::{self, Cell, Outcome, Report};
use seamline_report::{File, page};
use seamline_scenario::plan::Plan;
use std::path::{Path, PathBuf};

/// The maximum number of grid cells that a report shows over time. More would make the page slow to open.
pub const CELLS_OVER_TIME: usize = 12;

/// The report of an experiment. The large time series are moved out of the results.
pub fn report(
    plan: &Plan,
    results: &mut [CellResult],
    summary: &[FlowSummary],
    provenance: &Provenance,
) -> Report {
    let first = plan.cells.first().map(|cell| &cell.scenario);
    Report {
        title: first.and_then(|scenario| scenario.title.clone()).unwrap_or_else(|| "Scenario".to_owned()),
        provenance: provenance_of(plan, provenance),
        verdict: sentences(plan, summary),
        warnings: [emulation_warnings(results), warnings(plan, summary)].concat(),
        duration_s: first.map_or(0.0, |scenario| scenario.duration.as_secs_f64()),
        warm_up_s: first.map_or(0.0, |scenario| scenario.warm_up.as_secs_f64()),
        cells: results.iter().enumerate().map(|(cell, result)| cell_of(plan, cell, result)).collect(),
        outcomes: summary.iter().map(|summary| outcome(plan, summary)).collect(),
        series: results.iter_mut().filter_map(|result| result.series.take()).collect(),
    }
}

fn provenance_of(plan: &Plan, provenance: &Provenance) -> model::Provenance {
    let seeds = plan.cells.first().map(|cell| cell.scenario.seeds.clone()).unwrap_or_default();
    model::Provenance {
        version: provenance.seamline.to_owned(),
        engine: provenance.engine.to_owned(),
        revision: provenance.revision.to_owned(),
        scenario: provenance.scenario.clone(),
        scenario_blake3: provenance.scenario_blake3.clone(),
        overrides: provenance.overrides.clone(),
        seeds,
        reproduce: provenance.reproduce.clone(),
        scenario_text: plan.sources.get(SourceId::FILE).text.clone(),
    }
}

fn cell_of(plan: &Plan, cell: usize, result: &CellResult) -> Cell {
    let values = plan.cells[cell].values.iter().map(|(path, value)| (path.clone(), value.to_string()));
    Cell { name: label(plan, cell), values: values.collect(), runs: result.runs.clone() }
}

fn outcome(plan: &Plan, summary: &FlowSummary) -> Outcome {
    Outcome {
        name: name(plan, summary),
        judgement: why_no_factor(plan, summary)
            .or(summary.factor().map(judgement))
            .unwrap_or_default()
            .to_owned(),
        summary: summary.clone(),
    }
}

/// Whether this is the path of a single page rather than a folder.
pub fn is_page(place: &Path) -> bool {
    place.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("html"))
}

/// Write a report: only the page when `place` ends in `.html`, otherwise all files into this folder. Returns the path
/// of the page.
///
/// # Errors
/// When a file cannot be written.
pub fn write(report: &Report, place: &Path) -> Result<PathBuf, WriteError> {
    let fail = |error| WriteError { path: place.to_owned(), cause: std::io::Error::other(error) };
    if is_page(place) {
        return atomic::write(place, page::alone(report).map_err(fail)?.as_bytes());
    }
    let files = seamline_report::files::all(report).map_err(fail)?;
    let mut written = PathBuf::new();
    for File { name, bytes } in &files {
        written = atomic::write(&place.join(name), bytes)?;
    }
    Ok(written)
}
