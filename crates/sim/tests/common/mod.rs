//! Worlds to test with: a chain of hops and a dumbbell, each with TCP at both ends.
#![allow(dead_code, unreachable_pub, reason = "each test uses its part of this")]

pub mod counting;
pub mod log;
pub mod trace;

use seamline_net::{Limit, Link, LinkConfig, QueueConfig};
use seamline_sim::{ElementId, Observer, Router, World};
use seamline_tcp::handover::Scheme;
use seamline_tcp::{Address, Application, EndpointConfig, Host, Opening, Parameters, profile, variant};
use seamline_wire::{Duration, Instant, NodeId, Port, Rate, SequenceNumber, TransportPort};
use std::sync::Arc;

/// The port that links have, and that a host is attached by.
pub const PORT: Port = Port(0);

/// What the connections of a world have in common.
#[derive(Clone)]
pub struct Flows {
    pub variant: &'static str,
    pub parameters: Arc<Parameters>,
    pub source: Application,
    pub handshake: bool,
    pub handover: Option<&'static Scheme>,
}

impl Flows {
    /// Endless transfers of this variant under today's standards, begun by a handshake.
    pub fn endless(variant: &'static str) -> Flows {
        Flows {
            variant,
            parameters: Arc::new((profile::RFC.parameters)()),
            source: Application::endless(Instant::ZERO),
            handshake: true,
            handover: None,
        }
    }

    /// A host on `sender` that transfers to a host on `receiver`.
    fn ends(&self, sender: NodeId, receiver: NodeId) -> (Host, Host) {
        let variant = variant::find(self.variant, &self.parameters).expect("the variant exists");
        let initial_sequence = SequenceNumber(0);
        let host = |node, peer, handshake, application| {
            let port = TransportPort(1);
            let mut host = Host::new(node);
            let config = EndpointConfig {
                local: Address { node, port },
                remote: Address { node: peer, port },
                parameters: self.parameters.clone(),
                variant,
                handover: self.handover,
                initial_sequence,
            };
            let peer = self.parameters.clone();
            let established = Opening::Established { peer, peer_initial_sequence: initial_sequence };
            host.add(config, if self.handshake { handshake } else { established }, application);
            host
        };
        let source = host(sender, receiver, Opening::Active, self.source);
        (source, host(receiver, sender, Opening::Passive, Application::sink()))
    }
}

/// A transfer from one host to another.
#[derive(Clone, Copy, Debug)]
pub struct Flow {
    pub sender: ElementId,
    pub receiver: ElementId,
}

/// What a builder has put into a world.
#[derive(Clone, Debug)]
pub struct Built {
    pub flows: Vec<Flow>,
    pub links: Vec<ElementId>,
}

/// A drop-tail link with a queue of `limit` packets.
pub fn hop(megabits: u64, one_way_delay: Duration, limit: u32) -> LinkConfig {
    let queue = QueueConfig::DropTail(Limit::Packets(limit));
    LinkConfig { queue, ..LinkConfig::new(Rate::from_megabits_per_second(megabits), one_way_delay) }
}

/// One flow from node 0 to node 1 over the links `there`, its acknowledgments over the links `back`, with
/// routers between links.
pub fn chain<O: Observer>(
    world: &mut World<Host, O>,
    flows: &Flows,
    there: Vec<LinkConfig>,
    back: Vec<LinkConfig>,
) -> Built {
    let (source, sink) = flows.ends(NodeId(0), NodeId(1));
    // The receiver comes first, so that it listens before the first SYN arrives over links without delay.
    let (receiver, sender) = (world.add(sink), world.add(source));
    let mut links = join(world, sender, there, receiver);
    links.extend(join(world, receiver, back, sender));
    Built { flows: vec![Flow { sender, receiver }], links }
}

fn join<O: Observer>(
    world: &mut World<Host, O>,
    from: ElementId,
    configs: Vec<LinkConfig>,
    to: ElementId,
) -> Vec<ElementId> {
    let mut links = Vec::new();
    let mut last = from;
    for config in configs {
        if !links.is_empty() {
            let mut router = Router::new();
            router.set_default(PORT);
            let router = world.add_router(router);
            world.connect(last, PORT, router, PORT);
            last = router;
        }
        let link = world.add_link(Link::new(config));
        world.connect(last, PORT, link, PORT);
        links.push(link);
        last = link;
    }
    world.connect(last, PORT, to, PORT);
    links
}

/// The shape of a dumbbell.
#[derive(Clone, Copy, Debug)]
pub struct Dumbbell {
    pub flows: u16,
    pub bottleneck_megabits: u64,
    pub bottleneck_queue: u32,
    pub access_megabits: u64,
    /// Each flow starts this much after the one before it.
    pub start_spacing: Duration,
}

const BOTTLENECK_DELAY: Duration = Duration::from_millis(20);
const ACCESS_QUEUE: u32 = 1000;

/// `shape.flows` hosts on either side of one link; flow `n` goes from node `n` to node `flows + n`. Access
/// delays are 1 ms and a microsecond more for each flow.
pub fn dumbbell<O: Observer>(world: &mut World<Host, O>, flows: &Flows, shape: Dumbbell) -> Built {
    let mut built = Built { flows: Vec::new(), links: Vec::new() };
    let side = |world: &mut World<Host, O>| {
        let mut router = Router::new();
        router.set_default(PORT);
        world.add_router(router)
    };
    let (left, right) = (side(world), side(world));
    let shared = || hop(shape.bottleneck_megabits, BOTTLENECK_DELAY, shape.bottleneck_queue);
    built.links.push(wire(world, (left, PORT), right, shared()));
    built.links.push(wire(world, (right, PORT), left, shared()));
    for n in 0..shape.flows {
        let nodes = (NodeId(u32::from(n)), NodeId(u32::from(shape.flows) + u32::from(n)));
        let start = flows.source.start + shape.start_spacing * u64::from(n);
        let started = Flows { source: Application { start, ..flows.source }, ..flows.clone() };
        let (source, sink) = started.ends(nodes.0, nodes.1);
        let flow = Flow { sender: world.add(source), receiver: world.add(sink) };
        for (host, node, router) in [(flow.sender, nodes.0, left), (flow.receiver, nodes.1, right)] {
            let delay = Duration::from_millis(1) + Duration::from_micros(u64::from(n));
            let access = || hop(shape.access_megabits, delay, ACCESS_QUEUE);
            let port = Port(1 + n);
            built.links.push(wire(world, (host, PORT), router, access()));
            built.links.push(wire(world, (router, port), host, access()));
            world.router_mut(router).expect("it is a router").set_route(node, port);
        }
        built.flows.push(flow);
    }
    built
}

fn wire<O: Observer>(
    world: &mut World<Host, O>,
    from: (ElementId, Port),
    to: ElementId,
    config: LinkConfig,
) -> ElementId {
    let link = world.add_link(Link::new(config));
    world.connect(from.0, from.1, link, PORT);
    world.connect(link, PORT, to, PORT);
    link
}

/// Bytes that the receivers have passed to their applications.
pub fn bytes_delivered<O: Observer>(world: &World<Host, O>, built: &Built) -> Vec<u64> {
    let of = |flow: &Flow| {
        let host = world.machine(flow.receiver).expect("it is a host");
        host.endpoints().map(|endpoint| endpoint.statistics().bytes_delivered).sum()
    };
    built.flows.iter().map(of).collect()
}
