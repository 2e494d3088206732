//! Which connections meet which handovers: those of the links on their way, and of the mobile nodes at their ends.

use seamline_mobility::protocol::{BaseStation, Participation};
use seamline_scenario::routes::{Everywhere, Way};
use seamline_scenario::schema::{DirectionSpec, FlowSpec, LinkSpec, Networks, Scenario};
use std::collections::{BTreeMap, BTreeSet};

/// Connections of a flow that meet the same handovers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Passing {
    /// The index of the flow.
    pub(crate) flow: usize,
    /// The index of the part of its connections.
    pub(crate) part: usize,
}

/// The connections of a flow, in parts that meet the same handovers.
#[derive(Debug, Default)]
pub(super) struct Parts {
    /// By pair of nodes: the part of its connections.
    pub(super) of_pair: Vec<usize>,
    /// By part: the links, and the mobile nodes behind all links, whose handovers it meets.
    sources: Vec<BTreeSet<usize>>,
}

impl Parts {
    /// How many there are; none where nothing has handovers.
    pub(super) fn count(&self) -> usize {
        if self.sources.iter().all(BTreeSet::is_empty) { 0 } else { self.sources.len() }
    }
}

/// What handovers are recorded under: the names of the links, then of the mobile nodes.
pub(super) fn names(scenario: &Scenario) -> impl Iterator<Item = &String> {
    let mobiles = scenario.mobiles.iter().map(|mobile| &scenario.nodes[mobile.node]);
    scenario.links.iter().map(|link| &link.name).chain(mobiles)
}

/// By flow.
pub(super) fn parts(scenario: &Scenario, networks: &Networks) -> Vec<Parts> {
    let carriers = carriers(scenario, networks);
    let links: BTreeSet<usize> =
        (0..scenario.links.len()).filter(|link| has_handovers(&scenario.links[*link])).collect();
    let everywhere = (!links.is_empty()).then(|| Everywhere::of(scenario));
    let of_flow = |flow: &FlowSpec| {
        let mut parts = Parts::default();
        let mut known: BTreeMap<BTreeSet<usize>, usize> = BTreeMap::new();
        for ends in flow.ends.pairs() {
            let mobiles: BTreeSet<usize> = ends.iter().flat_map(|end| &carriers[*end]).copied().collect();
            let mut sources = BTreeSet::new();
            if let Some(everywhere) = &everywhere {
                let [from, to] = ends;
                let ways = [[from, to], [to, from]].into_iter().chain(tunnels(scenario, ends, &mobiles));
                for way in ways {
                    everywhere.for_each_hop(way, |hop| match hop.way {
                        Way::Link(link, _) if links.contains(&link) => drop(sources.insert(link)),
                        _ => {}
                    });
                }
            }
            sources.extend(mobiles.iter().map(|mobile| scenario.links.len() + mobile));
            let part = *known.entry(sources.clone()).or_insert_with(|| {
                parts.sources.push(sources);
                parts.sources.len() - 1
            });
            parts.of_pair.push(part);
        }
        parts
    };
    scenario.flows.iter().map(of_flow).collect()
}

/// By link, then by mobile node: what meets its handovers, in the order of flows.
pub(super) fn by_source(scenario: &Scenario, parts: &[Parts]) -> Vec<Vec<Passing>> {
    let mut passing = vec![Vec::new(); scenario.links.len() + scenario.mobiles.len()];
    for (flow, parts) in parts.iter().enumerate() {
        for (part, sources) in parts.sources.iter().enumerate() {
            sources.iter().for_each(|source| passing[*source].push(Passing { flow, part }));
        }
    }
    passing
}

fn has_handovers(link: &LinkSpec) -> bool {
    let is_scheduled =
        |way: &DirectionSpec| way.schedule.as_ref().is_some_and(|schedule| schedule.has_handovers());
    link.handovers.is_some() || is_scheduled(&link.down) || is_scheduled(&link.up)
}

/// By node: the mobile nodes that it is, or is behind.
fn carriers(scenario: &Scenario, networks: &Networks) -> Vec<Vec<usize>> {
    let mut carriers = vec![Vec::new(); scenario.nodes.len()];
    for (index, mobile) in scenario.mobiles.iter().enumerate() {
        for node in networks.behind(mobile.node).into_iter().chain([mobile.node]) {
            carriers[node].push(index);
        }
    }
    carriers
}

/// The ends of all tunnels that may lead to or from an end of a connection.
fn tunnels(scenario: &Scenario, ends: [usize; 2], mobiles: &BTreeSet<usize>) -> Vec<[usize; 2]> {
    let mut all = Vec::new();
    for mobile in mobiles.iter().map(|mobile| &scenario.mobiles[*mobile]) {
        let Some(protocol) = &mobile.protocol else { continue };
        let anchors: Vec<usize> = protocol.anchors().collect();
        let mut own: Vec<[usize; 2]> = anchors.windows(2).map(|pair| [pair[0], pair[1]]).collect();
        let base_stations = mobile.cells.iter().map(|cell| scenario.cells[*cell].base_station);
        own.extend(anchors.last().into_iter().flat_map(|last| base_stations.clone().map(|it| [*last, it])));
        let traits = &protocol.scheme.traits;
        if traits.previous_router_forwards || traits.links_trigger_agents {
            let pairs =
                base_stations.clone().flat_map(|from| base_stations.clone().map(move |to| [from, to]));
            own.extend(pairs.filter(|[from, to]| from != to));
        }
        if protocol.scheme.traits.correspondents != Participation::None {
            let others = ends.into_iter().filter(|node| *node != mobile.node);
            own.extend(others.flat_map(|end| base_stations.clone().map(move |it| [end, it])));
        }
        if protocol.scheme.traits.base_station == BaseStation::AccessRouter {
            all.extend(own.iter().map(|[from, to]| [*to, *from]));
        }
        all.extend(own);
    }
    all
}
