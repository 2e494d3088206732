//! A command inside a scenario's network, as in mahimahi's shells.

mod starting;

use crate::clock::monotonic;
use crate::driver::Over;
use crate::edge;
use crate::ends::{Ends, Flows};
use crate::middlebox::Middleboxes;
use crate::notify::Notify;
use crate::run::{LabError, on_emulator_thread};
use crate::site::Site;
use crate::stacks::{Stacks, host, host_names};
use crate::system::{Command, Namespace, Running, StateDirectory, processes};
use seamline_experiment::emulation::EmulationRecord;
use seamline_experiment::live::{self, Ended, Live};
use seamline_experiment::record::{FlowRecord, LinkRecord};
use seamline_experiment::{Incomplete, RunOptions};
use seamline_scenario::Plan;
use seamline_scenario::schema::Scenario;
use seamline_wire::codec::IpVersion;
use seamline_wire::{Duration, Instant};
use serde::{Deserialize, Serialize};
use starting::{Servers, Starting};
use std::ffi::OsString;
use std::io;
use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// How long commands have to end when they are asked to.
const GRACE: Duration = Duration::from_secs(2);
/// How often the lab checks whether servers listen and whether the command has ended.
const LOOK_EVERY: Duration = Duration::from_millis(5);

/// The variable that holds the time at which the scenario of a command began: nanoseconds of `CLOCK_MONOTONIC`.
const TIME_ZERO: &str = "SEAMLINE_TIME_ZERO";

/// What is run inside the network.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Shell {
    /// The command, and its arguments.
    pub command: Vec<OsString>,
    /// The node at which it runs; without one where the first flow ends.
    pub at: Option<String>,
    /// Commands at other nodes, begun before it and ended after it.
    pub servers: Vec<(String, Vec<OsString>)>,
    /// Whether the scenario's flows run meanwhile.
    pub flows: bool,
    /// Nodes whose link events are reported as text (`going-down in DURATION`, `down`, `up`), each with the path of a Unix datagram
    /// socket, at which a program may listen.
    pub notify: Vec<(String, PathBuf)>,
}

/// The result of a command.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ShellSession {
    /// Its exit code, or 128 and the number of the signal that ended it.
    pub code: u8,
    /// How long it took.
    #[serde(with = "nanos")]
    pub took: Duration,
    /// The duration of the scenario; after that the links stayed as they were.
    #[serde(with = "nanos")]
    pub scheduled: Duration,
    /// What the links carried and lost.
    pub links: Vec<LinkRecord>,
    /// The results of the scenario's flows, if they ran.
    pub flows: Vec<FlowRecord>,
    /// How well they were emulated.
    pub emulation: EmulationRecord,
    /// Captures and lists of events.
    #[serde(skip)]
    pub files: Vec<PathBuf>,
}

