//! An episode: connections through an agent while faults happen.

use super::daemon::{Daemon, Setup, can_use_ebpf};
use super::flow::{Broken, Flow, Why};
use super::left;
use super::network::{Network, ip, now, pause};
use super::plan::{Fault, Plan};
use nix::sys::signal::Signal;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How it went.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    pub(super) connections: usize,
    pub(super) bytes: u64,
    /// Connections that ended with the process that held both their halves.
    pub(super) ended_with_process: Vec<Broken>,
    /// Times that the process ended for lack of memory.
    pub(super) out_of_memory: usize,
    pub(super) millis: u64,
}

/// What must not happen.
#[derive(Debug)]
pub(super) enum Violation {
    Connection(Broken),
    /// Of the process, or what it leaves behind, during a step.
    Process {
        step: usize,
        why: String,
    },
}

impl Violation {
    pub(super) fn step(&self) -> usize {
        match self {
            Violation::Connection(broken) => broken.step,
            Violation::Process { step, .. } => *step,
        }
    }
}

impl std::fmt::Display for Violation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Violation::Connection(broken) => broken.fmt(f),
            Violation::Process { why, .. } => f.write_str(why),
        }
    }
}

/// What an episode needs at each step.
pub(super) struct Episode {
    network: Network,
    setup: Setup,
    /// None in a run that shows what happens without.
    daemon: Option<Daemon>,
    step: Arc<AtomicUsize>,
    flows: Vec<Flow>,
    /// Connections whose process ended that held both halves, by number.
    cut: BTreeSet<u16>,
    outcome: Outcome,
}

/// Run it, with `seamline-host` or, to see what happens then, `without` it.
pub(super) fn run(
    plan: &Plan,
    seed: u64,
    program: &Path,
    without: bool,
) -> Result<Result<Outcome, Violation>, String> {
    let begun = now();
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let network = Network::new(plan.subject.middle(without), plan.lost, plan.joins, seed)?;
    let keeps_forwarding = plan.keeps_forwarding && can_use_ebpf();
    let setup = Setup::new(plan.subject, program, folder.path(), keeps_forwarding)?;
    let daemon = if without { None } else { Some(setup.begin(&network, 0)?) };
    let mut episode = Episode {
        network,
        setup,
        daemon,
        step: Arc::default(),
        flows: Vec::new(),
        cut: BTreeSet::new(),
        outcome: Outcome::default(),
    };
    let ended = match episode.started().and_then(|()| episode.go_through(plan)) {
        Ok(()) => episode.finish(),
        failed => failed,
    };
    let outcome = Outcome { millis: now() - begun, ..episode.outcome };
    Ok(ended.map(|()| outcome))
}

impl Episode {
    fn process(&self, why: String) -> Violation {
        Violation::Process { step: self.step.load(Ordering::Relaxed), why }
    }

    fn started(&mut self) -> Result<(), Violation> {
        let started = self.daemon.as_mut().map_or(Ok(0), Daemon::await_start);
        started.map(drop).map_err(|why| self.process(why))
    }

    fn go_through(&mut self, plan: &Plan) -> Result<(), Violation> {
        for (number, step) in plan.steps.iter().enumerate() {
            self.step.store(number, Ordering::Relaxed);
            for content in &step.begins {
                let flow =
                    Flow::begin(&self.network, *content, &self.step).map_err(|why| self.process(why))?;
                self.flows.push(flow);
            }
            self.apply(step.fault).map_err(|why| self.process(why))?;
            pause(step.pause);
            let alive = self.daemon.as_mut().map_or(Ok(()), Daemon::require_alive);
            alive.map_err(|why| self.process(why))?;
            self.check_flows()?;
        }
        Ok(())
    }

    /// A connection that is broken by now.
    fn check_flows(&self) -> Result<(), Violation> {
        let broken = self.flows.iter().filter_map(Flow::broken).find(|broken| !self.is_expected(broken));
        broken.map_or(Ok(()), |broken| Err(Violation::Connection(broken)))
    }

    /// Whether it only ended, and the process that held both its halves did so before.
    fn is_expected(&self, broken: &Broken) -> bool {
        matches!(broken.why, Why::Ended(_)) && self.cut.contains(&broken.content.number)
    }

