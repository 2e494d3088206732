//! The thread of the agent, and the threads next to it.

use super::coalescing::{coalesced, coalesces, refuse_coalescing};
use super::fallback::{BEAT, Fallback, FallbackBy, Stalls};
use super::files::require_own;
use super::guard::{Guard, discard};
use super::hand_over::{HandOver, HandingOut, Incoming, Job, Jobs, What};
use super::interfaces::Claim;
use super::log::{CHECK, Log, WARN};
use super::port::{Batch, Port};
use super::shortage::Shortage;
use crate::engine::{Engine, Settings};
use crate::metrics::{BridgeCounters, PortCounters, Snapshot};
use crate::outgoing::Outgoing;
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, poll};
use seamline_agent::Side;
use seamline_host::confinement::{Capability, confine};
use seamline_host::interface::Condition;
use seamline_host::log::Format;
use seamline_host::metrics::{Metrics, Process, Publisher, Publishing};
use seamline_host::scheduling::{Scheduling, run_first};
use seamline_host::service::Service;
use seamline_host::socket::{timeout, wait};
use seamline_host::{Every, Journal, Line, clock, explained, folder_of};
use seamline_wire::{Duration, Instant};
use std::io::{self, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

/// How a bridge runs.
#[derive(Clone, Debug)]
pub struct Options {
    /// The interface on the wired side, and the one on the wireless side.
    pub interfaces: [String; 2],
    /// Where the counters go.
    pub metrics: Option<Metrics>,
    /// How the log is written.
    pub format: Format,
    /// Who forwards while the agent does not.
    pub fallback: FallbackBy,
    /// The calling thread runs before programs that are not real-time, if the process may: frames wait while it does not run.
    pub runs_first: bool,
    /// The calling thread gives up what is not needed once everything is open ([`confine`]).
    pub confines: bool,
    /// How connections are handed over to the agents of other base stations, and taken over from them.
    pub hand_over: HandOver,
}

/// State shared by the threads.
#[derive(Debug, Default)]
pub(super) struct Shared {
    /// When the agent's thread last began a round, by the monotonic clock, in nanoseconds.
    pub(super) progress: AtomicU64,
    /// The guard forwards.
    pub(super) bypass: AtomicBool,
    pub(super) bypasses: AtomicU64,
    pub(super) bypassed: AtomicU64,
    /// Hand-overs that could not be delivered.
    pub(super) hand_over_failures: AtomicU64,
    /// Incoming hand-overs that were refused or aborted.
    pub(super) hand_overs_refused: AtomicU64,
    pub(super) stop: AtomicBool,
}

/// A frame that has waited longer is forwarded without the agent. That is cheaper, so the queue drains.
const OVERLOAD: Duration = Duration::from_millis(50);
/// How often it checks the interfaces.
const LOOK: Duration = Duration::from_millis(250);
/// How long it pauses after a failure: longer than the guard waits before it takes over.
const SHORTEST_REST: Duration = Duration::from_secs(1);
const LONGEST_REST: Duration = Duration::from_secs(60);
/// More than the receive queue holds of the shortest frames.
const LAST_BATCHES: usize = 2000;

/// Bridge until `stop` becomes readable, and return the counters. The log goes to `out`; a log that cannot be written delays nothing.
///
/// # Errors
/// If an interface is missing at the start, has another agent or another use (`InvalidInput`), or coalesces packets; the error names the
/// commands that fix it. If a privilege is missing.
pub fn run(
    mut settings: Settings,
    options: &Options,
    stop: impl AsFd,
    out: impl Write + Send + 'static,
) -> io::Result<Snapshot> {
    require_own()?;
    let claim = Claim::new(&options.interfaces)?;
    let addresses = claim.addresses()?;
    refuse_coalescing(&options.interfaces)?;
    let ports = [Port::open(&options.interfaces[0])?, Port::open(&options.interfaces[1])?];
    settings.medium = ports[0].medium;
    if settings.medium != ports[1].medium {
        let [wired, wireless] = &options.interfaces;
        let why =
            format!("{wired} and {wireless} frame packets differently: both must be Ethernet, or neither");
        return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
    }
    let publisher = Publisher::open(options.metrics.as_ref())?;
    let (asker, jobs) = Jobs::new()?;
    let handing_out = HandingOut::open(&options.hand_over, settings.is_dry, asker.clone())?;
    let incoming = Incoming::open(&options.hand_over, asker)?;
    let (sender, mut log) = Log::new(Journal::new(out, options.format));
    let shared = Shared::default();
    shared.progress.store(clock::monotonic().as_nanos(), Ordering::Relaxed);
    let ports = ports.map(Some);
    let (fallback, warning) = Fallback::begin(options.fallback, &ports, clock::monotonic());
    let is_guarded = fallback.is_none();
    let scheduling = if options.runs_first { run_first() } else { Scheduling::AsBefore };
    let confined = if options.confines { Some(confine(&CAPABILITIES, &options.folders())?) } else { None };
    let warn = sender.clone();
    let publishing = publisher.begin(move |line| warn.send(line));
    let mut worker = Worker::new(settings, options, ports, jobs, fallback, publishing);
    let confined = confined.map_or_else(|| "no".to_owned(), |it| it.to_string());
    log.write(worker.start().with("confined", confined).with("scheduling", scheduling.to_string()));
    warning.into_iter().chain(claim.warning()).chain(addresses).for_each(|line| log.write(line));
    thread::scope(|scope| {
        if is_guarded {
            scope.spawn(|| Guard::new(&options.interfaces).run(&shared, &sender));
        }
        scope.spawn(|| handing_out.run(&shared, &sender));
        scope.spawn(|| incoming.run(&shared, &sender));
        let result = worker.run_again_and_again(&shared, &mut log, stop.as_fd());
        shared.stop.store(true, Ordering::SeqCst);
        result
    })?;
    let snapshot = worker.snapshot(&shared);
    let ended = worker.fallback.as_ref().and_then(|it| it.end(&worker.ports));
    log.write_received();
    ended.into_iter().for_each(|line| log.write(line));
    log.write(snapshot.stop_line());
    Ok(snapshot)
}

/// To open an interface again, with its buffers and the programs that forward in the kernel.
const CAPABILITIES: [Capability; 3] =
    [Capability::CAP_NET_RAW, Capability::CAP_NET_ADMIN, Capability::CAP_BPF];

impl Options {
    /// Where files are replaced, or removed at the end.
    fn folders(&self) -> Vec<&Path> {
        let metrics = match &self.metrics {
            Some(Metrics::File(path)) => Some(path),
            _ => None,
        };
        metrics.into_iter().chain(&self.hand_over.control).map(|file| folder_of(file)).collect()
    }
}

fn changed(interface: &str, condition: Condition) -> Line {
    let stopped = |why: &str| Line::warning("link-down").with("interface", interface).with("why", why);
    match condition {
        Condition::Running => Line::new("link-up").with("interface", interface),
        Condition::NoCarrier => stopped("no carrier"),
        Condition::SetDown => stopped("set down"),
    }
}

/// Send all frames. Those for an interface that is gone are counted as unsent.
fn send(outgoing: &Outgoing<'_>, batch: &Batch, ports: &mut [Option<Port>; 2], left: &mut [PortCounters; 2]) {
    for side in Side::BOTH {
        match &mut ports[side.index()] {
            Some(port) => port.send(side, outgoing, batch),
            None => {
                let leaves = outgoing.iter().filter(|(towards, _)| *towards == side);
                left[side.index()].unsent += leaves.count() as u64;
            }
        }
    }
}

struct Worker<'a> {
    options: &'a Options,
    engine: Engine,
    ports: [Option<Port>; 2],
    /// The counters of ports that are gone; their successors continue them.
    left: [PortCounters; 2],
    batch: Batch,
    outgoing: Outgoing<'static>,
    jobs: Jobs,
    overload: u64,
    fallback: Option<Fallback>,
    stalls: Stalls,
    look: Every,
    /// `None` only while it works.
    publishing: Option<Publishing>,
    process: Process,
    /// Of each interface, about packets that were coalesced.
    warning: [Every; 2],
    shortage: Shortage,
    service: Service,
}

