//! From records to one number for each claim.

use crate::claims::{Claim, Claims, Condition};
use crate::closed_form::ClosedForm;
use crate::features;
use crate::figures::Figures;
use crate::measure::{Behind, Beside, Measure, Measured, Statistic};
use crate::records::{CellRecords, Number};
use crate::verdict::{Verdict, verdict};
use seamline_experiment::statistics::Estimate;
use serde::Serialize;

/// A claim beside what was measured: an entry of `claims.json`.
#[derive(Clone, Debug, Serialize)]
pub struct ClaimResult {
    /// What it is called.
    pub id: String,
    /// In a sentence.
    pub statement: String,
    /// What the paper says.
    pub paper: serde_json::Value,
    /// The unit of its numbers.
    pub unit: &'static str,
    /// Bounds; `null` is none.
    pub accept: [Option<f64>; 2],
    /// What was measured; `null` without records.
    pub measured: Option<f64>,
    /// Its 95 % interval.
    pub ci95: Option<[f64; 2]>,
    /// The cells behind it.
    pub cells: Vec<CellResult>,
    /// What became of it.
    pub verdict: Verdict,
    /// Why, in words.
    pub note: String,
    /// How the number was made.
    pub aggregate: String,
    /// Where the paper says so.
    pub r#where: String,
    /// How many seeds the interval is over; nothing where no seed is involved.
    #[serde(skip)]
    pub seeds: Option<usize>,
}

/// One cell, pair of cells, or further condition behind a claim.
#[derive(Clone, Debug, Serialize)]
pub struct CellResult {
    /// What it is.
    pub cell: String,
    /// The number; `null` where there is none.
    pub measured: Option<f64>,
    /// Its unit.
    pub unit: &'static str,
    /// Its 95 % interval.
    pub ci95: Option<[f64; 2]>,
    /// What the paper has in this place, if it has a number.
    pub paper: Option<f64>,
    /// Bounds, if this cell has its own.
    pub accept: Option<[Option<f64>; 2]>,
    /// Whether it lies within them.
    pub verdict: Option<Verdict>,
}

/// Evaluate every claim. The figures hold the closed forms of their scenarios; `note` says why a claim came out as it did.
pub fn evaluate(
    claims: &Claims,
    figures: &Figures,
    records: &[CellRecords],
    note: &dyn Fn(&str) -> String,
) -> Vec<ClaimResult> {
    let evaluated = claims.claim.iter().map(|claim| {
        let closed_form = claim.figures.iter().find_map(|figure| figures.closed_form(figure));
        evaluate_claim(claim, Evidence { records, closed_form }, note(&claim.id))
    });
    evaluated.collect()
}

/// What a number is measured on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Evidence<'a> {
    /// All records.
    pub(crate) records: &'a [CellRecords],
    /// The closed form of the figure.
    pub(crate) closed_form: Option<ClosedForm>,
}

fn evaluate_claim(claim: &Claim, evidence: Evidence<'_>, note: String) -> ClaimResult {
    let Judged { value, mut cells, verdict } = if claim.measure.statistic == Statistic::Matches {
        let count = claim.table.as_deref().and_then(features::matches);
        judge(count.map(exactly), claim.accept, Vec::new(), &[])
    } else {
        judge_on(&claim.figures, &claim.measure, claim.accept, &claim.also, evidence)
    };
    cells.extend(rates(claim, evidence.records));
    ClaimResult {
        id: claim.id.clone(),
        statement: claim.statement.clone(),
        paper: serde_json::to_value(&claim.paper).unwrap_or_default(),
        unit: claim.measure.unit(),
        accept: claim.accept.map(finite),
        measured: value.map(|value| value.mean),
        ci95: value.and_then(|value| interval(&value)),
        cells,
        verdict,
        note,
        aggregate: claim.aggregate.clone(),
        r#where: claim.r#where.clone(),
        seeds: value.filter(|_| claim.measure.is_of_records()).map(|value| value.samples),
    }
}

