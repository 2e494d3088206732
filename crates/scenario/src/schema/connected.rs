//! What only the whole scenario shows: whether ways lead from everywhere to wherever they must, and whether
//! cells and mobile nodes go together.

use super::protocol::ProtocolSpec;
use super::roles::Roles;
use super::{MobileSpec, Networks, Scenario};
use crate::codes::Code;
use crate::reader::Reader;
use crate::routes::{Everywhere, Routes};
use crate::units::Complaint;
use seamline_mobility::KeptAtMost;
use std::collections::BTreeMap;

/// Note whatever does not go together.
pub(super) fn check(reader: &mut Reader<'_>, scenario: &Scenario) {
    refuse_shared_base_stations(reader, scenario);
    let everywhere = Everywhere::of(scenario);
    let roles = Roles::of(scenario);
    let mut tables = reader.tables("mobile");
    let mut refused = None;
    for (place, mobile) in scenario.mobiles.iter().enumerate() {
        // The others of a group have the same faults.
        if refused == Some(mobile.table) {
            continue;
        }
        let table = &mut tables[mobile.table];
        let noted = table.context.noted();
        table.what = format!("mobile \"{}\"", scenario.nodes[mobile.node]);
        refuse_moved_twice(table, scenario, place, &roles);
        refuse_fixed_mobile(table, mobile, &roles);
        refuse_other_advertisements(table, scenario, place, &roles);
        refuse_shared_anchors(table, scenario, place, &roles);
        refuse_unreachable_anchors(table, scenario, mobile, &everywhere.at_start());
        refuse_network(table, scenario, mobile, everywhere.networks());
        refuse_forwarding_with_a_protocol(table, scenario, mobile);
        if table.context.noted() > noted {
            refused = Some(mobile.table);
        }
    }
    refuse_disconnected_flows(reader, scenario, &everywhere);
    super::ended::check(reader, scenario, &everywhere);
    super::stack::check(reader, scenario, &everywhere);
}

/// Two agents on one node would fight over its address.
fn refuse_shared_base_stations(reader: &mut Reader<'_>, scenario: &Scenario) {
    let mut tables = reader.tables("cell");
    let mut owners: BTreeMap<usize, &super::CellSpec> = BTreeMap::new();
    let mut refused = None;
    for cell in &scenario.cells {
        let other = *owners.entry(cell.base_station).or_insert(cell);
        if !std::ptr::eq(other, cell) && refused != Some(cell.table) {
            let table = &mut tables[cell.table];
            table.what = format!("cell \"{}\"", cell.group.as_ref().unwrap_or(&cell.name));
            let label = format!("that is the base station of cell \"{}\"", other.name);
            let tip = "give the cell a node of its own, and a link to it";
            table.refuse_value("base_station", Complaint::conflict(label).tip(tip));
            refused = Some(cell.table);
        }
    }
}

/// A node has one movement.
fn refuse_moved_twice(table: &mut Reader<'_>, scenario: &Scenario, place: usize, roles: &Roles<'_>) {
    let MobileSpec { node, table: own, .. } = scenario.mobiles[place];
    let is_group = |table| roles.mobiles_of_table.get(table).is_some_and(|count| *count > 1);
    let first = roles.first_mobile.get(&node).filter(|first| **first < place);
    // Two tables with one name have been noted already.
    if first.is_some_and(|first| is_group(&own) || is_group(&scenario.mobiles[*first].table)) {
        let label = format!("another `[[mobile]]` table also moves \"{}\"", scenario.nodes[node]);
        table.refuse_value("name", Complaint::new(label).code(Code::NameTaken));
    }
}

/// A mobile node is in cells by its movement only.
fn refuse_fixed_mobile(table: &mut Reader<'_>, mobile: &MobileSpec, roles: &Roles<'_>) {
    if let Some((role, cell)) = roles.in_cells.get(&mobile.node) {
        let complaint = Complaint::conflict(format!("this node is {role} cell \"{cell}\""));
        table.refuse_value("name", complaint);
    }
}

/// An agent serves all who come, at one rhythm and in one protocol: else its advertisements would have to differ.
fn refuse_other_advertisements(table: &mut Reader<'_>, scenario: &Scenario, place: usize, roles: &Roles<'_>) {
    let mobile = &scenario.mobiles[place];
    let Some(spec) = &mobile.protocol else { return };
    let asked = spec.at_base_stations();
    let others = mobile.cells.iter().filter_map(|cell| roles.asked_of_cell.get(cell)).flatten();
    let differing = others.filter(|(other, _)| *other != asked).map(|(_, first)| *first);
    if let Some(other) = differing.filter(|first| *first < place).min() {
        let other = &scenario.nodes[scenario.mobiles[other].node];
        let label = format!("\"{other}\" shares a cell and wants other advertisements");
        table.refuse_value("protocol", Complaint::conflict(label));
    }
}

