//! What BBR draws at random in the kernel: where in its cycle of pacing gains it begins, each time that it begins. Nothing of the kernel
//! tells, but what it sends does: with another beginning, the next round trips are paced otherwise.

use seamline_experiment::{FinishedRun, Job, RunOptions, run_one};
use seamline_lab::LabError;
use seamline_lab::parity::first_difference::first_difference;
use seamline_report::series::RunSeries;
use seamline_scenario::Plan;
use std::sync::Arc;

/// The kernel draws one of these: it never begins where the cycle drains.
const STARTS: [u64; 7] = [0, 2, 3, 4, 5, 6, 7];

/// A run in the simulator with what the kernel seems to have drawn.
pub(super) struct Drawn {
    pub(super) series: RunSeries,
    /// Where the cycle began, each time, by flow.
    pub(super) starts: Vec<(String, Vec<u64>)>,
}

/// A run in the simulator, next to the kernel's.
struct Attempt {
    plan: Plan,
    series: RunSeries,
    /// The time of the first difference, infinite when there is none, and the flow that differs.
    until_s: f64,
    flow: Option<String>,
}

/// Run a job in the simulator with the beginnings under which it is the longest the same as the kernel's run.
///
/// # Errors
/// When it is stopped.
pub(super) fn run(
    plan: &Plan,
    job: Job,
    options: &RunOptions,
    kernels: &RunSeries,
) -> Result<Drawn, LabError> {
    let mut best = attempt(plan.clone(), job, options, kernels)?;
    while let Some(flow) = &best.flow {
        let plans = STARTS.iter().filter_map(|start| with_start(&best.plan, job, flow, *start));
        let tried = plans.map(|plan| attempt(plan, job, options, kernels));
        let tried: Vec<Attempt> = tried.collect::<Result<_, _>>()?;
        // The cycle does not begin once more before they differ.
        if tried.iter().all(|it| it.until_s == best.until_s) {
            break;
        }
        // One of them begins where it began without the setting, so none is worse than all.
        let longest = tried.into_iter().max_by(|one, other| one.until_s.total_cmp(&other.until_s));
        best = longest.unwrap_or(best);
    }
    let flows = &best.plan.cells[job.cell].scenario.flows;
    let starts = flows.iter().map(|flow| (flow.name.clone(), starts_of(flow).clone()));
    Ok(Drawn { series: best.series, starts: starts.filter(|(_, starts)| !starts.is_empty()).collect() })
}

fn starts_of(flow: &seamline_scenario::schema::FlowSpec) -> &Vec<u64> {
    &flow.parameters.congestion_control.bbr.cycle_starts
}

/// The plan with one more beginning for a flow; `None` for flows that have none.
fn with_start(plan: &Plan, job: Job, name: &str, start: u64) -> Option<Plan> {
    let mut plan = plan.clone();
    let flows = &mut plan.cells[job.cell].scenario.flows;
    let flow =
        flows.iter_mut().find(|flow| flow.name == name && flow.variant.congestion_control.name == "bbr")?;
    Arc::make_mut(&mut flow.parameters).congestion_control.bbr.cycle_starts.push(start);
    Some(plan)
}

fn attempt(plan: Plan, job: Job, options: &RunOptions, kernels: &RunSeries) -> Result<Attempt, LabError> {
    let run: Option<FinishedRun> = run_one(&plan, job, options);
    let series = run.and_then(|run| run.series).ok_or(LabError::Stopped)?;
    let mut first = (f64::INFINITY, None);
    for (one, other) in series.flows.iter().zip(&kernels.flows) {
        let Some(found) = first_difference([one, other]) else { continue };
        let at = [one, other].map(|flow| flow.segments.get(found.same).map_or(f64::INFINITY, |it| it.time_s));
        let at = at[0].min(at[1]);
        if at < first.0 {
            first = (at, Some(one.flow.clone()));
        }
    }
    Ok(Attempt { plan, series, until_s: first.0, flow: first.1 })
}
