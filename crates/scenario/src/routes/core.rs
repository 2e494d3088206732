//! What remains of a network without its trees: routes are searched here, one destination after the other.

use super::trees::Trees;
use super::{Hop, Way};
use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};

/// The nodes that hang on nothing.
#[derive(Clone, Debug)]
pub(super) struct Core {
    /// By node: its hops to others of these.
    leaving: Vec<Vec<Hop>>,
    /// By node: where hops to it begin.
    entering: Vec<Vec<(usize, Hop)>>,
    /// By node: its number among these.
    number: Vec<Option<u32>>,
    count: usize,
    is_directed: bool,
    /// By destination: the distances to it, by number.
    known: RefCell<BTreeMap<Destination, Vec<u32>>>,
}

/// So many distances are kept at most.
const MOST_KNOWN: usize = 1 << 22;
const FAR: u32 = u32::MAX;

/// Where packets leave the core; hops from an anchor only lead to the mobile node itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Destination {
    pub(super) node: usize,
    /// Whether it is the packet's own destination.
    pub(super) is_last: bool,
}

impl Core {
    pub(super) fn new(mut leaving: Vec<Vec<Hop>>, trees: &Trees) -> Self {
        let is_inside = |node: usize| trees.up(node).is_none();
        for (from, hops) in leaving.iter_mut().enumerate() {
            hops.retain(|hop| is_inside(from) && is_inside(hop.to));
            hops.shrink_to_fit();
        }
        let mut entering = vec![Vec::new(); leaving.len()];
        for (from, hops) in leaving.iter().enumerate() {
            hops.iter().for_each(|hop| entering[hop.to].push((from, *hop)));
        }
        let is_anchor = |hop: &Hop| matches!(hop.way, Way::Anchor(_));
        let is_directed = leaving.iter().flatten().any(is_anchor);
        let mut numbers = 0..;
        let number: Vec<Option<u32>> =
            (0..leaving.len()).map(|node| if is_inside(node) { numbers.next() } else { None }).collect();
        let count = number.iter().flatten().count();
        Core { leaving, entering, number, count, is_directed, known: RefCell::default() }
    }

    /// Whether some hops lead in one direction only, so that nodes may not reach each other although hops join them.
    pub(super) fn is_directed(&self) -> bool {
        self.is_directed
    }

    /// Fewest hops; among equals the first.
    pub(super) fn next_hop(&self, from: usize, destination: Destination) -> Option<Hop> {
        let mut known = self.known.borrow_mut();
        if (known.len() + 1) * self.count > MOST_KNOWN && !known.contains_key(&destination) {
            known.clear();
        }
        let distances = known.entry(destination).or_insert_with(|| self.distances(destination));
        let distance = |node: usize| self.number[node].map_or(FAR, |number| distances[number as usize]);
        let own = distance(from);
        let nearer = |hop: &&Hop| serves(hop, destination) && own != FAR && distance(hop.to) < own;
        self.leaving[from].iter().find(nearer).copied()
    }

    /// Breadth-first search from the destination, against the direction of the hops.
    fn distances(&self, destination: Destination) -> Vec<u32> {
        let place = |node: usize| self.number[node].map_or(0, |number| number as usize);
        let mut distances = vec![FAR; self.count];
        distances[place(destination.node)] = 0;
        let mut waiting = VecDeque::from([destination.node]);
        while let Some(node) = waiting.pop_front() {
            for (from, _) in self.entering[node].iter().filter(|(_, hop)| serves(hop, destination)) {
                if distances[place(*from)] == FAR {
                    distances[place(*from)] = distances[place(node)] + 1;
                    waiting.push_back(*from);
                }
            }
        }
        distances
    }
}

/// An anchor's hop to its mobile node only serves packets for that node.
fn serves(hop: &Hop, destination: Destination) -> bool {
    !matches!(hop.way, Way::Anchor(_)) || (destination.is_last && hop.to == destination.node)
}
