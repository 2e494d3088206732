//! A flow over one bottleneck, and an attacker next to one of its ends.

use crate::attacker::{Attacker, Deeds};
use crate::watch::Watch;
use seamline_net::error::Bernoulli;
use seamline_net::{Limit, Link, LinkConfig, QueueConfig};
use seamline_sim::{ElementId, World};
use seamline_tcp::endpoint::Statistics;
use seamline_tcp::handover::Scheme;
use seamline_tcp::{Address, Application, EndpointConfig, Host, Opening, Parameters, profile, variant};
use seamline_wire::random::Stream;
use seamline_wire::{
    Duration, Input, Instant, Machine, NodeId, Outbox, Packet, Port, Rate, SequenceNumber, Signal,
    TransportPort,
};
use std::sync::Arc;

/// Where these are among the elements of a world.
pub(crate) const THE_SENDER: ElementId = ElementId(0);
pub(crate) const THE_AIR: ElementId = ElementId(1);
pub(crate) const SENDER: NodeId = NodeId(1);
pub(crate) const RECEIVER: NodeId = NodeId(2);
pub(crate) const SENDER_PORT: TransportPort = TransportPort(5001);
pub(crate) const RECEIVER_PORT: TransportPort = TransportPort(80);
/// Payload of a full segment in bytes, so that lists of losses can be made by hand.
pub(crate) const SEGMENT: u32 = 1000;
const QUEUE: u32 = 40;
const ONE_WAY_DELAY: Duration = Duration::from_millis(20);
const RATE: u64 = 10;

/// What the path holds without loss, in segments: rate times round trip, and the queue. Their headers with timestamps take 52 bytes.
pub(crate) const PATH_HOLDS: f64 = RATE as f64 * 1e6 * (2 * ONE_WAY_DELAY.as_nanos()) as f64 * 1e-9
    / (8 * (SEGMENT + 52)) as f64
    + QUEUE as f64;

/// At which end the attacker stands: whom it attacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Victim {
    Sender,
    Receiver,
}

/// A time without the air, which the receiver's link layer tells of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gap {
    pub(crate) begin: Instant,
    pub(crate) length: Duration,
    pub(crate) announced: Duration,
}

/// What a run is made of.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) scheme: Option<&'static Scheme>,
    pub(crate) variant: &'static str,
    pub(crate) parameters: Parameters,
    pub(crate) victim: Victim,
    pub(crate) gaps: Vec<Gap>,
    /// Whether the receiver's link layer tells of them.
    pub(crate) signals: bool,
    /// One more flow, of another pair of ports, that nobody attacks.
    pub(crate) with_other: bool,
    pub(crate) random_loss: f64,
    pub(crate) seed: u64,
    pub(crate) length: Duration,
}

impl Plan {
    pub(crate) fn new(scheme: Option<&'static Scheme>, variant: &'static str) -> Self {
        let mut parameters = (profile::RFC.parameters)();
        parameters.segments.maximum_segment_size = SEGMENT as u16 + 12;
        parameters.receiver.buffer = 1 << 20;
        Plan {
            scheme,
            variant,
            parameters,
            victim: Victim::Sender,
            gaps: Vec::new(),
            signals: true,
            with_other: false,
            random_loss: 0.0,
            seed: 1,
            length: Duration::from_secs(20),
        }
    }
    pub(crate) fn without_timestamps(mut self) -> Self {
        self.parameters.segments.timestamp_tick = None;
        self.parameters.segments.maximum_segment_size = SEGMENT as u16;
        self
    }
}

/// What has come of it.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) delivered: u64,
    pub(crate) delivered_to_other: u64,
    pub(crate) sender: Statistics,
    pub(crate) receiver: Statistics,
    pub(crate) watch: Watch,
    pub(crate) injected: u64,
}

/// An element of this world.
#[derive(Debug)]
enum Node {
    Host(Host),
    Attacker(Box<Attacker>),
    Air(Air),
}

impl Machine for Node {
    fn step(&mut self, now: Instant, input: Input, out: &mut Outbox) {
        match self {
            Node::Host(it) => it.step(now, input, out),
            Node::Attacker(it) => it.step(now, input, out),
            Node::Air(it) => it.step(now, input, out),
        }
    }
    fn wake_at(&self) -> Option<Instant> {
        match self {
            Node::Host(it) => it.wake_at(),
            Node::Attacker(it) => it.wake_at(),
            Node::Air(it) => it.wake_at(),
        }
    }
}

/// The air next to the receiver, there or not: port 0 is the receiver's, port 1 the network's.
#[derive(Debug)]
struct Air {
    gaps: Vec<Gap>,
    /// What its link layer says, latest first.
    news: Vec<(Instant, Signal)>,
}

impl Air {
    fn new(gaps: Vec<Gap>) -> Self {
        let signals = |gap: &Gap| {
            let up = Signal::LinkUp { rate: None, round_trip_time: None };
            let going = Signal::LinkGoingDown { within: gap.announced };
            let announced = Instant::from_nanos(gap.begin.as_nanos() - gap.announced.as_nanos());
            [(announced, going), (gap.begin, Signal::LinkDown), (gap.begin + gap.length, up)]
        };
        let mut news: Vec<_> = gaps.iter().flat_map(signals).collect();
        news.reverse();
        Air { gaps, news }
    }
}

