//! Our run of a reference's scenario: two hosts and a chain of links.

use super::HEADER_BYTES;
use super::ns2_clock::Ns2Clock;
use super::record::{Counters, Keep, Outcome, Recorder};
use super::setup::{Chain, Hop, Setup, Variant};
use super::timed_host::TimedHost;
use super::timed_link::{TimedLink, TimedOutage};
use seamline_agent::{Agent, WIRED, WIRELESS};
use seamline_net::error::{AppliesTo, DropList, ErrorStage};
use seamline_net::schedule::{Arriving, Fates, Handovers, InFlight, InService, Queued};
use seamline_net::{Limit, LinkConfig, QueueConfig, Schedule};
use seamline_sim::{ElementId, Observer, World};
use seamline_tcp::host::ConnectionId;
use seamline_tcp::loss_notification::LossNotification;
use seamline_tcp::ns2::DrivenClock;
use seamline_tcp::rtt::Estimator;
use seamline_tcp::{Address, Application, EndpointConfig, Host, Opening, Parameters, profile, variant};
use seamline_wire::random::Stream;
use seamline_wire::{
    Duration, Input, Instant, Machine, NodeId, Outbox, Port, Segment, SequenceNumber, TransportPort,
};
use std::collections::BTreeSet;
use std::sync::Arc;

/// One run.
#[derive(Debug)]
pub(super) struct Run<'a> {
    pub(super) setup: &'a Setup,
    /// Arrival indices of the packets to lose.
    pub(super) losses: Vec<u64>,
    /// Arrival indices of the acknowledgments to lose on their first hop.
    pub(super) lost_acknowledgments: Vec<u64>,
    /// What to keep in addition to counters.
    pub(super) keep: Keep,
}

/// No more packets than this can arrive at the error model of the last hop in the run's time.
pub(super) fn most_arrivals(setup: &Setup) -> u64 {
    let hops = setup.chain.hops();
    let feeding = if setup.loss_at_head { hops.iter().rev().nth(1) } else { hops.last() };
    let bytes = feeding.map_or(0, |hop| hop.rate.bytes_in(Duration::from_secs_f64(setup.dur)));
    bytes / u64::from(setup.wire_bytes().max(1)) + 1
}

const SENDER: Address = Address { node: NodeId(0), port: TransportPort(1) };
const RECEIVER: Address = Address { node: NodeId(1), port: TransportPort(2) };

/// Run it, again from the start whenever a packet and a timer turn out to have come in the wrong order.
pub(super) fn run(run: &Run<'_>) -> Result<Outcome, String> {
    let mut packet_first = BTreeSet::new();
    loop {
        let (mut outcome, misordered) = attempt(run, &packet_first)?;
        match misordered {
            Some(at) if packet_first.insert(at) => {}
            _ => {
                outcome.packets_first = packet_first.len();
                return Ok(outcome);
            }
        }
    }
}

fn attempt(run: &Run<'_>, packet_first: &BTreeSet<Instant>) -> Result<(Outcome, Option<Instant>), String> {
    let setup = run.setup;
    let clock = Ns2Clock::default();
    let mut parameters = parameters(setup)?;
    parameters.ns2().vegas.clock = Some(DrivenClock(clock.0.clone()));
    let parameters = Arc::new(parameters);
    let payload = u32::from(parameters.segments.maximum_segment_size);
    let (sender, receiver) = hosts(setup, &parameters)?;
    let (forward, backward) = links(run, &clock)?;
    let ring = Ring {
        sender: TimedHost::new(sender, setup, clock.clone(), packet_first.clone()),
        receiver: TimedHost::new(receiver, setup, clock.clone(), BTreeSet::new()),
        forward: forward.into_iter().map(|link| TimedLink::new(link, clock.clone())).collect(),
        backward: backward.into_iter().map(|link| TimedLink::new(link, clock.clone())).collect(),
        agent: setup.snoop.then(snoop),
        is_upwards: setup.up,
    };
    let end = Instant::ZERO + Duration::from_secs_f64(setup.dur);
    if run.keep == Keep::default() {
        let world = ring.run(World::new(), end);
        return Ok((Outcome::new(counters(&world, payload)), misordered(&world)));
    }
    let recorder = Recorder::new(payload, setup.opens_with_syn(), run.keep, lossy_hop(setup));
    let world = ring.run(World::with_observer(recorder), end);
    let (outcome, misordered) = (Outcome::new(counters(&world, payload)), misordered(&world));
    Ok((world.into_observer().finish(outcome), misordered))
}