    fn apply(&mut self, fault: Fault) -> Result<(), String> {
        match fault {
            Fault::Calm => Ok(()),
            Fault::Flap { interface, millis } => self.flap(interface, millis),
            Fault::Mtu { interface, bytes, millis } => {
                let host = if interface == "a0" { &self.network.fixed } else { &self.network.middle };
                ip(host, &format!("link set {interface} mtu {bytes}"))?;
                pause(millis);
                ip(host, &format!("link set {interface} mtu 1500"))
            }
            Fault::Kill { after } => self.replace(after, 0, true),
            Fault::Clock { seconds } => self.replace(0, seconds, true),
            Fault::Stop { millis } => {
                self.daemon.iter().for_each(|daemon| daemon.signal(Signal::SIGSTOP));
                pause(millis);
                self.daemon.iter().for_each(|daemon| daemon.signal(Signal::SIGCONT));
                Ok(())
            }
            Fault::Restart { after } => self.replace(after, 0, false),
            Fault::LittleMemory { bytes, millis } => self.with_little_memory(bytes, millis),
            Fault::FewFiles { millis } => self.with_few_files(millis),
            Fault::Notice { lead, outage } => self.announce(lead, outage),
        }
    }

    fn flap(&self, interface: &str, millis: u64) -> Result<(), String> {
        let host = if interface.starts_with('c') { &self.network.hop } else { &self.network.middle };
        ip(host, &format!("link set {interface} down"))?;
        pause(millis);
        ip(host, &format!("link set {interface} up"))
    }

    /// End the process, at once or in order, and begin another.
    fn replace(&mut self, after: u64, clock: i64, kills: bool) -> Result<(), String> {
        let Some(daemon) = self.daemon.take() else {
            pause(after);
            return Ok(());
        };
        self.cut.extend(self.held());
        if kills {
            daemon.kill();
            left::after_kill(&self.network, &self.setup)?;
        } else {
            // It gives connections ten seconds.
            daemon.terminate()?;
            left::after_end(&self.network, &self.setup)?;
        }
        pause(after);
        self.begin(clock)
    }

    fn begin(&mut self, clock: i64) -> Result<(), String> {
        self.daemon.insert(self.setup.begin(&self.network, clock)?).await_start().map(drop)
    }

    /// Connections that end with the process, if it does now.
    fn held(&self) -> Vec<u16> {
        let holds = self.setup.subject.holds_connections();
        let held = self.flows.iter().filter(|flow| holds && !flow.is_over());
        held.map(|flow| flow.content.number).collect()
    }

    fn with_little_memory(&mut self, bytes: u64, millis: u64) -> Result<(), String> {
        let held = self.held();
        let Some(daemon) = &mut self.daemon else {
            pause(millis);
            return Ok(());
        };
        let Some(used) = daemon.memory() else { return daemon.require_alive() };
        daemon.limit("as", &(used + bytes).to_string())?;
        pause(millis);
        if daemon.ended().is_none() && daemon.limit("as", "unlimited").is_ok() && daemon.ended().is_none() {
            return Ok(());
        }
        self.outcome.out_of_memory += 1;
        self.cut.extend(held);
        self.replace(0, 0, true)
    }

    fn with_few_files(&mut self, millis: u64) -> Result<(), String> {
        let Some(daemon) = &mut self.daemon else {
            pause(millis);
            return Ok(());
        };
        daemon.limit("nofile", &daemon.free_file().to_string())?;
        pause(millis);
        daemon.require_alive()?;
        daemon.limit("nofile", "1024")
    }

    fn announce(&mut self, lead: u64, outage: u64) -> Result<(), String> {
        if self.daemon.is_some() {
            self.setup.announce(lead)?;
        }
        pause(lead);
        if outage > 0 { self.flap("c1", outage) } else { Ok(()) }
    }

    /// All connections come to their end, then the process does.
    fn finish(&mut self) -> Result<(), Violation> {
        let mut unexpected = None;
        for flow in std::mem::take(&mut self.flows) {
            self.outcome.connections += 1;
            let (bytes, broken) = flow.finish();
            self.outcome.bytes += bytes;
            match broken {
                Some(broken) if self.is_expected(&broken) => self.outcome.ended_with_process.push(broken),
                broken => unexpected = unexpected.or(broken),
            }
        }
        if let Some(broken) = unexpected {
            return Err(Violation::Connection(broken));
        }
        let Some(daemon) = self.daemon.take() else { return Ok(()) };
        let ended = daemon.terminate().and_then(|()| left::after_end(&self.network, &self.setup));
        ended.map_err(|why| self.process(why))
    }
}
