//! Running a paper: its figures, then the other readings of what it leaves open.

use crate::bundled::Paper;
use crate::claims::{Claim, Claims};
use crate::deviations::{Alternative, Deviation};
use crate::documents::Documents;
use crate::evaluate::{ClaimResult, evaluate};
use crate::records::CellRecords;
use seamline_config::document::Value;
use seamline_config::source::SourceId;
use seamline_experiment::CellResult;
use seamline_experiment::report::{Provenance, provenance_of};
use seamline_results::sweep::Progress;
use seamline_results::{Error, SweepOptions, sweep};
use seamline_scenario::{Diagnostics, Plan};
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

/// What to run of a paper, and where to.
#[derive(Clone, Debug)]
pub struct PaperOptions {
    /// The folder of the results.
    pub out: PathBuf,
    /// Overrides for every scenario, as `--set` takes them (`seeds=2`, `duration="60 s"`).
    pub set: Vec<String>,
    /// Overrides besides for the other readings, which need fewer seeds.
    pub set_for_readings: Vec<String>,
    /// Whether other readings of silent points are tried.
    pub readings: bool,
    /// The command that leads here.
    pub command: String,
}

/// What came of a paper.
#[derive(Clone, Debug, Default)]
pub struct PaperOutcome {
    /// Whether it was stopped before its end; what was done is kept.
    pub interrupted: bool,
    /// Every claim beside what was measured.
    pub claims: Vec<ClaimResult>,
    /// The records behind them.
    pub records: Vec<CellRecords>,
    /// How the records of each figure came about.
    pub parts: Vec<Part>,
    /// The claims under other readings.
    pub readings: Vec<ReadingResult>,
    /// The claims that other readings are tried on, under the readings taken but over the seeds of the others; empty
    /// when those are all seeds.
    pub taken_over_their_seeds: Vec<ClaimResult>,
}

impl PaperOutcome {
    /// The claims that other readings are tried on, in the order of the paper.
    pub fn claims_with_readings(&self) -> Vec<&ClaimResult> {
        let is_tried = |claim: &&ClaimResult| {
            self.readings.iter().any(|reading| reading.claims.iter().any(|tried| tried.id == claim.id))
        };
        self.claims.iter().filter(is_tried).collect()
    }
}

/// How the records of a figure came about.
#[derive(Clone, Debug)]
pub struct Part {
    /// The figure.
    pub figure: String,
    /// Its scenario's text.
    pub text: String,
    /// Where its results come from.
    pub provenance: Provenance,
    /// Cells of its grid.
    pub cells: usize,
    /// Master seeds of each cell.
    pub seeds: Vec<u64>,
    /// Length of a run.
    pub duration_s: f64,
}

/// The claims under another reading of a silent point.
#[derive(Clone, Debug)]
pub struct ReadingResult {
    /// The silent point.
    pub deviation: Deviation,
    /// The reading.
    pub reading: Alternative,
    /// The seeds it was tried with.
    pub seeds: Vec<u64>,
    /// How many runs it took.
    pub runs: usize,
    /// The claims that its figures decide.
    pub claims: Vec<ClaimResult>,
}

/// Why a paper did not run.
#[derive(Debug)]
pub enum PaperError {
    /// One of its files is not as it should be.
    File {
        /// Which.
        file: String,
        /// What is wrong.
        reason: String,
    },
    /// A scenario with its overrides makes no sense.
    Scenario(Box<Diagnostics>),
    /// Results cannot be read or written.
    Results(Error),
}

impl fmt::Display for PaperError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PaperError::File { file, reason } => write!(f, "{file}: {reason}"),
            PaperError::Scenario(diagnostics) => write!(f, "{diagnostics:?}"),
            PaperError::Results(error) => write!(f, "{error}"),
        }
    }
}
impl std::error::Error for PaperError {}
impl From<Error> for PaperError {
    fn from(error: Error) -> Self {
        PaperError::Results(error)
    }
}

