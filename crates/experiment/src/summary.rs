//! Summaries: each flow of each grid cell with its mean and interval, compared with the baseline.
//!
//! Grid cells that differ only in the scheme (variant, congestion control, recovery, profile, handover scheme) form a
//! group. Its first grid cell is the baseline of the others, seed by seed. Without such keys in the grid, the first
//! grid cell is the baseline of all. With a single grid cell, its first flow is the baseline of the other flows.

use crate::run::CellResult;
use seamline_report::record::FlowRecord;
use seamline_report::statistics::{estimate, mean, paired_factor};
pub use seamline_report::summary::{Comparison, FlowSummary};
use seamline_scenario::plan::{Cell, Plan};

/// Keys of a flow that end in one of these name a scheme, and so does the label of a group with this name.
const SCHEME_KEYS: [&str; 6] = ["variant", "congestion_control", "recovery", "profile", "handover", "scheme"];

/// Summarise all grid cells, in grid order.
pub fn summarise(plan: &Plan, results: &[CellResult]) -> Vec<FlowSummary> {
    let mut summaries = Vec::new();
    for (cell, result) in results.iter().enumerate() {
        let flows = result.runs.first().map_or(0, |run| run.flows.len());
        for flow in 0..flows {
            summaries.extend(summarise_flow(plan, results, cell, flow));
        }
    }
    summaries
}

fn summarise_flow(plan: &Plan, results: &[CellResult], cell: usize, flow: usize) -> Option<FlowSummary> {
    let records = records_of(&results[cell], flow);
    let numbers =
        |read: &dyn Fn(&FlowRecord) -> f64| records.iter().map(|record| read(record)).collect::<Vec<_>>();
    let completions: Vec<f64> = records.iter().filter_map(|record| record.completion_s).collect();
    let first = records.first()?;
    Some(FlowSummary {
        cell,
        flow: first.name.clone(),
        variant: first.variant.clone(),
        goodput_bits_per_second: estimate(&numbers(&|record| record.goodput_bits_per_second))?,
        retransmissions_mean: mean(&numbers(&|record| record.retransmissions as f64))?,
        timeouts_mean: mean(&numbers(&|record| record.timeouts as f64))?,
        completion_s: estimate(&completions),
        recovery_median_ms: recovery_median(&records),
        handovers: records.iter().map(|record| record.handovers.len()).sum(),
        against: compare(plan, results, cell, flow),
    })
}

fn records_of(result: &CellResult, flow: usize) -> Vec<&FlowRecord> {
    result.runs.iter().filter_map(|run| run.flows.get(flow)).collect()
}

fn compare(plan: &Plan, results: &[CellResult], cell: usize, flow: usize) -> Option<Comparison> {
    let (base_cell, base_flow) = match baseline(&plan.cells, cell) {
        _ if plan.cells.len() == 1 => (0, 0),
        base => (base, flow),
    };
    if (base_cell, base_flow) == (cell, flow) {
        return None;
    }
    let goodput = |cell: usize, flow: usize| -> Vec<f64> {
        records_of(&results[cell], flow).iter().map(|record| record.goodput_bits_per_second).collect()
    };
    let same_seeds = plan.cells[base_cell].scenario.seeds == plan.cells[cell].scenario.seeds;
    let base = records_of(&results[base_cell], base_flow).first().copied()?;
    Some(Comparison {
        cell: base_cell,
        flow: base.name.clone(),
        name: if plan.cells.len() == 1 { base.name.clone() } else { label(plan, base_cell) },
        goodput_factor: paired_factor(&goodput(cell, flow), &goodput(base_cell, base_flow))
            .filter(|_| same_seeds),
    })
}

/// The first grid cell that differs from this one only in the scheme; without schemes in the grid the first of all.
fn baseline(cells: &[Cell], cell: usize) -> usize {
    let varies = |cell: &Cell| cell.values.iter().any(|(path, _)| names_scheme(path));
    if !varies(&cells[cell]) {
        return 0;
    }
    let others = |cell: &Cell| -> Vec<String> {
        let others = cell.values.iter().filter(|(path, _)| !names_scheme(path));
        others.map(|(path, value)| format!("{path}={value}")).collect()
    };
    let wanted = others(&cells[cell]);
    cells.iter().position(|other| others(other) == wanted).unwrap_or(cell)
}

fn names_scheme(path: &str) -> bool {
    let key = match path.rsplit_once('.') {
        // A link's `handover` is a condition, not a scheme.
        Some((table, key)) => Some(key).filter(|_| table.split('.').next() == Some("flow")),
        None => Some(path),
    };
    key.is_some_and(|key| SCHEME_KEYS.contains(&key))
}

/// The name of a grid cell: the values that the grid set, schemes without their key.
pub fn label(plan: &Plan, cell: usize) -> String {
    let values = plan.cells[cell].values.iter().map(|(path, value)| match names_scheme(path) {
        true => value.to_string(),
        false => format!("{path} = {value}"),
    });
    let label: Vec<String> = values.collect();
    if label.is_empty() { "all".to_owned() } else { label.join(", ") }
}

fn recovery_median(records: &[&FlowRecord]) -> Option<f64> {
    let handovers = records.iter().flat_map(|record| &record.handovers);
    let mut times: Vec<f64> =
        handovers.map(|handover| handover.recovery_ms.unwrap_or(f64::INFINITY)).collect();
    times.sort_by(f64::total_cmp);
    let median = *times.get(times.len().saturating_sub(1) / 2)?;
    median.is_finite().then_some(median)
}
