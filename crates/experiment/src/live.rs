//! Runs whose hosts are elsewhere, driven by a clock that is not the simulator's: the network of a scenario, with all that
//! stands in it, between ends that are real.

use crate::observe::RunObserver;
use crate::run::{CellResult, Incomplete, RunOptions, done, gather, jobs};
use seamline_report::emulation::EmulationRecord;
use seamline_scenario::build::{self, Ends, Part, Places, build};
use seamline_scenario::follow::Runner;
use seamline_scenario::plan::Plan;
use seamline_scenario::schema::Scenario;
use seamline_sim::{AgentPort, HostPort, World};
use seamline_tcp::Host;
use seamline_wire::{Event, Instant, NodeId, Packet, Port, Signal};
use std::sync::atomic::Ordering;

/// The port of a door.
const TO_NETWORK: Port = Port(0);

/// The network of one run, from the outside. Times count from the beginning of the run; they never decrease.
#[derive(Debug)]
pub struct Live<'a> {
    scenario: &'a Scenario,
    seed: u64,
    places: &'a Places,
    world: World<Part, RunObserver>,
    runner: Runner<'a>,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Ended {
    /// It came to its end, and so well was it emulated.
    Complete(EmulationRecord),
    /// Somebody asked to stop; nothing is kept of it.
    Stopped,
}

/// The node's number on the wire.
pub fn node_id(node: usize) -> NodeId {
    build::node_id(node)
}

impl Live<'_> {
    /// What is run.
    pub fn scenario(&self) -> &Scenario {
        self.scenario
    }
    /// Under which seed.
    pub fn seed(&self) -> u64 {
        self.seed
    }
    /// The nodes at which flows begin or end, each of which has a door.
    pub fn doors(&self) -> Vec<usize> {
        (0..self.scenario.nodes.len()).filter(|node| self.places.hosts[*node].is_some()).collect()
    }
    /// By node: the host that the simulator would have put there, with its connections; none has begun.
    pub fn hosts(&self) -> Vec<Option<Host>> {
        build::hosts(self.scenario, self.seed)
    }
    /// Until when everything that was due has happened.
    pub fn now(&self) -> Instant {
        self.world.now()
    }
    /// When something is due if nothing comes in. May be early, never late.
    pub fn wake_at(&self) -> Option<Instant> {
        self.world.wake_at().into_iter().chain(self.runner.next_change()).min()
    }
    /// Let everything happen that is due up to and including `now`.
    pub fn run_until(&mut self, now: Instant) {
        self.runner.run_until(&mut self.world, now);
    }
    /// A packet to fill in.
    pub fn packet(&mut self) -> Box<Packet> {
        self.world.packet()
    }
    /// The host at a node sends a packet now.
    pub fn take_in(&mut self, node: usize, packet: Box<Packet>) {
        match self.places.hosts[node] {
            Some(door) => self.world.take_in(door, TO_NETWORK, packet),
            None => self.world.recycle(packet),
        }
    }
    /// Something happened now to the host at a node.
    pub fn report(&mut self, node: usize, event: &Event) {
        if let Some(door) = self.places.hosts[node] {
            self.world.report_from(door, event);
        }
    }
    /// Move what has reached a node's host to the end of `packets`, each with the time at which it was due there.
    pub fn fetch(&mut self, node: usize, packets: &mut Vec<(Instant, Box<Packet>)>) {
        if let Some(door) = self.door(node) {
            packets.append(&mut door.packets);
        }
    }
    /// Likewise the news of the node's link layer.
    pub fn fetch_signals(&mut self, node: usize, signals: &mut Vec<(Instant, Signal)>) {
        if let Some(door) = self.door(node) {
            signals.append(&mut door.signals);
        }
    }
    /// Whether nothing waits to be fetched by a node's host.
    pub fn is_fetched(&mut self, node: usize) -> bool {
        self.door(node).is_none_or(|door| door.packets.is_empty() && door.signals.is_empty())
    }
    /// What stands in an agent's place is elsewhere, as the hosts are. To be said before anything has happened; `agent` is its place in
    /// the scenario's list. Where nobody stands, nobody is.
    pub fn take_out(&mut self, agent: usize) {
        let Some(place) = self.places.agents[agent] else { return };
        if let Some(machine) = self.world.machine_mut(place) {
            *machine = Part::AgentPort(AgentPort::default());
            self.world.rearm(place);
        }
    }
    /// What stands in an agent's place passes a packet on now, by one of the ports of agents ([`WIRED`](seamline_agent::WIRED),
    /// [`WIRELESS`](seamline_agent::WIRELESS)).
    pub fn pass_on(&mut self, agent: usize, port: Port, packet: Box<Packet>) {
        match self.places.agents[agent] {
            Some(gate) => self.world.take_in(gate, port, packet),
            None => self.world.recycle(packet),
        }
    }
    /// Move what has reached an agent that is outside to the end of `packets`, by the port at which it came, each with its time.
    pub fn fetch_at_agent(&mut self, agent: usize, packets: &mut [Vec<(Instant, Box<Packet>)>; 2]) {
        if let Some(gate) = self.gate(agent) {
            packets.iter_mut().zip(&mut gate.packets).for_each(|(packets, new)| packets.append(new));
        }
    }
    /// Whether nothing waits to be fetched at an agent's place.
    pub fn is_fetched_at_agent(&mut self, agent: usize) -> bool {
        self.gate(agent).is_none_or(|gate| gate.packets.iter().all(Vec::is_empty))
    }
    /// Give a packet back.
    pub fn recycle(&mut self, packet: Box<Packet>) {
        self.world.recycle(packet);
    }

    fn gate(&mut self, agent: usize) -> Option<&mut AgentPort> {
        match self.world.machine_mut(self.places.agents[agent]?)? {
            Part::AgentPort(gate) => Some(gate),
            _ => None,
        }
    }
    fn door(&mut self, node: usize) -> Option<&mut HostPort> {
        match self.world.machine_mut(self.places.hosts[node]?)? {
            Part::HostPort(door) => Some(door),
            _ => None,
        }
    }
}

/// Run everything in a plan, one run after the other, each driven by `drive`. `finished` is called after every run.
///
/// # Errors
/// Those of [`crate::run()`]; and the first of `drive`, after which no further run begins.
pub fn run<E>(
    plan: &Plan,
    options: &RunOptions,
    finished: &dyn Fn(),
    mut drive: impl FnMut(&mut Live<'_>) -> Result<Ended, E>,
) -> Result<Vec<CellResult>, Incomplete<E>> {
    let jobs = jobs(plan, options)?;
    let mut results = Vec::with_capacity(jobs.len());
    let mut failure = None;
    for job in &jobs {
        if failure.is_some() || options.stop.load(Ordering::Relaxed) {
            results.push(None);
            continue;
        }
        let scenario = &plan.cells[job.cell].scenario;
        let places = Places::new(scenario);
        let (observer, unwritten) = job.observer(plan, &places, options);
        let mut world = World::with_observer(observer);
        let seed = scenario.seeds[job.seed];
        let runner = build(scenario, seed, Ends::Outside, &mut world, &places);
        let mut live = Live { scenario, seed, places: &places, world, runner };
        let ended = drive(&mut live);
        finished();
        let Live { world, .. } = live;
        results.push(match ended {
            Ok(Ended::Complete(emulation)) => {
                let mut done = done(plan, *job, world, &places, unwritten);
                done.record.emulation = Some(emulation);
                Some(done)
            }
            Ok(Ended::Stopped) => None,
            Err(error) => {
                failure = Some(error);
                None
            }
        });
    }
    gather(plan, &jobs, results, failure)
}
