//! What differs between two places, and by how much.

use crate::parity::quantity::{Measured, Quantity};
use crate::parity::runs::{Arm, CellRuns};
use seamline_experiment::record::FlowRecord;
use seamline_report::statistics::{Estimate, estimate, jackknife, mean};
use serde::{Deserialize, Serialize};

/// The goal: the largest acceptable relative difference.
pub const GOAL: f64 = 0.05;
/// The rounding error of a difference of exactly that size.
const ROUNDING: f64 = 1e-12;
/// Counts whose means differ by no more than this are equal: a half of one event in a run.
pub const SAME_COUNT: f64 = 0.5;

/// All cells of a scenario.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScenarioParity {
    /// The name of the scenario.
    pub name: String,
    /// Its title.
    pub title: String,
    /// Its cells.
    pub cells: Vec<Cell>,
    /// Runs of the lab that were badly emulated and repeated.
    pub repeated: usize,
    /// Runs that are left out: which, and why.
    pub left_out: Vec<String>,
}

/// One cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cell {
    /// Its name.
    pub name: String,
    /// What is compared, flow by flow.
    pub rows: Vec<Row>,
}

/// One quantity of one flow.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Its name.
    pub name: String,
    /// What it is.
    pub quantity: Quantity,
    /// By arm: its mean over the seeds; `None` where no run came to it.
    pub values: [Option<Estimate>; 3],
    /// Our endpoints in the lab compared with the simulator, and the kernel's TCP compared with our endpoints in the lab.
    pub comparisons: [Comparison; 2],
}

/// Which two places are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pair {
    /// Our endpoints in the lab, by the simulator.
    LabBySimulator,
    /// The kernel's TCP, by our endpoints in the same lab.
    KernelByOurs,
}

impl Pair {
    /// Both, in the order of the table.
    pub const ALL: [Pair; 2] = [Pair::LabBySimulator, Pair::KernelByOurs];

    /// Its name at the head of a column.
    pub fn name(self) -> &'static str {
        match self {
            Pair::LabBySimulator => "lab / simulator",
            Pair::KernelByOurs => "kernel / ours",
        }
    }

    fn arms(self) -> [Arm; 2] {
        match self {
            Pair::LabBySimulator => [Arm::Simulator, Arm::Ours],
            Pair::KernelByOurs => [Arm::Ours, Arm::Kernel],
        }
    }
}

/// A comparison of two places.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// The second mean by the first, over the seeds that both have, and its 95 % interval; `None` when the first is zero.
    pub ratio: Option<Estimate>,
    /// The judgement.
    pub mark: Mark,
    /// Whether there is more of it at the second.
    pub more: bool,
}

/// A judgement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mark {
    /// Neither has a value.
    Absent,
    /// They differ by 5 % at most.
    Within,
    /// They differ by more, but so do the runs of one place among each other: the interval of the ratio reaches within 5 %.
    Undecided,
    /// They differ by more than 5 %, the interval of the ratio included; or one has a value where the other has none.
    Beyond,
}

impl Mark {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Mark::Absent => "absent",
            Mark::Within => "within 5 %",
            Mark::Undecided => "undecided",
            Mark::Beyond => "beyond 5 %",
        }
    }
}

/// The rows of a cell.
pub fn cell(runs: &CellRuns) -> Cell {
    let mut rows = Vec::new();
    let any = runs.runs.iter().flatten().next();
    let flows = any.map_or(&[][..], |run| &run.flows);
    for (place, flow) in flows.iter().enumerate() {
        for measured in Measured::all(flow.handovers.len()) {
            let name = match flows.len() {
                1 => measured.name(),
                _ => format!("{}: {}", flow.name, measured.name()),
            };
            rows.push(row(name, measured, runs, place));
        }
    }
    Cell { name: runs.name.clone(), rows }
}

/// By seed, where it came to a value.
type Samples = Vec<(u64, Option<f64>)>;

fn row(name: String, measured: Measured, runs: &CellRuns, flow: usize) -> Row {
    let value = |records: &[FlowRecord]| records.get(flow).and_then(|flow| measured.of(flow));
    let samples: [Samples; 3] =
        runs.runs.each_ref().map(|arm| arm.iter().map(|run| (run.seed, value(&run.flows))).collect());
    let values = samples.each_ref().map(|samples| {
        let known: Vec<f64> = samples.iter().filter_map(|(_, value)| *value).collect();
        estimate(&known)
    });
    let comparisons = Pair::ALL.map(|pair| {
        let [first, second] = pair.arms().map(|arm| &samples[arm as usize]);
        compare(first, second, measured.quantity.is_count())
    });
    Row { name, quantity: measured.quantity, values, comparisons }
}

/// Compare a second place with a first, over the seeds that both have.
fn compare(first: &Samples, second: &Samples, is_count: bool) -> Comparison {
    let of_seed = |seed: u64| second.iter().find(|(other, _)| *other == seed).map(|(_, value)| *value);
    let shared = first.iter().filter_map(|(seed, value)| Some((*value, of_seed(*seed)?)));
    let shared: Vec<(Option<f64>, Option<f64>)> = shared.collect();
    let pairs: Vec<(f64, f64)> = shared.iter().filter_map(|(one, other)| one.zip(*other)).collect();
    let reached =
        |side: fn(&(Option<f64>, Option<f64>)) -> bool| shared.iter().filter(|pair| side(pair)).count();
    let [in_first, in_second] = [reached(|pair| pair.0.is_some()), reached(|pair| pair.1.is_some())];
    if in_first == 0 && in_second == 0 {
        return Comparison { ratio: None, mark: Mark::Absent, more: false };
    }
    let ratio = jackknife(pairs.len(), |left_out| ratio_without(&pairs, left_out));
    let means = means_without(&pairs, None);
    let more = means.map_or(in_second > in_first, |[first, second]| second > first);
    let mark = match means {
        _ if in_first != in_second => Mark::Beyond,
        Some([first, second]) if first == second => Mark::Within,
        Some([first, second]) if is_count && (first - second).abs() <= SAME_COUNT => Mark::Within,
        _ => ratio.as_ref().map_or(Mark::Beyond, judge),
    };
    Comparison { ratio, mark, more }
}

fn means_without(pairs: &[(f64, f64)], left_out: Option<usize>) -> Option<[f64; 2]> {
    let kept =
        || pairs.iter().enumerate().filter(|(place, _)| Some(*place) != left_out).map(|(_, pair)| pair);
    let [first, second]: [Vec<f64>; 2] =
        [kept().map(|pair| pair.0).collect(), kept().map(|pair| pair.1).collect()];
    Some([mean(&first)?, mean(&second)?])
}

fn ratio_without(pairs: &[(f64, f64)], left_out: Option<usize>) -> Option<f64> {
    let [first, second] = means_without(pairs, left_out)?;
    (first != 0.0).then(|| second / first)
}

fn judge(ratio: &Estimate) -> Mark {
    let (low, high) = ratio.ends();
    if (ratio.mean - 1.0).abs() <= GOAL + ROUNDING {
        Mark::Within
    } else if low <= 1.0 + GOAL && high >= 1.0 - GOAL {
        Mark::Undecided
    } else {
        Mark::Beyond
    }
}

#[cfg(test)]
mod tests;