/// A guest tells its host durations so.
mod nanos {
    use super::{Deserialize, Duration};
    use serde::{Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(duration: &Duration, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_u64(duration.as_nanos())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
        u64::deserialize(from).map(Duration::from_nanos)
    }
}

/// Run a command in the network of a plan's first cell, under its first seed. `None` when it was stopped before it began.
///
/// # Errors
/// When the lab cannot run it, or a file cannot be written.
pub fn shell(
    plan: &Plan,
    stacks: &Stacks,
    shell: &Shell,
    state: &StateDirectory,
    options: &RunOptions,
) -> Result<Option<ShellSession>, LabError> {
    let mut plan = plan.with_handshakes();
    plan.cells.truncate(1);
    let Some(scenario) = plan.cells.first_mut().map(|cell| &mut cell.scenario) else { return Ok(None) };
    scenario.seeds.truncate(1);
    let scheduled = scenario.duration;
    let places = shell.places(scenario, stacks)?;
    match shell.flows {
        true => crate::run::check(&plan, stacks)?,
        false => crate::run::check_for_commands(scenario, stacks)?,
    }
    let mut outcome = None;
    // A request to stop goes to the command. Its results are shown nevertheless.
    let stop = Arc::clone(&options.stop);
    let options = RunOptions { stop: Arc::default(), ..options.clone() };
    let results = live::run(&plan, &options, &|| {}, |live| {
        let middleboxes = Middleboxes::new(live, stacks)?;
        let ends = Ends::new(live, stacks, if shell.flows { Flows::Run } else { Flows::Rest })?;
        let ends = ends.notifying(Notify::new(places.notify.clone())?);
        let all: Vec<&Namespace> = ends.namespaces().chain(middleboxes.namespaces()).collect();
        let _known = state.register(&all)?;
        // They stay registered until they have ended.
        let mut middleboxes = middleboxes;
        if !middleboxes.begin(&stop)? {
            return Ok(Ended::Stopped);
        }
        let namespaces: Vec<Arc<Namespace>> = ends.sites.iter().map(|site| site.namespace.clone()).collect();
        let ended = on_emulator_thread(|priority| {
            let mut running = Inside::new(shell, &places, stacks, live, &ends.sites, &stop)?;
            let ended = ends.run(live, middleboxes.each(), priority, &mut |now| running.look(now))?;
            outcome = running.outcome;
            Ok(ended)
        });
        let namespaces: Vec<&Namespace> = namespaces.iter().map(|namespace| &**namespace).collect();
        processes::end_all(&namespaces, std::time::Duration::from_nanos(GRACE.as_nanos()))?;
        ended
    });
    let results = match results {
        Ok(results) => results,
        Err(Incomplete { failure: None, .. }) if outcome.is_none() && stop.load(Ordering::Relaxed) => {
            return Ok(None);
        }
        Err(incomplete) => return Err(incomplete.into()),
    };
    let session = results.into_iter().next().and_then(|result| {
        let run = result.runs.into_iter().next()?;
        let (code, took) = outcome?;
        Some(ShellSession {
            code,
            took,
            scheduled,
            links: run.links,
            flows: if shell.flows { run.flows } else { Vec::new() },
            emulation: run.emulation?,
            files: result.files,
        })
    });
    Ok(session)
}

/// The nodes at which everything runs, by index.
#[derive(Debug)]
struct Places {
    at: usize,
    peer: usize,
    servers: Vec<usize>,
    notify: Vec<(usize, PathBuf)>,
}

impl Shell {
    fn places(&self, scenario: &Scenario, stacks: &Stacks) -> Result<Places, LabError> {
        let end = |name: &String| {
            let node = host(scenario, name).ok_or_else(|| {
                let hosts = host_names(scenario);
                LabError::Refused(format!(
                    "no command can run at {name:?}: hosts are the nodes at which flows begin or end, here {hosts}"
                ))
            })?;
            kernels(scenario, stacks, node)
        };
        let first = scenario.flows.first().map(|flow| flow.ends.pair(0));
        let Some([from, to]) = first else {
            return Err(LabError::Refused(
                "the scenario has no flow, so no node is a host\ntip: add a [[flow]]".to_owned(),
            ));
        };
        let at = self.at.as_ref().map_or_else(|| kernels(scenario, stacks, to), end)?;
        let peer = opposite(scenario, at).unwrap_or(from);
        let servers = self.servers.iter().map(|(name, _)| end(name)).collect::<Result<_, _>>()?;
        let listener = |(name, path): &(String, PathBuf)| {
            let node = end(name)?;
            if has_link_events(scenario, node) { Ok((node, path.clone())) } else { Err(no_link_events(name)) }
        };
        let notify = self.notify.iter().map(listener).collect::<Result<_, _>>()?;
        Ok(Places { at, peer, servers, notify })
    }
}

/// The node itself, if the kernel's TCP has its addresses: next to an endpoint of ours a command would have none.
fn kernels(scenario: &Scenario, stacks: &Stacks, node: usize) -> Result<usize, LabError> {
    if !stacks.is_seamline(scenario, node) {
        return Ok(node);
    }
    let name = &scenario.nodes[node];
    Err(LabError::Refused(format!(
        "no command can run at {name:?}: its addresses are those of our endpoint\ntip: leave --seamline {name} out, or --at another node"
    )))
}

/// The other end of the first flow that has an end at a node.
fn opposite(scenario: &Scenario, node: usize) -> Option<usize> {
    let mut pairs = scenario.flows.iter().flat_map(|flow| flow.ends.pairs());
    let [from, to] = pairs.find(|pair| pair.contains(&node))?;
    Some(if from == node { to } else { from })
}

/// Whether a node's link layer ever reports anything.
fn has_link_events(scenario: &Scenario, node: usize) -> bool {
    let by_links = scenario.links.iter().filter_map(|link| link.notice.as_ref());
    by_links
        .map(|notice| notice.to)
        .chain(scenario.mobiles.iter().map(|mobile| mobile.node))
        .any(|to| to == node)
}

fn no_link_events(name: &str) -> LabError {
    LabError::Refused(format!(
        "nothing notifies {name} of its link's handovers\ntip: notice = {{ to = {name:?} }} at the link does"
    ))
}

/// The commands while they run.
struct Inside<'a> {
    command: Command,
    namespace: Arc<Namespace>,
    starting: Option<Starting>,
    running: Option<Running>,
    servers: Vec<(Running, Arc<Namespace>)>,
    /// By server: whether the command may still have to wait for it.
    awaited: Vec<Arc<AtomicBool>>,
    stop: &'a AtomicBool,
    /// Ports of the scenario's own flows: listeners there are not the user's servers.
    taken: Vec<u16>,
    /// When the scenario began, by the clock of the lab.
    zero: Instant,
    began: Option<Instant>,
    look_at: Instant,
    asked_to_stop: Option<Instant>,
    asked_servers: Option<Instant>,
    outcome: Option<(u8, Duration)>,
}

