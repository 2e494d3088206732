//! Who runs a plan: the simulator, with guests for the TCP of kernels.

use crate::estimate::Costs;
use crate::memory::Room;
use crate::terminal::Failure;
use seamline_experiment::memory::estimate;
use seamline_experiment::record::RunRecord;
use seamline_experiment::{
    CellResult, FinishedRun, Incomplete, Job, RunOptions, run_each, run_one, run_seed,
};
#[cfg(target_os = "linux")]
use seamline_kernel::Kernel;
use seamline_scenario::Plan;
#[cfg(target_os = "linux")]
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Guests run this file of the command, in place of the program of this process. For libraries in other programs; only the first call counts.
pub fn serve_guests_by(program: PathBuf) {
    #[cfg(target_os = "linux")]
    seamline_lab::virtual_time::serve_by(program);
    #[cfg(not(target_os = "linux"))]
    drop(program);
}

/// Make sure that this kernel can run.
///
/// # Errors
/// When it was not built.
#[cfg(target_os = "linux")]
pub(crate) fn has_kernel(name: &str) -> Result<(), Failure> {
    crate::kernel::find(Some(name)).map(drop)
}

/// Make sure that this kernel can run.
///
/// # Errors
/// Always.
#[cfg(not(target_os = "linux"))]
pub(crate) fn has_kernel(name: &str) -> Result<(), Failure> {
    let message = format!(
        "the stack {name} is a Linux kernel, and those run on Linux only\ntip: stack = \"seamline\" runs everywhere"
    );
    Err(Failure::Input(message))
}

/// Runs the jobs of one plan, no more at a time than fit into memory.
#[derive(Debug)]
pub struct Engine {
    room: Room,
    #[cfg(target_os = "linux")]
    kernels: BTreeMap<String, Kernel>,
}

impl Engine {
    /// What a plan needs.
    ///
    /// # Errors
    /// When a scenario names a kernel that was not built.
    pub fn of(plan: &Plan) -> Result<Self, Failure> {
        Engine::with(plan.cells.iter().filter_map(|cell| cell.scenario.kernel()))
    }

    /// What runs need whose scenarios name these kernels.
    ///
    /// # Errors
    /// When one was not built.
    #[cfg(target_os = "linux")]
    pub(crate) fn with<'a>(names: impl Iterator<Item = &'a str>) -> Result<Self, Failure> {
        let mut kernels = BTreeMap::new();
        for name in names {
            if !kernels.contains_key(name) {
                kernels.insert(name.to_owned(), crate::kernel::find(Some(name))?);
            }
        }
        Ok(Engine { room: Room::now(), kernels })
    }

    /// What runs need whose scenarios name these kernels.
    ///
    /// # Errors
    /// When there are any.
    #[cfg(not(target_os = "linux"))]
    pub(crate) fn with<'a>(mut names: impl Iterator<Item = &'a str>) -> Result<Self, Failure> {
        names.try_for_each(has_kernel)?;
        Ok(Engine { room: Room::now() })
    }

    /// State how many of `workers` runs fit into memory at a time, unless all do.
    pub(crate) fn state_memory(&self, costs: &Costs, workers: usize) {
        self.room.state(costs, workers, false);
    }

    /// Run one job of that plan, once there is memory for it. `None` when it was stopped.
    ///
    /// # Errors
    /// When a guest fails, or its kernel lacks something.
    pub fn run_job(
        &self,
        plan: &Plan,
        job: Job,
        options: &RunOptions,
    ) -> Result<Option<FinishedRun>, Failure> {
        let scenario = &plan.cells[job.cell].scenario;
        let _place = self.room.wait_for(estimate(scenario, true));
        #[cfg(target_os = "linux")]
        if let Some(kernel) = scenario.kernel().and_then(|name| self.kernels.get(name)) {
            let run = seamline_lab::virtual_time::run_nodes(plan, job, kernel, options);
            return run.map_err(crate::lab::failure);
        }
        Ok(run_one(plan, job, options))
    }

    /// The record of one job of that plan, without intervals unless the scenario requests those of every run; or why there is none.
    /// `None` when it was stopped.
    ///
    /// # Errors
    /// Those of [`Engine::run_job`], as text.
    pub fn record(&self, plan: &Plan, job: Job, options: &RunOptions) -> Result<Option<RunRecord>, String> {
        let scenario = &plan.cells[job.cell].scenario;
        if scenario.kernel().is_none() {
            let _place = self.room.wait_for(estimate(scenario, scenario.output.intervals_of_every_run));
            return Ok(run_seed(scenario, scenario.seeds[job.seed], &options.stop));
        }
        match self.run_job(plan, job, options) {
            Ok(Some(FinishedRun { mut record, .. })) => {
                if !scenario.output.intervals_of_every_run {
                    record.flows.iter_mut().for_each(|flow| flow.intervals.clear());
                }
                Ok(Some(record))
            }
            Err(Failure::Input(why) | Failure::Runtime(why)) => Err(why),
            Ok(None) | Err(_) => Ok(None),
        }
    }

    /// The first run of a part of that plan, to see what it takes. `None` when it was stopped or fails: what runs after it will say why.
    pub(crate) fn try_out(&self, plan: &Plan, stop: &Arc<AtomicBool>) -> Option<RunRecord> {
        let options = RunOptions { stop: stop.clone(), ..RunOptions::default() };
        self.record(plan, Job { cell: 0, seed: 0 }, &options).ok()?
    }

    /// Run all jobs of that plan, on as many processors as rayon's pool has. `finished` is called after every run.
    ///
    /// # Errors
    /// Those of [`Engine::run_job`], and files that cannot be written; with the results so far.
    pub fn run(
        &self,
        plan: &Plan,
        options: &RunOptions,
        finished: &(dyn Fn() + Sync),
    ) -> Result<Vec<CellResult>, Incomplete<Failure>> {
        run_each(plan, options, finished, |job| self.run_job(plan, job, options))
    }
}
