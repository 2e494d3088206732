//! Which nodes links join: the networks behind mobile nodes.

use super::Scenario;
use std::collections::BTreeSet;

/// The networks that hang on nodes by links, found once for all nodes of a scenario.
#[derive(Clone, Debug, Default)]
pub struct Networks {
    /// By node: the other ends of its links, in the order of the file.
    joined: Vec<Vec<usize>>,
    /// By node: whether a radio cell reaches it.
    is_in_a_cell: Vec<bool>,
}

impl Networks {
    /// Those of a scenario.
    pub fn of(scenario: &Scenario) -> Self {
        let joined = joined(scenario, scenario.links.iter().map(|link| [link.from, link.to]));
        let mut is_in_a_cell = vec![false; scenario.nodes.len()];
        let cells = &scenario.cells;
        let fixed = cells.iter().flat_map(|cell| cell.fixed.iter().copied().chain([cell.base_station]));
        for node in fixed.chain(scenario.mobiles.iter().map(|mobile| mobile.node)) {
            is_in_a_cell[node] = true;
        }
        Networks { joined, is_in_a_cell }
    }

    /// The nodes that links join to a node and to nothing else: the network behind a mobile node. None when these links lead
    /// to a radio cell.
    pub fn behind(&self, node: usize) -> Vec<usize> {
        let found = reached(node, |node| &self.joined[node]).split_off(1);
        if found.iter().any(|node| self.is_in_a_cell[*node]) { Vec::new() } else { found }
    }

    /// A mobile node and what is behind it; `None` where that is no tree, or leads elsewhere, too.
    pub(crate) fn tree(&self, node: usize) -> Option<Vec<usize>> {
        if self.joined[node].is_empty() {
            return Some(vec![node]);
        }
        let mut nodes = self.behind(node);
        let leads_elsewhere = nodes.is_empty();
        nodes.push(node);
        nodes.sort_unstable();
        // Two links between the same nodes are one way.
        let ways = |node: &usize| self.joined[*node].iter().collect::<BTreeSet<_>>().len();
        let is_tree = nodes.iter().map(ways).sum::<usize>() == 2 * (nodes.len() - 1);
        (!leads_elsewhere && is_tree).then_some(nodes)
    }
}

/// By node: the other ends of its ways, in their order.
pub fn joined(scenario: &Scenario, ways: impl IntoIterator<Item = [usize; 2]>) -> Vec<Vec<usize>> {
    let mut joined = vec![Vec::new(); scenario.nodes.len()];
    for [one, other] in ways {
        joined[one].push(other);
        joined[other].push(one);
    }
    joined
}

/// The nodes that ways join to a node, itself first. `joined` returns the far ends of the ways of a node.
pub(crate) fn reached<'a>(from: usize, joined: impl Fn(usize) -> &'a [usize]) -> Vec<usize> {
    let mut reached = vec![from];
    let mut known = BTreeSet::from([from]);
    let mut next = 0;
    while let Some(&node) = reached.get(next) {
        next += 1;
        reached.extend(joined(node).iter().filter(|end| known.insert(**end)));
    }
    reached
}
