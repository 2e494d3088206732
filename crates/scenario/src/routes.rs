//! Routing: fewest hops; among equal paths the link that the file names first.
//!
//! Most of a network hangs on the rest by one neighbour: hosts, base stations, what is behind a mobile node. Routes there follow from
//! the tree (`trees`). Only between the nodes that remain is anything searched (`core`), so the memory of a network of hosts grows
//! with their number, not with its square.

mod core;
mod everywhere;
mod network;
#[cfg(test)]
mod tests;
mod trees;

use self::core::{Core, Destination};
pub use self::everywhere::Everywhere;
use self::network::{Gate, gates};
use self::trees::Trees;
use crate::schema::Scenario;
use seamline_recordings::measured::Direction;
use std::collections::BTreeSet;

/// The medium that carries a packet to the next node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// A direction of a link, by its index.
    Link(usize, Direction),
    /// The air of a radio cell: down to a node in it, or up from a fixed node.
    Cell(usize, Direction),
    /// The radio of a mobile node, by its index, whatever radio cell it is in.
    Radio(usize),
    /// The anchor of a mobile node (home agent, mobility anchor point) on the packet's current node.
    Anchor(usize),
}

/// One hop of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hop {
    /// The medium of the hop.
    pub way: Way,
    /// The next node.
    pub to: usize,
}

/// The next hop from every node to every other.
#[derive(Clone, Debug)]
pub struct Routes {
    trees: Trees,
    core: Core,
    /// By node: the index of the mobile node that it is, or is behind.
    carried_by: Vec<Option<usize>>,
    /// By mobile node: it and what is behind it, where that hangs on the rest by a gate.
    carried: Vec<Vec<usize>>,
    /// By mobile node: how packets get in and out; `None` where its network is a part of the rest.
    gates: Vec<Option<Gate>>,
    /// By node: the mobile nodes whose packets get in from there.
    gates_at: Vec<Vec<usize>>,
    /// The nodes that have routes for all others: moves of mobile nodes that [`Routes::change_cell`] follows leave them the same.
    know_all: Vec<usize>,
}

/// The initial radio cell of each mobile node.
pub fn whereabouts_at_start(scenario: &Scenario) -> Vec<usize> {
    scenario.mobiles.iter().map(|mobile| mobile.cells[0]).collect()
}

impl Routes {
    /// Compute all routes of a scenario for these radio cells of its mobile nodes. With a protocol all routes to a
    /// mobile node, and to nodes behind it, lead to its anchor.
    pub fn of(scenario: &Scenario, whereabouts: &[usize]) -> Self {
        let (gates, carried_by) = gates(scenario, whereabouts);
        let leaving = network::leaving(scenario, whereabouts, &gates);
        let pinned = network::pinned(scenario, whereabouts, &gates);
        let roots: Vec<usize> = (0..gates.len())
            .filter(|mobile| gates[*mobile].is_some())
            .map(|mobile| scenario.mobiles[mobile].node)
            .collect();
        let trees = Trees::new(&leaving, &pinned, &roots);
        let core = Core::new(leaving, &trees);
        let mut carried = vec![Vec::new(); gates.len()];
        for (node, mobile) in carried_by.iter().enumerate() {
            mobile.iter().for_each(|mobile| carried[*mobile].push(node));
        }
        let mut gates_at = vec![Vec::new(); carried_by.len()];
        for (mobile, gate) in gates.iter().enumerate() {
            gate.iter().for_each(|gate| gates_at[gate.at].push(mobile));
        }
        let mut routes = Routes { trees, core, carried_by, carried, gates, gates_at, know_all: Vec::new() };
        let all = 0..routes.carried_by.len();
        routes.know_all = all.filter(|node| routes.default_hop(*node).is_none()).collect();
        routes
    }

    /// Whether moves of a mobile node only change routes to it and to what is behind it.
    fn moves_alone(&self, mobile: usize) -> bool {
        self.gates[mobile].is_some() && !self.core.is_directed()
    }