impl<'a> Inside<'a> {
    fn new(
        shell: &Shell,
        places: &Places,
        stacks: &Stacks,
        live: &Live<'_>,
        sites: &[Site],
        stop: &'a AtomicBool,
    ) -> io::Result<Self> {
        let scenario = live.scenario();
        let hosts = names(live);
        let namespace = |node: usize| {
            let site = sites.iter().find(|site| site.node == node);
            site.map_or_else(|| unreachable!("every host has a site"), |site| site.namespace.clone())
        };
        let command = |node: usize, peer: usize, arguments: &[OsString]| Command {
            arguments: arguments.to_vec(),
            environment: environment(scenario, stacks.version, node, peer),
            hosts: hosts.clone(),
            is_apart: false,
        };
        let mut servers = Vec::new();
        for ((_, arguments), node) in shell.servers.iter().zip(&places.servers) {
            let inside = namespace(*node);
            let peer = if *node == places.at { places.peer } else { places.at };
            servers.push((command(*node, peer, arguments).start(&inside)?, inside));
        }
        Ok(Inside {
            command: command(places.at, places.peer, &shell.command),
            namespace: namespace(places.at),
            starting: None,
            running: None,
            awaited: servers.iter().map(|_| Arc::new(AtomicBool::new(true))).collect(),
            servers,
            stop,
            taken: seamline_scenario::connections::connections(scenario)
                .iter()
                .map(|it| it.receiver_port.0)
                .collect(),
            zero: Instant::MAX,
            began: None,
            look_at: Instant::ZERO,
            asked_to_stop: None,
            asked_servers: None,
            outcome: None,
        })
    }

    /// Whether the run is over.
    fn look(&mut self, now: Instant) -> io::Result<Option<Over>> {
        if now < self.look_at || now == Instant::ZERO {
            return Ok(None);
        }
        // The clock is read a little after `now` was taken from it: the least difference is nearest.
        self.zero = self.zero.min(Instant::ZERO + (monotonic() - now));
        self.look_at = now + LOOK_EVERY;
        let (Some(running), Some(began)) = (&mut self.running, self.began) else { return self.begin(now) };
        if self.outcome.is_none() {
            let Some(code) = running.try_wait()? else { return self.hurry(now) };
            self.outcome = Some((code, now.saturating_since(began)));
        }
        self.end_servers(now)
    }

