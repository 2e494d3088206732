//! The network of a plan as a picture shows it: what its grid cells have in common, and what the grid changes.

use seamline_report::picture::topology::{Flow, Medium, Node, Topology, Way};
use seamline_scenario::plan::Plan;
use seamline_scenario::schema::{DirectionSpec, FlowSpec, Scenario};
use std::collections::BTreeSet;

/// More values than this are not listed.
const MOST_VALUES: usize = 3;

/// The network of a plan. Where grid cells have other nodes or ways than the first one, it is the network of the first.
pub fn network(plan: &Plan) -> Topology {
    let all: Vec<Topology> = plan.cells.iter().map(|cell| of(&cell.scenario)).collect();
    let Some(mut network) = all.first().cloned() else { return Topology::default() };
    let shape = |it: &Topology| {
        let names: Vec<String> = it.nodes.iter().map(|node| node.name.clone()).collect();
        let ways: Vec<([usize; 2], Medium)> = it.ways.iter().map(|way| (way.ends, way.medium)).collect();
        let roles: Vec<usize> = it.nodes.iter().map(|node| node.roles.len()).collect();
        (names, ways, roles, it.flows.iter().map(|flow| flow.ends).collect::<Vec<_>>())
    };
    let own = shape(&network);
    if all.iter().any(|other| shape(other) != own) {
        network.remark = "It is that of the first grid cell; others differ.".to_owned();
        return network;
    }
    for (place, node) in network.nodes.iter_mut().enumerate() {
        for (line, role) in node.roles.iter_mut().enumerate() {
            *role = either(all.iter().map(|it| it.nodes[place].roles[line].as_str()));
        }
    }
    for (place, way) in network.ways.iter_mut().enumerate() {
        let labels: BTreeSet<&Vec<String>> = all.iter().map(|it| &it.ways[place].label).collect();
        if labels.len() > 1 {
            let all_lines = all.iter().map(|it| it.ways[place].label.join("; "));
            way.label = listed(all_lines).unwrap_or_else(|| vec!["set by the grid".to_owned()]);
        }
    }
    for (place, flow) in network.flows.iter_mut().enumerate() {
        flow.name = either(all.iter().map(|it| it.flows[place].name.as_str()));
    }
    network
}

/// The values in the order in which they come, without duplicates.
fn distinct<T: PartialEq>(values: impl Iterator<Item = T>) -> Vec<T> {
    let mut known = Vec::new();
    for value in values {
        if !known.contains(&value) {
            known.push(value);
        }
    }
    known
}

/// The same as lines of a label; `None` when they are too many.
fn listed(values: impl Iterator<Item = String>) -> Option<Vec<String>> {
    let known = distinct(values);
    let last = known.len() - 1;
    let word = |(place, value): (usize, String)| if place < last { format!("{value}, or") } else { value };
    (known.len() <= MOST_VALUES).then(|| known.into_iter().enumerate().map(word).collect())
}

/// One text, or `x: a or b` where only what is behind the colon differs.
fn either<'a>(texts: impl Iterator<Item = &'a str>) -> String {
    let known = distinct(texts);
    let head = known[0].split_once(": ").map_or("", |(head, _)| head);
    let behind = |text: &&str| text.strip_prefix(head).unwrap_or(text).trim_start_matches(": ").to_owned();
    let tails: Vec<String> = known.iter().map(behind).collect();
    let tail = if tails.len() <= MOST_VALUES { tails.join(" or ") } else { "set by the grid".to_owned() };
    if head.is_empty() { tail } else { format!("{head}: {tail}") }
}

/// The network of one grid cell.
fn of(scenario: &Scenario) -> Topology {
    let ends: [BTreeSet<usize>; 2] = [0, 1]
        .map(|end| scenario.flows.iter().flat_map(|flow| flow.ends.pairs()).map(|pair| pair[end]).collect());
    let node = |place: usize| Node {
        name: scenario.nodes[place].clone(),
        roles: roles(scenario, &ends, place),
        is_mobile: scenario.mobiles.iter().any(|mobile| mobile.node == place),
    };
    let flows = scenario.flows.iter().flat_map(|flow| {
        let name = flow_name(flow);
        flow.ends.pairs().map(move |ends| Flow { name: name.clone(), ends })
    });
    Topology {
        nodes: (0..scenario.nodes.len()).map(node).collect(),
        ways: ways(scenario),
        flows: flows.collect(),
        remark: String::new(),
    }
}

