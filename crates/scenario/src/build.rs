//! Build a world from one grid cell and one seed. Each node is a router, with a host where flows start or end; each
//! direction of a link is one element. Every random stream is named after its component, so that all schemes have the
//! same losses.

pub mod addresses;
mod agents;
mod cells;
mod participants;
mod ports;
mod routing;

pub use cells::{CellPlaces, MobilePlaces};
pub(crate) use routing::{add_routes, change_cell};

use crate::connections::{Connection, connections};
use crate::follow::Runner;
use crate::routes::{Routes, whereabouts_at_start};
use crate::schema::loss::Place;
use crate::schema::{AgentPlace, DirectionSpec, FlowSpec, LinkSpec, Networks, Scenario};
use cells::Builder;
use ports::Ports;
use seamline_agent::Agent;
use seamline_mobility::{
    AccessRouter, Correspondent, Coverage, DepartedBuffer, ForeignAgent, HomeAgent, MobileNode,
    MobilityAnchor, Movement,
};
use seamline_net::failure_notices::FailureNotices;
use seamline_net::notices::{HandoverNotices, LinkChange};
use seamline_net::{Link, LinkConfig, Scheduled};
use seamline_recordings::measured::Direction;
use seamline_sim::{AgentPort, ElementId, HostPort, Observer, Router, World};
use seamline_tcp::{Address, Application, EndpointConfig, Host, Opening};
use seamline_wire::random::Stream;
use seamline_wire::{Input, Instant, Machine, NodeId, Outbox, Port, SequenceNumber};
use std::borrow::Borrow;
use std::collections::BTreeSet;

/// The first port of senders; those of receivers start at [`RECEIVER_PORTS`]. Connection `n` of a run uses the `n`-th
/// of each.
pub const SENDER_PORTS: u16 = 35_001;
/// The port of iperf.
pub const RECEIVER_PORTS: u16 = 5_001;
/// The maximum number of connections in a run.
pub const MOST_CONNECTIONS: usize = 30_000;

const TO_HOST: Port = Port(0);
const LINK: Port = Port(0);

/// The elements of a world, numbered in the order in which [`build`] adds them.
#[derive(Debug, Default)]
pub struct Places {
    /// Routers by node.
    routers: Vec<ElementId>,
    /// Hosts by node; `None` where no flow starts or ends, and nothing outside does.
    pub hosts: Vec<Option<ElementId>>,
    /// By node: what exchanges packets with mobile nodes directly for its host; `None` where no protocol asks for it.
    pub correspondents: Vec<Option<ElementId>>,
    /// Links, down and up.
    pub links: Vec<[ElementId; 2]>,
    /// By link: the announcer of its handovers.
    pub notices: Vec<Option<ElementId>>,
    /// By radio cell.
    pub cells: Vec<CellPlaces>,
    /// Nodes with their home agent or mobility anchor point.
    pub anchors: Vec<(usize, ElementId)>,
    /// By mobile node.
    pub mobiles: Vec<MobilePlaces>,
    /// By agent; `None` for a missing agent.
    pub agents: Vec<Option<ElementId>>,
    /// What is behind mobile nodes.
    pub networks: Networks,
    /// By radio cell: the mobile nodes that may come to it.
    visitors: Vec<Vec<usize>>,
    /// By mobile node: the nodes that accept its care-of addresses.
    correspondents_of: Vec<BTreeSet<usize>>,
    ports: Ports,
}

impl Places {
    /// Number the elements of a scenario.
    pub fn new(scenario: &Scenario) -> Self {
        let mut next = (0..).map(ElementId);
        let networks = Networks::of(scenario);
        let correspondents_of = participants::correspondents(scenario, &networks);
        let correspondents: BTreeSet<usize> = correspondents_of.iter().flatten().copied().collect();
        let mut places =
            Places { networks, visitors: scenario.visitors(), correspondents_of, ..Places::default() };
        for node in 0..scenario.nodes.len() {
            places.routers.extend(next.next());
            let is_end = scenario.flows.iter().any(|flow| flow.ends.contains(node));
            let has_host = is_end || scenario.hosts.contains(&node);
            places.hosts.push(if has_host { next.next() } else { None });
            let is_correspondent = correspondents.contains(&node);
            places.correspondents.push(if is_correspondent { next.next() } else { None });
        }
        places.agents = scenario.agents.iter().map(|agent| agent.kind.and_then(|_| next.next())).collect();
        for link in &scenario.links {
            places.links.extend(next.next().zip(next.next()).map(|(down, up)| [down, up]));
            places.notices.push(if link.notice.is_some() { next.next() } else { None });
            if link.failure_notices {
                next.by_ref().take(2).for_each(drop);
            }
        }
        places.ports = Ports::new(scenario);
        places.add_mobility(scenario, next);
        places
    }