/// What became of a number and its further conditions.
#[derive(Debug)]
pub(crate) struct Judged {
    /// The number.
    pub(crate) value: Option<Estimate>,
    /// The cells behind it, then the further conditions.
    pub(crate) cells: Vec<CellResult>,
    /// The verdict on all of them.
    pub(crate) verdict: Verdict,
}

/// Measure on the records of these figures, and judge.
pub(crate) fn judge_on(
    figures: &[String],
    what: &Measure,
    accept: [f64; 2],
    also: &[Condition],
    evidence: Evidence<'_>,
) -> Judged {
    let Evidence { records, closed_form } = evidence;
    let measured = |measure: &Measure, figures: &[String]| {
        let own: Vec<&CellRecords> = records.iter().filter(|cell| figures.contains(&cell.figure)).collect();
        let line = measure.line.as_ref().or(what.line.as_ref());
        let line: Vec<&CellRecords> = records.iter().filter(|cell| Some(&cell.figure) == line).collect();
        measure.measure(&own, Beside { line: &line, closed_form })
    };
    let found = measured(what, figures);
    let behind = found.iter().flat_map(|found| &found.behind).map(CellResult::from).collect();
    let conditions = also.iter().map(|condition| {
        let own = if condition.figures.is_empty() { figures } else { &condition.figures };
        judged(condition, measured(&condition.measure, own))
    });
    let conditions: Vec<CellResult> = conditions.collect();
    judge(found.map(|found| found.value), accept, behind, &conditions)
}

/// A further condition beside what was measured.
fn judged(condition: &Condition, found: Option<Measured>) -> CellResult {
    let value = found.map(|found| found.value);
    CellResult {
        cell: condition.what.clone(),
        measured: value.map(|value| value.mean),
        unit: condition.measure.unit(),
        ci95: value.as_ref().and_then(interval),
        paper: None,
        accept: Some(condition.accept.map(finite)),
        verdict: Some(value.map_or(Verdict::Inconclusive, |value| verdict(&value, condition.accept, &[]))),
    }
}

/// Judge a number by its bounds and the verdicts on its further conditions.
fn judge(
    value: Option<Estimate>,
    accept: [f64; 2],
    mut cells: Vec<CellResult>,
    conditions: &[CellResult],
) -> Judged {
    let verdicts: Vec<Verdict> = conditions.iter().filter_map(|condition| condition.verdict).collect();
    cells.extend_from_slice(conditions);
    let verdict = value.map_or(Verdict::Inconclusive, |value| verdict(&value, accept, &verdicts));
    Judged { value, cells, verdict }
}

impl From<&Behind> for CellResult {
    fn from(behind: &Behind) -> Self {
        CellResult {
            cell: behind.name.clone(),
            measured: Some(behind.value.mean),
            unit: behind.unit,
            ci95: interval(&behind.value),
            paper: None,
            accept: None,
            verdict: None,
        }
    }
}

fn exactly(count: f64) -> Estimate {
    Estimate { mean: count, low: Some(count), high: Some(count), samples: 1 }
}
pub(crate) fn finite(bound: f64) -> Option<f64> {
    bound.is_finite().then_some(bound)
}
pub(crate) fn interval(value: &Estimate) -> Option<[f64; 2]> {
    Some([value.low?, value.high?])
}

/// The absolute throughput of each cell for which the paper has a number.
fn rates(claim: &Claim, records: &[CellRecords]) -> Vec<CellResult> {
    let Some(rates) = &claim.rates else { return Vec::new() };
    let flow = claim.measure.flow.as_deref();
    let own = records.iter().filter(|cell| claim.figures.contains(&cell.figure));
    let found = own.filter_map(|cell| {
        let paper = rates.of(&cell.values)?;
        let value = cell.estimate(Number { flow, ..Number::default() })?;
        let slack = rates.tolerance_percent / 100.0;
        let accept = [paper * (1.0 - slack), paper * (1.0 + slack)];
        Some(CellResult {
            cell: format!("{}, {}", cell.name(), flow.unwrap_or("first flow")),
            measured: Some(value.mean),
            unit: "kb/s",
            ci95: interval(&value),
            paper: Some(paper),
            accept: Some(accept.map(Some)),
            verdict: Some(verdict(&value, accept, &[])),
        })
    });
    found.collect()
}
