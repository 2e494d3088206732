//! Runs with external hosts and an external clock: the network of a scenario with its agents, between real hosts.

use crate::observe::RunObserver;
use crate::run::{CellResult, FinishedRun, Incomplete, Job, RunOptions, attempt, finish_run, gather, jobs};
use seamline_report::emulation::EmulationRecord;
pub use seamline_scenario::build::Ends;
use seamline_scenario::build::{self, Part, Places, build};
use seamline_scenario::follow::Runner;
use seamline_scenario::plan::Plan;
use seamline_scenario::schema::Scenario;
pub use seamline_sim::Horizon;
use seamline_sim::{AgentPort, ElementId, HostPort, World};
use seamline_tcp::Host;
use seamline_wire::{Duration, Event, Instant, NodeId, Packet, Port, Signal};
use std::collections::BTreeMap;
use std::sync::Mutex;

/// The port of a host's endpoint.
const TO_NETWORK: Port = Port(0);

/// The network of one run, as its driver sees it. Times count from the start of the run and never decrease.
#[derive(Debug)]
pub struct Live<'a> {
    scenario: &'a Scenario,
    seed: u64,
    places: &'a Places,
    world: World<Part, RunObserver>,
    runner: Runner<'a>,
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

impl Live<'_> {
    /// The scenario of the run.
    pub fn scenario(&self) -> &Scenario {
        self.scenario
    }
    /// The seed of the run.
    pub fn seed(&self) -> u64 {
        self.seed
    }
    /// The nodes with an external host: flows start or end there.
    pub fn host_nodes(&self) -> Vec<usize> {
        let is_outside = |node: &usize| {
            let host = self.places.hosts[*node].and_then(|host| self.world.machine(host));
            matches!(host, Some(Part::HostPort(_)))
        };
        (0..self.scenario.nodes.len()).filter(is_outside).collect()
    }
    /// By node: the host that the simulator would place there, with its connections; none has started.
    pub fn hosts(&self) -> Vec<Option<Host>> {
        build::hosts(self.scenario, self.seed)
    }
    /// The time up to which all due events have happened.
    pub fn now(&self) -> Instant {
        self.world.now()
    }
    /// The time of the next event if no packet arrives. It may be too early, but never too late.
    pub fn wake_at(&self) -> Option<Instant> {
        self.world.wake_at().into_iter().chain(self.runner.next_change()).min()
    }
    /// How soon packets can get to external hosts. It holds for the whole run.
    pub fn horizon(&self) -> Horizon {
        let hosts: Vec<_> =
            self.host_nodes().into_iter().filter_map(|node| self.places.hosts[node]).collect();
        self.world.horizon(&hosts)
    }
    /// A time before which no packet arrives at an external host, if none of them sends anything. Unlike [`wake_at`](Self::wake_at), it
    /// leaves out events on the way there, and packets that are `known`.
    pub fn earliest_arrival(&self, horizon: &Horizon, known: &dyn Fn(&Packet) -> bool) -> Option<Instant> {
        self.world.earliest_arrival(horizon, known).into_iter().chain(self.runner.next_change()).min()
    }
    /// Look at the packets that are certain to arrive at external hosts next: when, at which of [`host_nodes`](Self::host_nodes), and which.
    /// What is seen arrives as the same value, at the same address.
    pub fn certain_arrivals(&self, look: &mut dyn FnMut(Instant, usize, &Packet)) {
        let before = self.runner.next_change().unwrap_or(Instant::MAX);
        self.world.certain_arrivals(&mut |at, machine, packet| {
            if let Some(host) = self.outside.get(&machine).filter(|_| at < before) {
                look(at, *host, packet);
            }
        });
    }
    /// No packet gets from one external host to another in less time, or back to itself.
    pub fn shortest_way(&self, horizon: &Horizon) -> Duration {
        let hosts = self.host_nodes().into_iter().filter_map(|node| self.places.hosts[node]);
        let ways = hosts.map(|host| self.world.shortest_way(host, horizon));
        ways.min().unwrap_or(Duration::MAX)
    }
    /// Process all events up to and including `now`.
    pub fn run_until(&mut self, now: Instant) {
        self.runner.run_until(&mut self.world, now);
    }
    /// An empty packet to fill in.
    pub fn packet(&mut self) -> Box<Packet> {
        self.world.packet()
    }
    /// Inject a packet that the host at a node sends now.
    pub fn take_in(&mut self, node: usize, packet: Box<Packet>) {
        match self.places.hosts[node] {
            Some(host) => self.world.take_in(host, TO_NETWORK, packet),
            None => self.world.recycle(packet),
        }
    }
    /// Report an event at the host of a node.
    pub fn report(&mut self, node: usize, event: &Event) {
        if let Some(host) = self.places.hosts[node] {
            self.world.report_from(host, event);
        }
    }
    /// Move the packets that have arrived at a node's host to the end of `packets`, each with its arrival time.
    pub fn fetch(&mut self, node: usize, packets: &mut Vec<(Instant, Box<Packet>)>) {
        if let Some(host) = self.host_port(node) {
            packets.append(&mut host.packets);
        }
    }
    /// Likewise the notifications of the node's link layer.
    pub fn fetch_signals(&mut self, node: usize, signals: &mut Vec<(Instant, Signal)>) {
        if let Some(host) = self.host_port(node) {
            signals.append(&mut host.signals);
        }
    }
    /// Whether no packet or notification waits for a node's host.
    pub fn is_fetched(&mut self, node: usize) -> bool {
        self.host_port(node).is_none_or(|host| host.packets.is_empty() && host.signals.is_empty())
    }
    /// Replace an agent by an external one. Call it before the first event; `agent` is its index in the scenario's
    /// list. A missing agent is ignored.
    pub fn take_out(&mut self, agent: usize) {
        let Some(place) = self.places.agents[agent] else { return };
        if let Some(machine) = self.world.machine_mut(place) {
            *machine = Part::AgentPort(AgentPort::default());
            self.world.rearm(place);
        }
    }
    /// Inject a packet that an external agent forwards now through one of the ports of agents
    /// ([`WIRED`](seamline_agent::WIRED), [`WIRELESS`](seamline_agent::WIRELESS)).
    pub fn pass_on(&mut self, agent: usize, port: Port, packet: Box<Packet>) {
        match self.places.agents[agent] {
            Some(external) => self.world.take_in(external, port, packet),
            None => self.world.recycle(packet),
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
    /// Return a packet for reuse.
    pub fn recycle(&mut self, packet: Box<Packet>) {
        self.world.recycle(packet);
    }

    fn agent_port(&mut self, agent: usize) -> Option<&mut AgentPort> {
        match self.world.machine_mut(self.places.agents[agent]?)? {
            Part::AgentPort(external) => Some(external),
            _ => None,
        }
    }
    fn host_port(&mut self, node: usize) -> Option<&mut HostPort> {
        match self.world.machine_mut(self.places.hosts[node]?)? {
            Part::HostPort(host) => Some(host),
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
    let mut world = World::with_observer(observer);
    let seed = scenario.seeds[job.seed];
    let runner = build(scenario, seed, ends, &mut world, &places);
    let mut live = Live { scenario, seed, places: &places, world, runner, outside: BTreeMap::new() };
    let hosts = live.host_nodes().into_iter().filter_map(|node| places.hosts[node]);
    live.outside = hosts.zip(0..).collect();
    let Ended::Complete(emulation) = drive(&mut live)? else { return Ok(None) };
    let Live { world, .. } = live;
    Ok(Some(finish_run(plan, job, options, world, &places, unwritten, Some(emulation))))
}
