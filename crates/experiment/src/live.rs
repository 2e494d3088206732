//! Runs with external hosts and an external clock: the network of a scenario with its agents, between real hosts.

use crate::observe::RunObserver;
use crate::run::{CellResult, FinishedRun, Incomplete, Job, RunOptions, attempt, finish_run, gather, jobs};
use seamline_report::emulation::EmulationRecord;
pub use seamline_scenario::build::Ends;
use seamline_scenario::build::{self, Part, Places};
use seamline_scenario::plan::Plan;
use seamline_scenario::running::Running;
use seamline_scenario::schema::Scenario;
pub use seamline_sim::Horizon;
use seamline_sim::{AgentPort, ElementId};
use seamline_tcp::Host;
use seamline_wire::{Duration, Instant, NodeId, Packet, Port};
use std::collections::BTreeMap;
use std::ops::{Deref, DerefMut};
use std::sync::Mutex;

/// The network of one run, as its driver sees it: that of [`Running`], and what concerns its external hosts and agents.
/// Times count from the start of the run and never decrease.
#[derive(Debug)]
pub struct Live<'a> {
    running: Running<&'a Scenario, &'a Places, RunObserver>,
    seed: u64,
    /// The place of each external host among [`Live::host_nodes`].
    outside: BTreeMap<ElementId, usize>,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Ended {
    /// It ran to its end; with the quality of the emulation.
    Complete(EmulationRecord),
    /// The user asked to stop; the run is discarded.
    Stopped,
}

/// The address of a node on the wire.
pub fn node_id(node: usize) -> NodeId {
    build::node_id(node)
}

impl<'a> Deref for Live<'a> {
    type Target = Running<&'a Scenario, &'a Places, RunObserver>;

    fn deref(&self) -> &Self::Target {
        &self.running
    }
}

impl DerefMut for Live<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.running
    }
}

impl Live<'_> {
    /// The seed of the run.
    pub fn seed(&self) -> u64 {
        self.seed
    }
    /// The nodes with an external host: flows start or end there.
    pub fn host_nodes(&self) -> Vec<usize> {
        (0..self.scenario().nodes.len()).filter(|node| self.running.is_outside(*node)).collect()
    }
    /// By node: the host that the simulator would place there, with its connections; none has started.
    pub fn hosts(&self) -> Vec<Option<Host>> {
        build::hosts(self.scenario(), self.seed)
    }
    /// How soon packets can get to external hosts. It holds for the whole run.
    pub fn horizon(&self) -> Horizon {
        let hosts: Vec<_> =
            self.host_nodes().into_iter().filter_map(|node| self.running.places().hosts[node]).collect();
        self.running.world().horizon(&hosts)
    }
    /// A time before which no packet arrives at an external host, if none of them sends anything. Unlike [`wake_at`](Running::wake_at), it
    /// leaves out events on the way there, and packets that are `known`.
    pub fn earliest_arrival(&self, horizon: &Horizon, known: &dyn Fn(&Packet) -> bool) -> Option<Instant> {
        self.running
            .world()
            .earliest_arrival(horizon, known)
            .into_iter()
            .chain(self.running.next_change())
            .min()
    }
    /// Look at the packets that are certain to arrive at external hosts next: when, at which of [`host_nodes`](Self::host_nodes), and which.
    /// What is seen arrives as the same value, at the same address.
    pub fn certain_arrivals(&self, look: &mut dyn FnMut(Instant, usize, &Packet)) {
        let before = self.running.next_change().unwrap_or(Instant::MAX);
        self.running.world().certain_arrivals(&mut |at, machine, packet| {
            if let Some(host) = self.outside.get(&machine).filter(|_| at < before) {
                look(at, *host, packet);
            }
        });
    }
    /// No packet gets from one external host to another in less time, or back to itself.
    pub fn shortest_way(&self, horizon: &Horizon) -> Duration {
        let hosts = self.host_nodes().into_iter().filter_map(|node| self.running.places().hosts[node]);
        let ways = hosts.map(|host| self.running.world().shortest_way(host, horizon));
        ways.min().unwrap_or(Duration::MAX)
    }
    /// Replace an agent by an external one. Call it before the first event; `agent` is its index in the scenario's
    /// list. A missing agent is ignored.
    pub fn take_out(&mut self, agent: usize) {
        let Some(place) = self.running.places().agents[agent] else { return };
        if let Some(machine) = self.running.world_mut().machine_mut(place) {
            *machine = Part::AgentPort(AgentPort::default());
            self.running.world_mut().rearm(place);
        }
    }
    /// Inject a packet that an external agent forwards now through one of the ports of agents
    /// ([`WIRED`](seamline_agent::WIRED), [`WIRELESS`](seamline_agent::WIRELESS)).
    pub fn pass_on(&mut self, agent: usize, port: Port, packet: Box<Packet>) {
        match self.running.places().agents[agent] {
            Some(external) => self.running.world_mut().take_in(external, port, packet),
            None => self.running.recycle(packet),
        }
    }
    /// Move the packets that have arrived at an external agent to the end of `packets`, by port, each with its
    /// arrival time.
    pub fn fetch_at_agent(&mut self, agent: usize, packets: &mut [Vec<(Instant, Box<Packet>)>; 2]) {
        if let Some(external) = self.agent_port(agent) {
            packets.iter_mut().zip(&mut external.packets).for_each(|(packets, new)| packets.append(new));
        }
    }
    /// Whether no packet waits at an external agent.
    pub fn is_fetched_at_agent(&mut self, agent: usize) -> bool {
        self.agent_port(agent).is_none_or(|external| external.packets.iter().all(Vec::is_empty))
    }
    fn agent_port(&mut self, agent: usize) -> Option<&mut AgentPort> {
        let element = self.running.places().agents[agent]?;
        match self.running.world_mut().machine_mut(element)? {
            Part::AgentPort(external) => Some(external),
            _ => None,
        }
    }
}

