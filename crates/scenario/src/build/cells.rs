//! Radio cells, mobility agents and mobile nodes of a world.
//!
//! A radio cell is a link for each direction with a [`Coverage`] at the end of both. A foreign agent is placed
//! between the router of a base station and the air, an anchor next to its router, a mobile node between its router
//! and the radio cells, and the buffer for departed nodes before the air.

use super::participants::{
    addresses_with_fast_handovers, agent_spec, departed_buffer_size, neighboring_addresses, neighbors,
};
use super::ports::Ports;
use super::{LINK, Part, Places, TO_HOST, addresses, agents, link_config_of, node_id};
use crate::routes::Way;
use crate::schema::protocol::ProtocolSpec;
use crate::schema::{AgentPlace, MobileSpec, Scenario};
use seamline_mobility::protocol::{BaseStation, Setup};
use seamline_mobility::{
    AccessRouter, AccessRouterConfig, AgentPorts, AnchorPorts, CellId, Coverage, CoverageConfig,
    DepartedBuffer, ForeignAgent, ForeignAgentConfig, HomeAgent, HomeAgentConfig, MobileNode,
    MobileNodeConfig, MobilityAnchor, Movement,
};
use seamline_net::Link;
use seamline_net::notices::{HandoverNotices, LinkChange};
use seamline_recordings::measured::Direction;
use seamline_sim::{ElementId, Observer, World};
use seamline_wire::random::Stream;
use seamline_wire::{Instant, NodeId, Port};

/// The elements of a radio cell.
#[derive(Debug)]
pub struct CellPlaces {
    /// The air towards mobile nodes.
    pub down: ElementId,
    /// The air from mobile nodes.
    pub up: ElementId,
    /// The end of both directions of the air.
    pub coverage: ElementId,
    /// The foreign agent or access router at its base station.
    pub agent: Option<ElementId>,
    /// The buffer of its base station for departed nodes.
    pub departed: Option<ElementId>,
}

/// The elements of a mobile node, besides its router and its host.
#[derive(Debug)]
pub struct MobilePlaces {
    /// The mobile node.
    pub node: ElementId,
    /// The announcer of its handovers.
    pub notices: Option<ElementId>,
    /// The radio cell with the lowest index that it may come to.
    pub(super) first_cell: usize,
}

/// The longest registration that mobility agents accept: unlimited.
const LONGEST_REGISTRATION_S: u16 = u16::MAX;

/// The movements of all mobile nodes with one seed.
pub(super) fn movements(scenario: &Scenario, seed: u64) -> Vec<Movement> {
    let build = |mobile: &MobileSpec| {
        let movement = mobile.movement.build(&mobile.cells, seed, &scenario.nodes[mobile.node]);
        movement.expect("an order of other cells at a fixed interval is in order under every seed")
    };
    scenario.mobiles.iter().map(build).collect()
}

/// The additional addresses of mobile nodes, each with the node of its network and the hop that leaves that node.
pub(super) fn further_addresses(scenario: &Scenario) -> Vec<(NodeId, usize, Way)> {
    let mut all = Vec::new();
    for (index, mobile) in scenario.mobiles.iter().enumerate() {
        let Some(spec) = &mobile.protocol else { continue };
        if spec.scheme.traits.base_station == BaseStation::AccessRouter {
            all.extend(mobile.cells.iter().map(|cell| {
                let base_station = scenario.cells[*cell].base_station;
                (addresses::on_link(scenario, index, *cell), base_station, Way::Cell(*cell, Direction::Down))
            }));
        }
        if let (Some(anchor), Some(_)) = (spec.mobility_anchor_point, spec.home_agent) {
            all.push((addresses::regional(scenario, index), anchor, Way::Anchor(index)));
        }
    }
    all
}

/// Adds mobile nodes, radio cells and anchors.
pub(super) struct Builder<'a, O> {
    pub(super) scenario: &'a Scenario,
    pub(super) seed: u64,
    pub(super) movements: &'a [Movement],
    pub(super) world: &'a mut World<Part, O>,
    pub(super) places: &'a Places,
}

