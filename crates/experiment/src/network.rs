//! The network of a plan as a picture shows it: what its grid cells have in common, and what the grid changes.

use seamline_report::picture::topology::{Flow, Medium, Node, Topology, Way};
use seamline_report::summary::distinct;
use seamline_scenario::plan::Plan;
use seamline_scenario::schema::{CellSpec, DirectionSpec, FlowSpec, Scenario};
use std::collections::{BTreeMap, BTreeSet};

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

/// The distinct values as lines of a label; `None` when they are too many.
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
    let roles = Roles::of(scenario);
    let node = |place: usize| Node {
        name: scenario.nodes[place].clone(),
        roles: roles.at(place),
        is_mobile: roles.mobiles.contains_key(&place),
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

/// What the nodes of a scenario are, and what stands at them.
struct Roles<'a> {
    senders: BTreeSet<usize>,
    receivers: BTreeSet<usize>,
    /// By node: the cells whose base station it is.
    cells: BTreeMap<usize, Vec<&'a CellSpec>>,
    home_agents: BTreeSet<usize>,
    mobility_anchor_points: BTreeSet<usize>,
    /// By node: the name of its mobility protocol.
    mobiles: BTreeMap<usize, &'static str>,
    /// By node: the names of the kinds of its agents.
    agents: BTreeMap<usize, Vec<&'static str>>,
}

impl<'a> Roles<'a> {
    fn of(scenario: &'a Scenario) -> Self {
        let pairs = || scenario.flows.iter().flat_map(|flow| flow.ends.pairs());
        let protocols = || scenario.mobiles.iter().filter_map(|mobile| mobile.protocol.as_ref());
        let mut roles = Roles {
            senders: pairs().map(|[from, _]| from).collect(),
            receivers: pairs().map(|[_, to]| to).collect(),
            cells: BTreeMap::new(),
            home_agents: protocols().filter_map(|protocol| protocol.home_agent).collect(),
            mobility_anchor_points: protocols()
                .filter_map(|protocol| protocol.mobility_anchor_point)
                .collect(),
            mobiles: BTreeMap::new(),
            agents: BTreeMap::new(),
        };
        for cell in &scenario.cells {
            roles.cells.entry(cell.base_station).or_default().push(cell);
        }
        for mobile in &scenario.mobiles {
            let protocol = mobile.protocol.as_ref().map_or("none", |protocol| protocol.scheme.name);
            roles.mobiles.entry(mobile.node).or_insert(protocol);
        }
        for agent in &scenario.agents {
            let kind = agent.kind.map_or("none", |kind| kind.name);
            roles.agents.entry(scenario.node_of(agent.at)).or_default().push(kind);
        }
        roles
    }

    /// Those of a node, a line each.
    fn at(&self, node: usize) -> Vec<String> {
        let mut lines = Vec::new();
        match [&self.senders, &self.receivers].map(|nodes| nodes.contains(&node)) {
            [true, false] => lines.push("sender".to_owned()),
            [false, true] => lines.push("receiver".to_owned()),
            [true, true] => lines.push("sender and receiver".to_owned()),
            [false, false] => {}
        }
        let cells = self.cells.get(&node).into_iter().flatten();
        // Nodes of a group are alike.
        lines.extend(
            cells.map(|cell| format!("base station of {}", cell.group.as_ref().unwrap_or(&cell.name))),
        );
        if self.home_agents.contains(&node) {
            lines.push("home agent".to_owned());
        }
        if self.mobility_anchor_points.contains(&node) {
            lines.push("mobility anchor point".to_owned());
        }
        lines.extend(self.mobiles.get(&node).map(|protocol| format!("mobility protocol: {protocol}")));
        lines.extend(self.agents.get(&node).into_iter().flatten().map(|kind| format!("agent: {kind}")));
        lines
    }
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
    let air = scenario.cells.iter().zip(scenario.visitors()).flat_map(|(cell, visitors)| {
        let mobiles = visitors.into_iter().map(|mobile| scenario.mobiles[mobile].node);
        let nodes = cell.fixed.iter().copied().chain(mobiles);
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
