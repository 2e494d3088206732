//! Converts an experiment into a report, in the terms of `seamline-report`.

use crate::atomic::{self, WriteError};
use crate::network::network;
use crate::run::CellResult;
use crate::summary::{FlowSummary, label};
use crate::text::{Remarks, judgement, missing_factor, name, sentences};
use seamline_report::model::{Cell, Outcome, Report};
use seamline_report::{File, Provenance, files};
use seamline_scenario::plan::Plan;
use std::path::{Path, PathBuf};

/// The maximum number of grid cells that a report shows over time. More would make the page slow to open.
pub const CELLS_OVER_TIME: usize = 12;

/// The report of an experiment.
pub fn report(
    plan: &Plan,
    results: Vec<CellResult>,
    summary: &[FlowSummary],
    provenance: Provenance,
) -> Report {
    let first = plan.cells.first().map(|cell| &cell.scenario);
    Report {
        title: first.and_then(|scenario| scenario.title.clone()).unwrap_or_else(|| "Scenario".to_owned()),
        provenance,
        verdict: sentences(plan, summary),
        warnings: remarks(plan, &results, summary),
        duration_s: first.map_or(0.0, |scenario| scenario.duration.as_secs_f64()),
        warm_up_s: first.map_or(0.0, |scenario| scenario.warm_up.as_secs_f64()),
        network: network(plan),
        ..results_only(plan, results, summary)
    }
}

/// A report that has nothing but the results: enough for tables.
pub fn results_only(plan: &Plan, results: Vec<CellResult>, summary: &[FlowSummary]) -> Report {
    let (mut cells, mut series) = (Vec::new(), Vec::new());
    for (place, result) in results.into_iter().enumerate() {
        let values = plan.cells[place].values.iter().map(|(path, value)| (path.clone(), value.to_string()));
        cells.push(Cell { name: label(plan, place), values: values.collect(), runs: result.runs });
        series.extend(result.series);
    }
    let outcome = |summary: &FlowSummary| Outcome {
        name: name(plan, summary),
        judgement: missing_factor(plan, summary)
            .or(summary.factor().map(judgement))
            .unwrap_or_default()
            .to_owned(),
        summary: summary.clone(),
    };
    Report { cells, outcomes: summary.iter().map(outcome).collect(), series, ..Report::default() }
}

/// What a reader of results should know, each with its remedy.
pub fn remarks(plan: &Plan, results: &[CellResult], summary: &[FlowSummary]) -> Vec<String> {
    let mut remarks = Remarks::default();
    remarks.add(plan, results, summary);
    remarks.to_texts()
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
    let files = files::of_report(report, is_page(place));
    let mut written = place.to_owned();
    for File { name, bytes } in &files.map_err(fail)? {
        let path = if is_page(place) { place.to_owned() } else { place.join(name) };
        written = atomic::write(&path, bytes)?;
    }
    Ok(written)
}
