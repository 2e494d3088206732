//! The runs of one scenario of a paper.

use crate::bundled::Paper;
use crate::records::CellRecords;
use crate::run::{PaperError, PaperOptions, Part};
use seamline_config::document::Value;
use seamline_experiment::report::{Provenance, provenance_of};
use seamline_results::sweep::SweepOutcome;
use seamline_results::{Error, SweepOptions};
use seamline_scenario::{Diagnostics, Plan};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

/// A combination that was not run, because its values do not go together.
#[derive(Clone, Debug)]
pub struct Refused {
    /// The figure.
    pub figure: String,
    /// What the grid set: last part of the key, and value.
    pub values: BTreeMap<String, String>,
    /// The reason.
    pub reason: String,
}

/// Sweeps a plan; who runs its jobs is the caller's choice.
pub type SweepPlan<'a> = &'a dyn Fn(&Plan, &Provenance, &SweepOptions) -> Result<SweepOutcome, Error>;

/// What all jobs of a paper share.
#[derive(Clone, Copy)]
pub(crate) struct Runner<'a> {
    pub(crate) options: &'a PaperOptions,
    pub(crate) stop: &'a AtomicBool,
    pub(crate) sweep: SweepPlan<'a>,
}

impl Runner<'_> {
    /// Sweep the scenario of a job; `None` when it was stopped.
    pub(crate) fn sweep(self, job: &Job) -> Result<Option<Vec<CellRecords>>, PaperError> {
        if self.stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let options = SweepOptions { out: job.folder.clone(), shard: None, add: true, only_flows: false };
        let outcome = (self.sweep)(&job.plan, &self.provenance(job), &options)?;
        let named = outcome.results.map(|results| {
            let cells = job.plan.cells.iter().zip(results).map(|(cell, result)| CellRecords {
                figure: job.figure.clone(),
                values: by_last_part(&cell.values),
                runs: result.runs,
            });
            cells.collect()
        });
        Ok(named)
    }

    pub(crate) fn provenance(self, job: &Job) -> Provenance {
        provenance_of(&job.plan, self.options.command.clone())
    }

    pub(crate) fn part(self, job: &Job) -> Part {
        let first = job.plan.cells.first().map(|cell| &cell.scenario);
        Part {
            figure: job.figure.clone(),
            provenance: self.provenance(job),
            cells: job.plan.cells.len(),
            duration_s: first.map_or(0.0, |scenario| scenario.duration.as_secs_f64()),
        }
    }
}

/// The runs of one scenario: the plan, and where results are stored.
#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) figure: String,
    pub(crate) folder: PathBuf,
    pub(crate) plan: Plan,
}

impl Job {
    /// The runs of a figure of the paper.
    pub(crate) fn of_figure(
        paper: &Paper,
        figure: &str,
        folder: &Path,
        set: &[String],
    ) -> Result<Job, PaperError> {
        let file = format!("papers/{}/{figure}.toml", paper.name);
        let Some(text) = paper.scenario(figure) else {
            return Err(PaperError::File { file, reason: "no such scenario".to_owned() });
        };
        let plan = Plan::new(Path::new(&file), text.to_owned(), set);
        Job::new(figure, folder, plan)
    }

    fn new(figure: &str, folder: &Path, plan: Result<Plan, Diagnostics>) -> Result<Job, PaperError> {
        let plan = plan.map_err(|diagnostics| PaperError::Scenario(Box::new(diagnostics)))?;
        Ok(Job { figure: figure.to_owned(), folder: folder.to_owned(), plan })
    }

    /// The combinations that do not go together.
    pub(crate) fn refused(&self) -> impl Iterator<Item = Refused> {
        self.plan.refused.iter().map(|cell| Refused {
            figure: self.figure.clone(),
            values: by_last_part(&cell.values),
            reason: cell.reasons.join("; "),
        })
    }

    /// The values of its cells.
    fn values(&self) -> impl Iterator<Item = BTreeMap<String, String>> {
        self.plan.cells.iter().map(|cell| by_last_part(&cell.values))
    }

    pub(crate) fn seeds(&self) -> Vec<u64> {
        self.plan.cells.first().map(|cell| cell.scenario.seeds.clone()).unwrap_or_default()
    }
}

/// The runs of a scenario beyond the paper, without the cells whose values do not go together ([`Job::refused`]).
#[derive(Debug)]
pub(crate) struct BeyondJobs {
    pub(crate) own: Job,
    /// If a kernel was asked for, the cells that do not need our TCP: a guest reads text and overrides of its plan again.
    over_kernel: Option<Job>,
    /// The values of all cells in the order of the grid.
    pub(crate) order: Vec<BTreeMap<String, String>>,
}

impl BeyondJobs {
    pub(crate) fn of(
        paper: &Paper,
        (name, text): (&str, &str),
        options: &PaperOptions,
    ) -> Result<Self, PaperError> {
        let file = format!("papers/{}/beyond/{name}.toml", paper.name);
        let folder = options.out.join("beyond").join(name);
        let with = |set: &[String]| {
            Job::new(name, &folder, Plan::without_refused(Path::new(&file), text.to_owned(), set))
        };
        let mut own = with(&options.set)?;
        let order = own.values().collect();
        let set = |kernel| [options.set.as_slice(), &[format!("stack={kernel:?}")]].concat();
        let over_kernel = options.stack.as_ref().map(|kernel| with(&set(kernel))).transpose()?;
        let taken: BTreeSet<_> = over_kernel.iter().flat_map(Job::values).collect();
        own.plan.cells.retain(|cell| !taken.contains(&by_last_part(&cell.values)));
        Ok(BeyondJobs { own, over_kernel, order })
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = &Job> {
        std::iter::once(&self.own).chain(&self.over_kernel)
    }
}

fn by_last_part(values: &[(String, Value)]) -> BTreeMap<String, String> {
    values.iter().map(|(path, value)| (last_part(path).to_owned(), value.to_string())).collect()
}

/// The last part of a key: `loss` of `link.radio.loss`.
pub(crate) fn last_part(path: &str) -> &str {
    path.rsplit('.').next().unwrap_or(path)
}
