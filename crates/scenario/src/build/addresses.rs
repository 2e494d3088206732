//! Address numbers: each node has one, and mobile nodes have more.

use super::node_id;
use crate::schema::{Networks, Scenario};
use seamline_mobility::protocol::BaseStation;
use seamline_wire::NodeId;

/// The address of a mobile node, by its index, while it is in a radio cell; it remains valid under a protocol with
/// access routers. The numbers follow those of all nodes.
pub fn on_link(scenario: &Scenario, mobile: usize, cell: usize) -> NodeId {
    node_id(scenario.nodes.len() + mobile * scenario.cells.len() + cell)
}

/// The regional care-of address of a mobile node. Without a home agent it is the address that correspondents use.
pub fn regional(scenario: &Scenario, mobile: usize) -> NodeId {
    let spec = &scenario.mobiles[mobile];
    let has_home_agent = spec.protocol.as_ref().is_some_and(|protocol| protocol.home_agent.is_some());
    match has_home_agent {
        true => on_link(scenario, scenario.mobiles.len(), mobile),
        false => node_id(spec.node),
    }
}

/// The address that anchors bind a mobile node to while it is in a radio cell: the foreign agent's, or its own.
pub fn care_of(scenario: &Scenario, mobile: usize, cell: usize) -> NodeId {
    let protocol = scenario.mobiles[mobile].protocol.as_ref();
    match protocol.map(|protocol| protocol.scheme.traits.base_station) {
        Some(BaseStation::AccessRouter) => on_link(scenario, mobile, cell),
        Some(BaseStation::ForeignAgent) | None => node_id(scenario.cells[cell].base_station),
    }
}

/// The end of tunnels to a mobile node while it is in a radio cell; `None` at home.
pub fn away(scenario: &Scenario, mobile: usize, cell: usize) -> Option<NodeId> {
    let home_agent = scenario.mobiles[mobile].protocol.as_ref().and_then(|protocol| protocol.home_agent);
    let is_at_home = home_agent == Some(scenario.cells[cell].base_station);
    (!is_at_home).then(|| care_of(scenario, mobile, cell))
}

/// The addresses reachable over the air of a radio cell: those of a mobile node and of nodes behind it.
pub fn in_cell(scenario: &Scenario, networks: &Networks, mobile: usize, cell: usize) -> Vec<NodeId> {
    let spec = &scenario.mobiles[mobile];
    let behind = networks.behind(spec.node).into_iter().map(node_id);
    let base_station = spec.protocol.as_ref().map(|protocol| protocol.scheme.traits.base_station);
    let own = (base_station == Some(BaseStation::AccessRouter)).then(|| on_link(scenario, mobile, cell));
    behind.chain([node_id(spec.node)]).chain(own).collect()
}

/// All addresses of a mobile node and of nodes behind it.
pub fn own(scenario: &Scenario, networks: &Networks, mobile: usize) -> Vec<NodeId> {
    let spec = &scenario.mobiles[mobile];
    let behind = networks.behind(spec.node).into_iter().map(node_id);
    let on_link = spec.cells.iter().map(|cell| on_link(scenario, mobile, *cell));
    behind.chain(on_link).chain([node_id(spec.node), regional(scenario, mobile)]).collect()
}

/// The anchors of a mobile node: their node, the address that each serves, and its binding in the initial radio cell
/// (`None` at home).
pub fn bindings(scenario: &Scenario, mobile: usize) -> Vec<(usize, NodeId, Option<NodeId>)> {
    let spec = &scenario.mobiles[mobile];
    let Some(protocol) = &spec.protocol else { return Vec::new() };
    let cell = spec.cells[0];
    let care_of = care_of(scenario, mobile, cell);
    let regional = regional(scenario, mobile);
    let at_home = protocol.home_agent == Some(scenario.cells[cell].base_station);
    let of_home_agent = match protocol.mobility_anchor_point {
        Some(_) => Some(regional),
        None => Some(care_of).filter(|_| !at_home),
    };
    let home = protocol.home_agent.map(|agent| (agent, node_id(spec.node), of_home_agent));
    let local = protocol.mobility_anchor_point.map(|anchor| (anchor, regional, Some(care_of)));
    home.into_iter().chain(local).collect()
}