/// A packet's way there and an acknowledgment's way back.
struct Ring {
    sender: TimedHost,
    forward: Vec<TimedLink>,
    receiver: TimedHost,
    backward: Vec<TimedLink>,
    /// At the base station, which has a LAN between itself and the lossy hop.
    agent: Option<Box<dyn Agent>>,
    /// Whether the sender is the mobile node, beyond the lossy hop.
    is_upwards: bool,
}

fn snoop() -> Box<dyn Agent> {
    let parameters = seamline_agent::Parameters {
        snoop: seamline_agent::SnoopParameters::ns2(),
        ..seamline_agent::Parameters::default()
    };
    seamline_agent::find("snoop").expect("it is there").build(&parameters)
}

/// A machine of the ring.
#[derive(Debug)]
enum Node {
    Host(Box<TimedHost>),
    Link(Box<TimedLink>),
    Agent(Box<dyn Agent>),
}

impl Machine for Node {
    fn step(&mut self, now: Instant, input: Input, out: &mut Outbox) {
        match self {
            Node::Host(host) => host.step(now, input, out),
            Node::Link(link) => link.step(now, input, out),
            Node::Agent(agent) => {
                agent.step(now, input, out);
                let marked = out.packets.iter_mut().filter(|(_, packet)| packet.segment.mark.is_some());
                marked.for_each(|(_, packet)| packet.wire_bytes = bytes_of_ns2(&packet.segment));
            }
        }
    }
    fn wake_at(&self) -> Option<Instant> {
        match self {
            Node::Host(host) => host.wake_at(),
            Node::Link(link) => link.wake_at(),
            Node::Agent(agent) => agent.wake_at(),
        }
    }
}

/// The size of an acknowledgment in ns-2, where a mark is a bit of the header.
fn bytes_of_ns2(acknowledgment: &Segment) -> u32 {
    const BLOCK_BYTES: u32 = 8;
    HEADER_BYTES + BLOCK_BYTES * acknowledgment.sack.len() as u32
}

/// The sender is the first element of its world.
pub(super) const SENDING_ELEMENT: ElementId = ElementId(0);

impl Ring {
    /// Put the elements into `world`, the sender first, and run it up to and including `end`.
    fn run<O: Observer>(self, mut world: World<Node, O>, end: Instant) -> World<Node, O> {
        let hops = self.forward.len();
        let mut nodes = vec![Node::Host(Box::new(self.sender))];
        nodes.extend(self.forward.into_iter().map(|link| Node::Link(Box::new(link))));
        nodes.push(Node::Host(Box::new(self.receiver)));
        nodes.extend(self.backward.into_iter().map(|link| Node::Link(Box::new(link))));
        let elements: Vec<ElementId> = nodes.into_iter().map(|node| world.add(node)).collect();
        let next = elements.iter().cycle().skip(1);
        for (from, to) in elements.iter().zip(next) {
            world.connect(*from, Port(0), *to, Port(0));
        }
        if let Some(agent) = self.agent {
            let agent = world.add(Node::Agent(agent));
            // Each link before it, and the one after it.
            let ([from_wired, to_air], [from_air, to_wired]) = match self.is_upwards {
                false => ([hops - 2, hops - 1], [hops + 3, hops + 4]),
                true => ([2 * hops - 1, 2 * hops], [2, 3]),
            };
            world.connect(elements[from_wired], Port(0), agent, WIRED);
            world.connect(agent, WIRELESS, elements[to_air], Port(0));
            world.connect(elements[from_air], Port(0), agent, WIRELESS);
            world.connect(agent, WIRED, elements[to_wired], Port(0));
        }
        world.run_until(end);
        world
    }
}