impl<'a> Worker<'a> {
    fn new(
        settings: Settings,
        options: &'a Options,
        ports: [Option<Port>; 2],
        jobs: Jobs,
        fallback: Option<Fallback>,
        publishing: Publishing,
    ) -> Self {
        let [wired, wireless] = &options.interfaces;
        let mode = if settings.is_dry { "dry-run" } else { "active" };
        let about = [("agent", settings.kind.name), ("mode", mode), ("in", wired), ("out", wireless)];
        Worker {
            process: Process::new(&about, clock::wall()),
            engine: Engine::new(settings),
            options,
            ports,
            left: Default::default(),
            batch: Batch::default(),
            outgoing: Outgoing::new(),
            jobs,
            overload: 0,
            fallback,
            stalls: Stalls::default(),
            look: Every::new(LOOK),
            publishing: Some(publishing),
            warning: [Every::new(WARN); 2],
            shortage: Shortage::new(),
            service: Service::ready(clock::monotonic()),
        }
    }

    fn start(&self) -> Line {
        let settings = self.engine.settings();
        let limits = settings.parameters.limits;
        Line::new("start")
            .with("agent", settings.kind.name)
            .with("in", self.options.interfaces[0].as_str())
            .with("out", self.options.interfaces[1].as_str())
            .with("dry_run", settings.is_dry)
            .with("connections", limits.connections)
            .with("memory", limits.bytes)
    }

