//! Runs of a plan in all three places.

use crate::pool::{Limits, run_all};
use crate::system::StateDirectory;
use crate::{ExternalAgent, LabError, Stacks, virtual_time};
use seamline_experiment::RunOptions;
use seamline_experiment::record::RunRecord;
use seamline_experiment::run::Warn;
use seamline_experiment::summary::label;
use seamline_kernel::Kernel;
use seamline_scenario::Plan;
use seamline_scenario::schema::Scenario;
use serde::{Deserialize, Serialize};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Where a scenario is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Arm {
    /// In the simulator.
    Simulator,
    /// In the lab, with our endpoints at both ends.
    Ours,
    /// In the lab, with the kernel's TCP at both ends.
    Kernel,
}

impl Arm {
    /// All of them, in the order of the table.
    pub const ALL: [Arm; 3] = [Arm::Simulator, Arm::Ours, Arm::Kernel];

    /// Its name at the head of a column.
    pub fn name(self) -> &'static str {
        match self {
            Arm::Simulator => "simulator",
            Arm::Ours => "lab, our endpoints",
            Arm::Kernel => "lab, kernel's TCP",
        }
    }
}

/// How to run.
#[derive(Clone, Debug)]
pub struct ParityOptions {
    /// Commands that replace agents in the lab.
    pub external_agents: Vec<ExternalAgent>,
    /// The kernel in whose guests the lab is run, in virtual time; without one, it is run in real time over the host's.
    pub kernel: Option<Kernel>,
    /// How often a run for which the host was too busy is repeated.
    pub retries: u32,
    /// How many runs at the same time. In real time, each run in the lab needs a processor at the right moments.
    pub at_a_time: NonZeroUsize,
    /// Set from anywhere: no further run begins.
    pub stop: Arc<AtomicBool>,
    /// Gets warnings about runs that are under way.
    pub warn: Warn,
}

/// The runs of a grid cell.
#[derive(Clone, Debug, Default)]
pub struct CellRuns {
    /// The name of the grid cell.
    pub name: String,
    /// By arm: its runs, in the order of their seeds, without those that are left out.
    pub runs: [Vec<RunRecord>; 3],
    /// Runs that were repeated because the host was too busy.
    pub repeated: usize,
    /// Runs that are left out, with the reason: the host was too busy in every attempt, or a command in place of an agent ended.
    pub left_out: Vec<String>,
}

/// How many runs a plan takes, without repetitions.
pub fn count(plan: &Plan) -> usize {
    plan.runs() * Arm::ALL.len()
}

/// Run every cell of a plan under every seed in all three places. `finished` is called after each run.
///
/// # Errors
/// When the lab cannot run it, nothing passes a command, or it was stopped on the way.
pub fn measure(
    plan: &Plan,
    state: Option<&StateDirectory>,
    options: &ParityOptions,
    finished: &(dyn Fn() + Sync),
) -> Result<Vec<CellRuns>, LabError> {
    // Those of the lab begin with one, so those of the simulator do too.
    let plan = plan.with_handshakes();
    // Guests check for themselves: the host has other congestion controls than their kernel.
    if options.kernel.is_none() {
        let external_agents = options.external_agents.clone();
        crate::check(&plan, &Stacks { external_agents, ..Stacks::default() })?;
    }
    let mut outcomes = Vec::new();
    let limits = Limits { at_a_time: options.at_a_time, most_scarce: 0, is_scarce: |_: &Job| false };
    let run = |job: Job| (job, job.run(&plan, state, options));
    run_all(jobs(&plan), &limits, run, |(job, outcome)| {
        finished();
        outcomes.push((job, outcome?));
        Ok::<_, LabError>(())
    })?;
    Ok(gather(&plan, outcomes))
}

/// One run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Job {
    cell: usize,
    arm: Arm,
    seed: u64,
}

