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
use seamline_scenario::{Parts, Plan};
use std::collections::{BTreeMap, BTreeSet};
use std::iter;
use std::ops::Range;

/// Keys of a flow that end in one of these name a scheme, and so does the label of a group with this name.
const SCHEME_KEYS: [&str; 6] = ["variant", "congestion_control", "recovery", "profile", "handover", "scheme"];

/// Summarise all grid cells, in grid order, and compare them with `named` if it is given.
pub fn summarise(plan: &Plan, results: &[CellResult], named: Option<&Baseline>) -> Vec<FlowSummary> {
    Comparisons::new(&plan.into(), named).summarise(plan, results)
}

/// Which grid cells those of an experiment are compared with.
#[derive(Clone, Debug)]
pub struct Comparisons {
    /// Flows of the only grid cell are compared with one another.
    compares_flows: bool,
    /// A baseline is named by its grid cell, not by its flow.
    names_cells: bool,
    /// For each grid cell the one that it is compared with in the first place.
    baselines: Vec<Option<usize>>,
    /// The baselines along axes that compare other grid cells than the groups of schemes do, each with that of every cell.
    axes: Vec<(String, Vec<Option<usize>>)>,
}

impl Comparisons {
    /// With `named`, or else within the groups of schemes and along axes that have a value `none`.
    pub fn new(parts: &Parts<'_>, named: Option<&Baseline>) -> Self {
        let baselines = named.map_or_else(|| groups(parts), |named| named.cells(parts));
        let without_help = if named.is_none() { Baseline::without_help(parts) } else { Vec::new() };
        let axes = without_help.into_iter().map(|axis| (axis.to_string(), axis.cells(parts)));
        let axes = axes.filter(|(_, cells)| *cells != baselines).collect();
        let is_single = parts.totals().cells.len() == 1;
        Comparisons { compares_flows: named.is_none() && is_single, names_cells: !is_single, baselines, axes }
    }

    /// Summarise some grid cells, in order. Results have those that these are compared with, too.
    pub fn summarise(&self, plan: &Plan, results: &[CellResult]) -> Vec<FlowSummary> {
        let compared = Compared { plan, results, comparisons: self };
        let flows = |cell: usize| results[cell].runs.first().map_or(0, |run| run.flows.len());
        let cells = 0..self.baselines.len().min(results.len());
        cells
            .flat_map(|cell| (0..flows(cell)).filter_map(move |flow| compared.summarise(cell, flow)))
            .collect()
    }

    /// The comparisons of some grid cells, and what they take: these cells, then the others that they are compared with. In the result,
    /// places are those in this list.
    pub fn restricted_to(&self, cells: Range<usize>) -> (Comparisons, Vec<usize>) {
        let all = || iter::once(&self.baselines).chain(self.axes.iter().map(|(_, cells)| cells));
        let needed: BTreeSet<usize> = all()
            .flat_map(|of| &of[cells.clone()])
            .flatten()
            .copied()
            .filter(|it| !cells.contains(it))
            .collect();
        let places: Vec<usize> = cells.clone().chain(needed).collect();
        let place_of: BTreeMap<usize, usize> =
            places.iter().enumerate().map(|(here, &place)| (place, here)).collect();
        let moved = |of: &[Option<usize>]| -> Vec<Option<usize>> {
            of[cells.clone()].iter().map(|place| place_of.get(&(*place)?).copied()).collect()
        };
        let axes = self.axes.iter().map(|(axis, cells)| (axis.clone(), moved(cells))).collect();
        (Comparisons { baselines: moved(&self.baselines), axes, ..*self }, places)
    }
}

/// Results, and what they are compared with.
#[derive(Clone, Copy)]
struct Compared<'a> {
    plan: &'a Plan,
    results: &'a [CellResult],
    comparisons: &'a Comparisons,
}

impl Compared<'_> {
    fn summarise(&self, cell: usize, flow: usize) -> Option<FlowSummary> {
        let records = records_of(&self.results[cell], flow);
        let numbers =
            |read: &dyn Fn(&FlowRecord) -> f64| records.iter().map(|record| read(record)).collect::<Vec<_>>();
        let completions: Vec<f64> = records.iter().filter_map(|record| record.completion_s).collect();
        let first = records.first()?;
        let along = self.comparisons.axes.iter().filter_map(|(axis, cells)| {
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
        let baseline = self.comparisons.baselines[cell]?;
        Some((baseline, if self.comparisons.compares_flows { 0 } else { flow }))
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
            name: match self.comparisons.names_cells {
                true => label(self.plan, base.0),
                false => record.name.clone(),
            },
            goodput_factor: paired_factor(&goodput(own), &goodput(base))
                .filter(|_| seeds(own.0) == seeds(base.0)),
        })
    }
}

fn records_of(result: &CellResult, flow: usize) -> Vec<&FlowRecord> {
    result.runs.iter().filter_map(|run| run.flows.get(flow)).collect()
}

/// For each grid cell the first that differs from it only in the scheme; without schemes in the grid the first of all.
fn groups(parts: &Parts<'_>) -> Vec<Option<usize>> {
    let varies = parts.values().any(|set| set.iter().any(|(path, _)| names_scheme(path)));
    first_that_agree(parts, |path| !varies || names_scheme(path), |_| true)
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