/// Run a whole plan, one run after another, each driven by `drive`. `finished` is called after every run.
///
/// # Errors
/// Those of [`crate::run()`], and the first error of `drive`, after which no further run starts.
pub fn run<E>(
    plan: &Plan,
    options: &RunOptions,
    finished: &dyn Fn(),
    mut drive: impl FnMut(&mut Live<'_>) -> Result<Ended, E>,
) -> Result<Vec<CellResult>, Incomplete<E>> {
    let jobs = jobs(plan, options)?;
    let failure = Mutex::new(None);
    let mut drive = |job| run_job(plan, job, Ends::Outside, options, &mut drive);
    let done = jobs.iter().map(|&job| attempt(options, &failure, finished, || drive(job))).collect();
    gather(plan, &jobs, done, failure)
}

/// Run one job of a plan, driven by `drive`. `ends` are its external hosts. `None` when it was stopped.
///
/// # Errors
/// That of `drive`.
pub fn run_job<E>(
    plan: &Plan,
    job: Job,
    ends: Ends,
    options: &RunOptions,
    drive: impl FnOnce(&mut Live<'_>) -> Result<Ended, E>,
) -> Result<Option<FinishedRun>, E> {
    let scenario = &plan.cells[job.cell].scenario;
    let places = Places::new(scenario);
    let (observer, unwritten) = job.observer(plan, &places, options);
    let seed = scenario.seeds[job.seed];
    let running = Running::new(scenario, seed, ends, &places, observer);
    let mut live = Live { running, seed, outside: BTreeMap::new() };
    let hosts = live.host_nodes().into_iter().filter_map(|node| places.hosts[node]);
    live.outside = hosts.zip(0..).collect();
    let Ended::Complete(emulation) = drive(&mut live)? else { return Ok(None) };
    let world = live.running.into_world();
    Ok(Some(finish_run(plan, job, options, world, &places, unwritten, Some(emulation))))
}
