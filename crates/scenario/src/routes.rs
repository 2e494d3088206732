//! Routing: fewest hops; among equal paths the link that the file names first.

use crate::schema::{LinkSpec, Scenario};
use seamline_recordings::measured::Direction;
use std::collections::{BTreeSet, VecDeque};

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
    /// By destination, then by node.
    next: Vec<Vec<Option<Hop>>>,
}

/// The initial radio cell of each mobile node.
pub fn whereabouts_at_start(scenario: &Scenario) -> Vec<usize> {
    scenario.mobiles.iter().map(|mobile| mobile.cells[0]).collect()
}

impl Routes {
    /// Compute all routes of a scenario for these radio cells of its mobile nodes. With a protocol all routes to a
    /// mobile node, and to nodes behind it, lead to its anchor.
    pub fn of(scenario: &Scenario, whereabouts: &[usize]) -> Self {
        let mut leaving = leave_by_links(scenario.nodes.len(), &scenario.links);
        for (index, cell) in scenario.cells.iter().enumerate() {
            for fixed in &cell.fixed {
                let down = Hop { way: Way::Cell(index, Direction::Down), to: *fixed };
                leaving[cell.base_station].push(down);
                leaving[*fixed].push(Hop { way: Way::Cell(index, Direction::Up), to: cell.base_station });
            }
        }
        for (index, mobile) in scenario.mobiles.iter().enumerate() {
            let cell = whereabouts[index];
            let base_station = scenario.cells[cell].base_station;
            leaving[mobile.node].push(Hop { way: Way::Radio(index), to: base_station });
            let (from, way) = match &mobile.protocol {
                None => (base_station, Way::Cell(cell, Direction::Down)),
                Some(spec) => (spec.first_anchor(), Way::Anchor(index)),
            };
            leaving[from].push(Hop { way, to: mobile.node });
        }
        let nodes = leaving.len();
        let behind: Vec<Vec<usize>> =
            scenario.mobiles.iter().map(|mobile| scenario.behind(mobile.node)).collect();
        let entering = entering(&leaving);
        let towards = |destination| towards(destination, &leaving, &entering, &behind);
        Routes { next: (0..nodes).map(towards).collect() }
    }

    /// The initial routes, then those with each mobile node in each other of its radio cells, and with both ends of a
    /// flow that are mobile in each other of theirs.
    pub fn everywhere(scenario: &Scenario) -> Vec<Self> {
        let start = whereabouts_at_start(scenario);
        let mut all = vec![Routes::of(scenario, &start)];
        let mut add = |moved: &[(usize, usize)]| {
            let mut whereabouts = start.clone();
            moved.iter().for_each(|(mobile, cell)| whereabouts[*mobile] = *cell);
            all.push(Routes::of(scenario, &whereabouts));
        };
        let elsewhere =
            |mobile: usize| scenario.mobiles[mobile].cells[1..].iter().map(move |cell| (mobile, *cell));
        for mobile in 0..scenario.mobiles.len() {
            elsewhere(mobile).for_each(|one| add(&[one]));
        }
        for [from, to] in mobile_pairs(scenario) {
            elsewhere(from).for_each(|one| elsewhere(to).for_each(|other| add(&[one, other])));
        }
        all
    }

    /// The next hop of a packet at `from` to `destination`; `None` at the destination, and when there is no route.
    pub fn next_hop(&self, from: usize, destination: usize) -> Option<Hop> {
        self.next[destination][from]
    }

    /// All hops of the path.
    pub fn path(&self, from: usize, destination: usize) -> Vec<Hop> {
        std::iter::successors(self.next_hop(from, destination), |hop| self.next_hop(hop.to, destination))
            .collect()
    }
}

/// The pairs of mobile nodes that are both ends of a flow, without duplicates.
fn mobile_pairs(scenario: &Scenario) -> BTreeSet<[usize; 2]> {
    let index = |node| scenario.mobiles.iter().position(|mobile| mobile.node == node);
    let pairs = scenario.flows.iter().flat_map(|flow| flow.ends.pairs());
    let pairs = pairs.filter_map(|[from, to]| Some([index(from)?, index(to)?]));
    pairs.map(|[one, other]| [one.min(other), one.max(other)]).collect()
}

fn leave_by_links(nodes: usize, links: &[LinkSpec]) -> Vec<Vec<Hop>> {
    let mut leaving = vec![Vec::new(); nodes];
    for (index, link) in links.iter().enumerate() {
        leaving[link.from].push(Hop { way: Way::Link(index, Direction::Down), to: link.to });
        leaving[link.to].push(Hop { way: Way::Link(index, Direction::Up), to: link.from });
    }
    leaving
}

/// By node: the hops that lead to it, with their start.
fn entering(leaving: &[Vec<Hop>]) -> Vec<Vec<(usize, Hop)>> {
    let mut entering = vec![Vec::new(); leaving.len()];
    for (from, hops) in leaving.iter().enumerate() {
        hops.iter().for_each(|hop| entering[hop.to].push((from, *hop)));
    }
    entering
}

/// Breadth-first search from the destination, against the direction of the hops. An anchor's hop to its mobile node
/// only serves packets for that node and for nodes behind it.
fn towards(
    destination: usize,
    leaving: &[Vec<Hop>],
    entering: &[Vec<(usize, Hop)>],
    behind: &[Vec<usize>],
) -> Vec<Option<Hop>> {
    let serves = |hop: &Hop| match hop.way {
        Way::Anchor(mobile) => hop.to == destination || behind[mobile].contains(&destination),
        Way::Link(..) | Way::Cell(..) | Way::Radio(_) => true,
    };
    let mut distance = vec![usize::MAX; leaving.len()];
    distance[destination] = 0;
    let mut waiting = VecDeque::from([destination]);
    while let Some(node) = waiting.pop_front() {
        for (from, _) in entering[node].iter().filter(|(_, hop)| serves(hop)) {
            if distance[*from] == usize::MAX {
                distance[*from] = distance[node] + 1;
                waiting.push_back(*from);
            }
        }
    }
    let nearer =
        |node: usize, hop: &Hop| distance[hop.to] != usize::MAX && distance[hop.to] + 1 == distance[node];
    leaving
        .iter()
        .enumerate()
        .map(|(node, hops)| hops.iter().copied().find(|hop| serves(hop) && nearer(node, hop)))
        .collect()
}
