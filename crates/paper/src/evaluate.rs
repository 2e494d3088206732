//! From records to one number for each claim.

use crate::claims::{Claim, Claims, Condition};
use crate::closed_form::ClosedForm;
use crate::features;
use crate::figures::Figures;
use crate::measure::{Measure, Measured, Statistic, parts};
use crate::records::{CellRecords, Number};
use crate::verdict::{Verdict, verdict};
use seamline_experiment::statistics::Estimate;
use seamline_report::paper::result::mean_and_interval;
pub use seamline_report::paper::{CellResult, ClaimResult};

/// A bound as files have it: infinity is none.
pub(crate) fn finite(bound: f64) -> Option<f64> {
    bound.is_finite().then_some(bound)
}

/// Evaluate every claim. The figures hold the closed forms of their scenarios; `note` gives the reason for a claim's verdict.
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

/// What a claim or conclusion is measured on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Evidence<'a> {
    /// All records.
    pub(crate) records: &'a [CellRecords],
    /// The closed form of the figure.
    pub(crate) closed_form: Option<ClosedForm>,
}

fn evaluate_claim(claim: &Claim, evidence: Evidence<'_>, note: String) -> ClaimResult {
    let Judged { value, mut cells, fails_at, verdict } = if claim.measure.statistic == Statistic::Matches {
        let count = claim.table.as_deref().and_then(features::matches);
        let exact = |count| Estimate { mean: count, low: Some(count), high: Some(count), samples: 1 };
        judge(count.map(exact), claim.accept, Vec::new(), Vec::new())
    } else {
        judge_on(&claim.figures, &claim.measure, claim.accept, &claim.also, evidence)
    };
    cells.extend(rates(claim, evidence.records));
    let (measured, ci95) = mean_and_interval(value);
    ClaimResult {
        id: claim.id.clone(),
        statement: claim.statement.clone(),
        paper: serde_json::to_value(&claim.paper).unwrap_or_default(),
        unit: claim.measure.unit(),
        accept: claim.accept.map(finite),
        measured,
        ci95,
        cells,
        verdict,
        fails_at,
        note,
        aggregate: claim.aggregate.clone(),
        r#where: claim.r#where.clone(),
        other_programs: claim.other_programs.clone(),
        readings: Vec::new(),
        cause: None,
        seeds: value.filter(|_| claim.measure.is_of_records()).map(|value| value.samples),
    }
}

/// A number and the verdict on it, on the parts of its range, and on its further conditions.
#[derive(Debug)]
pub(crate) struct Judged {
    /// The number.
    pub(crate) value: Option<Estimate>,
    /// The cells behind it, then the parts of its range, then the further conditions, each with its parts.
    pub(crate) cells: Vec<CellResult>,
    /// The parts and conditions that are not reproduced.
    pub(crate) fails_at: Vec<String>,
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
    let (found, parts) = over_range(what, what.line.as_ref(), figures, accept, evidence);
    let (value, cells) = found.map(|found| (found.value, found.cells)).unzip();
    let conditions = also.iter().flat_map(|condition| {
        let own = if condition.figures.is_empty() { figures } else { &condition.figures };
        judge_condition(condition, what.line.as_ref(), own, evidence)
    });
    judge(value, accept, cells.unwrap_or_default(), parts.into_iter().chain(conditions).collect())
}

/// The number of a measure, and judged by the same bounds each part of the range that it is about.
fn over_range(
    measure: &Measure,
    line: Option<&String>,
    figures: &[String],
    accept: [f64; 2],
    Evidence { records, closed_form }: Evidence<'_>,
) -> (Option<Measured>, Vec<CellResult>) {
    let own: Vec<&CellRecords> = records.iter().filter(|cell| figures.contains(&cell.figure)).collect();
    let line = measure.line.as_ref().or(line);
    let line: Vec<&CellRecords> = records.iter().filter(|cell| Some(&cell.figure) == line).collect();
    let parts = parts(measure, &own).into_iter().map(|(name, cells)| {
        let value = measure.measure(&cells, &line, closed_form).map(|found| found.value);
        judged_cell(name, measure.unit(), value, accept, &[])
    });
    (measure.measure(&own, &line, closed_form), parts.collect())
}

/// A further condition, then the parts of its range.
fn judge_condition(
    condition: &Condition,
    line: Option<&String>,
    figures: &[String],
    evidence: Evidence<'_>,
) -> Vec<CellResult> {
    let Condition { what, measure, accept, .. } = condition;
    let (found, parts) = over_range(measure, line, figures, *accept, evidence);
    let value = found.map(|found| found.value);
    let whole = judged_cell(what.clone(), measure.unit(), value, *accept, &verdicts(&parts));
    let named = parts.into_iter().map(|part| CellResult { cell: format!("{what}: {}", part.cell), ..part });
    std::iter::once(whole).chain(named).collect()
}

fn judged_cell(
    name: String,
    unit: &'static str,
    value: Option<Estimate>,
    accept: [f64; 2],
    also: &[Verdict],
) -> CellResult {
    CellResult {
        accept: Some(accept.map(finite)),
        verdict: Some(judge_value(value, accept, also)),
        ..CellResult::new(name, unit, value)
    }
}

fn verdicts(cells: &[CellResult]) -> Vec<Verdict> {
    cells.iter().filter_map(|cell| cell.verdict).collect()
}

/// Judge a number by its bounds and the verdicts on the parts of its range and on further conditions.
fn judge(
    value: Option<Estimate>,
    accept: [f64; 2],
    mut cells: Vec<CellResult>,
    also: Vec<CellResult>,
) -> Judged {
    let verdict = judge_value(value, accept, &verdicts(&also));
    let fails_at = fails_at(&also);
    cells.extend(also);
    Judged { value, cells, fails_at, verdict }
}

/// The names of what is not reproduced; of a condition about a range only those of its parts, if one of them fails.
fn fails_at(also: &[CellResult]) -> Vec<String> {
    let fails: Vec<&String> =
        also.iter().filter(|it| it.verdict != Some(Verdict::Reproduced)).map(|it| &it.cell).collect();
    let has_parts = |whole: &String| fails.iter().any(|part| part.starts_with(&format!("{whole}: ")));
    fails.iter().filter(|name| !has_parts(name)).map(|name| (*name).clone()).collect()
}

fn judge_value(value: Option<Estimate>, accept: [f64; 2], also: &[Verdict]) -> Verdict {
    value.map_or(Verdict::Inconclusive, |value| verdict(&value, accept, also))
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
        let name = format!("{}, {}", cell.name(), flow.unwrap_or("first flow"));
        Some(CellResult {
            paper: Some(paper),
            accept: Some(accept.map(Some)),
            verdict: Some(verdict(&value, accept, &[])),
            ..CellResult::new(name, "kb/s", Some(value))
        })
    });
    found.collect()
}