    /// Move a mobile node to another radio cell. `false` where that may change more than routes to it and to what is behind it: then
    /// compute all again.
    pub fn change_cell(&mut self, scenario: &Scenario, mobile: usize, cell: usize) -> bool {
        if !self.moves_alone(mobile) {
            return false;
        }
        let Some(gate) = &mut self.gates[mobile] else { return false };
        self.gates_at[gate.at].retain(|at| *at != mobile);
        *gate = Gate::new(scenario, mobile, cell);
        self.gates_at[gate.at].push(mobile);
        true
    }

    /// The next hop of a packet at `from` to `destination`; `None` at the destination, and when there is no route.
    pub fn next_hop(&self, from: usize, destination: usize) -> Option<Hop> {
        if self.carried_by[from] == self.carried_by[destination] {
            return self.within(from, destination);
        }
        if let Some(gate) = self.gate_of(from) {
            let is_reached = gate.out.to == destination || self.next_hop(gate.out.to, destination).is_some();
            let hop = self.trees.up(from).unwrap_or(gate.out);
            return is_reached.then_some(hop);
        }
        let gate = self.gate_of(destination)?;
        if from == gate.at { Some(gate.into) } else { self.next_hop(from, gate.at) }
    }

    fn gate_of(&self, node: usize) -> Option<&Gate> {
        self.gates[self.carried_by[node]?].as_ref()
    }

    /// Between two nodes of one mobile node's network, or of the rest.
    fn within(&self, from: usize, destination: usize) -> Option<Hop> {
        let trees = &self.trees;
        if from == destination || trees.component(from) != trees.component(destination) {
            return None;
        }
        if let Some(hop) = trees.towards(from, destination) {
            return Some(hop);
        }
        let up = trees.up(from);
        if up.is_some() && !self.core.is_directed() {
            return up;
        }
        let [start, node] = [from, destination].map(|end| trees.root(end));
        let hop = self.core.next_hop(start, Destination { node, is_last: node == destination });
        match up {
            None => hop,
            Some(_) => up.filter(|_| hop.is_some() || start == node),
        }
    }

    /// All hops of the path.
    pub fn path(&self, from: usize, destination: usize) -> Vec<Hop> {
        std::iter::successors(self.next_hop(from, destination), |hop| self.next_hop(hop.to, destination))
            .collect()
    }

    /// Where a node sends what it has no route of its own for: towards the rest of the network. `None`: it has routes for all.
    pub fn default_hop(&self, node: usize) -> Option<Hop> {
        let hop = self.trees.up(node).or_else(|| self.gate_of(node).map(|gate| gate.out));
        hop.filter(|_| !self.core.is_directed())
    }

    /// The destinations that a node has routes of its own for.
    pub fn destinations(&self, node: usize) -> Vec<usize> {
        if self.default_hop(node).is_none() {
            return (0..self.carried_by.len()).filter(|other| *other != node).collect();
        }
        let mut all = self.trees.below(node);
        let carried = |at: &usize| self.gates_at[*at].iter().flat_map(|mobile| &self.carried[*mobile]);
        let within: Vec<usize> = all.iter().chain([&node]).flat_map(carried).copied().collect();
        all.extend(within);
        all.sort_unstable();
        all
    }

    /// The nodes that have a route of their own for a destination, that itself left out.
    pub fn knowing(&self, destination: usize) -> Vec<usize> {
        let gate = self.gate_of(destination);
        let above = |node: usize| self.trees.above(node).chain([node]);
        let own = above(destination).chain(gate.into_iter().flat_map(|gate| above(gate.at)));
        let all: BTreeSet<usize> =
            own.chain(self.know_all.iter().copied()).filter(|node| *node != destination).collect();
        all.into_iter().collect()
    }

    /// A mobile node and what is behind it, where [`Routes::change_cell`] moves them.
    pub fn carried(&self, mobile: usize) -> &[usize] {
        &self.carried[mobile]
    }
}