    fn add_mobility(&mut self, scenario: &Scenario, mut next: impl Iterator<Item = ElementId>) {
        let mut next = || next.next().expect("the numbers are unlimited");
        for cell in 0..scenario.cells.len() {
            let (down, up, coverage) = (next(), next(), next());
            let visitors = &self.visitors[cell];
            let agent = participants::agent_spec(scenario, visitors).map(|_| next());
            let departed = participants::departed_buffer_size(scenario, cell, visitors).map(|_| next());
            self.cells.push(CellPlaces { down, up, coverage, agent, departed });
        }
        self.anchors = participants::anchor_nodes(scenario).into_iter().map(|node| (node, next())).collect();
        for mobile in &scenario.mobiles {
            let node = next();
            let notices = mobile.notice.as_ref().map(|_| next());
            let first_cell = mobile.cells.iter().copied().min().unwrap_or_default();
            self.mobiles.push(MobilePlaces { node, notices, first_cell });
        }
    }

    /// Where packets for the host of a node enter.
    fn host_entry(&self, node: usize) -> Option<(ElementId, Port)> {
        let correspondent = self.correspondents[node].map(|element| (element, Correspondent::NETWORK));
        correspondent.or(self.hosts[node].map(|host| (host, TO_HOST)))
    }
    /// The anchor on a node.
    fn anchor(&self, node: usize) -> Option<ElementId> {
        self.anchors.iter().find(|(at, _)| *at == node).map(|(_, element)| *element)
    }
}

/// The machines of a world, besides its links and routers.
#[derive(Debug)]
pub enum Part {
    /// A host with its connections.
    Host(Host),
    /// The endpoint of an external host.
    HostPort(HostPort),
    /// The endpoint of an external agent.
    AgentPort(AgentPort),
    /// Announces a link's handovers to a node.
    Notices(HandoverNotices),
    /// Tells senders of a failed link.
    FailureNotices(FailureNotices),
    /// The end of the air of a radio cell.
    Coverage(Coverage),
    /// The foreign agent at a base station.
    ForeignAgent(ForeignAgent),
    /// The IPv6 access router of a base station.
    AccessRouter(AccessRouter),
    /// The buffer of a base station for departed nodes.
    Departed(DepartedBuffer),
    /// A correspondent node, below its host.
    Correspondent(Correspondent),
    /// A home agent.
    HomeAgent(HomeAgent),
    /// An IPv6 home agent or mobility anchor point.
    MobilityAnchor(MobilityAnchor),
    /// An agent on the path.
    Agent(Box<dyn Agent>),
    /// A mobile node, below its host.
    MobileNode(Box<MobileNode>),
}

/// Do the same with the machine that a part is.
macro_rules! of_machine {
    ($part:expr, $machine:ident => $what:expr) => {
        match $part {
            Part::Host($machine) => $what,
            Part::HostPort($machine) => $what,
            Part::AgentPort($machine) => $what,
            Part::Notices($machine) => $what,
            Part::FailureNotices($machine) => $what,
            Part::Coverage($machine) => $what,
            Part::ForeignAgent($machine) => $what,
            Part::AccessRouter($machine) => $what,
            Part::Departed($machine) => $what,
            Part::Correspondent($machine) => $what,
            Part::HomeAgent($machine) => $what,
            Part::MobilityAnchor($machine) => $what,
            Part::Agent($machine) => $what,
            Part::MobileNode($machine) => $what,
        }
    };
}

impl Machine for Part {
    fn step(&mut self, now: Instant, input: Input, out: &mut Outbox) {
        of_machine!(self, machine => machine.step(now, input, out));
    }
    fn wake_at(&self) -> Option<Instant> {
        of_machine!(self, machine => machine.wake_at())
    }
}

/// The address of a node on the wire; 10.0.0.1 is the first node's.
pub fn node_id(node: usize) -> NodeId {
    NodeId(node as u32 + 1)
}