    /// A panic here must not end forwarding: the guard forwards for a second, then a new agent starts. Each further failure in a row doubles the pause.
    fn run_again_and_again(
        &mut self,
        shared: &Shared,
        log: &mut Log,
        stop: BorrowedFd<'_>,
    ) -> io::Result<()> {
        let mut rest = SHORTEST_REST;
        loop {
            let begun = clock::monotonic();
            match catch_unwind(AssertUnwindSafe(|| self.run(shared, log, stop))) {
                Ok(result) => return result,
                Err(_) => {
                    let ran = clock::monotonic().saturating_since(begun);
                    rest = if ran > LONGEST_REST { SHORTEST_REST } else { rest };
                    log.write(Line::error("failure").with("rest_ms", rest.as_millis()));
                    self.engine.replace_agent();
                    self.jobs.drop_all();
                    self.outgoing = Outgoing::new();
                    if wait(&stop, PollFlags::POLLIN, rest) {
                        return Ok(());
                    }
                    rest = Duration::from_nanos(rest.as_nanos() * 2).min(LONGEST_REST);
                }
            }
        }
    }

    fn run(&mut self, shared: &Shared, log: &mut Log, stop: BorrowedFd<'_>) -> io::Result<()> {
        loop {
            self.come_round(shared, log);
            let is_stopped = self.wait(stop)?;
            self.beat(clock::monotonic());
            if shared.bypass.load(Ordering::SeqCst) {
                // The guard forwards these frames.
                self.ports.iter_mut().flatten().for_each(|port| discard(port, &mut self.batch));
                self.jobs.drop_all();
                if !is_stopped {
                    continue;
                }
            }
            if is_stopped {
                self.engine.release();
            }
            for side in Side::BOTH {
                // At the stop it forwards the frames that wait, but not those that keep arriving.
                for _ in 0..if is_stopped { LAST_BATCHES } else { 1 } {
                    self.take_in(side)?;
                    if !self.batch.is_full {
                        break;
                    }
                }
            }
            self.run_jobs();
            self.engine.wake(clock::monotonic(), &mut self.outgoing);
            send(&self.outgoing, &self.batch, &mut self.ports, &mut self.left);
            self.outgoing.clear();
            if is_stopped {
                return Ok(());
            }
        }
    }

    fn come_round(&mut self, shared: &Shared, log: &mut Log) {
        let now = clock::monotonic();
        shared.progress.store(now.as_nanos(), Ordering::Relaxed);
        self.service.works(now);
        log.write_received();
        self.stalls.unreported().into_iter().for_each(|line| log.write(line));
        if self.look.is_due(now) {
            self.look(now, log);
        }
        self.publish(now, shared);
    }

    fn publish(&mut self, now: Instant, shared: &Shared) {
        let [wired, wireless] = &self.options.interfaces;
        if let Some(mut publishing) = self.publishing.take() {
            publishing.publish(now, || self.snapshot(shared).text([wired, wireless], &self.process));
            self.publishing = Some(publishing);
        }
    }

    /// The kernel need not forward.
    fn beat(&mut self, now: Instant) {
        if let Some(stall) = self.fallback.as_ref().and_then(|fallback| fallback.beat(now)) {
            self.stalls.note(stall);
        }
    }

    /// Run the jobs of other threads. The queue is short, so frames do not wait long.
    fn run_jobs(&mut self) {
        let now = clock::monotonic();
        for Job { what, .. } in self.jobs.take().filter(|job| job.until > now) {
            // The asking thread may have given up.
            match what {
                What::HandOut(hosts, answer) => {
                    let _ = answer.try_send(self.engine.hand_out(&hosts));
                }
                What::Pause(is_paused, answer) => {
                    let _ = answer.try_send(self.engine.set_paused(is_paused));
                }
                // Without an answer the asking thread takes it for refused.
                What::TakeIn(..) if self.engine.is_paused() => {}
                What::TakeIn(handed, answer) => {
                    let _ = answer.try_send(self.engine.take_in(now, &handed, &mut self.outgoing));
                }
            }
        }
    }

    /// Wait for work. Returns whether to stop.
    fn wait(&self, stop: BorrowedFd<'_>) -> io::Result<bool> {
        let now = clock::monotonic();
        let wake = self.engine.wake_at().map(|at| at.saturating_since(now));
        // Rounded up: waking too early would be in vain.
        let longest = if self.fallback.is_some() { BEAT } else { CHECK };
        let wake = wake.map_or(longest, |wake| (wake + Duration::from_millis(1)).min(longest));
        let sockets = self.ports.iter().flatten().map(AsFd::as_fd);
        let mut descriptors: Vec<_> = [stop, self.jobs.as_fd()]
            .into_iter()
            .chain(sockets)
            .map(|socket| PollFd::new(socket, PollFlags::POLLIN))
            .collect();
        match poll(&mut descriptors, timeout(wake)) {
            Ok(_) => Ok(descriptors[0].any() == Some(true)),
            Err(Errno::EINTR) => Ok(false),
            Err(error) => Err(explained(error, "waiting for packets")),
        }
    }

