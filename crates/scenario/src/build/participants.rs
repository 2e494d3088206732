//! Who takes part in the mobility protocols of a scenario besides the mobile nodes: base stations, anchors and
//! correspondents.

use super::{addresses, node_id};
use crate::schema::protocol::ProtocolSpec;
use crate::schema::{MobileSpec, Scenario};
use seamline_mobility::protocol::{BaseStation, Participation};
use seamline_mobility::{CellId, KeptAtMost};
use seamline_wire::NodeId;
use std::collections::BTreeSet;

/// The protocol of the foreign agent or access router at a radio cell's base station, if there is one, with its
/// advertisements.
pub(super) fn agent_spec(scenario: &Scenario, cell: usize) -> Option<&ProtocolSpec> {
    scenario
        .mobiles
        .iter()
        .filter(|mobile| mobile.cells.contains(&cell))
        .find_map(|mobile| mobile.protocol.as_ref())
}

/// The buffer size of a radio cell's base station for departed nodes; `None` without a buffer. With fast handovers
/// there always is one, because it tunnels arriving packets.
pub(super) fn departed_buffer_size(scenario: &Scenario, cell: usize) -> Option<KeptAtMost> {
    let gets_updates = !addresses_with_fast_handovers(scenario, cell).is_empty();
    scenario.cells[cell].forward_departed.or(gets_updates.then_some(KeptAtMost::Packets(0)))
}

/// The mobile nodes of a radio cell that notify its access router of their moves.
pub(super) fn nodes_with_fast_handovers(
    scenario: &Scenario,
    cell: usize,
) -> impl Iterator<Item = (usize, &MobileSpec)> + '_ {
    let sends_updates = move |mobile: &MobileSpec| {
        let protocol = mobile.protocol.as_ref().filter(|_| mobile.cells.contains(&cell));
        protocol.is_some_and(|spec| spec.scheme.traits.previous_router_forwards)
    };
    scenario.mobiles.iter().enumerate().filter(move |(_, mobile)| sends_updates(mobile))
}

/// The addresses on the link of a radio cell whose nodes notify its access router of their moves.
pub(super) fn addresses_with_fast_handovers(scenario: &Scenario, cell: usize) -> Vec<NodeId> {
    let nodes = nodes_with_fast_handovers(scenario, cell);
    nodes.map(|(index, _)| addresses::on_link(scenario, index, cell)).collect()
}

/// The addresses of the same nodes in their other radio cells, and the access routers there.
pub(super) fn neighboring_addresses(scenario: &Scenario, cell: usize) -> Vec<(NodeId, NodeId)> {
    let others = |(index, mobile)| {
        let mobile: &MobileSpec = mobile;
        let cells = mobile.cells.iter().filter(move |other| **other != cell);
        cells.map(move |other| {
            let router = node_id(scenario.cells[*other].base_station);
            (addresses::on_link(scenario, index, *other), router)
        })
    };
    nodes_with_fast_handovers(scenario, cell).flat_map(others).collect()
}

/// The other radio cells of the mobile nodes of a radio cell, and the agents of this kind there.
pub(super) fn neighbors(scenario: &Scenario, cell: usize, kind: BaseStation) -> Vec<(CellId, NodeId)> {
    let asks = |mobile: &&MobileSpec| {
        let speaks = |spec: &ProtocolSpec| spec.scheme.traits.base_station == kind;
        mobile.cells.contains(&cell) && mobile.protocol.as_ref().is_some_and(speaks)
    };
    let nodes = scenario.mobiles.iter().filter(asks);
    let mut cells: Vec<usize> = nodes.flat_map(|mobile| mobile.cells.iter().copied()).collect();
    cells.sort_unstable();
    cells.dedup();
    let agent = |other: usize| (CellId(other as u32), node_id(scenario.cells[other].base_station));
    cells.into_iter().filter(|other| *other != cell).map(agent).collect()
}

/// The nodes whose hosts exchange packets with a mobile node, and that accept its care-of address: those that do not move.
pub(super) fn correspondents(scenario: &Scenario, mobile: &MobileSpec) -> Vec<usize> {
    let asks = |spec: &ProtocolSpec| spec.scheme.traits.correspondents != Participation::None;
    if !mobile.protocol.as_ref().is_some_and(asks) {
        return Vec::new();
    }
    let moves = |node: &usize| {
        scenario.mobiles.iter().any(|it| it.node == *node || scenario.behind(it.node).contains(node))
    };
    let pairs = scenario.flows.iter().flat_map(|flow| flow.ends.pairs());
    let others = pairs.filter_map(|[from, to]| match mobile.node {
        node if node == from => Some(to),
        node if node == to => Some(from),
        _ => None,
    });
    let mut all: Vec<usize> = others.collect();
    all.sort_unstable();
    all.dedup();
    all.retain(|node| !moves(node));
    all
}

/// The nodes that accept the care-of addresses of mobile nodes.
pub(super) fn all_correspondents(scenario: &Scenario) -> BTreeSet<usize> {
    scenario.mobiles.iter().flat_map(|mobile| correspondents(scenario, mobile)).collect()
}

/// The nodes with home agents and mobility anchor points, in the order of the file.
pub(super) fn anchor_nodes(scenario: &Scenario) -> Vec<usize> {
    let mut nodes = Vec::new();
    for spec in scenario.mobiles.iter().filter_map(|mobile| mobile.protocol.as_ref()) {
        for anchor in spec.anchors() {
            if !nodes.contains(&anchor) {
                nodes.push(anchor);
            }
        }
    }
    nodes
}