impl<O: Observer> Builder<'_, O> {
    pub(super) fn add_all(&mut self) {
        for cell in 0..self.scenario.cells.len() {
            self.add_cell(cell);
        }
        for (node, element) in &self.places.anchors {
            self.add_anchor(*node, *element);
        }
        for mobile in 0..self.scenario.mobiles.len() {
            self.add_mobile(mobile);
        }
        for cell in 0..self.scenario.cells.len() {
            self.connect_cell(cell);
        }
    }

    fn add_cell(&mut self, index: usize) {
        let scenario = self.scenario;
        let (cell, places) = (&scenario.cells[index], &self.places.cells[index]);
        let stream = |side: &str| format!("cell/{}/{side}", cell.name);
        let down = link_config_of(&cell.down, &stream("down"), self.seed);
        let up = link_config_of(&cell.up, &stream("up"), self.seed);
        let (down, up) = (self.world.add_link(Link::new(down)), self.world.add_link(Link::new(up)));
        let coverage = Coverage::new(CoverageConfig {
            cell: CellId(index as u32),
            uplink_one_way_delay: cell.up.one_way_delay,
            in_flight_upwards: cell.in_flight_upwards,
        });
        let coverage = match cell.edge_loss {
            None => coverage,
            Some(loss) => coverage.with_edge_loss(
                loss,
                ["down", "up"].map(|side| Stream::new(self.seed, &format!("{}/edge-loss", stream(side)))),
            ),
        };
        let coverage = self.world.add(Part::Coverage(coverage));
        debug_assert_eq!((down, up, coverage), (places.down, places.up, places.coverage));
        let visitors = &self.places.visitors[index];
        if let Some(spec) = agent_spec(scenario, visitors) {
            let agent = match spec.scheme.traits.base_station {
                BaseStation::ForeignAgent => Part::ForeignAgent(self.foreign_agent(index, spec)),
                BaseStation::AccessRouter => Part::AccessRouter(self.access_router(index, spec)),
            };
            let agent = self.world.add(agent);
            debug_assert_eq!(Some(agent), places.agent);
        }
        if let Some(at_most) = departed_buffer_size(scenario, index, visitors) {
            let left = addresses_with_fast_handovers(scenario, index, visitors);
            let neighbors = neighboring_addresses(scenario, index, visitors);
            let departed = DepartedBuffer::new(at_most);
            let departed = departed.with_fast_handovers(node_id(cell.base_station), &left, &neighbors);
            let departed = self.world.add(Part::Departed(departed));
            debug_assert_eq!(Some(departed), places.departed);
        }
    }

    fn foreign_agent(&self, index: usize, spec: &ProtocolSpec) -> ForeignAgent {
        let cell = &self.scenario.cells[index];
        let config = ForeignAgentConfig {
            node: node_id(cell.base_station),
            advertisements: spec.advertisements,
            longest_registration_s: LONGEST_REGISTRATION_S,
            is_home_agent_too: self.places.anchor(cell.base_station).is_some(),
        };
        let stream = Stream::new(self.seed, &format!("cell/{}/advertisement", cell.name));
        let visitors = &self.places.visitors[index];
        let neighbors = neighbors(self.scenario, index, visitors, BaseStation::ForeignAgent);
        let mut agent = ForeignAgent::new(config, stream).with_neighbors(neighbors);
        let visiting = visitors.iter().map(|mobile| &self.scenario.mobiles[*mobile]);
        for mobile in visiting.filter(|mobile| mobile.cells[0] == index) {
            let spec = mobile.protocol.as_ref().filter(|spec| spec.registered_at_start);
            if let Some(spec) = spec.filter(|spec| spec.home_agent != Some(cell.base_station)) {
                agent = agent.with_visitor(node_id(mobile.node), spec.registration_lifetime_s);
            }
        }
        agent
    }

    fn access_router(&self, index: usize, spec: &ProtocolSpec) -> AccessRouter {
        let cell = &self.scenario.cells[index];
        let config = AccessRouterConfig {
            node: node_id(cell.base_station),
            advertisements: spec.advertisements,
            mobility_anchor_point: spec.mobility_anchor_point.map(node_id),
        };
        let stream = Stream::new(self.seed, &format!("cell/{}/advertisement", cell.name));
        AccessRouter::new(config, stream).with_neighbors(neighbors(
            self.scenario,
            index,
            &self.places.visitors[index],
            BaseStation::AccessRouter,
        ))
    }

    fn add_anchor(&mut self, node: usize, element: ElementId) {
        let scenario = self.scenario;
        let uses = |(_, mobile): &(usize, &MobileSpec)| {
            mobile.protocol.as_ref().is_some_and(|spec| spec.anchors().any(|anchor| anchor == node))
        };
        let all: Vec<(usize, &MobileSpec)> = scenario.mobiles.iter().enumerate().filter(uses).collect();
        let speaks = all[0].1.protocol.as_ref().map(|spec| spec.scheme.traits.base_station);
        let part = match speaks {
            Some(BaseStation::AccessRouter) => Part::MobilityAnchor(self.mobility_anchor(node, &all)),
            Some(BaseStation::ForeignAgent) | None => Part::HomeAgent(self.home_agent(node, &all)),
        };
        let added = self.world.add(part);
        debug_assert_eq!(added, element);
        let router = self.places.routers[node];
        self.world.connect(router, Ports::ANCHOR, element, AnchorPorts::NETWORK);
        self.world.connect(element, AnchorPorts::NETWORK, router, TO_HOST);
        self.world.connect(router, TO_HOST, element, AnchorPorts::LOCAL);
        if let Some((entry, port)) = self.places.host_entry(node) {
            self.world.connect(element, AnchorPorts::NODE, entry, port);
        }
    }

    fn home_agent(&self, node: usize, mobiles: &[(usize, &MobileSpec)]) -> HomeAgent {
        let config = HomeAgentConfig { node: node_id(node), longest_registration_s: LONGEST_REGISTRATION_S };
        let mut agent = HomeAgent::new(config);
        for (index, mobile) in mobiles {
            let Some(spec) = &mobile.protocol else { continue };
            for (_, address, bound_to) in addresses::bindings(self.scenario, *index) {
                agent.add_home(address);
                if let (Some(care_of_address), true) = (bound_to, spec.registered_at_start) {
                    agent.bind(address, care_of_address, spec.registration_lifetime_s);
                }
            }
        }
        agent
    }

    fn mobility_anchor(&self, node: usize, mobiles: &[(usize, &MobileSpec)]) -> MobilityAnchor {
        let mut anchor = MobilityAnchor::new(node_id(node));
        for (index, mobile) in mobiles {
            let Some(spec) = &mobile.protocol else { continue };
            for (at, address, bound_to) in addresses::bindings(self.scenario, *index) {
                let is_home = spec.home_agent == Some(at) && address == node_id(mobile.node);
                match (at == node, is_home) {
                    (false, _) => continue,
                    (true, true) => anchor.add_home(address),
                    (true, false) => anchor.add_regional(address),
                }
                if let (Some(care_of_address), true) = (bound_to, spec.registered_at_start) {
                    anchor.bind(address, care_of_address, spec.registration_lifetime_s);
                }
            }
            for host in self.places.networks.behind(mobile.node) {
                anchor.add_to_network(node_id(mobile.node), node_id(host));
            }
        }
        anchor
    }

    fn setup(&self, index: usize, mobile: &MobileSpec, spec: &ProtocolSpec) -> Setup {
        let base_station = |cell: usize| node_id(self.scenario.cells[cell].base_station);
        let on_link = |cell: &usize| (base_station(*cell), addresses::on_link(self.scenario, index, *cell));
        let regional = |anchor| (node_id(anchor), addresses::regional(self.scenario, index));
        Setup {
            home_address: node_id(mobile.node),
            home_agent: spec.home_agent.map(node_id),
            movement_detection: spec.movement_detection,
            registration_lifetime_s: spec.registration_lifetime_s,
            registration_retransmission: spec.registration_retransmission,
            layer_2_triggers: spec.layer_2_triggers,
            registered_with: spec.registered_at_start.then(|| base_station(mobile.cells[0])),
            on_link_addresses: mobile.cells.iter().map(on_link).collect(),
            regional_address: spec.mobility_anchor_point.map(regional),
            simultaneous_bindings: spec.simultaneous_bindings,
            correspondents: self.places.correspondents_of[index].iter().copied().map(node_id).collect(),
        }
    }

    fn add_mobile(&mut self, index: usize) {
        let scenario = self.scenario;
        let (mobile, places) = (&scenario.mobiles[index], &self.places.mobiles[index]);
        let protocol = mobile.protocol.as_ref();
        let protocol = protocol.map(|spec| (spec.scheme.build)(&self.setup(index, mobile, spec)));
        let movement = self.movements[index].clone();
        let config = MobileNodeConfig { movement, first_cell: CellId(places.first_cell as u32), protocol };
        let node = MobileNode::new(config);
        let keeps_both = |spec: &ProtocolSpec| !spec.simultaneous_bindings.is_zero();
        let node = match mobile.protocol.as_ref().is_some_and(keeps_both) {
            true => node.with_simultaneous_bindings(),
            false => node,
        };
        let node = self.world.add(Part::MobileNode(Box::new(node)));
        debug_assert_eq!(node, places.node);
        let router = self.places.routers[mobile.node];
        self.world.connect(router, Ports::RADIO, node, MobileNode::HOST);
        self.world.connect(node, MobileNode::HOST, router, TO_HOST);
        if let Some(host) = self.places.hosts[mobile.node] {
            self.world.subscribe(node, host);
        }
        if let Some(notice) = &mobile.notice {
            let stream = Stream::new(self.seed, &format!("mobile/{}/notice", scenario.nodes[mobile.node]));
            let changes = link_changes(scenario, &self.movements[index]);
            let notices = HandoverNotices::new(changes, notice.config, stream);
            let notices = self.world.add(Part::Notices(notices));
            debug_assert_eq!(Some(notices), places.notices);
            self.world.subscribe(notices, node);
        }
    }

    /// Connect a radio cell with its base station and its nodes.
    fn connect_cell(&mut self, index: usize) {
        let scenario = self.scenario;
        let cell = &scenario.cells[index];
        let CellPlaces { down, up, coverage, agent, departed } = self.places.cells[index];
        let router = self.places.routers[cell.base_station];
        let below = departed.map_or((down, LINK), |departed| (departed, DepartedBuffer::AIR));
        let above = agent.map_or((router, TO_HOST), |agent| (agent, AgentPorts::AIR));
        let at = AgentPlace::Cell(index);
        let ends = [below, above];
        let [downwards, upwards] = agents::insert(scenario, self.world, self.places, at, ends);
        let port = self.places.ports.cell(index);
        self.world.connect(router, port, downwards.0, downwards.1);
        self.world.connect(coverage, Coverage::BASE_STATION, upwards.0, upwards.1);
        if let Some(departed) = departed {
            self.world.connect(departed, DepartedBuffer::AIR, down, LINK);
            self.world.connect(departed, DepartedBuffer::NETWORK, router, TO_HOST);
        }
        self.world.connect(down, LINK, coverage, Coverage::DOWN);
        self.world.connect(up, LINK, coverage, Coverage::UP);
        if let Some(agent) = agent {
            self.world.connect(agent, AgentPorts::AIR, downwards.0, downwards.1);
            self.connect_agent(cell.base_station, agent, departed);
        }
        if let Some(anchor) = self.places.anchor(cell.base_station) {
            self.world.connect(anchor, AnchorPorts::HOME, downwards.0, downwards.1);
        }
        for node in &cell.fixed {
            let router = self.places.routers[*node];
            let port = self.coverage(index).add_fixed();
            self.add_coverage_route(index, node_id(*node), port);
            self.world.connect(coverage, port, router, TO_HOST);
            self.world.connect(router, self.places.ports.fixed(index, *node), up, LINK);
        }
        for n in &self.places.visitors[index] {
            let movement = self.movements[*n].clone();
            let port = self.coverage(index).add_mobile(movement);
            for address in addresses::in_cell(scenario, &self.places.networks, *n, index) {
                self.add_coverage_route(index, address, port);
            }
            let MobilePlaces { node, first_cell, .. } = self.places.mobiles[*n];
            let radio = MobileNode::cell_port(CellId((index - first_cell) as u32));
            self.world.connect(coverage, port, node, radio);
            self.world.connect(node, radio, up, LINK);
        }
    }

    fn connect_agent(&mut self, node: usize, agent: ElementId, departed: Option<ElementId>) {
        let router = self.places.routers[node];
        self.world.connect(agent, AgentPorts::NETWORK, router, TO_HOST);
        self.world.connect(router, TO_HOST, agent, AgentPorts::NETWORK);
        if let Some(departed) = departed {
            self.world.connect(agent, AgentPorts::DEPARTED, departed, DepartedBuffer::UPDATES);
        }
        if let Some(anchor) = self.places.anchor(node) {
            self.world.connect(agent, AgentPorts::NODE, anchor, AnchorPorts::LOCAL);
        } else if let Some((entry, port)) = self.places.host_entry(node) {
            self.world.connect(agent, AgentPorts::NODE, entry, port);
        }
    }

    fn coverage(&mut self, cell: usize) -> &mut Coverage {
        match self.world.machine_mut(self.places.cells[cell].coverage) {
            Some(Part::Coverage(coverage)) => coverage,
            other => unreachable!("a cell has a coverage, not {other:?}"),
        }
    }

    fn add_coverage_route(&mut self, cell: usize, node: NodeId, port: Port) {
        self.coverage(cell).set_route(node, port);
    }
}

/// The moves of a node as its link layer sees them.
fn link_changes<'a>(scenario: &'a Scenario, movement: &'a Movement) -> impl Iterator<Item = LinkChange> + 'a {
    let stays = movement.stays();
    stays.iter().enumerate().filter(|(_, left)| left.until < Instant::MAX).map(move |(index, left)| {
        let nowhere =
            LinkChange { down: left.link_until, up: Instant::MAX, rate: None, round_trip_time: None };
        stays.get(index + 1).map_or(nowhere, |next| {
            let cell = &scenario.cells[next.cell.0 as usize];
            let round_trip_time = cell.known_round_trip_time;
            LinkChange { up: next.from, rate: Some(cell.down.rate), round_trip_time, ..nowhere }
        })
    })
}

#[cfg(test)]
mod tests;