/// A base station learns only from an idealised network, or from the node itself, where a departed node can be reached. One that keeps
/// nothing need not know.
fn refuse_forwarding_with_a_protocol(table: &mut Reader<'_>, scenario: &Scenario, mobile: &MobileSpec) {
    let sends_no_updates = |spec: &&ProtocolSpec| !spec.scheme.traits.previous_router_forwards;
    let Some(spec) = mobile.protocol.as_ref().filter(sends_no_updates) else { return };
    let keeps = |at_most: KeptAtMost| !matches!(at_most, KeptAtMost::Packets(0) | KeptAtMost::Bytes(0));
    let forwards = |cell: &&usize| scenario.cells[**cell].forward_departed.is_some_and(keeps);
    if let Some(cell) = mobile.cells.iter().find(forwards) {
        let (cell, protocol) = (&scenario.cells[*cell].name, spec.scheme.name);
        let label = format!("cell \"{cell}\" forwards to departed nodes, and {protocol} reports none to it");
        let tip = format!(
            "take `forward_departed` out of cell \"{cell}\", or use `fmipv6` or `fmipv6-predictive`, or no protocol (`none`)"
        );
        table.refuse_value("protocol", Complaint::conflict(label).tip(tip));
    }
}

/// A home agent of IPv4 and an anchor of IPv6 would fight over the address of their node.
fn refuse_shared_anchors(table: &mut Reader<'_>, scenario: &Scenario, place: usize, roles: &Roles<'_>) {
    let Some(spec) = &scenario.mobiles[place].protocol else { return };
    let own = spec.scheme.traits.base_station;
    let others = spec.anchors().flat_map(|node| roles.spoken_at(node).map(move |other| (node, other)));
    let differing = others.filter(|(_, (speaks, first))| *speaks != own && *first < place);
    if let Some((node, (_, other))) = differing.min_by_key(|(_, (_, first))| *first) {
        let (other, node) = (&scenario.nodes[scenario.mobiles[*other].node], &scenario.nodes[node]);
        let label = format!("the agent of \"{other}\" on \"{node}\" speaks another version of IP");
        table.refuse_value("protocol", Complaint::conflict(label));
    }
}

/// Anchors talk to each other, and to base stations.
fn refuse_unreachable_anchors(
    table: &mut Reader<'_>,
    scenario: &Scenario,
    mobile: &MobileSpec,
    routes: &Routes,
) {
    let Some(spec) = &mobile.protocol else { return };
    let what = |anchor| if spec.home_agent == Some(anchor) { "home agent" } else { "mobility anchor point" };
    let base_stations = mobile.cells.iter().map(|cell| scenario.cells[*cell].base_station);
    let others: Vec<usize> = base_stations.chain(spec.mobility_anchor_point).collect();
    let leads = |from, to| from == to || routes.next_hop(from, to).is_some();
    for anchor in spec.anchors() {
        if let Some(there) = others.iter().find(|it| !leads(**it, anchor) || !leads(anchor, **it)) {
            let (name, there) = (&scenario.nodes[anchor], &scenario.nodes[*there]);
            let label = format!("no links lead from the {} \"{name}\" to \"{there}\"", what(anchor));
            table.refuse_value("protocol", Complaint::new(label).code(Code::Disconnected));
            return;
        }
    }
}

/// Not every protocol carries hosts behind the mobile node.
fn refuse_network(table: &mut Reader<'_>, scenario: &Scenario, mobile: &MobileSpec, networks: &Networks) {
    let Some(spec) = &mobile.protocol else { return };
    if let (Some(host), false) = (networks.behind(mobile.node).first(), spec.scheme.traits.carries_networks) {
        let host = &scenario.nodes[*host];
        let label = format!("{} does not keep \"{host}\" behind it reachable", spec.scheme.name);
        let complaint = Complaint::conflict(label).tip("`nemo` does, for a whole network");
        table.refuse_value("protocol", complaint);
    }
}

/// From either end of a flow to the other, wherever a mobile node may be.
fn refuse_disconnected_flows(reader: &mut Reader<'_>, scenario: &Scenario, everywhere: &Everywhere<'_>) {
    for (mut table, flow) in reader.tables("flow").into_iter().zip(&scenario.flows) {
        for [from, to] in flow.ends.pairs().flat_map(|[from, to]| [[from, to], [to, from]]) {
            if everywhere.any([from, to], |routes| routes.next_hop(from, to).is_none()) {
                let (from, to) = (&scenario.nodes[from], &scenario.nodes[to]);
                let label = format!("no links lead from \"{from}\" to \"{to}\"");
                table.what = format!("flow \"{}\"", flow.name);
                let complaint = Complaint::new(label).code(Code::Disconnected);
                table.refuse_value("to", complaint);
                break;
            }
        }
    }
}
