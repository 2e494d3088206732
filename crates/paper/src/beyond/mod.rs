//! Beyond a paper: its schemes on networks of today, and how much depends on the notices they receive.
//!
//! `papers/ID/beyond` holds the scenarios, what is shown of them, and what a reader should conclude. [`run()`] sweeps them
//! into the folder of the paper, [`benefit`] makes tables and maps of the records, and [`conclusions`] judges each sentence with
//! the function that judges claims.

pub mod benefit;
pub mod conclusions;
pub mod matrix;
pub mod pictures;
pub mod shown;
pub mod text;

use crate::bundled::{Beyond, Paper};
use crate::documents::read;
use crate::job::{BeyondJobs, Runner};
use crate::run::{PaperError, PaperOptions, SweepPlan};
use benefit::{Comparison, Map};
use conclusions::{ConclusionResult, Conclusions};
use matrix::Matrix;
use seamline_experiment::report::Provenance;
use seamline_scenario::Plan;
use serde::Serialize;
use shown::Shown;
use std::fmt;
use std::sync::atomic::AtomicBool;

/// The outcome: `beyond.json`.
#[derive(Clone, Debug, Serialize)]
pub struct BeyondOutcome {
    /// The title.
    pub title: String,
    /// The scheme that the others are compared with.
    pub baseline: String,
    /// The provenance of the records, scenario by scenario.
    pub provenance: Vec<Provenance>,
    /// Which runs a kernel made, if one was asked for.
    pub over_kernel: Option<OverKernel>,
    /// Schemes compared, network by network.
    pub comparisons: Vec<Comparison>,
    /// Benefits over two parameters.
    pub maps: Vec<Map>,
    /// Combinations of help.
    pub matrices: Vec<Matrix>,
    /// What a reader should conclude.
    pub conclusions: Vec<ConclusionResult>,
}

/// The share of a kernel in the runs.
#[derive(Clone, Debug, Serialize)]
pub struct OverKernel {
    /// The name of the kernel.
    pub kernel: String,
    /// How many grid cells it ran.
    pub cells: usize,
    /// How many there are.
    pub of: usize,
}

impl OverKernel {
    fn count(&mut self, plan: &Plan) {
        self.cells += plan.cells.iter().filter(|cell| cell.scenario.kernel().is_some()).count();
        self.of += plan.cells.len();
    }
}

impl fmt::Display for OverKernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let OverKernel { kernel, cells, of } = self;
        write!(
            f,
            "{kernel} ran {cells} of the {of} grid cells. The others need Seamline's own TCP, which ran them."
        )
    }
}

/// Run the scenarios beyond a paper by `sweep`, which does not repeat finished runs in the folder. `None` when it was stopped.
///
/// # Errors
/// When an override is invalid, or the folder cannot be used.
pub fn run(
    paper: &Paper,
    files: &Beyond,
    options: &PaperOptions,
    stop: &AtomicBool,
    sweep: SweepPlan<'_>,
) -> Result<Option<BeyondOutcome>, PaperError> {
    let shown: Shown = read(paper, "beyond/shown.toml", files.shown)?;
    let conclusions: Conclusions = read(paper, "beyond/conclusions.toml", files.conclusions)?;
    let runner = Runner { options, stop, sweep };
    let mut over_kernel = options.stack.clone().map(|kernel| OverKernel { kernel, cells: 0, of: 0 });
    let (mut records, mut refused, mut provenance) = (Vec::new(), Vec::new(), Vec::new());
    for scenario in files.scenarios {
        let jobs = BeyondJobs::of(paper, *scenario, options)?;
        provenance.push(runner.provenance(&jobs.own));
        refused.extend(jobs.own.refused());
        let mut of_scenario = Vec::new();
        for job in jobs.all().filter(|job| !job.plan.cells.is_empty()) {
            over_kernel.iter_mut().for_each(|it| it.count(&job.plan));
            match runner.sweep(job)? {
                Some(found) => of_scenario.extend(found),
                None => return Ok(None),
            }
        }
        of_scenario.sort_by_key(|cell| jobs.order.iter().position(|values| *values == cell.values));
        records.extend(of_scenario);
    }
    Ok(Some(BeyondOutcome {
        title: shown.title.clone(),
        baseline: shown.baseline.clone(),
        provenance,
        over_kernel,
        comparisons: shown.comparison.iter().map(|of| benefit::comparison(of, &shown, &records)).collect(),
        maps: shown.map.iter().map(|of| benefit::map(of, &shown, &records)).collect(),
        matrices: shown.matrix.iter().map(|of| matrix::matrix(of, &shown, &records, &refused)).collect(),
        conclusions: conclusions::judge(&conclusions, &records),
    }))
}
