//! Running a paper: its figures, then the other readings of its silent points.

use crate::bundled::Paper;
use crate::claims::{Claim, Claims};
use crate::documents::{Alternative, Deviation, Documents};
use crate::evaluate::{ClaimResult, evaluate};
pub use crate::job::Refused;
use crate::job::{Job, Runner};
use crate::records::CellRecords;
use seamline_experiment::report::Provenance;
use seamline_results::Error;
use seamline_results::sweep::Progress;
use seamline_scenario::Diagnostics;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// What to run of a paper, and where to store it.
#[derive(Clone, Debug)]
pub struct PaperOptions {
    /// The folder of the results.
    pub out: PathBuf,
    /// Overrides for every scenario, as `--set` takes them (`seeds=2`, `duration="60 s"`).
    pub set: Vec<String>,
    /// Further overrides for the other readings, which need fewer seeds.
    pub set_for_readings: Vec<String>,
    /// Whether other readings of silent points are tried.
    pub readings: bool,
    /// The command that reproduces this.
    pub command: String,
}

/// The outcome of a paper.
#[derive(Clone, Debug, Default)]
pub struct PaperOutcome {
    /// Whether it was stopped before its end; finished runs are kept.
    pub interrupted: bool,
    /// Every claim with what was measured.
    pub claims: Vec<ClaimResult>,
    /// The records behind them.
    pub records: Vec<CellRecords>,
    /// What was run for each figure.
    pub parts: Vec<Part>,
    /// The claims under other readings.
    pub readings: Vec<ReadingResult>,
    /// The claims that other readings are tried on, under the readings taken but over the seeds of the others; empty when
    /// those are all seeds.
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

/// What was run for a figure.
#[derive(Clone, Debug)]
pub struct Part {
    /// The figure.
    pub figure: String,
    /// The provenance of its results.
    pub provenance: Provenance,
    /// Cells of its grid.
    pub cells: usize,
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
    /// One of its files is malformed.
    File {
        /// The file.
        file: String,
        /// The mistake in it.
        reason: String,
    },
    /// A scenario with its overrides is invalid.
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

/// Run a paper; finished runs in its folder are not repeated.
///
/// # Errors
/// When an override is invalid, or the folder cannot be used.
pub fn run(
    paper: &Paper,
    options: &PaperOptions,
    stop: &AtomicBool,
    progress: &dyn Progress,
) -> Result<PaperOutcome, PaperError> {
    let documents = Documents::of(paper)?;
    let Documents { claims, deviations, findings, figures } = &documents;
    let runner = Runner { options, stop, progress };
    let mut outcome = PaperOutcome::default();
    for (figure, _) in paper.scenarios {
        let job = Job::of_figure(paper, figure, &options.out.join(figure), &options.set)?;
        outcome.parts.push(runner.part(&job));
        match runner.sweep(&job)? {
            Some(records) => outcome.records.extend(records),
            None => return Ok(PaperOutcome { interrupted: true, ..outcome }),
        }
    }
    outcome.claims = evaluate(claims, figures, &outcome.records, &|claim| {
        findings.get(claim).cloned().unwrap_or_default()
    });
    for deviation in deviations.deviation.iter().filter(|_| options.readings) {
        for (place, alternative) in deviation.r#try.iter().enumerate() {
            let folder = options.out.join("readings").join(format!("{}-{}", deviation.id, place + 1));
            match try_reading(paper, &documents, (deviation, alternative), &folder, runner)? {
                Some(reading) => outcome.readings.push(reading),
                None => return Ok(PaperOutcome { interrupted: true, ..outcome }),
            }
        }
    }
    outcome.taken_over_their_seeds = over_their_seeds(&documents, &outcome);
    Ok(outcome)
}

/// The claims that other readings are tried on, over the seeds of those readings, so that both meet the same losses and moves.
fn over_their_seeds(documents: &Documents, outcome: &PaperOutcome) -> Vec<ClaimResult> {
    let Some(reading) = outcome.readings.first() else { return Vec::new() };
    if outcome.parts.iter().all(|part| part.provenance.seeds == reading.seeds) {
        return Vec::new();
    }
    let mut records = outcome.records.clone();
    records.iter_mut().for_each(|cell| cell.runs.retain(|run| reading.seeds.contains(&run.seed)));
    let tried = outcome.claims_with_readings();
    evaluate_those(documents, &records, |claim| tried.iter().any(|tried| tried.id == claim.id))
}

/// Some of the claims, on records that findings do not refer to.
fn evaluate_those(
    documents: &Documents,
    records: &[CellRecords],
    is_one: impl Fn(&Claim) -> bool,
) -> Vec<ClaimResult> {
    let Documents { claims, figures, .. } = documents;
    let claim = claims.claim.iter().filter(|claim| is_one(claim)).cloned().collect();
    evaluate(&Claims { claim, ..claims.clone() }, figures, records, &|_| String::new())
}

/// The claims that a reading decides, under that reading; `None` when it was stopped.
fn try_reading(
    paper: &Paper,
    documents: &Documents,
    (deviation, alternative): (&Deviation, &Alternative),
    folder: &Path,
    runner: Runner<'_>,
) -> Result<Option<ReadingResult>, PaperError> {
    let mut records = Vec::new();
    let (mut seeds, mut runs) = (Vec::new(), 0);
    let PaperOptions { set, set_for_readings, .. } = runner.options;
    let set = [set.as_slice(), set_for_readings, &alternative.set].concat();
    for figure in &deviation.figures {
        let job = Job::of_figure(paper, figure, &folder.join(figure), &set)?;
        seeds = job.seeds();
        runs += job.plan.runs();
        match runner.sweep(&job)? {
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
