//! The events of a run, one after the other.

use super::Token;
use super::ahead::Ahead;
use super::applications::{Applications, Plan};
use super::host::Host;
use crate::clock;
use crate::edge::{self, NotBytes};
use crate::ends::{address, mtu};
use crate::kernel_view::KernelView;
use crate::lateness::Lateness;
use crate::run::LabError;
use crate::stacks::Stacks;
use crate::system::{Done, Namespace, Operations, kernel_release};
use seamline_experiment::emulation::EmulationRecord;
use seamline_experiment::live::{self, Ended, Horizon, Live};
use seamline_scenario::connections::connections;
use seamline_wire::{Duration, Instant, Packet};
use std::collections::BTreeSet;
use std::io;

/// A kernel's ticks are counted from 300 s before their counter overflows (Linux, `INITIAL_JIFFIES`), when `CLOCK_MONOTONIC` begins.
const OVERFLOW: u64 = 300_000_000_000;
/// The run begins where all slots of the kernel's timer wheel begin that last up to 4096 ticks (of 4 ms at most), so that timers have
/// the same phases in every run, of every kernel, and in the profiles of Linux.
const PHASE: u64 = 4096 * 4_000_000;

/// The first time after `now`, by `CLOCK_MONOTONIC`, at which a run may begin.
fn next_origin(now: Instant) -> Instant {
    let phase = OVERFLOW % PHASE;
    let begun = now.as_nanos().saturating_sub(phase) / PHASE;
    let first = Instant::from_nanos(phase);
    if now < first { first } else { Instant::from_nanos((begun + 1) * PHASE + phase) }
}

/// Memory for what all hosts have sent and the network has not taken in: a quarter of the guest's.
const SENT_BYTES: usize = 256 << 20;

/// Of that, what a connection needs that sends all of its send buffer (4 MB) at once. More memory is slower: the processor's caches hold less.
const BYTES_PER_CONNECTION: usize = 8 << 20;

/// If packets need less time than this from a host to the next, the engine looks at each when it is sent. Otherwise it sleeps until one can
/// arrive, and at most for that time.
const LEAST_LOOKAHEAD: Duration = Duration::from_micros(200);

/// Run the network of `live` with the kernel's TCP at its hosts.
///
/// # Errors
/// When the kernel lacks something, or a host cannot be made.
pub(crate) fn run(live: &mut Live<'_>, stacks: &Stacks) -> Result<Ended, LabError> {
    let mut operations = Operations::new()?;
    let mut hosts = hosts(live, stacks)?;
    let plans = plans(live, stacks, &mut hosts);
    let applications = Applications::new(plans, &mut operations)?;
    let horizon = live.horizon();
    let lookahead = Some(live.shortest_way(&horizon)).filter(|way| *way >= LEAST_LOOKAHEAD);
    for (number, host) in hosts.iter().enumerate().filter(|_| lookahead.is_none()) {
        operations.watch(&host.sent.socket, Token::Sent(number))?;
    }
    let mut done = Vec::new();
    let begun = clock::monotonic();
    let origin = next_origin(begun);
    let wall = clock::wall() + origin.saturating_since(begun);
    let end = Instant::ZERO + live.scenario().duration;
    while clock::monotonic() < origin {
        operations.wait(origin, &mut done)?;
    }
    let engine = Engine {
        live,
        hosts,
        applications,
        operations,
        done,
        packets: Vec::new(),
        lateness: Lateness::new(),
        clock: Clock { origin, wall },
        horizon,
        lookahead,
        ahead: Ahead::default(),
    };
    engine.run(end)
}

fn hosts(live: &Live<'_>, stacks: &Stacks) -> io::Result<Vec<Host>> {
    let hub = Namespace::new()?;
    let mtu = mtu(live.scenario(), stacks.version);
    let nodes = live.host_nodes();
    let most = SENT_BYTES / nodes.len().max(1);
    let connections = connections(live.scenario());
    let memory = |node: usize| {
        let own = connections.iter().filter(|connection| connection.ends.contains(&node)).count();
        most.min(own * BYTES_PER_CONNECTION)
    };
    let sysctls = stacks.sysctls_in(live.scenario());
    nodes
        .into_iter()
        .map(|node| Host::new(node, live::node_id(node), mtu, &hub, &sysctls, memory(node)))
        .collect()
}

