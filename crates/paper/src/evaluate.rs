//! From records to one number for each claim.

use crate::claims::{Claim, Claims, Condition, Measure, Statistic};
use crate::features;
use crate::verdict::{Verdict, verdict};
use seamline_scenario::record::RunRecord;
use seamline_scenario::statistics::{Estimate, estimate, mean};
use serde::Serialize;
use std::collections::BTreeMap;

/// The records of one cell of one figure.
#[derive(Clone, Debug)]
pub struct CellRecords {
    /// The figure.
    pub figure: String,
    /// What the grid set: last part of the key, and value.
    pub values: BTreeMap<String, String>,
    /// One record for each seed, in the same order in every cell.
    pub runs: Vec<RunRecord>,
}

/// A claim beside what was measured: an entry of `claims.json`.
#[derive(Clone, Debug, Serialize)]
pub struct ClaimResult {
    /// What it is called.
    pub id: String,
    /// In a sentence.
    pub statement: String,
    /// What the paper says.
    pub paper: serde_json::Value,
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
    /// In percent, or in kb/s where the unit says so.
    pub measured: f64,
    /// The unit.
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

/// Evaluate every claim. `note` says why a claim came out as it did.
pub fn evaluate(claims: &Claims, records: &[CellRecords], note: &dyn Fn(&str) -> String) -> Vec<ClaimResult> {
    claims.claim.iter().map(|claim| evaluate_claim(claim, records, note(&claim.id))).collect()
}

/// A number with what it is made of.
#[derive(Debug)]
struct Measured {
    value: Estimate,
    cells: Vec<CellResult>,
}

fn evaluate_claim(claim: &Claim, records: &[CellRecords], note: String) -> ClaimResult {
    let own: Vec<&CellRecords> = records.iter().filter(|cell| claim.figures.contains(&cell.figure)).collect();
    let measured = match claim.measure.statistic {
        Statistic::Matches => claim.table.as_deref().and_then(features::matches),
        _ => None,
    };
    let measured = match measured {
        Some(count) => Some(Measured { value: exactly(count), cells: Vec::new() }),
        None => measure(&claim.measure, &own),
    };
    let Judged { value, mut cells, verdict } = judge(measured, claim.accept, &claim.also, &own);
    cells.extend(rates(claim, &own));
    ClaimResult {
        id: claim.id.clone(),
        statement: claim.statement.clone(),
        paper: serde_json::to_value(&claim.paper).unwrap_or_default(),
        accept: claim.accept.map(finite),
        measured: value.map(|value| value.mean),
        ci95: value.and_then(|value| interval(&value)),
        cells,
        verdict,
        note,
        aggregate: claim.aggregate.clone(),
        r#where: claim.r#where.clone(),
        seeds: value.filter(|_| claim.measure.statistic != Statistic::Matches).map(|value| value.samples),
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

/// Judge a number by its bounds and its further conditions, which are measured on the same cells.
fn judge(measured: Option<Measured>, accept: [f64; 2], also: &[Condition], own: &[&CellRecords]) -> Judged {
    let value = measured.as_ref().map(|measured| measured.value);
    let mut cells = measured.map(|measured| measured.cells).unwrap_or_default();
    let mut conditions = Vec::new();
    for condition in also {
        let found = measure(&condition.measure, own).map(|found| found.value);
        let judged = found.map_or(Verdict::Inconclusive, |value| verdict(&value, condition.accept, &[]));
        conditions.push(judged);
        cells.extend(found.map(|value| CellResult {
            accept: Some(condition.accept.map(finite)),
            verdict: Some(judged),
            ..cell_result(condition.what.clone(), &value)
        }));
    }
    let verdict = value.map_or(Verdict::Inconclusive, |value| verdict(&value, accept, &conditions));
    Judged { value, cells, verdict }
}

/// Measure and judge on the records of these figures.
pub(crate) fn judge_on(
    figures: &[String],
    what: &Measure,
    accept: [f64; 2],
    also: &[Condition],
    records: &[CellRecords],
) -> Judged {
    let own: Vec<&CellRecords> = records.iter().filter(|cell| figures.contains(&cell.figure)).collect();
    judge(measure(what, &own), accept, also, &own)
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

fn measure(measure: &Measure, cells: &[&CellRecords]) -> Option<Measured> {
    match measure.statistic {
        Statistic::Matches => None,
        Statistic::Spread => spread(measure, cells),
        Statistic::Gain | Statistic::LeastGain => extreme_gain(measure, cells, |new, old| new < old),
        Statistic::GreatestGain => extreme_gain(measure, cells, |new, old| new > old),
    }
}

/// The smallest or largest of the gains over each value of `over`; with one value, the gain.
fn extreme_gain(
    measure: &Measure,
    cells: &[&CellRecords],
    better: impl Fn(f64, f64) -> bool,
) -> Option<Measured> {
    let (key, values) = measure.over.iter().next()?;
    let mut chosen: Option<Estimate> = None;
    let mut behind = Vec::new();
    for value in values.as_slice() {
        let Measured { value: gain, cells } = gain(measure, key, value, cells)?;
        behind.extend(cells);
        if chosen.is_none_or(|old| better(gain.mean, old.mean)) {
            chosen = Some(gain);
        }
    }
    Some(Measured { value: chosen?, cells: behind })
}

/// By how many percent the cells of `of` exceed those that differ from them in `key = value` alone.
fn gain(measure: &Measure, key: &str, value: &str, cells: &[&CellRecords]) -> Option<Measured> {
    let mut by_seed: Vec<Vec<f64>> = Vec::new();
    let mut behind = Vec::new();
    for of in cells.iter().filter(|cell| measure.of.iter().all(|(key, value)| cell.is(key, value))) {
        let mut wanted = of.values.clone();
        wanted.insert(key.to_owned(), value.to_owned());
        let over = cells.iter().find(|other| other.figure == of.figure && other.values == wanted)?;
        let gains = paired(of, over, measure.flow.as_deref(), |of, over| 100.0 * (of / over - 1.0));
        behind.push(cell_result(format!("{} over {value}", of.name()), &estimate(&gains)?));
        by_seed.resize(by_seed.len().max(gains.len()), Vec::new());
        by_seed.iter_mut().zip(gains).for_each(|(seed, gain)| seed.push(gain));
    }
    let means: Option<Vec<f64>> = by_seed.iter().map(|gains| mean(gains)).collect();
    Some(Measured { value: estimate(&means?)?, cells: behind })
}

/// The largest relative difference between the means of `among`, over all groups of other cells.
fn spread(measure: &Measure, cells: &[&CellRecords]) -> Option<Measured> {
    let (key, values) = measure.among.iter().next()?;
    let mut behind = Vec::new();
    let mut chosen: Option<Estimate> = None;
    for first in cells.iter().filter(|cell| cell.is(key, &values[0])) {
        let group: Option<Vec<&CellRecords>> = values
            .iter()
            .map(|value| {
                let mut wanted = first.values.clone();
                wanted.insert(key.clone(), value.clone());
                cells.iter().copied().find(|cell| cell.figure == first.figure && cell.values == wanted)
            })
            .collect();
        let mut group = group?;
        group.sort_by(|a, b| {
            a.goodput(measure.flow.as_deref()).total_cmp(&b.goodput(measure.flow.as_deref()))
        });
        let (least, most) = (group.first()?, group.last()?);
        let differences =
            paired(most, least, measure.flow.as_deref(), |most, least| 100.0 * (most / least - 1.0));
        let found = estimate(&differences)?;
        behind.push(cell_result(format!("{} to {}", least.name(), most.name()), &found));
        if chosen.is_none_or(|old| found.mean > old.mean) {
            chosen = Some(found);
        }
    }
    Some(Measured { value: chosen?, cells: behind })
}

fn cell_result(cell: String, value: &Estimate) -> CellResult {
    CellResult {
        cell,
        measured: value.mean,
        unit: "%",
        ci95: interval(value),
        paper: None,
        accept: None,
        verdict: None,
    }
}

/// The absolute throughput of each cell for which the paper has a number.
fn rates(claim: &Claim, cells: &[&CellRecords]) -> Vec<CellResult> {
    let Some(rates) = &claim.rates else { return Vec::new() };
    let found = cells.iter().filter_map(|cell| {
        let paper = rates.of(&cell.values)?;
        let value = cell.rate(claim.measure.flow.as_deref())?;
        let slack = rates.tolerance_percent / 100.0;
        let accept = [paper * (1.0 - slack), paper * (1.0 + slack)];
        Some(CellResult {
            cell: format!("{}, {}", cell.name(), claim.measure.flow.as_deref().unwrap_or("first flow")),
            measured: value.mean,
            unit: "kb/s",
            ci95: interval(&value),
            paper: Some(paper),
            accept: Some(accept.map(Some)),
            verdict: Some(verdict(&value, accept, &[])),
        })
    });
    found.collect()
}

/// A number for each seed that both cells have.
fn paired(
    of: &CellRecords,
    over: &CellRecords,
    flow: Option<&str>,
    number: impl Fn(f64, f64) -> f64,
) -> Vec<f64> {
    of.goodputs(flow).iter().zip(over.goodputs(flow)).map(|(of, over)| number(*of, over)).collect()
}

impl CellRecords {
    pub(crate) fn is(&self, key: &str, value: &str) -> bool {
        self.values.get(key).is_some_and(|own| own == value)
    }
    /// What it is called.
    pub fn name(&self) -> String {
        let values: Vec<&str> = self.values.values().map(String::as_str).collect();
        format!("{} {}", self.figure, values.join(" "))
    }
    /// Mean goodput over the seeds.
    pub fn goodput(&self, flow: Option<&str>) -> f64 {
        mean(&self.goodputs(flow)).unwrap_or(0.0)
    }
    /// Mean goodput over the seeds and its 95 % interval, in kb/s; `None` without runs.
    pub fn rate(&self, flow: Option<&str>) -> Option<Estimate> {
        estimate(&self.goodputs(flow))
    }
    /// Goodput in kb/s for each seed: of the flow of this name, the mean of those whose names begin like this
    /// (`fixed-*`), or the first flow's.
    pub fn goodputs(&self, flow: Option<&str>) -> Vec<f64> {
        self.runs.iter().map(|run| goodput(run, flow)).collect()
    }
}

fn goodput(run: &RunRecord, flow: Option<&str>) -> f64 {
    let wanted = |name: &str| match flow {
        None => true,
        Some(flow) => match flow.strip_suffix('*') {
            Some(beginning) => name.starts_with(beginning),
            None => name == flow,
        },
    };
    let found = run.flows.iter().filter(|record| wanted(&record.name));
    let found: Vec<f64> = found.map(|record| record.goodput_bits_per_second / 1000.0).collect();
    match flow {
        None => found.first().copied().unwrap_or(0.0),
        Some(_) => mean(&found).unwrap_or(0.0),
    }
}