/// Where the hosts of a world run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ends {
    /// Inside the simulator, but for those that the scenario has outside ([`Scenario::hosts`]).
    Inside,
    /// Outside; host ports stand in their places.
    Outside,
    /// Those with the TCP of a kernel outside, all others inside.
    KernelsOutside,
}

/// Fill an empty world; the returned runner runs it. `scenario` and `places` are references, or shared.
pub fn build<S: Borrow<Scenario>, P: Borrow<Places>, O: Observer>(
    scenario: S,
    seed: u64,
    ends: Ends,
    world: &mut World<Part, O>,
    places: P,
) -> Runner<S, P> {
    let movements = fill(scenario.borrow(), seed, ends, world, places.borrow());
    Runner::new(scenario, places, &movements)
}

fn fill<O: Observer>(
    scenario: &Scenario,
    seed: u64,
    ends: Ends,
    world: &mut World<Part, O>,
    places: &Places,
) -> Vec<Movement> {
    add_nodes(scenario, seed, ends, world, places);
    agents::add(scenario, world, places);
    for index in 0..scenario.links.len() {
        add_link(scenario, index, seed, world, places);
    }
    let movements = cells::movements(scenario, seed);
    Builder { scenario, seed, movements: &movements, world, places }.add_all();
    add_routes(scenario, &Routes::of(scenario, &whereabouts_at_start(scenario)), world, places);
    movements
}

/// By node: its host with its connections, where flows start or end.
pub fn hosts(scenario: &Scenario, seed: u64) -> Vec<Option<Host>> {
    let mut hosts: Vec<Option<Host>> = (0..scenario.nodes.len()).map(|_| None).collect();
    for connection in connections(scenario) {
        add_connection(&scenario.flows[connection.flow], &connection, seed, &mut hosts);
    }
    hosts
}

fn add_nodes<O: Observer>(
    scenario: &Scenario,
    seed: u64,
    ends: Ends,
    world: &mut World<Part, O>,
    places: &Places,
) {
    for (node, host) in hosts(scenario, seed).into_iter().enumerate() {
        let router = world.add_router(Router::new());
        debug_assert_eq!(router, places.routers[node]);
        if places.hosts[node].is_some() {
            let is_outside = match ends {
                Ends::Inside => scenario.hosts.contains(&node),
                Ends::Outside => true,
                Ends::KernelsOutside => scenario.is_of_kernel(node),
            };
            let host = world.add(match host.filter(|_| !is_outside) {
                Some(host) => Part::Host(host),
                None => Part::HostPort(HostPort::default()),
            });
            debug_assert_eq!(Some(host), places.hosts[node]);
            let mut below = (router, TO_HOST);
            if let Some(place) = places.correspondents[node] {
                let element = world.add(Part::Correspondent(Correspondent::new(node_id(node))));
                debug_assert_eq!(element, place);
                world.connect(element, Correspondent::HOST, host, TO_HOST);
                world.connect(element, Correspondent::NETWORK, router, TO_HOST);
                below = (element, Correspondent::HOST);
            }
            world.connect(host, TO_HOST, below.0, below.1);
            if let Some((entry, port)) = places.host_entry(node) {
                world.connect(router, TO_HOST, entry, port);
            }
        }
    }
}

fn add_connection(flow: &FlowSpec, connection: &Connection, seed: u64, hosts: &mut [Option<Host>]) {
    let Connection { copy, ends: [from, to], sender_port, receiver_port, start, .. } = *connection;
    let sender = Address { node: node_id(from), port: sender_port };
    let receiver = Address { node: node_id(to), port: receiver_port };
    let mut stream = Stream::new(seed, &format!("flow/{}/{copy}/initial-sequence", flow.name));
    let mut sequence = || SequenceNumber((stream.bits() >> 32) as u32);
    let (sender_sequence, receiver_sequence) = (sequence(), sequence());
    let endpoint = |local, remote, initial_sequence| EndpointConfig {
        local,
        remote,
        parameters: flow.parameters.clone(),
        variant: flow.variant,
        handover: flow.handover,
        initial_sequence,
    };
    let established =
        |peer_initial_sequence| Opening::Established { peer: flow.parameters.clone(), peer_initial_sequence };
    let (active, passive) = match flow.handshake {
        true => (Opening::Active, Opening::Passive),
        false => (established(receiver_sequence), established(sender_sequence)),
    };
    let source = match flow.size {
        Some(bytes) => Application::transfer(start, bytes),
        None => Application::endless(start),
    };
    let source = Application { stop: flow.stop, ..source };
    let host = |node: usize, hosts: &mut [Option<Host>], config, opening, application| {
        hosts[node].get_or_insert_with(|| Host::new(node_id(node))).add(config, opening, application);
    };
    host(to, hosts, endpoint(receiver, sender, receiver_sequence), passive, Application::sink());
    host(from, hosts, endpoint(sender, receiver, sender_sequence), active, source);
}