fn flow_name(flow: &FlowSpec) -> String {
    let scheme = flow.handover.map(|scheme| format!(" with {}", scheme.name)).unwrap_or_default();
    let copies = if flow.count > 1 { format!(", {} connections", flow.count) } else { String::new() };
    format!("{}: {}{scheme}{copies}", flow.name, flow.variant_name)
}

/// What a node is, and what stands at it, a line each.
fn roles(scenario: &Scenario, ends: &[BTreeSet<usize>; 2], node: usize) -> Vec<String> {
    let mut roles = Vec::new();
    match ends.each_ref().map(|nodes| nodes.contains(&node)) {
        [true, false] => roles.push("sender".to_owned()),
        [false, true] => roles.push("receiver".to_owned()),
        [true, true] => roles.push("sender and receiver".to_owned()),
        [false, false] => {}
    }
    let cells = scenario.cells.iter().filter(|cell| cell.base_station == node);
    // Nodes of a group are alike.
    roles.extend(cells.map(|cell| format!("base station of {}", cell.group.as_ref().unwrap_or(&cell.name))));
    let protocols = || scenario.mobiles.iter().filter_map(|mobile| mobile.protocol.as_ref());
    if protocols().any(|protocol| protocol.home_agent == Some(node)) {
        roles.push("home agent".to_owned());
    }
    if protocols().any(|protocol| protocol.mobility_anchor_point == Some(node)) {
        roles.push("mobility anchor point".to_owned());
    }
    let mobile = scenario.mobiles.iter().find(|mobile| mobile.node == node);
    if let Some(mobile) = mobile {
        let protocol = mobile.protocol.as_ref().map_or("none", |protocol| protocol.scheme.name);
        roles.push(format!("mobility protocol: {protocol}"));
    }
    for agent in &scenario.agents {
        if scenario.node_of(agent.at) == node {
            roles.push(format!("agent: {}", agent.kind.map_or("none", |kind| kind.name)));
        }
    }
    roles
}

fn ways(scenario: &Scenario) -> Vec<Way> {
    let links = scenario.links.iter().map(|link| {
        let name = |node: usize| {
            let name = scenario.nodes[node].as_str();
            let numbered = |(_, number): &(&str, &str)| number.parse::<usize>().is_ok();
            let group = name.rsplit_once('-').filter(numbered).filter(|_| link.group.is_some());
            group.map_or(name, |(group, _)| group)
        };
        let mut label = label(&link.down, &link.up, [name(link.from), name(link.to)]);
        label.extend(link.handovers.as_ref().map(|_| "with handovers".to_owned()));
        Way { ends: [link.from, link.to], medium: Medium::Link, label }
    });
    let air = scenario.cells.iter().enumerate().flat_map(|(index, cell)| {
        let mobiles = scenario.mobiles.iter().filter(move |mobile| mobile.cells.contains(&index));
        let nodes = cell.fixed.iter().copied().chain(mobiles.map(|mobile| mobile.node));
        nodes.map(move |node| Way {
            ends: [cell.base_station, node],
            medium: Medium::Air,
            label: label(&cell.down, &cell.up, ["base station", "nodes"]),
        })
    });
    links.chain(air).collect()
}

fn label(down: &DirectionSpec, up: &DirectionSpec, [from, to]: [&str; 2]) -> Vec<String> {
    let (down, up) = (direction(down), direction(up));
    if down == up { vec![down] } else { vec![format!("to {to}: {down}"), format!("to {from}: {up}")] }
}

/// The rate and the one-way delay of a direction.
fn direction(it: &DirectionSpec) -> String {
    match it.schedule {
        Some(_) => "varies over time".to_owned(),
        None => format!("{}, {}", it.rate, milliseconds(it.one_way_delay.as_millis_f64())),
    }
}

/// `0.5 ms`, `50 ms`.
fn milliseconds(millis: f64) -> String {
    format!("{} ms", seamline_report::picture::svg::px(millis))
}