    fn take_in(&mut self, side: Side) -> io::Result<()> {
        let Some(port) = &mut self.ports[side.index()] else { return Ok(()) };
        port.receive(&mut self.batch)?;
        let now = clock::monotonic();
        self.beat(now);
        let mut outgoing = std::mem::take(&mut self.outgoing);
        for (frame, waited) in self.batch.iter() {
            if waited > OVERLOAD {
                self.overload += 1;
                self.engine.pass_by(now, side, frame, &mut outgoing);
            } else {
                self.engine.pass(now, side, frame, &mut outgoing);
            }
        }
        send(&outgoing, &self.batch, &mut self.ports, &mut self.left);
        let without_room = self.engine.without_room();
        match &mut self.fallback {
            Some(fallback) => fallback.leave_alone(now, without_room),
            None => without_room.for_each(drop),
        }
        self.outgoing = outgoing.reused();
        Ok(())
    }

    /// Check whether the interfaces exist and run, and their MTUs.
    fn look(&mut self, now: Instant, log: &mut Log) {
        let shortage = self.shortage.look(now, &self.engine, self.overload);
        shortage.into_iter().for_each(|line| log.write(line));
        for side in Side::BOTH {
            self.look_for(side, now, log);
            let place = side.index();
            let interface = self.options.interfaces[place].as_str();
            let Some(port) = &mut self.ports[place] else { continue };
            if let Some(condition) = port.change() {
                log.write(changed(interface, condition));
            }
            port.count_overruns();
            let longest = std::mem::take(&mut port.longest);
            let Some(mtu) = port.mtu() else { continue };
            self.engine.set_mtu(side, mtu);
            if longest > mtu + crate::frame::MAX_LINK_HEADER && self.warning[place].is_due(now) {
                log.write(coalesced(interface, longest));
            }
        }
    }

    /// Close an interface that was removed, and open it again when one of its name returns.
    fn look_for(&mut self, side: Side, now: Instant, log: &mut Log) {
        let place = side.index();
        let interface = self.options.interfaces[place].as_str();
        if let Some(port) = self.ports[place].take_if(|port| port.is_gone()) {
            self.left[place] = PortCounters { is_there: false, is_running: false, ..port.counters };
            log.write(Line::warning("interface-removed").with("interface", interface));
        }
        if self.ports[place].is_some() {
            return;
        }
        let medium = self.engine.settings().medium;
        let Some(mut port) = Port::open(interface).ok().filter(|port| port.medium == medium) else {
            return;
        };
        let left = self.left[place];
        port.counters = PortCounters { flaps: left.flaps + 1, is_there: true, is_running: true, ..left };
        self.ports[place] = Some(port);
        log.write(Line::new("interface-returned").with("interface", interface));
        if let Some(Err(error)) = self.fallback.as_ref().map(|it| it.attach(&self.ports)) {
            log.write(Line::warning("warning").with("why", error.to_string()));
        }
        if let Some(warning) = coalesces(interface) {
            self.warning[place].restart(now);
            log.write(warning);
        }
    }

    fn snapshot(&self, shared: &Shared) -> Snapshot {
        let port = |place: usize| self.ports[place].as_ref().map_or(self.left[place], |port| port.counters);
        Snapshot {
            ports: [port(0), port(1)],
            engine: self.engine.counters(),
            agent: self.engine.agent_counters(),
            measurements: self.engine.measurements(),
            hand_over: self.engine.hand_over_counters(),
            bridge: BridgeCounters {
                hand_over_failures: shared.hand_over_failures.load(Ordering::Relaxed),
                hand_overs_refused: shared.hand_overs_refused.load(Ordering::Relaxed),
                known_flows: self.engine.known_flows() as u64,
                kept_bytes: self.engine.kept_bytes(),
                memory_bytes: self.engine.settings().parameters.limits.bytes,
                overload: self.overload,
                bypasses: shared.bypasses.load(Ordering::Relaxed) + self.stalls.count,
                bypassed: shared.bypassed.load(Ordering::Relaxed)
                    + self.fallback.as_ref().map_or(0, Fallback::forwarded),
                kernel_forwarded: self.fallback.as_ref().map_or(0, Fallback::not_shown),
                is_bypassed: shared.bypass.load(Ordering::Relaxed),
                is_paused: self.engine.is_paused(),
            },
        }
    }
}
