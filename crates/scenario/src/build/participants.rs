//! Who takes part in the mobility protocols of a scenario besides the mobile nodes: base stations, anchors and
//! correspondents.

use super::{addresses, node_id};
use crate::schema::protocol::ProtocolSpec;
use crate::schema::{MobileSpec, Networks, Scenario};
use seamline_mobility::protocol::{BaseStation, Participation};
use seamline_mobility::{CellId, KeptAtMost};
use seamline_wire::NodeId;
use std::collections::{BTreeMap, BTreeSet};

/// The protocol of the foreign agent or access router at the base station of a radio cell with these visitors, if there is one, with its
/// advertisements.
pub(super) fn agent_spec<'a>(scenario: &'a Scenario, visitors: &[usize]) -> Option<&'a ProtocolSpec> {
    visitors.iter().find_map(|mobile| scenario.mobiles[*mobile].protocol.as_ref())
}

/// The buffer size of a radio cell's base station for departed nodes; `None` without a buffer. With fast handovers
/// there always is one, because it tunnels arriving packets.
pub(super) fn departed_buffer_size(
    scenario: &Scenario,
    cell: usize,
    visitors: &[usize],
) -> Option<KeptAtMost> {
    let gets_updates = nodes_with_fast_handovers(scenario, visitors).next().is_some();
    scenario.cells[cell].forward_departed.or(gets_updates.then_some(KeptAtMost::Packets(0)))
}

/// The visitors of a radio cell that notify its access router of their moves.
pub(super) fn nodes_with_fast_handovers<'a>(
    scenario: &'a Scenario,
    visitors: &'a [usize],
) -> impl Iterator<Item = (usize, &'a MobileSpec)> {
    let all = visitors.iter().map(|index| (*index, &scenario.mobiles[*index]));
    all.filter(|(_, mobile)| {
        mobile.protocol.as_ref().is_some_and(|spec| spec.scheme.traits.previous_router_forwards)
    })
}

/// The addresses on the link of a radio cell whose nodes notify its access router of their moves.
pub(super) fn addresses_with_fast_handovers(
    scenario: &Scenario,
    cell: usize,
    visitors: &[usize],
) -> Vec<NodeId> {
    let nodes = nodes_with_fast_handovers(scenario, visitors);
    nodes.map(|(index, _)| addresses::on_link(scenario, index, cell)).collect()
}

/// The addresses of the same nodes in their other radio cells, and the access routers there.
pub(super) fn neighboring_addresses(
    scenario: &Scenario,
    cell: usize,
    visitors: &[usize],
) -> Vec<(NodeId, NodeId)> {
    let others = |(index, mobile)| {
        let mobile: &MobileSpec = mobile;
        let cells = mobile.cells.iter().filter(move |other| **other != cell);
        cells.map(move |other| {
            let router = node_id(scenario.cells[*other].base_station);
            (addresses::on_link(scenario, index, *other), router)
        })
    };
    nodes_with_fast_handovers(scenario, visitors).flat_map(others).collect()
}

/// The other radio cells of the mobile nodes of a radio cell, and the agents of this kind there.
pub(super) fn neighbors(
    scenario: &Scenario,
    cell: usize,
    visitors: &[usize],
    kind: BaseStation,
) -> Vec<(CellId, NodeId)> {
    let speaks = |spec: &ProtocolSpec| spec.scheme.traits.base_station == kind;
    let all = visitors.iter().map(|mobile| &scenario.mobiles[*mobile]);
    let nodes = all.filter(|mobile| mobile.protocol.as_ref().is_some_and(speaks));
    let mut cells: Vec<usize> = nodes.flat_map(|mobile| mobile.cells.iter().copied()).collect();
    cells.sort_unstable();
    cells.dedup();
    let agent = |other: usize| (CellId(other as u32), node_id(scenario.cells[other].base_station));
    cells.into_iter().filter(|other| *other != cell).map(agent).collect()
}

/// By mobile node: the nodes whose hosts exchange packets with it, and that accept its care-of address: those that do not move.
pub(super) fn correspondents(scenario: &Scenario, networks: &Networks) -> Vec<BTreeSet<usize>> {
    let asks = |spec: &ProtocolSpec| spec.scheme.traits.correspondents != Participation::None;
    let mobiles = || scenario.mobiles.iter().enumerate();
    let asking = mobiles().filter(|(_, mobile)| mobile.protocol.as_ref().is_some_and(asks));
    let asking: BTreeMap<usize, usize> = asking.map(|(index, mobile)| (mobile.node, index)).collect();
    let mut correspondents = vec![BTreeSet::new(); scenario.mobiles.len()];
    if asking.is_empty() {
        return correspondents;
    }
    let moving = mobiles().flat_map(|(_, it)| networks.behind(it.node).into_iter().chain([it.node]));
    let moving: BTreeSet<usize> = moving.collect();
    for [from, to] in scenario.flows.iter().flat_map(|flow| flow.ends.pairs()) {
        for (own, other) in [(from, to), (to, from)] {
            if let Some(index) = asking.get(&own).filter(|_| !moving.contains(&other)) {
                correspondents[*index].insert(other);
            }
        }
    }
    correspondents
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
