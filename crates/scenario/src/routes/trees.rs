//! The parts of a network that hang on the rest by one neighbour each.

use super::Hop;
use crate::schema::reached;
use std::collections::BTreeSet;

/// A node that hangs on another.
#[derive(Clone, Copy, Debug)]
struct Hanging {
    /// Its hop towards the rest.
    up: Hop,
    /// The hop to it from there.
    down: Hop,
}

/// Trees whose roots are what remains when nodes with one neighbour are taken away again and again.
#[derive(Clone, Debug)]
pub(super) struct Trees {
    hanging: Vec<Option<Hanging>>,
    /// By node: those that hang on it.
    children: Vec<Vec<usize>>,
    /// By node: how many nodes it hangs on.
    depth: Vec<u32>,
    /// By node: the number of the part of the network that hops of any direction join.
    component: Vec<u32>,
}

impl Trees {
    /// `pinned` nodes and `roots` hang on nothing.
    pub(super) fn new(leaving: &[Vec<Hop>], pinned: &BTreeSet<usize>, roots: &[usize]) -> Self {
        let nodes = leaving.len();
        let component = components(leaving);
        let mut stays = vec![false; nodes];
        pinned.iter().chain(roots).for_each(|node| stays[*node] = true);
        let mut neighbours: Vec<BTreeSet<usize>> =
            leaving.iter().map(|hops| hops.iter().map(|hop| hop.to).collect()).collect();
        let mut trees = Trees {
            hanging: vec![None; nodes],
            children: vec![Vec::new(); nodes],
            depth: vec![0; nodes],
            component,
        };
        let mut order = Vec::new();
        let mut waiting: Vec<usize> = (0..nodes).filter(|node| neighbours[*node].len() == 1).collect();
        while let Some(node) = waiting.pop() {
            if stays[node] || neighbours[node].len() != 1 {
                continue;
            }
            let Some(parent) = neighbours[node].pop_first() else { continue };
            neighbours[parent].remove(&node);
            let hop = |from: usize, to: usize| leaving[from].iter().copied().find(|hop| hop.to == to);
            trees.hanging[node] =
                hop(node, parent).zip(hop(parent, node)).map(|(up, down)| Hanging { up, down });
            trees.children[parent].push(node);
            order.push(node);
            if neighbours[parent].len() == 1 {
                waiting.push(parent);
            }
        }
        for node in order.into_iter().rev() {
            trees.depth[node] = trees.up(node).map_or(0, |hop| trees.depth[hop.to] + 1);
        }
        trees
    }

    /// The hop of a node towards what it hangs on.
    pub(super) fn up(&self, node: usize) -> Option<Hop> {
        self.hanging[node].map(|it| it.up)
    }
    /// The number of the part of the network that a node is in.
    pub(super) fn component(&self, node: usize) -> u32 {
        self.component[node]
    }
    /// What a node hangs on in the end; itself if on nothing.
    pub(super) fn root(&self, node: usize) -> usize {
        self.above(node).last().unwrap_or(node)
    }
    /// The nodes that a node hangs on, the nearest first.
    pub(super) fn above(&self, node: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(self.up(node), |hop| self.up(hop.to)).map(|hop| hop.to)
    }
    /// The hop from a node to what hangs on it; `None` when `other` does not.
    pub(super) fn towards(&self, node: usize, other: usize) -> Option<Hop> {
        if self.depth[node] >= self.depth[other] {
            return None;
        }
        let path = std::iter::once(other).chain(self.above(other));
        let next = path.zip(self.above(other)).find(|(_, above)| *above == node).map(|(child, _)| child)?;
        self.hanging[next].map(|it| it.down)
    }

    /// Everything that hangs on a node.
    pub(super) fn below(&self, node: usize) -> Vec<usize> {
        let mut all = self.children[node].clone();
        let mut next = 0;
        while let Some(&child) = all.get(next) {
            all.extend(&self.children[child]);
            next += 1;
        }
        all
    }
}

fn components(leaving: &[Vec<Hop>]) -> Vec<u32> {
    let mut both: Vec<Vec<usize>> = vec![Vec::new(); leaving.len()];
    for (from, hops) in leaving.iter().enumerate() {
        for hop in hops {
            both[from].push(hop.to);
            both[hop.to].push(from);
        }
    }
    let mut component = vec![u32::MAX; leaving.len()];
    for start in 0..leaving.len() {
        if component[start] == u32::MAX {
            reached(start, |node| &both[node]).into_iter().for_each(|node| component[node] = start as u32);
        }
    }
    component
}
