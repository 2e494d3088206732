//! `seamline parity --first-difference`

use super::draws;
use crate::Outcome;
use crate::lab::failure;
use crate::terminal::{Failure, print, progress, warnings};
use seamline_cli::interrupt::Interrupt;
use seamline_experiment::summary::label;
use seamline_experiment::{FinishedRun, Job, RunOptions};
use seamline_kernel::Kernel;
use seamline_lab::parity::first_difference::{first_difference, text};
use seamline_lab::virtual_time::run_job;
use seamline_lab::{LabError, Stacks};
use seamline_scenario::Plan;
use seamline_wire::Duration;
use std::sync::Arc;

/// The first seed of each grid cell of each plan, in the simulator and over the kernel.
pub(super) fn run(plans: &[(String, Plan)], kernel: &Kernel, quiet: bool) -> Outcome {
    let interrupt = Interrupt::listen()?;
    let bar = progress(plans.iter().map(|(_, plan)| plan.cells.len()).sum(), quiet);
    let (mut same, mut all) = (0, 0);
    for (name, plan) in plans {
        let plan = without_slack(plan.with_handshakes());
        let options = RunOptions {
            stop: interrupt.flag().clone(),
            cells_over_time: plan.cells.len(),
            warn: warnings(quiet),
            ..RunOptions::default()
        };
        for cell in 0..plan.cells.len() {
            let Comparison { shown, is_same } =
                compare(&plan, cell, kernel, &options).map_err(|error| match error {
                    LabError::Stopped => {
                        Failure::Interrupted("interrupted".to_owned(), interrupt.exit_code())
                    }
                    error => failure(error),
                })?;
            bar.suspend(|| print(&format!("{name}, {}\n{shown}\n", label(&plan, cell))))?;
            bar.inc(1);
            same += usize::from(is_same);
            all += 1;
        }
    }
    bar.finish_and_clear();
    print(&format!("the same segments to the end: {same} of {all} runs\n"))?;
    Ok(())
}

/// What [`without_slack`] is for the kernel.
fn stacks() -> Stacks {
    let setting = ("net.ipv4.tcp_comp_sack_slack_ns".to_owned(), "0".to_owned());
    Stacks { sysctls: vec![setting], ..Stacks::default() }
}

/// The guest has both hosts in one kernel, where a timer of one that expires lets those of the other expire that would within their
/// slack. Hosts share no timers, so none has slack.
fn without_slack(mut plan: Plan) -> Plan {
    for cell in &mut plan.cells {
        for flow in &mut cell.scenario.flows {
            let receiver = &mut Arc::make_mut(&mut flow.parameters).receiver;
            let adaptive = receiver.delayed_acknowledgment.as_mut().and_then(|it| it.adaptive.as_mut());
            if let Some(compression) = adaptive.and_then(|it| it.compression.as_mut()) {
                compression.slack = Duration::ZERO;
            }
        }
    }
    plan
}

/// What one run shows.
struct Comparison {
    shown: String,
    /// Whether all of its flows send the same segments to the end.
    is_same: bool,
}

fn compare(plan: &Plan, cell: usize, kernel: &Kernel, options: &RunOptions) -> Result<Comparison, LabError> {
    let job = Job { cell, seed: 0 };
    let series = |run: Option<FinishedRun>| run.and_then(|run| run.series).ok_or(LabError::Stopped);
    let kernels = series(run_job(plan, job, &stacks(), kernel, options)?)?;
    let draws::Drawn { series: ours, starts } = draws::run(plan, job, options, &kernels)?;
    let (mut shown, mut is_same) = (String::new(), true);
    for (one, other) in ours.flows.iter().zip(&kernels.flows) {
        let found = first_difference([one, other]);
        is_same &= found.is_none();
        shown += &match found {
            None => format!("flow {}: all {} segments are the same\n", one.flow, one.segments.len()),
            Some(found) => text(&found, ["simulator", &kernel.name]),
        };
    }
    for (flow, starts) in starts {
        shown += &format!(
            "note: flow {flow}: the cycle of BBR begins at {starts:?}, as the kernel seems to have drawn\n"
        );
    }
    for note in ours.notes.iter().chain(&kernels.notes) {
        shown += &format!("note: {note}\n");
    }
    Ok(Comparison { shown, is_same })
}
