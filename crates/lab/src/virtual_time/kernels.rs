//! Plans whose scenarios name kernels.

use super::host::run_task;
use super::job::Task;
use crate::run::LabError;
use crate::stacks::Stacks;
use seamline_experiment::{FinishedRun, Job, RunOptions, run_one};
use seamline_kernel::Kernel;
use seamline_scenario::Plan;
use std::collections::BTreeMap;

/// The kernels that the scenarios of a plan name.
#[derive(Clone, Debug, Default)]
pub struct Kernels(BTreeMap<String, Kernel>);

impl Kernels {
    /// Find each with `find`.
    ///
    /// # Errors
    /// The first of `find`.
    pub fn of<E>(plan: &Plan, mut find: impl FnMut(&str) -> Result<Kernel, E>) -> Result<Self, E> {
        let mut kernels = BTreeMap::new();
        for name in plan.cells.iter().filter_map(|cell| cell.scenario.kernel()) {
            if !kernels.contains_key(name) {
                kernels.insert(name.to_owned(), find(name)?);
            }
        }
        Ok(Kernels(kernels))
    }

    /// Run one job of the plan: in a guest if its scenario names a kernel, otherwise in this process. `None` when it was stopped.
    ///
    /// # Errors
    /// When the guest fails, or its kernel lacks something.
    pub fn run_job(
        &self,
        plan: &Plan,
        job: Job,
        options: &RunOptions,
    ) -> Result<Option<FinishedRun>, LabError> {
        let kernel = plan.cells[job.cell].scenario.kernel().and_then(|name| self.0.get(name));
        match kernel {
            None => Ok(run_one(plan, job, options)),
            Some(kernel) => run_task(plan, job, &Stacks::default(), kernel, options, Task::Nodes),
        }
    }
}
