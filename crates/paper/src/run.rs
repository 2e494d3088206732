//! Running a paper: its figures, then the other readings of its silent points.

use crate::bundled::Paper;
use crate::claims::{Claim, Claims};
use crate::documents::{Documents, Reading};
use crate::evaluate::{ClaimResult, evaluate};
use crate::job::{Job, Runner};
pub use crate::job::{Refused, SweepPlan};
use crate::records::CellRecords;
use crate::verdict::Verdict;
use seamline_experiment::report::Provenance;
use seamline_report::paper::{Cause, Ground, UnderReading};
use seamline_results::sweep::Progress;
use seamline_results::{Error, SweepOptions};
use seamline_scenario::{Diagnostics, Plan};
use std::collections::BTreeMap;
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
    /// With how many seeds other readings are tried at most; `None` for as many as each is to have.
    pub most_seeds: Option<u32>,
    /// Whether other readings of silent points are tried.
    pub readings: bool,
    /// The kernel whose TCP runs what is beyond the paper and needs nothing of ours.
    pub stack: Option<String>,
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

    /// Put next to each claim what comes of it under other readings and, if it is not reproduced, its cause.
    fn explain(&mut self, causes: &BTreeMap<String, Cause>) {
        for claim in &mut self.claims {
            claim.readings = self.readings.iter().filter_map(|reading| reading.of(&claim.id)).collect();
            claim.cause = causes.get(&claim.id).filter(|_| claim.verdict != Verdict::Reproduced).cloned();
        }
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

/// The claims under another reading.
#[derive(Clone, Debug)]
pub struct ReadingResult {
    /// The reading.
    pub reading: Reading,
    /// The seeds it was tried with.
    pub seeds: Vec<u64>,
    /// How many runs it took.
    pub runs: usize,
    /// The claims that its figures decide.
    pub claims: Vec<ClaimResult>,
}

impl ReadingResult {
    /// What comes of a claim; `None` where this reading does not decide it.
    fn of(&self, claim: &str) -> Option<UnderReading> {
        let found = self.claims.iter().find(|found| found.id == claim)?;
        Some(UnderReading {
            reading: self.reading.name(),
            ground: self.reading.ground,
            measures: self.reading.measures.get(claim).map(|measured| measured.aggregate.clone()),
            unit: found.unit,
            measured: found.measured,
            ci95: found.ci95,
            verdict: found.verdict,
            fails_at: found.fails_at.clone(),
        })
    }
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
    let Documents { claims, readings, findings, figures, .. } = &documents;
    let sweep = |plan: &Plan, provenance: &Provenance, options: &SweepOptions| {
        seamline_results::sweep(plan, provenance, options, stop, progress)
    };
    let runner = Runner { options, stop, sweep: &sweep };
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
        findings.of.get(claim).cloned().unwrap_or_default()
    });
    for (place, reading) in readings.iter().filter(|_| options.readings).enumerate() {
        let folder = options.out.join("readings").join(folder_name(reading, &readings[..place]));
        match try_reading(paper, &documents, reading, &folder, runner)? {
            Some(reading) => outcome.readings.push(reading),
            None => return Ok(PaperOutcome { interrupted: true, ..outcome }),
        }
    }
    outcome.taken_over_their_seeds = over_their_seeds(&documents, &outcome);
    outcome.explain(&findings.cause);
    Ok(outcome)
}

/// The folder of a reading's runs: its silent point and its place among the readings of that, or its own name.
fn folder_name(reading: &Reading, before: &[Reading]) -> String {
    let Some(about) = &reading.about else {
        let letter =
            |letter: char| if letter.is_ascii_alphanumeric() { letter.to_ascii_lowercase() } else { '-' };
        return reading.words.chars().map(letter).collect();
    };
    let place = before.iter().filter(|other| other.about == reading.about).count();
    format!("{about}-{}", place + 1)
}

/// The claims that other readings are tried on, over the seeds of those readings, so that both meet the same losses and moves.
fn over_their_seeds(documents: &Documents, outcome: &PaperOutcome) -> Vec<ClaimResult> {
    let Some(reading) = outcome.readings.first() else { return Vec::new() };
    let is_tried = |part: &&Part| outcome.readings.iter().any(|it| it.reading.figures.contains(&part.figure));
    if outcome.parts.iter().filter(is_tried).all(|part| part.provenance.seeds == reading.seeds) {
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

/// A reading found by search is none that the scenarios have.
fn refuse_taken_by_search(
    paper: &Paper,
    reading: &Reading,
    (figure, job): (&str, &Job),
    others: &[String],
) -> Result<(), PaperError> {
    if reading.ground != Ground::Search {
        return Ok(());
    }
    let taken = Job::of_figure(paper, figure, &job.folder, others)?;
    if taken.plan.cells.iter().zip(&job.plan.cells).all(|(taken, own)| taken.identity == own.identity) {
        let file = format!("papers/{}/{figure}.toml", paper.name);
        let reason = format!("takes the reading {:?}, which was found by search", reading.name());
        return Err(PaperError::File { file, reason });
    }
    Ok(())
}

/// The claims that a reading decides, under that reading; `None` when it was stopped.
fn try_reading(
    paper: &Paper,
    documents: &Documents,
    reading: &Reading,
    folder: &Path,
    runner: Runner<'_>,
) -> Result<Option<ReadingResult>, PaperError> {
    let mut records = Vec::new();
    let (mut seeds, mut runs) = (Vec::new(), 0);
    let PaperOptions { set, most_seeds, .. } = runner.options;
    let wanted = reading.seeds.unwrap_or(documents.deviations.seeds);
    let own = format!("seeds={}", most_seeds.map_or(wanted, |most| most.min(wanted)));
    let others = [set.as_slice(), &[own]].concat();
    let set = [others.as_slice(), &reading.set].concat();
    for figure in &reading.figures {
        let job = Job::of_figure(paper, figure, &folder.join(figure), &set)?;
        refuse_taken_by_search(paper, reading, (figure, &job), &others)?;
        seeds = job.seeds();
        runs += job.plan.runs();
        match runner.sweep(&job)? {
            Some(found) => records.extend(found),
            None => return Ok(None),
        }
    }
    let figures = documents.figures.with_symbols(&reading.symbols);
    let claims = reading.claims(&documents.claims);
    let documents = &Documents { claims, figures, ..documents.clone() };
    let is_decided = |claim: &Claim| {
        let is_measured = !reading.only_measures() || reading.measures.contains_key(&claim.id);
        let has_runs = claim.decided_by().all(|figure| reading.figures.contains(figure));
        !claim.figures.is_empty() && has_runs && is_measured
    };
    Ok(Some(ReadingResult {
        reading: reading.clone(),
        seeds,
        runs,
        claims: evaluate_those(documents, &records, is_decided),
    }))
}