fn plans(live: &Live<'_>, stacks: &Stacks, hosts: &mut [Host]) -> Vec<Plan> {
    let scenario = live.scenario();
    let place = |hosts: &[Host], node| {
        let place = hosts.iter().position(|host: &Host| host.node == node);
        place.unwrap_or_else(|| unreachable!("every end of a flow is a host"))
    };
    let mut plans = Vec::new();
    for connection in connections(scenario) {
        let flow = &scenario.flows[connection.flow];
        if !hosts.iter().any(|host| connection.ends.contains(&host.node)) {
            continue;
        }
        let [from, to] = connection.ends.map(|node| place(hosts, node));
        hosts[to].tap.watch_receiver(connection.receiver_port);
        hosts[from].tap.watch_sender(connection.sender_port);
        plans.push(Plan {
            node: hosts[from].node,
            namespaces: [from, to].map(|host| hosts[host].namespace.clone()),
            addresses: [(from, connection.sender_port), (to, connection.receiver_port)]
                .map(|(host, port)| address(hosts[host].node, port, stacks.version)),
            bytes: flow.size,
            start: connection.start,
            stop: flow.stop,
            congestion_control: stacks.congestion_control(flow),
            view: KernelView::new(connection.sender_port),
        });
    }
    plans
}

/// The clocks of the guest when the run began.
#[derive(Clone, Copy, Debug)]
struct Clock {
    origin: Instant,
    /// `CLOCK_REALTIME`, by which frames are stamped.
    wall: Instant,
}

#[derive(Debug)]
struct Engine<'a, 'b> {
    live: &'a mut Live<'b>,
    hosts: Vec<Host>,
    applications: Applications,
    operations: Operations<Token>,
    done: Vec<Done<Token>>,
    packets: Vec<(Instant, Box<Packet>)>,
    lateness: Lateness,
    clock: Clock,
    horizon: Horizon,
    /// For how long nothing that a host sends can arrive anywhere. `None`: it wakes for everything that hosts send.
    lookahead: Option<Duration>,
    ahead: Ahead,
}

impl Engine<'_, '_> {
    fn run(mut self, end: Instant) -> Result<Ended, LabError> {
        let mut now = Instant::ZERO;
        loop {
            now = self.advance(now)?;
            self.send_ahead()?;
            if now >= end {
                return self.end();
            }
            self.serve(now)?;
            now = self.wait(now, end)?;
        }
    }

    /// Let the network catch up with the hosts: what these have sent goes into it, and what has arrived comes out, in the order of time.
    /// Returns the time, which is that of the last frame if that is later.
    fn advance(&mut self, now: Instant) -> io::Result<Instant> {
        let mut now = now;
        let mut sent = self.sent();
        loop {
            let arrival = self.ahead.first().filter(|at| *at <= now);
            let first = sent.first().map(|(at, number)| (self.ahead.answered(*at), *number));
            match (first, arrival) {
                (Some((at, number)), arrival) if arrival.is_none_or(|arrival| at < arrival) => {
                    now = now.max(at);
                    self.live.run_until(at);
                    self.take_in(number);
                    sent.pop_first();
                    sent.extend(self.next_sent(number));
                }
                (_, Some(arrival)) => {
                    self.live.run_until(arrival);
                    // A host answers at once when many frames are handed over.
                    if self.deliver(arrival)? {
                        sent = self.sent();
                    }
                }
                _ => break,
            }
        }
        self.live.run_until(now);
        self.deliver(now)?;
        Ok(now)
    }

    /// The next frame of each host: when it was sent, and the index of the host.
    fn sent(&self) -> BTreeSet<(Instant, usize)> {
        (0..self.hosts.len()).filter_map(|number| self.next_sent(number)).collect()
    }

    fn next_sent(&self, number: usize) -> Option<(Instant, usize)> {
        let frame = self.hosts[number].sent.peek()?;
        Some((Instant::ZERO + frame.at.saturating_since(self.clock.wall), number))
    }

    /// Take the next frame of a host into the network.
    fn take_in(&mut self, number: usize) {
        let host = &mut self.hosts[number];
        let mut packet = self.live.packet();
        let is_taken = host.sent.peek().is_some_and(|frame| edge::take_in(frame.packet, &mut packet));
        host.sent.release();
        if !is_taken {
            return self.live.recycle(packet);
        }
        if let Some(event) = host.tap.sent(&packet) {
            self.live.report(host.node, &event);
        }
        self.live.take_in(host.node, packet);
    }

