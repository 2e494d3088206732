//! Checking an answer against the TCP of a kernel.

use super::Arguments;
use crate::kernel;
use crate::lab::failure;
use crate::terminal::{Failure, ProgressReporter, note, warnings};
use rayon::prelude::*;
use seamline_advise::kernel::{Checked, KernelPoint, decisive, judge};
use seamline_advise::{Advice, Question};
use seamline_cli::interrupt::Interrupt;
use seamline_experiment::record::RunRecord;
use seamline_experiment::{Job, RunOptions};
use seamline_kernel::Kernel;
use seamline_lab::virtual_time::run_job;
use seamline_lab::{LabError, Stacks};
use seamline_results::sweep::Progress;
use seamline_scenario::Plan;
use std::path::Path;

/// The kernel to check against. Without one that is built, an answer is not checked unless one was asked for.
pub(super) fn kernel(arguments: &Arguments) -> Result<Option<Kernel>, Failure> {
    match &arguments.kernel {
        _ if arguments.no_check => Ok(None),
        Some(name) => kernel::find(Some(name)).map(Some),
        None => Ok(kernel::find(None).ok()),
    }
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
    let jobs: Vec<(&KernelPoint, &String)> =
        points.iter().flat_map(|point| point.scenarios.iter().map(move |text| (point, text))).collect();
    let reporter = ProgressReporter::new(quiet);
    reporter.begins(jobs.len());
    let options =
        RunOptions { stop: interrupt.flag().clone(), warn: warnings(quiet), ..RunOptions::default() };
    let run = |(point, text): &(&KernelPoint, &String)| {
        let record = run_one(point, text, kernel, &options);
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
    let by_point =
        points.iter().map(|point| records.drain(..point.scenarios.len()).collect()).collect::<Vec<_>>();
    Ok(Some(judge(question, advice, &kernel.name, &points, &by_point)))
}

fn run_one(
    point: &KernelPoint,
    text: &str,
    kernel: &Kernel,
    options: &RunOptions,
) -> Result<RunRecord, LabError> {
    let plan = Plan::new(Path::new("advice.toml"), text.to_owned(), &[]);
    let plan = plan.map_err(|diagnostics| LabError::Refused(diagnostics.render(false)))?;
    let stacks =
        Stacks { seamline: point.ours.into_iter().map(str::to_owned).collect(), ..Stacks::default() };
    let run = run_job(&plan, Job { cell: 0, seed: 0 }, &stacks, kernel, options)?;
    run.map(|run| run.record).ok_or(LabError::Stopped)
}
