//! From an experiment to its report: what `seamline-report` shows, in the terms it understands.

use crate::atomic::{AtomicFile, WriteError};
use crate::plan::Plan;
use crate::record::{FlowRecord, RunRecord};
use crate::report::Provenance;
use crate::run::CellResult;
use crate::source::SourceId;
use crate::statistics;
use crate::summary::{FlowSummary, label};
use crate::text::{judgement, name, sentences, warnings};
use seamline_report::model::{self, Cell, HandoverRow, LinkRow, Outcome, Report, RunRow};
use seamline_report::{File, page};
use std::io::Write;
use std::path::{Path, PathBuf};

/// As many cells are kept over time for a report: more would not fit into a page that opens quickly.
pub const CELLS_OVER_TIME: usize = 12;

/// The report of an experiment.
pub fn report(
    plan: &Plan,
    results: &[CellResult],
    summary: &[FlowSummary],
    provenance: &Provenance,
) -> Report {
    let first = plan.cells.first().map(|cell| &cell.scenario);
    let mut report = Report {
        title: first.and_then(|scenario| scenario.title.clone()).unwrap_or_else(|| "Scenario".to_owned()),
        provenance: provenance_of(plan, provenance),
        verdict: sentences(plan, summary),
        warnings: warnings(plan, summary),
        duration_s: first.map_or(0.0, |scenario| scenario.duration.as_secs_f64()),
        warm_up_s: first.map_or(0.0, |scenario| scenario.warm_up.as_secs_f64()),
        cells: (0..plan.cells.len()).map(|cell| cell_of(plan, cell)).collect(),
        outcomes: summary.iter().map(|summary| outcome(plan, summary)).collect(),
        series: results.iter().filter_map(|result| result.series.clone()).collect(),
        ..Report::default()
    };
    for (cell, result) in results.iter().enumerate() {
        for run in &result.runs {
            add_run(&mut report, cell, run);
        }
    }
    report
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

fn cell_of(plan: &Plan, cell: usize) -> Cell {
    let values = plan.cells[cell].values.iter().map(|(path, value)| (path.clone(), value.to_string()));
    Cell { name: label(plan, cell), values: values.collect() }
}

fn outcome(plan: &Plan, summary: &FlowSummary) -> Outcome {
    let factor = summary.against.as_ref().and_then(|against| against.goodput_factor);
    Outcome {
        cell: summary.cell,
        name: name(plan, summary),
        flow: summary.flow.clone(),
        variant: summary.variant.clone(),
        goodput_bits_per_second: estimate(&summary.goodput_bits_per_second),
        factor: factor.as_ref().map(estimate),
        against: summary.against.as_ref().map(|against| against.name.clone()),
        judgement: factor.as_ref().map_or("", judgement).to_owned(),
        retransmissions_mean: summary.retransmissions_mean,
        timeouts_mean: summary.timeouts_mean,
        completion_s: summary.completion_s.as_ref().map(estimate),
        recovery_median_ms: summary.recovery_median_ms,
        handovers: summary.handovers,
        published_bits_per_second: None,
    }
}

fn estimate(estimate: &statistics::Estimate) -> model::Estimate {
    let statistics::Estimate { mean, low, high, samples } = *estimate;
    model::Estimate { mean, low, high, samples }
}

fn add_run(report: &mut Report, cell: usize, run: &RunRecord) {
    let seed = run.seed;
    for flow in &run.flows {
        report.runs.push(run_row(cell, seed, flow));
        report.handovers.extend(flow.handovers.iter().map(|handover| HandoverRow {
            cell,
            seed,
            flow: flow.name.clone(),
            link: handover.link.clone(),
            start_s: handover.start_s,
            interruption_ms: handover.interruption_ms,
            movement_detected_ms: handover.movement_detected_ms,
            registered_ms: handover.registered_ms,
            first_data_ms: handover.first_data_ms,
            recovery_ms: handover.recovery_ms,
            following_second_bytes: handover.following_second_bytes,
        }));
    }
    report.links.extend(run.links.iter().map(|link| LinkRow {
        cell,
        seed,
        link: link.name.clone(),
        delivered_packets: link.delivered_packets,
        delivered_bytes: link.delivered_bytes,
        dropped_by_full_queue: link.dropped_by_full_queue,
        dropped_by_queue_management: link.dropped_by_queue_management,
        lost_to_errors: link.lost_to_errors,
        lost_to_link_down: link.lost_to_link_down,
    }));
}

fn run_row(cell: usize, seed: u64, flow: &FlowRecord) -> RunRow {
    RunRow {
        cell,
        seed,
        flow: flow.name.clone(),
        variant: flow.variant.clone(),
        delivered_bytes: flow.delivered_bytes,
        goodput_bits_per_second: flow.goodput_bits_per_second,
        measured_from_s: flow.measured_from_s,
        measured_to_s: flow.measured_to_s,
        retransmissions: flow.retransmissions,
        timeouts: flow.timeouts,
        fast_recoveries: flow.fast_recoveries,
        round_trip_mean_ms: flow.round_trip_mean_ms,
        round_trip_min_ms: flow.round_trip_min_ms,
        completion_s: flow.completion_s,
    }
}

/// Write a report: the page alone when `place` ends in `.html`, otherwise everything into this folder.
/// Returns the path of the page.
///
/// # Errors
/// When a file cannot be written.
pub fn write(report: &Report, place: &Path) -> Result<PathBuf, WriteError> {
    let is_page = place.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("html"));
    if is_page {
        return write_file(place, page::html(report).as_bytes());
    }
    let fail = |error| WriteError { path: place.to_owned(), cause: std::io::Error::other(error) };
    let files = seamline_report::files::all(report).map_err(fail)?;
    let mut written = PathBuf::new();
    for File { name, bytes } in &files {
        written = write_file(&place.join(name), bytes)?;
    }
    Ok(written)
}

fn write_file(path: &Path, bytes: &[u8]) -> Result<PathBuf, WriteError> {
    let mut file = AtomicFile::create(path)?;
    file.write_all(bytes).map_err(|cause| WriteError { path: path.to_owned(), cause })?;
    file.finish()
}