impl Machine for Air {
    fn step(&mut self, now: Instant, input: Input, out: &mut Outbox) {
        match input {
            Input::Packet(_, packet)
                if self.gaps.iter().any(|it| it.begin <= now && now < it.begin + it.length) =>
            {
                out.recycle(packet);
            }
            Input::Packet(port, packet) => out.send(Port(1 - port.0), packet),
            _ => {
                while let Some((_, signal)) = self.news.pop_if(|(at, _)| *at <= now) {
                    out.signal(signal);
                }
            }
        }
    }
    fn wake_at(&self) -> Option<Instant> {
        self.news.last().map(|(at, _)| *at)
    }
}

fn host(plan: &Plan, node: NodeId) -> Host {
    let mut host = Host::new(node);
    let variant = variant::find(plan.variant, &plan.parameters).expect("registered");
    let mut start = Stream::new(plan.seed, "attacks/start");
    for flow in 0..=u16::from(plan.with_other) {
        let start = Instant::from_nanos(start.below(500_000_000));
        let sender = Address { node: SENDER, port: TransportPort(SENDER_PORT.0 + flow) };
        let receiver = Address { node: RECEIVER, port: TransportPort(RECEIVER_PORT.0 + flow) };
        let sends = node == SENDER;
        let (local, remote) = if sends { (sender, receiver) } else { (receiver, sender) };
        let config = EndpointConfig {
            local,
            remote,
            parameters: Arc::new(plan.parameters.clone()),
            variant,
            handover: plan.scheme,
            initial_sequence: SequenceNumber(if sends { 3_000_000_000 } else { 700_000_000 }),
        };
        let opening = if sends { Opening::Active } else { Opening::Passive };
        host.add(config, opening, if sends { Application::endless(start) } else { Application::sink() });
    }
    host
}

fn link(plan: &Plan, direction: &'static str) -> Link {
    let limit = if direction == "there" { QUEUE } else { 1000 };
    let queue = QueueConfig::DropTail(Limit::Packets(limit));
    let loss = if direction == "there" { plan.random_loss } else { 0.0 };
    let end_error = Bernoulli::new(loss, Stream::new(plan.seed, "attacks/loss"));
    let rate = Rate::from_megabits_per_second(RATE);
    Link::new(LinkConfig { queue, end_error: Some(end_error.into()), ..LinkConfig::new(rate, ONE_WAY_DELAY) })
}

/// A chain of elements: what goes up leaves one by port 1 and enters the next by port 0.
fn chain(
    world: &mut World<Node, Watch>,
    sender: ElementId,
    middle: [&[ElementId]; 2],
    links: [ElementId; 2],
    receiver: ElementId,
) {
    let [near_sender, near_receiver] = middle;
    let wire = |world: &mut World<Node, Watch>, from: (ElementId, u16), to: (ElementId, u16)| {
        world.connect(from.0, Port(from.1), to.0, Port(to.1));
    };
    let (mut there, mut back) = ((sender, 0), (sender, 0));
    for near in near_sender {
        wire(world, there, (*near, 0));
        wire(world, (*near, 0), back);
        (there, back) = ((*near, 1), (*near, 1));
    }
    wire(world, there, (links[0], 0));
    wire(world, (links[1], 0), back);
    let (mut there, mut back) = ((links[0], 0), (links[1], 0));
    for near in near_receiver {
        wire(world, there, (*near, 1));
        wire(world, (*near, 1), back);
        (there, back) = ((*near, 0), (*near, 0));
    }
    wire(world, there, (receiver, 0));
    wire(world, (receiver, 0), back);
}

/// Let it happen, with this attacker or none.
pub(crate) fn run(plan: &Plan, deeds: Option<Deeds>) -> Outcome {
    let mut world = World::with_observer(Watch::default());
    let sender = world.add(Node::Host(host(plan, SENDER)));
    let air = world.add(Node::Air(Air::new(plan.gaps.clone())));
    assert_eq!((sender, air), (THE_SENDER, THE_AIR));
    let receiver = world.add(Node::Host(host(plan, RECEIVER)));
    let attacker = world.add(Node::Attacker(Box::new(Attacker::new(deeds, plan.victim, plan.seed))));
    if plan.signals {
        world.subscribe(air, receiver);
    }
    let links = ["there", "back"].map(|direction| world.add_link(link(plan, direction)));
    match plan.victim {
        Victim::Sender => chain(&mut world, sender, [&[attacker], &[air]], links, receiver),
        Victim::Receiver => chain(&mut world, sender, [&[], &[air, attacker]], links, receiver),
    }
    world.run_until(Instant::ZERO + plan.length);
    let of = |id: ElementId| match world.machine(id) {
        Some(Node::Host(host)) => host.endpoints().map(|it| it.statistics()).collect::<Vec<_>>(),
        _ => panic!("a host"),
    };
    let (sent, received) = (of(sender), of(receiver));
    let now = world.now();
    let Some(Node::Attacker(attacker)) = world.machine(attacker) else { panic!("the attacker") };
    let injected = attacker.injected();
    let mut watch = world.into_observer();
    watch.end(now);
    Outcome {
        delivered: received[0].bytes_delivered,
        delivered_to_other: received.get(1).map_or(0, |it| it.bytes_delivered),
        sender: sent[0],
        receiver: received[0],
        injected,
        watch,
    }
}

/// The header fields that say whose packet it is, from the peer of `victim`.
pub(crate) fn addressed_to(victim: Victim) -> Packet {
    let (source, source_port, destination, destination_port) = match victim {
        Victim::Sender => (RECEIVER, RECEIVER_PORT, SENDER, SENDER_PORT),
        Victim::Receiver => (SENDER, SENDER_PORT, RECEIVER, RECEIVER_PORT),
    };
    Packet { source, source_port, destination, destination_port, wire_bytes: 52, ..Packet::default() }
}
