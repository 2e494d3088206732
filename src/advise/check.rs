//! Checking an answer against the TCP of a kernel.

use super::Arguments;
use crate::kernel;
use crate::lab::failure;
use crate::terminal::{Failure, ProgressReporter, note, warnings};
use rayon::prelude::*;
use seamline_advise::kernel::{Checked, KernelRun, decisive, judge};
use seamline_advise::{Advice, Question};
use seamline_cli::interrupt::Interrupt;
use seamline_experiment::record::RunRecord;
use seamline_experiment::{Job, RunOptions};
use seamline_kernel::Kernel;
use seamline_lab::virtual_time::run_job;
use seamline_lab::{LabError, Stacks};
use seamline_results::sweep::Progress;
use seamline_scenario::Plan;
use seamline_wire::Duration;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The kernel to check against. Without one that is built, an answer is not checked unless one was asked for.
pub(super) fn kernel(arguments: &Arguments) -> Result<Option<Kernel>, Failure> {
    match &arguments.kernel {
        _ if arguments.no_check || arguments.stack.is_some() => Ok(None),
        Some(name) => kernel::find(Some(name)).map(Some),
        None => Ok(kernel::find(None).ok()),
    }
}

/// The kernel that makes all runs, if one was asked for.
pub(super) fn stack(arguments: &Arguments) -> Result<Option<Kernel>, Failure> {
    arguments.stack.as_ref().map(|name| kernel::find(Some(name))).transpose()
}

/// The name by which an answer knows it.
pub(super) fn name(kernel: &Kernel) -> &str {
    &kernel.name
}

/// One run in a guest, if need be a shorter one, without warnings: the same one would come with every run. `None` when it was stopped.
pub(super) fn over_kernel(
    run: &KernelRun,
    kernel: &Kernel,
    stop: &Arc<AtomicBool>,
    shortened: Option<Duration>,
) -> Result<Option<RunRecord>, String> {
    let options = RunOptions { stop: stop.clone(), ..RunOptions::default() };
    run_one(run, kernel, &options, shortened).map_err(|error| error.to_string())
}

/// Run the decisive points in guests. `None` if the answer cannot be checked.
pub(super) fn check(
    question: &Question,
    advice: &Advice,
    kernel: &Kernel,
    arguments: &Arguments,
    interrupt: &Interrupt,
) -> Result<Option<Checked>, Failure> {
    let quiet = arguments.output.quiet;
    let points = match decisive(question, advice) {
        Ok(points) => points,
        Err(why) => {
            if !quiet {
                note("note", format!("not checked against {}: {why}", kernel.name));
            }
            return Ok(None);
        }
    };
    let jobs: Vec<&KernelRun> = points.iter().flat_map(|point| &point.runs).collect();
    let reporter = ProgressReporter::new(quiet);
    reporter.begins(jobs.len());
    let options =
        RunOptions { stop: interrupt.flag().clone(), warn: warnings(quiet), ..RunOptions::default() };
    let run = |run: &&KernelRun| {
        let record = run_one(run, kernel, &options, None).and_then(|record| record.ok_or(LabError::Stopped));
        reporter.finished_one();
        record
    };
    let work = || jobs.par_iter().map(run).collect::<Result<Vec<RunRecord>, LabError>>();
    let records = arguments.output.processors.run(jobs.len(), quiet, work)?;
    reporter.clear();
    let mut records = records.map_err(|error| match error {
        LabError::Stopped => Failure::Interrupted("interrupted".to_owned(), interrupt.exit_code()),
        error => failure(error),
    })?;
    let by_point = points.iter().map(|point| records.drain(..point.runs.len()).collect()).collect::<Vec<_>>();
    Ok(Some(judge(question, advice, &kernel.name, &points, &by_point)))
}

/// One run in a guest; `None` when it was stopped.
fn run_one(
    run: &KernelRun,
    kernel: &Kernel,
    options: &RunOptions,
    shortened: Option<Duration>,
) -> Result<Option<RunRecord>, LabError> {
    let plan = Plan::new(Path::new("advice.toml"), run.scenario.clone(), &[]);
    let mut plan = plan.map_err(|diagnostics| LabError::Refused(diagnostics.render(false)))?;
    let scenario = &mut plan.cells[0].scenario;
    scenario.duration = shortened.unwrap_or(scenario.duration);
    let ours = run.ours.iter().map(|node| (*node).to_owned());
    let stacks = Stacks { seamline: ours.collect(), ..Stacks::default() };
    let run = run_job(&plan, Job { cell: 0, seed: 0 }, &stacks, kernel, options)?;
    Ok(run.map(|run| run.record))
}
