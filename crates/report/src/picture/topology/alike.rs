//! Nodes that are alike become one, with their number: those of which nobody could say which is which without their names.

use super::{Flow, Medium, Node, Topology, Way};
use crate::summary::distinct;
use std::collections::BTreeMap;

/// What a node shows of itself and of its neighbours.
type Looks = (usize, Vec<(Medium, Vec<String>, usize)>);

/// The network with one node for each kind.
pub(super) fn merged(network: &Topology) -> Topology {
    let kinds = kinds(network);
    let count = kinds.iter().max().map_or(0, |last| last + 1);
    let node = |kind: usize| {
        let own: Vec<usize> = (0..kinds.len()).filter(|node| kinds[*node] == kind).collect();
        let first = &network.nodes[own[0]];
        let name = match own.last() {
            Some(last) if own.len() > 1 => {
                format!("{} … {} ({})", first.name, network.nodes[*last].name, own.len())
            }
            _ => first.name.clone(),
        };
        Node { name, ..first.clone() }
    };
    let mut ways: Vec<Way> = Vec::new();
    for way in &network.ways {
        let way = Way { ends: way.ends.map(|end| kinds[end]), ..way.clone() };
        let back = Way { ends: [way.ends[1], way.ends[0]], ..way.clone() };
        if !ways.contains(&way) && !ways.contains(&back) {
            ways.push(way);
        }
    }
    let flow = |flow: &Flow| Flow { ends: flow.ends.map(|end| kinds[end]), ..flow.clone() };
    let flows = distinct(network.flows.iter().map(flow));
    let nodes: Vec<Node> = (0..count).map(node).collect();
    let together =
        format!("Nodes that are alike are drawn as one, with their number: {} in all.", network.nodes.len());
    let remark = format!("{} {together}", network.remark).trim().to_owned();
    Topology { nodes, ways, flows, remark }
}

/// The kind of each node, numbered in the order in which they come. Two nodes are of one kind when they have the same roles,
/// and the same ways to nodes of the same kinds: refined until nothing changes.
fn kinds(network: &Topology) -> Vec<usize> {
    let roles = |node: &Node| (node.roles.clone(), node.is_mobile);
    let mut own: Vec<Vec<&Way>> = vec![Vec::new(); network.nodes.len()];
    for way in &network.ways {
        way.ends.iter().for_each(|end| own[*end].push(way));
    }
    let mut kinds = numbered(network.nodes.iter().map(roles));
    loop {
        let looks = (0..kinds.len()).map(|node| looks(&own[node], &kinds, node));
        let finer = numbered(looks);
        if finer == kinds {
            return kinds;
        }
        kinds = finer;
    }
}

fn looks(own: &[&Way], kinds: &[usize], node: usize) -> Looks {
    let mut seen: Vec<_> = own
        .iter()
        .map(|way| {
            let other = if way.ends[0] == node { way.ends[1] } else { way.ends[0] };
            (way.medium, way.label.clone(), kinds[other])
        })
        .collect();
    seen.sort();
    // How many there are of a kind is said once, at that kind.
    seen.dedup();
    (kinds[node], seen)
}

fn numbered<T: Ord>(all: impl Iterator<Item = T>) -> Vec<usize> {
    let mut known = BTreeMap::new();
    all.map(|one| {
        let next = known.len();
        *known.entry(one).or_insert(next)
    })
    .collect()
}
