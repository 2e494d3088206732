//! Who sends to whom by which link: fewest hops, and among equals the link that the file names first.

use crate::schema::LinkSpec;
use crate::schema::generated::Direction;
use std::collections::VecDeque;

/// A link seen from one of its ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Hop {
    /// Place of the link in the list of links.
    pub(crate) link: usize,
    /// In which direction it is taken.
    pub(crate) side: Direction,
    /// The node it leads to.
    pub(crate) to: usize,
}

/// The next hop from every node to every other.
#[derive(Clone, Debug)]
pub(crate) struct Routes {
    /// By destination, then by node.
    next: Vec<Vec<Option<Hop>>>,
}

impl Routes {
    /// Find all routes between `nodes` nodes.
    pub(crate) fn new(nodes: usize, links: &[LinkSpec]) -> Self {
        let mut leaving: Vec<Vec<Hop>> = vec![Vec::new(); nodes];
        for (place, link) in links.iter().enumerate() {
            leaving[link.from].push(Hop { link: place, side: Direction::Down, to: link.to });
            leaving[link.to].push(Hop { link: place, side: Direction::Up, to: link.from });
        }
        Routes { next: (0..nodes).map(|destination| towards(destination, &leaving)).collect() }
    }

    /// The next hop of a packet at `from` for `destination`; `None` at the destination and when no route
    /// leads there.
    pub(crate) fn next_hop(&self, from: usize, destination: usize) -> Option<Hop> {
        self.next[destination][from]
    }

    /// All hops on the way.
    pub(crate) fn path(&self, from: usize, destination: usize) -> Vec<Hop> {
        std::iter::successors(self.next_hop(from, destination), |hop| self.next_hop(hop.to, destination))
            .collect()
    }
}

/// Breadth-first from the destination: every link is as good backwards.
fn towards(destination: usize, leaving: &[Vec<Hop>]) -> Vec<Option<Hop>> {
    let mut distance = vec![usize::MAX; leaving.len()];
    distance[destination] = 0;
    let mut waiting = VecDeque::from([destination]);
    while let Some(node) = waiting.pop_front() {
        for hop in &leaving[node] {
            if distance[hop.to] == usize::MAX {
                distance[hop.to] = distance[node] + 1;
                waiting.push_back(hop.to);
            }
        }
    }
    let nearer =
        |node: usize, hop: &Hop| distance[hop.to] != usize::MAX && distance[hop.to] + 1 == distance[node];
    leaving
        .iter()
        .enumerate()
        .map(|(node, hops)| hops.iter().copied().find(|hop| nearer(node, hop)))
        .collect()
}
