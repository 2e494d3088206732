//! Summaries: each flow of each grid cell with its mean and interval, compared with the baseline.
//!
//! Grid cells that differ only in the scheme (variant, congestion control, recovery, profile, handover scheme) form a
//! group. Its first grid cell is the baseline of the others, seed by seed. Without such keys in the grid, the first
//! grid cell is the baseline of all. With a single grid cell, its first flow is the baseline of the other flows.
//! In addition, each grid cell is compared along every axis that has the value `none`. A [`Baseline`] that the user
//! names replaces all of this.

use crate::baseline::{Baseline, first_that_agree};
use crate::run::CellResult;
use seamline_report::record::FlowRecord;
use seamline_report::shares::Shares;
use seamline_report::statistics::{estimate, mean, paired_factor};
pub use seamline_report::summary::{AlongAxis, Comparison, FlowSummary};
use seamline_scenario::plan::{Cell, Plan};

/// Keys of a flow that end in one of these name a scheme, and so does the label of a group with this name.
const SCHEME_KEYS: [&str; 6] = ["variant", "congestion_control", "recovery", "profile", "handover", "scheme"];

/// Summarise all grid cells, in grid order, and compare them with `named` if it is given.
pub fn summarise(plan: &Plan, results: &[CellResult], named: Option<&Baseline>) -> Vec<FlowSummary> {
    let compared =
        Compared { plan, results, named, baselines: baselines(plan, named), axes: axes(plan, named) };
    let mut summaries = Vec::new();
    for (cell, result) in results.iter().enumerate() {
        let flows = result.runs.first().map_or(0, |run| run.flows.len());
        for flow in 0..flows {
            summaries.extend(compared.summarise(cell, flow));
        }
    }
    summaries
}

/// The grid cell that each one is compared with in the first place.
fn baselines(plan: &Plan, named: Option<&Baseline>) -> Vec<Option<usize>> {
    match named {
        Some(named) => named.cells(plan),
        None => groups(&plan.cells),
    }
}

/// The baselines along axes that compare other grid cells than the groups of schemes do, each with the baseline of every cell.
fn axes(plan: &Plan, named: Option<&Baseline>) -> Vec<(String, Vec<Option<usize>>)> {
    if named.is_some() {
        return Vec::new();
    }
    let axes = Baseline::without_help(plan).into_iter().map(|axis| (axis.to_string(), axis.cells(plan)));
    let groups = groups(&plan.cells);
    axes.filter(|(_, cells)| *cells != groups).collect()
}

/// Results, and what they are compared with.
struct Compared<'a> {
    plan: &'a Plan,
    results: &'a [CellResult],
    named: Option<&'a Baseline>,
    baselines: Vec<Option<usize>>,
    axes: Vec<(String, Vec<Option<usize>>)>,
}

impl Compared<'_> {
    fn summarise(&self, cell: usize, flow: usize) -> Option<FlowSummary> {
        let records = records_of(&self.results[cell], flow);
        let numbers =
            |read: &dyn Fn(&FlowRecord) -> f64| records.iter().map(|record| read(record)).collect::<Vec<_>>();
        let completions: Vec<f64> = records.iter().filter_map(|record| record.completion_s).collect();
        let first = records.first()?;
        let along = self.axes.iter().filter_map(|(axis, cells)| {
            let against = self.factor((cell, flow), (cells[cell]?, flow))?;
            Some(AlongAxis { axis: axis.clone(), against })
        });
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
            shares: Shares::of(&records),
            against: self.baseline(cell, flow).and_then(|base| self.factor((cell, flow), base)),
            along: along.collect(),
        })
    }

    /// The grid cell and the flow that a flow is compared with in the first place.
    fn baseline(&self, cell: usize, flow: usize) -> Option<(usize, usize)> {
        let baseline = self.baselines[cell]?;
        let compares_flows = self.named.is_none() && self.plan.cells.len() == 1;
        Some((baseline, if compares_flows { 0 } else { flow }))
    }

    fn factor(&self, own: (usize, usize), base: (usize, usize)) -> Option<Comparison> {
        if base == own {
            return None;
        }
        let goodput = |(cell, flow): (usize, usize)| -> Vec<f64> {
            let records = records_of(&self.results[cell], flow);
            records.iter().map(|record| record.goodput_bits_per_second).collect()
        };
        let seeds = |cell: usize| &self.plan.cells[cell].scenario.seeds;
        let record = records_of(&self.results[base.0], base.1).first().copied()?;
        Some(Comparison {
            cell: base.0,
            flow: record.name.clone(),
            name: if self.plan.cells.len() == 1 { record.name.clone() } else { label(self.plan, base.0) },
            goodput_factor: paired_factor(&goodput(own), &goodput(base))
                .filter(|_| seeds(own.0) == seeds(base.0)),
        })
    }
}

fn records_of(result: &CellResult, flow: usize) -> Vec<&FlowRecord> {
    result.runs.iter().filter_map(|run| run.flows.get(flow)).collect()
}

/// For each grid cell the first that differs from it only in the scheme; without schemes in the grid the first of all.
fn groups(cells: &[Cell]) -> Vec<Option<usize>> {
    let varies = cells.iter().any(|cell| cell.values.iter().any(|(path, _)| names_scheme(path)));
    first_that_agree(cells, |path| !varies || names_scheme(path), |_| true)
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
