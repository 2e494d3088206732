//! `seamline lab --virtual`

use super::Arguments;
use super::linux::{command_text, failure, show_session};
use crate::Outcome;
use crate::estimate::{self, Costs};
use crate::experiment::run_and_report_with;
use crate::kernel;
use crate::memory::Room;
use crate::terminal::{Failure, warnings};
use seamline_cli::interrupt::Interrupt;
use seamline_experiment::{Job, RunOptions};
use seamline_kernel::Kernel;
use seamline_kernel::guest::inside::is_guest;
use seamline_kernel::guest::probe;
use seamline_lab::virtual_time;
use seamline_lab::{Shell, Stacks};
use seamline_scenario::Plan;
use std::process::ExitCode;

/// The value of `--virtual` without a name.
const NEWEST: &str = "newest";

fn find(name: &str) -> Result<Kernel, Failure> {
    kernel::find((name != NEWEST).then_some(name))
}

/// Run a scenario in guests.
pub(super) fn run(plan: &Plan, stacks: &Stacks, name: &str, arguments: &Arguments) -> Outcome {
    let options = &arguments.options;
    let kernel = find(name)?;
    let command = format!("{} --virtual={}", command_text(arguments), kernel.name);
    run_and_report_with(plan, options, &command, options.files.to_run_options(), |files, finished| {
        if !options.quiet {
            let workers = options.processors.workers(plan.runs());
            let costs = Costs::of(plan);
            Room::now().state(&costs, workers, true);
            let (first, part) =
                (Job { cell: 0, seed: 0 }, RunOptions { stop: files.stop.clone(), ..RunOptions::default() });
            estimate::state(plan, &costs, true, workers, |plan| {
                Some(virtual_time::run_job(plan, first, stacks, &kernel, &part).ok()??.record)
            });
        }
        let results = options
            .processors
            .run(plan.runs(), options.quiet, || virtual_time::run(plan, stacks, &kernel, files, finished));
        let results = results.map_err(|failure| seamline_experiment::Incomplete::nothing(plan, failure))?;
        results.map_err(|incomplete| incomplete.map_failure(failure))
    })
}

/// Run a command in the network of a scenario, in a guest.
pub(super) fn run_command(
    plan: &Plan,
    stacks: &Stacks,
    shell: &Shell,
    name: &str,
    arguments: &Arguments,
) -> Outcome {
    let kernel = find(name)?;
    let interrupt = Interrupt::listen_once()?;
    let options = &arguments.options;
    let (stop, warn) = (interrupt.flag().clone(), warnings(options.quiet));
    let files = RunOptions { stop, warn, ..options.files.to_run_options() };
    let session = virtual_time::shell(plan, stacks, shell, &kernel, &files);
    let Some(session) = session.map_err(failure)? else {
        return Err(Failure::Interrupted("interrupted".to_owned(), interrupt.exit_code()));
    };
    show_session(&session, arguments)
}

/// In a guest that `lab --virtual` has booted, this program is the first process: do the guest's job. `None` everywhere else.
pub(crate) fn serve_guest() -> Option<ExitCode> {
    if !is_guest() {
        return None;
    }
    let served = match std::env::args().nth(1)?.as_str() {
        virtual_time::WORD => virtual_time::serve(),
        probe::WORD => probe::serve(),
        _ => return None,
    };
    let Err(error) = served else { return Some(ExitCode::SUCCESS) };
    // There is nowhere else to report it, and the guest's kernel panics when this process ends.
    let _ = std::fs::write("/dev/kmsg", format!("seamline: {error}"));
    Some(ExitCode::FAILURE)
}