    /// The command still runs. After a request to stop: first wait for it, then ask it to end, then kill it. Its network continues
    /// meanwhile, so that it can close its connections.
    fn hurry(&mut self, now: Instant) -> io::Result<Option<Over>> {
        let Some(running) = self.running.as_mut().filter(|_| self.stop.load(Ordering::Relaxed)) else {
            return Ok(None);
        };
        // At a terminal the command has received the signal too, and may have output to write before it ends.
        let waited = now.saturating_since(*self.asked_to_stop.get_or_insert(now));
        if waited >= GRACE * 2 {
            running.kill()?;
        } else if waited >= GRACE {
            running.ask_to_end()?;
        }
        Ok(None)
    }

    /// Servers are asked to end after the command, and killed when they do not.
    fn end_servers(&mut self, now: Instant) -> io::Result<Option<Over>> {
        if self.asked_servers.is_none() {
            self.servers.iter().try_for_each(|(server, _)| server.ask_to_end())?;
        }
        let waited = now.saturating_since(*self.asked_servers.get_or_insert(now));
        let mut ended = true;
        for (server, _) in &mut self.servers {
            ended &= server.try_wait()?.is_some();
        }
        // Those that are left are killed when they are dropped.
        Ok((ended || waited >= GRACE).then_some(Over::Complete))
    }

    /// The command begins once every server that still runs listens.
    fn begin(&mut self, now: Instant) -> io::Result<Option<Over>> {
        if self.stop.load(Ordering::Relaxed) {
            return Ok(Some(Over::Stopped));
        }
        for ((server, _), awaited) in self.servers.iter_mut().zip(&self.awaited) {
            if server.try_wait()?.is_some() {
                awaited.store(false, Ordering::Relaxed);
            }
        }
        match &self.starting {
            None => self.starting = Some(self.start()?),
            Some(starting) => self.running = starting.look()?,
        }
        self.began = self.running.is_some().then_some(now);
        Ok(None)
    }

    fn start(&mut self) -> io::Result<Starting> {
        let zero = self.zero.as_nanos().to_string();
        self.command.environment.push((OsString::from(TIME_ZERO), OsString::from(zero)));
        let servers = self.servers.iter().map(|(_, namespace)| namespace.clone());
        let servers = Servers {
            awaited: servers.zip(self.awaited.iter().cloned()).collect(),
            taken: self.taken.clone(),
        };
        Starting::begin(self.command.clone(), self.namespace.clone(), servers)
    }
}

/// The names of all hosts.
fn names(live: &Live<'_>) -> Vec<(IpAddr, String)> {
    let name = |node: usize| {
        let addresses = edge::addresses(live::node_id(node));
        addresses.map(|address| (address, live.scenario().nodes[node].clone()))
    };
    live.host_nodes().into_iter().flat_map(name).collect()
}

fn environment(
    scenario: &Scenario,
    version: IpVersion,
    node: usize,
    peer: usize,
) -> Vec<(OsString, OsString)> {
    let address = |node| {
        let addresses = edge::addresses(live::node_id(node));
        let wanted = addresses.iter().find(|address| address.is_ipv6() == (version == IpVersion::V6));
        wanted.unwrap_or(&addresses[0]).to_string()
    };
    let pair = |name: &str, value: String| (OsString::from(name), OsString::from(value));
    vec![
        pair("SEAMLINE_NODE", scenario.nodes[node].clone()),
        pair("SEAMLINE_ADDRESS", address(node)),
        pair("SEAMLINE_PEER", address(peer)),
        pair("SEAMLINE_PEER_NAME", scenario.nodes[peer].clone()),
    ]
}
