//! Our side of the workloads; the same topologies and parameters as benches/peers/ns2/*.tcl.

use super::{MANY_CELLS, MANY_CELLS_THRESHOLD, SideOptions, Workload};
use seamline_net::error::Bernoulli;
use seamline_net::{Limit, Link, LinkConfig, QueueConfig};
use seamline_sim::{ElementId, NoObserver, Observer, Router, World};
use seamline_tcp::{Address, Application, Endpoint, EndpointConfig, Host, Opening, Parameters, variant};
use seamline_wire::random::Stream;
use seamline_wire::{Duration, Event, Instant, NodeId, Port, Rate, SequenceNumber, TransportPort};
use std::sync::Arc;

/// Run the workload and count the packets that were delivered.
pub(super) fn delivered_packets(options: &SideOptions) -> Result<u64, String> {
    if options.listening {
        let (packets, events) = run(options, Events::default())?;
        eprintln!("{} events", events.0);
        Ok(packets)
    } else {
        run(options, NoObserver).map(|(packets, _)| packets)
    }
}

/// Looks at every event, as a full recording does before it writes.
#[derive(Debug, Default)]
struct Events(u64);

impl Observer for Events {
    fn event(&mut self, _now: Instant, _at: ElementId, event: &Event) {
        std::hint::black_box(event);
        self.0 += 1;
    }
}

fn run<O: Observer>(options: &SideOptions, observer: O) -> Result<(u64, O), String> {
    let SideOptions { workload, seed, part, .. } = *options;
    let mut world = World::with_observer(observer);
    let hosts = match workload {
        Workload::ThreeHops => three_hops(&mut world, seed)?,
        Workload::Dumbbell => dumbbell(&mut world)?,
        Workload::Cells => cells(&mut world, 100, 64)?,
        Workload::ManyCells => cells(&mut world, MANY_CELLS, MANY_CELLS_THRESHOLD)?,
    };
    world.run_until(Instant::from_nanos(workload.seconds() * 1_000_000_000 / part));
    // Acknowledgments are what ns-2 counts. The peers of the large network count at the receivers.
    let bytes = |endpoint: &Endpoint| match workload {
        Workload::ManyCells => endpoint.statistics().bytes_delivered,
        _ => endpoint.statistics().bytes_acknowledged,
    };
    let bytes: u64 =
        hosts.iter().filter_map(|host| world.machine(*host)).flat_map(Host::endpoints).map(bytes).sum();
    Ok((bytes / u64::from(PAYLOAD), world.into_observer()))
}

/// Packets have 1000 bytes on the wire.
const PAYLOAD: u16 = 960;

/// ns-2.35's parameters; initial window 1, slow start up to `threshold`.
fn parameters(window: u32, threshold: u32) -> Arc<Parameters> {
    let mut parameters = (seamline_tcp::ns2::NS2_2010.parameters)();
    parameters.window.initial = 1.0;
    parameters.limit_window(window);
    parameters.window.initial_threshold = f64::from(threshold);
    parameters.segments.maximum_segment_size = PAYLOAD;
    Arc::new(parameters)
}

/// A sending and a receiving host, joined without a handshake.
fn pair(sender: NodeId, receiver: NodeId, parameters: &Arc<Parameters>) -> Result<(Host, Host), String> {
    let (mut from, mut to) = (Host::new(sender), Host::new(receiver));
    flow(&mut from, &mut to, 1, Instant::ZERO, parameters)?;
    Ok((from, to))
}

/// A flow between two hosts, joined without a handshake; both ends have the same port.
fn flow(
    sender: &mut Host,
    receiver: &mut Host,
    port: u16,
    start: Instant,
    parameters: &Arc<Parameters>,
) -> Result<(), String> {
    let variant = variant::find("newreno", parameters).map_err(|e| e.to_string())?;
    let zero = SequenceNumber(0);
    let port = TransportPort(port);
    let [from, to] = [sender.node(), receiver.node()].map(|node| Address { node, port });
    for (host, local, remote, application) in
        [(sender, from, to, Application::endless(start)), (receiver, to, from, Application::sink())]
    {
        let config = EndpointConfig {
            local,
            remote,
            parameters: parameters.clone(),
            variant,
            handover: None,
            initial_sequence: zero,
        };
        let opening = Opening::Established { peer: parameters.clone(), peer_initial_sequence: zero };
        host.add(config, opening, application);
    }
    Ok(())
}

fn link(megabits: u64, one_way_micros: u64, limit: u32) -> LinkConfig {
    // ns-2 refuses the packet that would make those that wait as many as its limit.
    let queue = QueueConfig::DropTail(Limit::Packets(limit - 1));
    let rate = Rate::from_megabits_per_second(megabits);
    LinkConfig { queue, ..LinkConfig::new(rate, Duration::from_micros(one_way_micros)) }
}

