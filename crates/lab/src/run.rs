//! A plan in the lab: each run has namespaces of its own, made for it and gone after it.

use crate::driver::Over;
use crate::ends::{Ends, Flows};
use crate::middlebox::{Middleboxes, has_place_for_all};
use crate::nodes;
use crate::pool::join;
use crate::stacks::Stacks;
use crate::system::{Namespace, Priority, StateDirectory, priority};
use crate::traffic::{CongestionControl, available_congestion_controls};
use seamline_experiment::live::{self, Ended, Ends as LiveEnds, Live};
use seamline_experiment::{CellResult, FinishedRun, Incomplete, Job, RunOptions};
use seamline_scenario::Plan;
use seamline_scenario::schema::Scenario;
use seamline_wire::Instant;
use std::fmt;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

/// Why the lab did not run something.
#[derive(Debug)]
pub enum LabError {
    /// The scenario asks for what it cannot do: what that is, and what can be done instead.
    Refused(String),
    /// The host does not let it, or something failed on the way.
    Host(io::Error),
    /// Bytes came that were not sent, a fault of the lab or of a TCP; or a command in place of an agent lets nothing pass.
    Failed(String),
    /// A command in place of an agent has ended while its run went on.
    CommandEnded(String),
    /// A stop was requested.
    Stopped,
}

impl fmt::Display for LabError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LabError::Host(error) => error.fmt(f),
            LabError::Refused(what) | LabError::Failed(what) | LabError::CommandEnded(what) => {
                f.write_str(what)
            }
            LabError::Stopped => f.write_str("interrupted before everything was run"),
        }
    }
}

impl std::error::Error for LabError {}

impl From<io::Error> for LabError {
    fn from(error: io::Error) -> Self {
        LabError::Host(error)
    }
}

/// For callers that need all results: missing ones are an error, too.
impl From<Incomplete<LabError>> for LabError {
    fn from(incomplete: Incomplete<LabError>) -> Self {
        match incomplete {
            Incomplete { failure: Some(error), .. } => error,
            Incomplete { failure: None, .. } => LabError::Host(io::Error::other(incomplete.to_string())),
        }
    }
}

/// Run a plan in real time, one run after the other. `finished` is called after each. With a folder for state, a lab that is
/// killed can be cleared away later.
///
/// # Errors
/// When the lab cannot run it, files are missing, or it was stopped on the way; with what there is nevertheless.
pub fn run(
    plan: &Plan,
    stacks: &Stacks,
    state: Option<&StateDirectory>,
    options: &RunOptions,
    finished: &dyn Fn(),
) -> Result<Vec<CellResult>, Incomplete<LabError>> {
    check(plan, stacks).map_err(|error| Incomplete::nothing(plan, error))?;
    let plan = stacks.named_in(plan.with_handshakes());
    live::run(&plan, options, finished, |live| drive(live, stacks, state, &options.stop))
}

/// Run one job of a plan. `None` when it was stopped.
///
/// # Errors
/// When the lab cannot run it.
pub(crate) fn run_job(
    plan: &Plan,
    job: Job,
    stacks: &Stacks,
    state: Option<&StateDirectory>,
    options: &RunOptions,
) -> Result<Option<FinishedRun>, LabError> {
    let scenario = &plan.cells[job.cell].scenario;
    stacks.check(scenario, &available()?)?;
    has_place_for_all(std::iter::once(scenario), &stacks.external_agents)?;
    let plan = stacks.named_in(plan.with_handshakes());
    if stacks.external_agents.is_empty() && stacks.seamline.is_empty() {
        return live::run_job(&plan, job, LiveEnds::Outside, options, |live| nodes::run(live, stacks));
    }
    live::run_job(&plan, job, LiveEnds::Outside, options, |live| drive(live, stacks, state, &options.stop))
}

/// Run one job of a plan in a guest: hosts with the TCP of its kernel are nodes of the simulator, as are all others. `None` when it was
/// stopped.
///
/// # Errors
/// When the kernel lacks something.
pub(crate) fn run_nodes(
    plan: &Plan,
    job: Job,
    options: &RunOptions,
) -> Result<Option<FinishedRun>, LabError> {
    let stacks = Stacks::default();
    let scenario = &plan.cells[job.cell].scenario;
    let available = available()?;
    scenario.flows.iter().try_for_each(|flow| stacks.check_node(flow, &available))?;
    live::run_job(plan, job, LiveEnds::KernelsOutside, options, |live| nodes::run(live, &stacks))
}

/// One run, from its namespaces to its end.
fn drive(
    live: &mut Live<'_>,
    stacks: &Stacks,
    state: Option<&StateDirectory>,
    stop: &AtomicBool,
) -> Result<Ended, LabError> {
    let middleboxes = Middleboxes::new(live, stacks)?;
    let ends = Ends::new(live, stacks, Flows::Run)?;
    let namespaces: Vec<&Namespace> = ends.namespaces().chain(middleboxes.namespaces()).collect();
    let _known = state.map(|directory| directory.register(&namespaces)).transpose()?;
    // They stay registered until they have ended.
    let mut middleboxes = middleboxes;
    if !middleboxes.begin(stop)? {
        return Ok(Ended::Stopped);
    }
    let end = Instant::ZERO + live.scenario().duration;
    on_emulator_thread(|priority| {
        ends.run(live, middleboxes.each(), priority, &mut |now| {
            Ok(match now {
                _ if stop.load(Ordering::Relaxed) => Some(Over::Stopped),
                now if now >= end => Some(Over::Complete),
                _ => None,
            })
        })
    })
}

/// Whether commands can be run in the network of a scenario here.
pub(crate) fn check_for_commands(scenario: &Scenario, stacks: &Stacks) -> Result<(), LabError> {
    stacks.check_for_commands(scenario, &available()?)?;
    has_place_for_all(std::iter::once(scenario), &stacks.external_agents)
}

fn available() -> io::Result<Vec<CongestionControl>> {
    available_congestion_controls(&Namespace::new()?)
}

/// Whether every cell of a plan can be run here.
///
/// # Errors
/// The first that cannot, and why.
pub fn check(plan: &Plan, stacks: &Stacks) -> Result<(), LabError> {
    let available = available()?;
    let scenarios = plan.cells.iter().map(|cell| &cell.scenario);
    scenarios.clone().try_for_each(|it| stacks.check(it, &available))?;
    has_place_for_all(scenarios, &stacks.external_agents)
}

/// Run a task on a thread with raised priority. The task gets that priority.
pub(crate) fn on_emulator_thread<T: Send>(
    task: impl FnOnce(Priority) -> Result<T, LabError> + Send,
) -> Result<T, LabError> {
    thread::scope(|scope| {
        let emulator = thread::Builder::new().name("emulator".to_owned());
        let thread = emulator.spawn_scoped(scope, || task(priority::raise()))?;
        join(thread)
    })
}
