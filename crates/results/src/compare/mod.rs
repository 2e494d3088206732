//! Two results side by side: the same cells under the same seeds, flow by flow.
//!
//! Runs of the same seed met the same losses and handovers, so differences are taken seed by seed, and their
//! interval is that of Student's t over the pairs.

mod matching;
mod text;

pub(crate) use text::plain;
pub use text::{to_table, to_text};

use crate::error::Error;
use crate::load::Results;
use matching::{Pair, pairs, scenario_differences};
use seamline_experiment::record::{FlowRecord, RunRecord};
use seamline_experiment::statistics::{Estimate, estimate, paired_factor};
use serde::Serialize;

/// The result of a comparison.
#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    /// The name of A.
    pub a: String,
    /// The name of B.
    pub b: String,
    /// The differences between them, except for the keys of their grids.
    pub differences: Vec<Difference>,
    /// Whether both have the same cells, what is behind the labels of a grid and in files included; `None` when that
    /// is not known, or one has cells that the other has not.
    pub same_cells: Option<bool>,
    /// One for each flow of each cell that both have, and each measure of it.
    pub rows: Vec<Row>,
    /// Cells that only one of them has, and other things a reader should know.
    pub notes: Vec<String>,
}

/// Something that is not the same in both.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Difference {
    /// A dotted key of the scenario, or `engine`.
    pub key: String,
    /// In A; `None` when it is absent.
    pub a: Option<serde_json::Value>,
    /// In B.
    pub b: Option<serde_json::Value>,
}

/// A flow of a cell in both.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// The cell: what the grids set.
    pub cell: Vec<(String, serde_json::Value)>,
    /// The flow.
    pub flow: String,
    /// What is compared.
    pub measure: Measure,
    /// Seeds that both have.
    pub pairs: usize,
    /// Mean of A.
    pub a: f64,
    /// Mean of B.
    pub b: f64,
    /// B minus A, seed by seed, with its 95 % interval.
    pub difference: Estimate,
    /// B divided by A, seed by seed (geometric mean); `None` when one of them is zero.
    pub factor: Option<Estimate>,
    /// In a word.
    pub verdict: Verdict,
}

/// What is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// Payload delivered per second.
    GoodputBitsPerSecond,
    /// Duration of a transfer that was completed in every run.
    CompletionS,
}

impl Measure {
    /// Its name, with its unit.
    pub fn name(self) -> &'static str {
        match self {
            Measure::GoodputBitsPerSecond => "goodput_bits_per_second",
            Measure::CompletionS => "completion_s",
        }
    }
}

/// Whether there is a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Every pair is equal.
    Identical,
    /// The interval of the difference is above zero.
    Higher,
    /// The interval of the difference is below zero.
    Lower,
    /// The interval of the difference contains zero.
    NoClearDifference,
    /// There is one pair, and it differs: one seed cannot show whether that is by chance.
    OnePair,
}

/// Compare B with A.
///
/// # Errors
/// When they have nothing in common that could be compared.
pub fn compare(a: &Results, b: &Results) -> Result<Comparison, Error> {
    let (pairs, mut notes) = pairs(a, b)?;
    let rows: Vec<Row> = pairs.iter().flat_map(rows).collect();
    if rows.is_empty() {
        let reason = format!("{} and {} have no flow name in common", b.name, a.name);
        return Err(Error::refused(reason, "flows are compared by name"));
    }
    notes.extend(a.notes.iter().chain(&b.notes).cloned());
    let mut differences = scenario_differences(a, b);
    if a.engine != b.engine {
        let engine = |results: &Results| results.engine.clone().map(Into::into);
        differences.push(Difference { key: "engine".to_owned(), a: engine(a), b: engine(b) });
    }
    Ok(Comparison {
        a: a.name.clone(),
        b: b.name.clone(),
        differences,
        same_cells: same_cells(a, b, pairs.len()),
        rows,
        notes,
    })
}

fn same_cells(a: &Results, b: &Results, matched: usize) -> Option<bool> {
    let all_matched = a.cells.len() == matched && b.cells.len() == matched;
    let (a, b) = (a.identity.as_ref()?, b.identity.as_ref()?);
    all_matched.then_some(a == b)
}

fn rows(pair: &Pair<'_>) -> Vec<Row> {
    let flows = pair.runs.first().map_or(&[][..], |(a, _)| a.flows.as_slice());
    let mut rows = Vec::new();
    for flow in flows {
        let goodput = values(pair, &flow.name, |flow| Some(flow.goodput_bits_per_second));
        rows.extend(goodput.and_then(|values| row(pair, flow, Measure::GoodputBitsPerSecond, &values)));
        let completion = values(pair, &flow.name, |flow| flow.completion_s);
        rows.extend(completion.and_then(|values| row(pair, flow, Measure::CompletionS, &values)));
    }
    rows
}

/// A measure of a flow in both, seed by seed; `None` when one of the runs does not have it.
fn values(pair: &Pair<'_>, flow: &str, read: impl Fn(&FlowRecord) -> Option<f64>) -> Option<Vec<(f64, f64)>> {
    let of = |run: &RunRecord| run.flows.iter().find(|known| known.name == flow).and_then(&read);
    pair.runs.iter().map(|(a, b)| Some((of(a)?, of(b)?))).collect()
}

fn row(pair: &Pair<'_>, flow: &FlowRecord, measure: Measure, values: &[(f64, f64)]) -> Option<Row> {
    let (a, b): (Vec<f64>, Vec<f64>) = values.iter().copied().unzip();
    let differences: Vec<f64> = values.iter().map(|(a, b)| b - a).collect();
    let difference = estimate(&differences)?;
    let verdict = match (difference.low, difference.high) {
        _ if differences.iter().all(|difference| *difference == 0.0) => Verdict::Identical,
        (Some(low), _) if low > 0.0 => Verdict::Higher,
        (_, Some(high)) if high < 0.0 => Verdict::Lower,
        (Some(_), Some(_)) => Verdict::NoClearDifference,
        _ => Verdict::OnePair,
    };
    Some(Row {
        cell: pair.cell.clone(),
        flow: flow.name.clone(),
        measure,
        pairs: values.len(),
        a: estimate(&a)?.mean,
        b: estimate(&b)?.mean,
        difference,
        factor: paired_factor(&b, &a),
        verdict,
    })
}