/// By seed, so that a host which is busy for a while touches all cells and arms alike.
fn jobs(plan: &Plan) -> Vec<Job> {
    let seeds = plan.cells.first().map_or(&[][..], |cell| &cell.scenario.seeds);
    let cells = 0..plan.cells.len();
    let of_seed = |seed: u64| cells.clone().flat_map(move |cell| Arm::ALL.map(|arm| Job { cell, arm, seed }));
    seeds.iter().copied().flat_map(of_seed).collect()
}

/// The record of a run, or why it is left out; and how often it was repeated.
#[derive(Debug)]
struct Outcome {
    record: Result<RunRecord, String>,
    repeated: u32,
}

impl Job {
    fn run(
        self,
        plan: &Plan,
        state: Option<&StateDirectory>,
        options: &ParityOptions,
    ) -> Result<Outcome, LabError> {
        let mut repeated = 0;
        loop {
            let record = match self.once(plan, state, options) {
                // Another attempt would not help: the host is not at fault.
                Err(LabError::CommandEnded(why)) => {
                    return Ok(Outcome { record: Err(why), repeated });
                }
                record => record?,
            };
            let warnings = record.emulation.as_ref().map_or(Vec::new(), |emulation| emulation.warnings());
            if warnings.is_empty() {
                return Ok(Outcome { record: Ok(record), repeated });
            }
            if repeated == options.retries {
                return Ok(Outcome { record: Err(warnings.join("; ")), repeated });
            }
            repeated += 1;
        }
    }

    fn once(
        self,
        plan: &Plan,
        state: Option<&StateDirectory>,
        options: &ParityOptions,
    ) -> Result<RunRecord, LabError> {
        let scenario = &plan.cells[self.cell].scenario;
        let run_options =
            RunOptions { stop: options.stop.clone(), warn: options.warn, ..RunOptions::default() };
        let seed = scenario.seeds.iter().position(|seed| *seed == self.seed).unwrap_or_default();
        let job = seamline_experiment::Job { cell: self.cell, seed };
        let run = match (self.arm, &options.kernel) {
            (Arm::Simulator, _) => seamline_experiment::run_one(plan, job, &run_options),
            (_, Some(kernel)) => {
                let stacks = self.stacks(scenario, options);
                virtual_time::run_job(plan, job, &stacks, kernel, &run_options)?
            }
            (_, None) => {
                crate::run::run_job(plan, job, &self.stacks(scenario, options), state, &run_options)?
            }
        };
        run.map(|run| run.record).ok_or(LabError::Stopped)
    }

    fn stacks(self, scenario: &Scenario, options: &ParityOptions) -> Stacks {
        let ends = |node: &usize| scenario.flows.iter().any(|flow| flow.ends.contains(*node));
        let ours = (0..scenario.nodes.len()).filter(|node| self.arm == Arm::Ours && ends(node));
        let seamline = ours.map(|node| scenario.nodes[node].clone()).collect();
        let external_agents =
            options.external_agents.iter().filter(|it| it.stands_in(scenario)).cloned().collect();
        Stacks { seamline, external_agents, ..Stacks::default() }
    }
}

fn gather(plan: &Plan, mut outcomes: Vec<(Job, Outcome)>) -> Vec<CellRuns> {
    let mut cells: Vec<CellRuns> = (0..plan.cells.len())
        .map(|cell| CellRuns { name: label(plan, cell), ..CellRuns::default() })
        .collect();
    outcomes.sort_by_key(|(job, _)| *job);
    for (job, outcome) in outcomes {
        let cell = &mut cells[job.cell];
        cell.repeated += outcome.repeated as usize;
        match outcome.record {
            Ok(record) => cell.runs[job.arm as usize].push(record),
            Err(why) => {
                let left_out = format!("{}, {}, seed {}: {why}", cell.name, job.arm.name(), job.seed);
                cell.left_out.push(left_out);
            }
        }
    }
    cells
}