fn sender<O: Observer>(world: &World<Node, O>) -> Option<&TimedHost> {
    match world.machine(SENDING_ELEMENT) {
        Some(Node::Host(host)) => Some(host),
        _ => None,
    }
}

fn misordered<O: Observer>(world: &World<Node, O>) -> Option<Instant> {
    sender(world).and_then(|host| host.misordered)
}

fn counters<O: Observer>(world: &World<Node, O>, payload: u32) -> Counters {
    let statistics = sender(world).map(|host| host.host.endpoint(ConnectionId(0)).statistics());
    let statistics = statistics.unwrap_or_default();
    let signed = |n: u64| i64::try_from(n).unwrap_or(i64::MAX);
    Counters {
        acked_data: signed(statistics.bytes_acknowledged / u64::from(payload)),
        sent: signed(statistics.sender.segments_sent),
        rexmit: signed(statistics.sender.retransmissions),
        timeouts: signed(statistics.sender.timeouts),
        cuts: signed(statistics.sender.window_cuts),
    }
}

/// The link for data that has the error model, as [`Ring::run`] numbers it: the first from a mobile node, the last to one.
fn lossy_hop(setup: &Setup) -> ElementId {
    ElementId(if setup.up { 1 } else { setup.chain.hops().len() as u32 })
}

fn hosts(setup: &Setup, parameters: &Arc<Parameters>) -> Result<(Host, Host), String> {
    let variant = variant::find(setup.variant.ours(), parameters).map_err(|e| e.to_string())?;
    let start = SequenceNumber(0);
    let config = |local, remote| EndpointConfig {
        local,
        remote,
        parameters: parameters.clone(),
        variant,
        handover: None,
        initial_sequence: start,
    };
    let established = || Opening::Established { peer: parameters.clone(), peer_initial_sequence: start };
    let (active, passive) = if setup.opens_with_syn() {
        (Opening::Active, Opening::Passive)
    } else {
        (established(), established())
    };
    let mut sender = Host::new(SENDER.node);
    sender.add(config(SENDER, RECEIVER), active, Application::endless(Instant::ZERO));
    let mut receiver = Host::new(RECEIVER.node);
    receiver.add(config(RECEIVER, SENDER), passive, Application::sink());
    Ok((sender, receiver))
}

/// The parameters of a release of ns-2 with what the setup overrides.
fn parameters(setup: &Setup) -> Result<Parameters, String> {
    let name = format!("ns2-{}", setup.release);
    let profile = profile::find(&name).ok_or_else(|| format!("there is no profile {name}"))?;
    let mut parameters = (profile.parameters)();
    let tick = Duration::from_secs_f64(setup.tick);
    parameters.round_trip.estimator = Estimator::Ticks { tick, phase: tick.mul_f64(setup.clock_phase()) };
    parameters.round_trip.minimum_timeout = Duration::from_secs_f64(setup.minrto);
    parameters.window.initial = f64::from(setup.iw);
    parameters.limit_window(setup.window);
    parameters.recovery.limited_transmit = setup.limtx;
    let payload = setup.wire_bytes().checked_sub(HEADER_BYTES).and_then(|bytes| u16::try_from(bytes).ok());
    parameters.segments.maximum_segment_size =
        payload.filter(|bytes| *bytes > 0).ok_or_else(|| format!("packets of {} bytes", setup.pkt))?;
    // ns-2's Sack1 has no `eln_`.
    if setup.eln && setup.variant != Variant::Sack1 {
        parameters.loss_notification.scheme = LossNotification::ActOn;
        parameters.ns2().first_marked_duplicate_repairs = true;
    }
    let vegas = &mut parameters.congestion_control.vegas;
    (vegas.alpha, vegas.beta, vegas.gamma) = (setup.alpha, setup.beta, setup.gamma);
    if setup.variant == Variant::Vegas && setup.syn {
        parameters.ns2().vegas.window_at_second_ack = Some(f64::from(setup.iw));
        parameters.window.initial = 1.0;
    }
    Ok(parameters)
}

