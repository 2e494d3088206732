//! How far nodes are apart.

use seamline_scenario::schema::{Scenario, joined};
use std::collections::VecDeque;

/// By node: its distance from this one in links and cells; nothing for what nothing joins to it.
pub(super) fn distances(scenario: &Scenario, from: usize) -> Vec<Option<usize>> {
    let links = scenario.links.iter().map(|link| [link.from, link.to]);
    let joined = joined(scenario, links.chain(scenario.air()));
    let mut distances = vec![None; scenario.nodes.len()];
    distances[from] = Some(0);
    let mut waiting = VecDeque::from([from]);
    while let Some(node) = waiting.pop_front() {
        for end in &joined[node] {
            if distances[*end].is_none() {
                distances[*end] = distances[node].map(|distance: usize| distance + 1);
                waiting.push_back(*end);
            }
        }
    }
    distances
}

/// All nodes that something joins to this one, the nearest first.
pub(super) fn by_distance(scenario: &Scenario, from: usize) -> Vec<usize> {
    let distances = distances(scenario, from);
    let mut order: Vec<usize> = (0..distances.len()).filter(|node| distances[*node].is_some()).collect();
    order.sort_by_key(|node| distances[*node]);
    order
}
