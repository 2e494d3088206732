//! Results of an experiment, from the lines that are stored.

use crate::error::Error;
use crate::jobs::Jobs;
use crate::store::{Keys, Line, each_line};
use seamline_experiment::record::{FlowRecord, RunRecord};
use seamline_experiment::{CellResult, Job};
use seamline_scenario::Parts;
use seamline_scenario::plan::Brief;
use std::path::PathBuf;

/// What is stored of an experiment.
pub(crate) struct Stored {
    /// The keys of all runs.
    pub(crate) keys: Keys,
    /// The results of a plan that is the only part, when all of its runs are stored.
    pub(crate) results: Option<Vec<CellResult>>,
}

impl Stored {
    /// Read files of lines. `only_flows` leaves out what summaries do not need.
    pub(crate) fn find(parts: &Parts<'_>, files: &[PathBuf], only_flows: bool) -> Result<Self, Error> {
        let mut keys = Keys::default();
        if parts.single().is_none() {
            each_line(files, &mut keys, drop)?;
            return Ok(Stored { keys, results: None });
        }
        let mut runs = Runs::of(&parts.totals().cells);
        each_line(files, &mut keys, |line| runs.take(line, only_flows))?;
        Ok(Stored { keys, results: runs.into_results() })
    }
}

/// The runs of grid cells that are stored.
struct Runs {
    /// In the order of keys. Grid cells that are alike have the same runs.
    jobs: Vec<(String, Job)>,
    /// By grid cell and seed.
    records: Vec<Vec<Option<RunRecord>>>,
}

impl Runs {
    /// None yet.
    fn of(cells: &[Brief]) -> Self {
        let all = Jobs(cells);
        let mut jobs: Vec<(String, Job)> = all.all().map(|job| (all.key(job), job)).collect();
        jobs.sort_unstable();
        Runs { jobs, records: cells.iter().map(|cell| vec![None; cell.seeds.len()]).collect() }
    }

    fn take(&mut self, Line { key, run, .. }: Line, only_flows: bool) {
        let run = if only_flows { flows_of(run) } else { run };
        let first = self.jobs.partition_point(|(known, _)| *known < key);
        for (_, job) in self.jobs[first..].iter().take_while(|(known, _)| *known == key) {
            self.records[job.cell][job.seed].get_or_insert_with(|| run.clone());
        }
    }

    /// All results; `None` when some runs are missing.
    fn into_results(self) -> Option<Vec<CellResult>> {
        let cell = |runs: Vec<Option<RunRecord>>| {
            let runs = runs.into_iter().collect::<Option<Vec<_>>>()?;
            Some(CellResult { runs, ..CellResult::default() })
        };
        self.records.into_iter().map(cell).collect()
    }
}

/// What summaries need.
pub(crate) fn flows_of(run: RunRecord) -> RunRecord {
    let thin = |mut flow: FlowRecord| {
        flow.intervals = Vec::new();
        flow.handovers.shrink_to_fit();
        flow
    };
    RunRecord {
        flows: run.flows.into_iter().map(thin).collect::<Box<[_]>>().into_vec(),
        links: Vec::new(),
        agents: Vec::new(),
        ..run
    }
}