/// The links of both directions, each in the order a packet meets them.
fn links(run: &Run<'_>, clock: &Ns2Clock) -> Result<(Vec<LinkConfig>, Vec<LinkConfig>), String> {
    let setup = run.setup;
    // ns-2 refuses the packet that would make those that wait as many as its limit.
    let limit = Limit::Packets(setup.qlim.saturating_sub(1));
    let mut hops = setup.chain.hops();
    if setup.up {
        hops.reverse();
    }
    let plain = |hop: &Hop, bytes: u32| LinkConfig {
        queue: QueueConfig::DropTail(limit),
        ..LinkConfig::new(hop.rate, hop.one_way_delay(bytes))
    };
    let mut forward: Vec<LinkConfig> = hops.iter().map(|hop| plain(hop, setup.wire_bytes())).collect();
    let mut backward: Vec<LinkConfig> = hops.iter().rev().map(|hop| plain(hop, HEADER_BYTES)).collect();
    if setup.chain == Chain::Snoop {
        // ns-2's agent sees what comes from the air before the link layer's delay, not after it.
        const LINK_LAYER: Duration = Duration::from_micros(10);
        let from_air = if setup.up { &mut forward } else { &mut backward };
        from_air[1].one_way_delay -= LINK_LAYER;
        from_air[2].one_way_delay += LINK_LAYER;
    }
    // The lossy hop, towards the mobile node and from it.
    let lossy = match setup.up {
        false => (forward.last_mut(), backward.first_mut()),
        true => (backward.last_mut(), forward.first_mut()),
    };
    if let (Some(down), Some(up)) = lossy {
        if !run.losses.is_empty() {
            let listed = ErrorStage::new(DropList::new(run.losses.iter().copied()), AppliesTo::All);
            *(if setup.loses_before_queue() { &mut down.head_error } else { &mut down.end_error }) =
                Some(listed);
        }
        if !run.lost_acknowledgments.is_empty() {
            let listed = DropList::new(run.lost_acknowledgments.iter().copied());
            up.end_error = Some(ErrorStage::new(listed, AppliesTo::All));
        }
        if setup.out > 0.0 {
            let outage =
                || TimedOutage { period: setup.period, length: setup.out, clock: clock.clone() }.into();
            down.end_error = Some(outage());
            up.end_error = Some(outage());
            if setup.outage_empties_queue {
                down.scheduled = Some(seamline_net::Scheduled {
                    schedule: emptied_queues(setup)?,
                    loss_stream: Stream::new(0, "unused"),
                });
            }
        }
    }
    Ok((forward, backward))
}

/// At the start of each outage what waits is lost; the packet in transmission is still delivered.
fn emptied_queues(setup: &Setup) -> Result<Schedule, String> {
    let starts = (1..).map(|k| f64::from(k) * setup.period).take_while(|start| *start < setup.dur);
    let starts = starts.map(|start| Instant::ZERO + Duration::from_secs_f64(start));
    let fates = Fates {
        queued: Queued::Drop,
        in_service: InService::Finish,
        in_flight: InFlight::Deliver,
        arriving: Arriving::Wait,
    };
    let handovers = Handovers::at(starts, Duration::ZERO, fates).map_err(|e| e.to_string())?;
    Ok(Schedule { handovers, ..Schedule::default() })
}