fn add_link<O: Observer>(
    scenario: &Scenario,
    index: usize,
    seed: u64,
    world: &mut World<Part, O>,
    places: &Places,
) {
    let link = &scenario.links[index];
    let mut add = |side: Direction| {
        let config = link_config(scenario, link, side, seed);
        let handovers = config.scheduled.as_ref().map(|scheduled| scheduled.schedule.handovers.clone());
        (world.add_link(Link::new(config)), handovers)
    };
    let (down, handovers) = add(Direction::Down);
    let (up, _) = add(Direction::Up);
    debug_assert_eq!([down, up], places.links[index]);
    let [near, far] = [link.from, link.to].map(|node| places.routers[node]);
    let port = |side| places.ports.link(index, side);
    let ends = [(down, LINK), (near, TO_HOST)];
    let [downwards, upwards] = agents::insert(scenario, world, places, AgentPlace::Link(index), ends);
    world.connect(up, LINK, upwards.0, upwards.1);
    world.connect(down, LINK, far, TO_HOST);
    if let Some(notice) = &link.notice {
        let stream = Stream::new(seed, &format!("link/{}/notice", link.name));
        let handovers = handovers.clone().unwrap_or_default();
        let changes = handovers.as_slice().iter().map(LinkChange::from);
        let notices = HandoverNotices::new(changes, notice.config, stream);
        let element = world.add(Part::Notices(notices));
        debug_assert_eq!(Some(element), places.notices[index]);
        if let Some(host) = places.hosts[notice.to] {
            world.subscribe(element, host);
        }
    }
    let entries = [(link.from, near, Direction::Down, downwards), (link.to, far, Direction::Up, (up, LINK))];
    for (node, router, side, mut entry) in entries {
        if link.failure_notices {
            let notices = FailureNotices::new(node_id(node), handovers.clone().unwrap_or_default());
            let element = world.add(Part::FailureNotices(notices));
            world.connect(element, FailureNotices::NODE, router, TO_HOST);
            world.connect(element, FailureNotices::LINK, entry.0, entry.1);
            entry = (element, FailureNotices::NODE);
        }
        world.connect(router, port(side), entry.0, entry.1);
    }
}

fn link_config(scenario: &Scenario, link: &LinkSpec, side: Direction, seed: u64) -> LinkConfig {
    let (direction, name) = match side {
        Direction::Down => (&link.down, "down"),
        Direction::Up => (&link.up, "up"),
    };
    let stream = format!("link/{}/{name}", link.name);
    let mut config = link_config_of(direction, &stream, seed);
    let schedule = direction.schedule.as_ref().map(|spec| spec.build(seed, &link.name, scenario.duration));
    if schedule.is_some() || link.handovers.is_some() {
        let mut schedule = schedule.unwrap_or_default();
        if let Some(handovers) = &link.handovers {
            schedule.handovers = handovers.clone();
        }
        let loss_stream = Stream::new(seed, &format!("{stream}/scheduled-loss"));
        config.scheduled = Some(Scheduled { schedule, loss_stream });
    }
    config
}

/// The configuration of a direction without its schedule; its queue and error models draw from streams below `stream`.
fn link_config_of(direction: &DirectionSpec, stream: &str, seed: u64) -> LinkConfig {
    let mut config = LinkConfig::new(direction.rate, direction.one_way_delay);
    config.queue = direction.queue;
    config.repair = direction.repair;
    config.queue_stream = Stream::new(seed, &format!("{stream}/queue"));
    for loss in &direction.loss {
        let (stage, part) = match loss.place {
            Place::End => (&mut config.end_error, "loss"),
            Place::BeforeQueue => (&mut config.head_error, "loss-before-queue"),
        };
        *stage = Some(loss.build(seed, &format!("{stream}/{part}")));
    }
    config
}