/// The runs of one scenario: where they are stored, and the plan.
#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) figure: String,
    pub(crate) folder: PathBuf,
    pub(crate) plan: Plan,
}

/// Run a paper; what its folder already holds is not run again.
///
/// # Errors
/// When an override makes no sense, or the folder cannot be used.
pub fn run(
    paper: &Paper,
    options: &PaperOptions,
    stop: &AtomicBool,
    progress: &dyn Progress,
) -> Result<PaperOutcome, PaperError> {
    let documents = Documents::of(paper)?;
    let Documents { claims, deviations, findings, figures } = &documents;
    let mut outcome = PaperOutcome::default();
    for (figure, _) in paper.scenarios {
        let job = plan(paper, figure, &options.out.join(figure), &options.set)?;
        outcome.parts.push(job.part(options));
        match run_plan(&job, options, stop, progress)? {
            Some(records) => outcome.records.extend(records),
            None => return Ok(PaperOutcome { interrupted: true, ..outcome }),
        }
    }
    outcome.claims = evaluate(claims, figures, &outcome.records, &|claim| findings.about(claim));
    let alternatives = deviations.deviation.iter().filter(|_| options.readings);
    for (deviation, place, alternative) in
        alternatives.flat_map(|it| it.r#try.iter().enumerate().map(move |(place, other)| (it, place, other)))
    {
        let folder = options.out.join("readings").join(format!("{}-{}", deviation.id, place + 1));
        match try_reading(paper, &documents, (deviation, alternative), &folder, options, stop, progress)? {
            Some(reading) => outcome.readings.push(reading),
            None => return Ok(PaperOutcome { interrupted: true, ..outcome }),
        }
    }
    outcome.taken_over_their_seeds = over_their_seeds(&documents, &outcome);
    Ok(outcome)
}

/// The claims that other readings are tried on, over the seeds of those readings: so that they are compared with the
/// same losses and moves.
fn over_their_seeds(documents: &Documents, outcome: &PaperOutcome) -> Vec<ClaimResult> {
    let Some(reading) = outcome.readings.first() else { return Vec::new() };
    if outcome.parts.iter().all(|part| part.seeds == reading.seeds) {
        return Vec::new();
    }
    let mut records = outcome.records.clone();
    records.iter_mut().for_each(|cell| cell.runs.retain(|run| reading.seeds.contains(&run.seed)));
    let tried = outcome.claims_with_readings();
    let is_tried = |id: &String| tried.iter().any(|claim| claim.id == *id);
    evaluate_those(documents, &records, |claim| is_tried(&claim.id))
}

/// Some of the claims, on records that nothing has been found out about.
fn evaluate_those(
    documents: &Documents,
    records: &[CellRecords],
    is_one: impl Fn(&Claim) -> bool,
) -> Vec<ClaimResult> {
    let Documents { claims, figures, .. } = documents;
    let claim = claims.claim.iter().filter(|claim| is_one(claim)).cloned().collect();
    evaluate(&Claims { claim, ..claims.clone() }, figures, records, &|_| String::new())
}

fn try_reading(
    paper: &Paper,
    documents: &Documents,
    (deviation, alternative): (&Deviation, &Alternative),
    folder: &Path,
    options: &PaperOptions,
    stop: &AtomicBool,
    progress: &dyn Progress,
) -> Result<Option<ReadingResult>, PaperError> {
    let mut records = Vec::new();
    let (mut seeds, mut runs) = (Vec::new(), 0);
    for figure in &deviation.figures {
        let set = [&options.set[..], &options.set_for_readings[..], &alternative.set[..]].concat();
        let job = plan(paper, figure, &folder.join(figure), &set)?;
        seeds = job.seeds();
        runs += job.plan.runs();
        match run_plan(&job, options, stop, progress)? {
            Some(found) => records.extend(found),
            None => return Ok(None),
        }
    }
    let is_decided = |claim: &Claim| {
        !claim.figures.is_empty() && claim.decided_by().all(|figure| deviation.figures.contains(figure))
    };
    Ok(Some(ReadingResult {
        deviation: deviation.clone(),
        reading: alternative.clone(),
        seeds,
        runs,
        claims: evaluate_those(documents, &records, is_decided),
    }))
}

pub(crate) fn plan(paper: &Paper, figure: &str, folder: &Path, set: &[String]) -> Result<Job, PaperError> {
    let file = format!("papers/{}/{figure}.toml", paper.name);
    match paper.scenario(figure) {
        Some(text) => job(&file, text, figure, folder, set),
        None => Err(PaperError::File { file, reason: "no such scenario".to_owned() }),
    }
}

pub(crate) fn job(
    file: &str,
    text: &str,
    figure: &str,
    folder: &Path,
    set: &[String],
) -> Result<Job, PaperError> {
    let plan = Plan::new(Path::new(file), text.to_owned(), set)
        .map_err(|diagnostics| PaperError::Scenario(Box::new(diagnostics)))?;
    Ok(Job { figure: figure.to_owned(), folder: folder.to_owned(), plan })
}

/// The same, without the cells whose values do not go together ([`Job::refused`]).
pub(crate) fn job_without_refused(
    file: &str,
    text: &str,
    figure: &str,
    folder: &Path,
    set: &[String],
) -> Result<Job, PaperError> {
    let plan = Plan::without_refused(Path::new(file), text.to_owned(), set)
        .map_err(|diagnostics| PaperError::Scenario(Box::new(diagnostics)))?;
    Ok(Job { figure: figure.to_owned(), folder: folder.to_owned(), plan })
}

/// A combination that was not run, because it makes no sense.
#[derive(Clone, Debug)]
pub struct Refused {
    /// The figure.
    pub figure: String,
    /// What the grid set: last part of the key, and value.
    pub values: BTreeMap<String, String>,
    /// Why.
    pub reason: String,
}

impl Job {
    /// The combinations that make no sense.
    pub(crate) fn refused(&self) -> Vec<Refused> {
        let refused = self.plan.refused.iter().map(|cell| Refused {
            figure: self.figure.clone(),
            values: by_last_part(&cell.values),
            reason: cell.reasons.join("; "),
        });
        refused.collect()
    }

    fn seeds(&self) -> Vec<u64> {
        self.plan.cells.first().map(|cell| cell.scenario.seeds.clone()).unwrap_or_default()
    }

    fn part(&self, options: &PaperOptions) -> Part {
        let first = self.plan.cells.first().map(|cell| &cell.scenario);
        Part {
            figure: self.figure.clone(),
            text: self.plan.sources.get(SourceId::FILE).text.clone(),
            provenance: provenance_of(&self.plan, options.command.clone()),
            cells: self.plan.cells.len(),
            seeds: self.seeds(),
            duration_s: first.map_or(0.0, |scenario| scenario.duration.as_secs_f64()),
        }
    }
}

/// Sweep a scenario; `None` when it was stopped.
pub(crate) fn run_plan(
    job: &Job,
    options: &PaperOptions,
    stop: &AtomicBool,
    progress: &dyn Progress,
) -> Result<Option<Vec<CellRecords>>, PaperError> {
    if stop.load(Ordering::Relaxed) {
        return Ok(None);
    }
    let provenance = provenance_of(&job.plan, options.command.clone());
    let place = SweepOptions { out: job.folder.clone(), shard: None, add: true };
    let outcome = sweep(&job.plan, &provenance, &place, stop, progress)?;
    Ok(outcome.results.map(|results| cells(job, results)))
}

fn cells(job: &Job, results: Vec<CellResult>) -> Vec<CellRecords> {
    let named = job.plan.cells.iter().zip(results).map(|(cell, result)| CellRecords {
        figure: job.figure.clone(),
        values: by_last_part(&cell.values),
        runs: result.runs,
    });
    named.collect()
}

fn by_last_part(values: &[(String, Value)]) -> BTreeMap<String, String> {
    let last = |path: &str| path.rsplit('.').next().unwrap_or(path).to_owned();
    values.iter().map(|(path, value)| (last(path), value.to_string())).collect()
}