    /// Put what has come through the network on the interfaces of hosts, unless it was handed over before. Returns whether there was any.
    fn deliver(&mut self, now: Instant) -> io::Result<bool> {
        let mut any = false;
        for (number, host) in self.hosts.iter_mut().enumerate() {
            self.live.fetch(host.node, &mut self.packets);
            let mut latest = None;
            for (due, packet) in self.packets.drain(..) {
                self.lateness.note(now.saturating_since(due));
                if let Some(event) = host.tap.arrived(&packet) {
                    self.live.report(host.node, &event);
                }
                let follows = latest.replace(due) == Some(due);
                if !self.ahead.has_taken(due, number, &packet) {
                    any = true;
                    if follows {
                        self.operations.go_on()?;
                    }
                    match host.frame(&packet) {
                        Ok(frame) => self.operations.send(&host.sent.socket, frame, Token::Frame)?,
                        Err(NotBytes::PayloadUnknown) => host.payload_unknown += 1,
                        Err(NotBytes::NotForHosts) => {}
                    }
                }
                self.live.recycle(packet);
            }
        }
        self.ahead.check(now).map(|()| any)
    }

    /// Hand over what is certain to arrive, each packet with the time of its arrival: the kernel needs no help of this process then.
    fn send_ahead(&mut self) -> io::Result<()> {
        let Engine { live, hosts, operations, ahead, clock, .. } = self;
        let mut sent = Ok(());
        live.certain_arrivals(&mut |at, host, packet| {
            let (number, host) = (host, &mut hosts[host]);
            if sent.is_ok()
                && !ahead.knows(packet)
                && ahead.is_free(at, number)
                && let Ok(frame) = host.frame(packet)
            {
                ahead.add(at, number, packet);
                let at = clock.origin + at.saturating_since(Instant::ZERO);
                sent = operations.send_at(&host.sent.socket, frame, at, Token::Frame);
            }
        });
        sent
    }

    /// Let the applications do what is due, and what their calls that are over allow.
    fn serve(&mut self, now: Instant) -> io::Result<()> {
        let (live, operations) = (&mut *self.live, &mut self.operations);
        let report = &mut |node: usize, event: &seamline_wire::Event| live.report(node, event);
        for Done { token, result } in self.done.drain(..) {
            match token {
                Token::Frame => {
                    if let Err(error) = result {
                        return Err(io::Error::other(format!("handing a frame to a host: {error}")));
                    }
                }
                Token::Sent(host) => operations.watch(&self.hosts[host].sent.socket, Token::Sent(host))?,
                Token::Call(connection, call) => {
                    let done = Done { token: (connection, call), result };
                    self.applications.proceed(done, operations, report)?;
                }
            }
        }
        self.applications.keep_appointments(now, operations, report)
    }

    /// Wait until something is due or has happened. Returns the time.
    fn wait(&mut self, now: Instant, end: Instant) -> io::Result<Instant> {
        let arrival = match self.lookahead {
            None => self.live.wake_at(),
            Some(lookahead) => {
                let unknown = self.live.earliest_arrival(&self.horizon, &|packet| self.ahead.knows(packet));
                Some(unknown.unwrap_or(end).min(now + lookahead))
            }
        };
        let due = arrival.into_iter().chain(self.applications.wake_at()).fold(end, Instant::min);
        let since_origin = |at: Instant| Instant::ZERO + at.saturating_since(self.clock.origin);
        let until = self.clock.origin + due.saturating_since(Instant::ZERO);
        Ok(since_origin(self.operations.wait(until, &mut self.done)?.unwrap_or_else(clock::monotonic)))
    }

    fn end(&self) -> Result<Ended, LabError> {
        let emulation = self.emulation()?;
        match emulation.lost_at_interfaces {
            0 => Ok(Ended::Complete(emulation)),
            lost => Err(LabError::Failed(format!(
                "hosts sent {lost} frames more at once than there is memory for\n\
                 tip: fewer hosts with the TCP of a kernel, or smaller windows (sysctl = [\"net.ipv4.tcp_wmem=...\"])"
            ))),
        }
    }

    fn emulation(&self) -> io::Result<EmulationRecord> {
        let [lateness_median_us, lateness_p99_us, lateness_max_us] = self.lateness.in_micros();
        let mut lost_at_interfaces = 0;
        for host in &self.hosts {
            lost_at_interfaces += host.sent.lost()?;
        }
        let names = &self.live.scenario().nodes;
        let stacks = self.hosts.iter().map(|host| (names[host.node].clone(), "linux".to_owned()));
        Ok(EmulationRecord {
            kernel: kernel_release()?,
            is_virtual: true,
            stacks: stacks.collect(),
            priority: "virtual time".to_owned(),
            packets: self.lateness.count(),
            lateness_median_us,
            lateness_p99_us,
            lateness_max_us,
            lost_at_interfaces,
            payload_unknown: self.hosts.iter().map(|host| host.payload_unknown).sum(),
        })
    }
}
