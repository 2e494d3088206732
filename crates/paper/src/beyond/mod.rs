//! Beyond a paper: its schemes on networks of today, and how much depends on what they are told.
//!
//! `papers/ID/beyond` holds the scenarios, what is shown of them, and what a reader should conclude. [`run()`] sweeps them
//! into the folder of the paper, [`benefit`] makes tables and maps of the records, and [`conclusions`] judges each sentence by the
//! one function that judges claims.

pub mod benefit;
pub mod conclusions;
pub mod matrix;
pub mod pictures;
pub mod shown;
pub mod text;

use crate::bundled::{Beyond, Paper};
use crate::documents::read;
use crate::records::CellRecords;
use crate::run::{PaperError, PaperOptions, Refused, job_without_refused, run_plan};
use benefit::{Comparison, Map};
use conclusions::{ConclusionResult, Conclusions};
use matrix::Matrix;
use seamline_experiment::report::{Provenance, provenance_of};
use seamline_results::sweep::Progress;
use serde::Serialize;
use shown::Shown;
use std::sync::atomic::AtomicBool;

/// What came of it: `beyond.json`.
#[derive(Clone, Debug, Serialize)]
pub struct BeyondOutcome {
    /// What it is called.
    pub title: String,
    /// The scheme that the others are compared with.
    pub baseline: String,
    /// Where the records come from, scenario by scenario.
    pub provenance: Vec<Provenance>,
    /// Schemes compared, network by network.
    pub comparisons: Vec<Comparison>,
    /// Benefits over two parameters.
    pub maps: Vec<Map>,
    /// Combinations of what helps.
    pub matrices: Vec<Matrix>,
    /// What a reader should conclude.
    pub conclusions: Vec<ConclusionResult>,
}

/// Run what is asked beyond a paper; what the folder already holds is not run again. `None` when it was stopped.
///
/// # Errors
/// When an override makes no sense, or the folder cannot be used.
pub fn run(
    paper: &Paper,
    files: &Beyond,
    options: &PaperOptions,
    stop: &AtomicBool,
    progress: &dyn Progress,
) -> Result<Option<BeyondOutcome>, PaperError> {
    let shown = read(paper, "beyond/shown.toml", Shown::parse(files.shown))?;
    let conclusions = read(paper, "beyond/conclusions.toml", Conclusions::parse(files.conclusions))?;
    let mut records = Vec::new();
    let mut refused = Vec::new();
    let mut provenance = Vec::new();
    for (name, text) in files.scenarios {
        let file = format!("papers/{}/beyond/{name}.toml", paper.name);
        let job =
            job_without_refused(&file, text, name, &options.out.join("beyond").join(name), &options.set)?;
        refused.extend(job.refused());
        provenance.push(provenance_of(&job.plan, options.command.clone()));
        match run_plan(&job, options, stop, progress)? {
            Some(found) => records.extend(found),
            None => return Ok(None),
        }
    }
    Ok(Some(BeyondOutcome { provenance, ..outcome(&shown, &conclusions, &records, &refused) }))
}

/// What the records say, without where they come from.
pub fn outcome(
    shown: &Shown,
    conclusions: &Conclusions,
    records: &[CellRecords],
    refused: &[Refused],
) -> BeyondOutcome {
    BeyondOutcome {
        title: shown.title.clone(),
        baseline: shown.baseline.clone(),
        provenance: Vec::new(),
        comparisons: shown.comparison.iter().map(|of| benefit::comparison(of, shown, records)).collect(),
        maps: shown.map.iter().map(|of| benefit::map(of, shown, records)).collect(),
        matrices: shown.matrix.iter().map(|of| matrix::matrix(of, shown, records, refused)).collect(),
        conclusions: conclusions::judge(conclusions, records),
    }
}
