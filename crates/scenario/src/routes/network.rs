//! The network that routes lead through, and the networks of mobile nodes that hang on it.

use super::{Hop, Way};
use crate::schema::{Networks, Scenario};
use seamline_recordings::measured::Direction;
use std::collections::BTreeSet;

/// How packets get into the network of a mobile node, and out.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gate {
    /// The node that they get in from.
    pub(super) at: usize,
    /// Its hop to the mobile node.
    pub(super) into: Hop,
    /// The hop of the mobile node out.
    pub(super) out: Hop,
}

impl Gate {
    /// That of a mobile node in a radio cell.
    pub(super) fn new(scenario: &Scenario, index: usize, cell: usize) -> Self {
        let mobile = &scenario.mobiles[index];
        let base_station = scenario.cells[cell].base_station;
        let (at, way) = match &mobile.protocol {
            None => (base_station, Way::Cell(cell, Direction::Down)),
            Some(spec) => (spec.first_anchor(), Way::Anchor(index)),
        };
        let out = Hop { way: Way::Radio(index), to: base_station };
        Gate { at, into: Hop { way, to: mobile.node }, out }
    }
}

/// By mobile node: its gate, where its network is a tree that nothing else joins; and by node which mobile node carries it.
pub(super) fn gates(scenario: &Scenario, whereabouts: &[usize]) -> (Vec<Option<Gate>>, Vec<Option<usize>>) {
    let mut carried_by = vec![None; scenario.nodes.len()];
    let mut joined = BTreeSet::new();
    for cell in &scenario.cells {
        joined.extend(cell.fixed.iter().copied().chain([cell.base_station]));
    }
    let protocols = scenario.mobiles.iter().filter_map(|mobile| mobile.protocol.as_ref());
    joined.extend(protocols.flat_map(|protocol| protocol.anchors()));
    let networks = Networks::of(scenario);
    let mut gates = Vec::with_capacity(whereabouts.len());
    for (index, cell) in whereabouts.iter().enumerate() {
        let own = networks.tree(scenario.mobiles[index].node);
        let own = own.filter(|own| !own.iter().any(|node| joined.contains(node)));
        own.iter().flatten().for_each(|node| carried_by[*node] = Some(index));
        gates.push(own.map(|_| Gate::new(scenario, index, *cell)));
    }
    (gates, carried_by)
}

/// By node: the hops that leave it, but for those through gates. Links come first, in the order of the file.
pub(super) fn leaving(scenario: &Scenario, whereabouts: &[usize], gates: &[Option<Gate>]) -> Vec<Vec<Hop>> {
    let mut leaving = vec![Vec::new(); scenario.nodes.len()];
    for (index, link) in scenario.links.iter().enumerate() {
        leaving[link.from].push(Hop { way: Way::Link(index, Direction::Down), to: link.to });
        leaving[link.to].push(Hop { way: Way::Link(index, Direction::Up), to: link.from });
    }
    for (index, cell) in scenario.cells.iter().enumerate() {
        for fixed in &cell.fixed {
            let down = Hop { way: Way::Cell(index, Direction::Down), to: *fixed };
            leaving[cell.base_station].push(down);
            leaving[*fixed].push(Hop { way: Way::Cell(index, Direction::Up), to: cell.base_station });
        }
    }
    for (index, cell) in whereabouts.iter().enumerate().filter(|(index, _)| gates[*index].is_none()) {
        let Gate { at, into, out } = Gate::new(scenario, index, *cell);
        leaving[into.to].push(out);
        leaving[at].push(into);
    }
    leaving
}

/// The nodes that hops of one direction only begin or end at.
pub(super) fn pinned(scenario: &Scenario, whereabouts: &[usize], gates: &[Option<Gate>]) -> BTreeSet<usize> {
    let without = whereabouts.iter().enumerate().filter(|(index, _)| gates[*index].is_none());
    let ends = without.flat_map(|(index, cell)| {
        let gate = Gate::new(scenario, index, *cell);
        [gate.at, gate.into.to, gate.out.to]
    });
    ends.collect()
}