fn three_hops<O: Observer>(world: &mut World<Host, O>, seed: u64) -> Result<Vec<ElementId>, String> {
    const HOPS: [(u64, u64); 3] = [(100, 50_000), (10, 3_000), (2, 5_000)];
    const LOSS: f64 = 0.01;
    let (sender, receiver) = pair(NodeId(0), NodeId(1), &parameters(64, 64))?;
    let hops = HOPS.map(|(megabits, micros)| link(megabits, micros, 50));
    let back = HOPS.map(|(megabits, micros)| link(megabits, micros, 50));
    let mut forward: Vec<LinkConfig> = hops.into_iter().collect();
    if let Some(air) = forward.last_mut() {
        air.end_error = Some(Bernoulli::new(LOSS, Stream::new(seed, "air/down/loss")).into());
    }
    let sender = world.add(sender);
    let receiver = world.add(receiver);
    // Routers on the way have one way on and one way back, like ns-2's nodes.
    join(world, sender, receiver, forward, NodeId(1));
    join(world, receiver, sender, back.into_iter().rev().collect(), NodeId(0));
    Ok(vec![sender])
}

/// Links in a row with a router between each two.
fn join<O: Observer>(
    world: &mut World<Host, O>,
    from: ElementId,
    to: ElementId,
    configs: Vec<LinkConfig>,
    destination: NodeId,
) {
    let mut last = from;
    for (n, config) in configs.into_iter().enumerate() {
        if n > 0 {
            let mut router = Router::new();
            router.set_route(destination, Port(0));
            let router = world.add_router(router);
            world.connect(last, Port(0), router, Port(0));
            last = router;
        }
        let link = world.add_link(Link::new(config));
        world.connect(last, Port(0), link, Port(0));
        last = link;
    }
    world.connect(last, Port(0), to, Port(0));
}

fn dumbbell<O: Observer>(world: &mut World<Host, O>) -> Result<Vec<ElementId>, String> {
    const FLOWS: u16 = 100;
    const LIMIT: u32 = 1000;
    const SHARED: Port = Port(0);
    let parameters = parameters(128, 128);
    let router = |world: &mut World<Host, O>| {
        let mut router = Router::new();
        router.set_default(SHARED);
        world.add_router(router)
    };
    let (left, right) = (router(world), router(world));
    wire(world, (left, SHARED), right, link(1000, 20_000, LIMIT));
    wire(world, (right, SHARED), left, link(1000, 20_000, LIMIT));
    let mut senders = Vec::new();
    for flow in 0..FLOWS {
        let delay = 1_000 + 100 * u64::from(flow);
        let (from, to) = (NodeId(u32::from(flow)), NodeId(u32::from(FLOWS + flow)));
        let (sender, receiver) = pair(from, to, &parameters)?;
        let (sender, receiver) = (world.add(sender), world.add(receiver));
        for (host, node, router) in [(sender, from, left), (receiver, to, right)] {
            let port = Port(1 + flow);
            wire(world, (host, Port(0)), router, link(1000, delay, LIMIT));
            wire(world, (router, port), host, link(1000, delay, LIMIT));
            if let Some(router) = world.router_mut(router) {
                router.set_route(node, port);
            }
        }
        senders.push(sender);
    }
    Ok(senders)
}

fn cells<O: Observer>(
    world: &mut World<Host, O>,
    cells: u16,
    threshold: u32,
) -> Result<Vec<ElementId>, String> {
    const FLOWS: u16 = 10;
    const UP: Port = Port(0);
    let parameters = parameters(64, threshold);
    let mut server = Host::new(NodeId(0));
    let mut hosts = Vec::new();
    let router = world.add_router(Router::new());
    for cell in 0..cells {
        let node = NodeId(u32::from(cell) + 1);
        let mut user = Host::new(node);
        for number in 0..FLOWS {
            let place = cell * FLOWS + number;
            let start = Instant::ZERO + Duration::from_micros(100) * u64::from(place);
            flow(&mut server, &mut user, 1 + place, start, &parameters)?;
        }
        let user = world.add(user);
        hosts.push(user);
        let mut station = Router::new();
        station.set_default(UP);
        station.set_route(node, Port(1));
        let station = world.add_router(station);
        wire(world, (router, Port(1 + cell)), station, link(1000, 5_000, 1000));
        wire(world, (station, UP), router, link(1000, 5_000, 1000));
        wire(world, (station, Port(1)), user, link(20, 5_000, 100));
        wire(world, (user, UP), station, link(20, 5_000, 100));
        if let Some(router) = world.router_mut(router) {
            router.set_route(node, Port(1 + cell));
        }
    }
    let server = world.add(server);
    hosts.push(server);
    wire(world, (server, Port(0)), router, link(1_000_000, 10_000, 100_000));
    wire(world, (router, UP), server, link(1_000_000, 10_000, 100_000));
    if let Some(router) = world.router_mut(router) {
        router.set_default(UP);
    }
    Ok(hosts)
}

fn wire<O: Observer>(
    world: &mut World<Host, O>,
    (from, port): (ElementId, Port),
    to: ElementId,
    config: LinkConfig,
) {
    let link = world.add_link(Link::new(config));
    world.connect(from, port, link, Port(0));
    world.connect(link, Port(0), to, Port(0));
}
