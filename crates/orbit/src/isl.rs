//! Links between satellites, and the shortest way over them.

use crate::{Snapshot, Vector};
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Links of a shell to four neighbors each (+grid): ahead and behind in the plane, and the satellite of the same place in
/// the plane to either side. Satellites are numbered plane by plane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid {
    /// How many planes.
    pub planes: u32,
    /// How many satellites in each.
    pub per_plane: u32,
    /// By how many places the link from the last plane to the first one is shifted; `None` for no such links.
    pub wrap: Option<u32>,
}

impl Grid {
    /// The neighbors of a satellite; fewer than four at a seam, and where there is only one plane.
    pub fn neighbors(&self, satellite: usize) -> impl Iterator<Item = usize> + use<> {
        let (planes, per_plane) = (self.planes as usize, self.per_plane as usize);
        let (plane, place) = (satellite / per_plane, satellite % per_plane);
        let number = move |plane: usize, place: usize| plane * per_plane + place % per_plane;
        let wrap = self.wrap.map(|wrap| wrap as usize);
        let ahead = number(plane, place + 1);
        let behind = number(plane, place + per_plane - 1);
        let east = match plane + 1 {
            next if next < planes => Some(number(next, place)),
            _ => wrap.map(|wrap| number(0, place + wrap)),
        };
        let west = match plane {
            0 => wrap.map(|wrap| number(planes - 1, place + per_plane - wrap)),
            plane => Some(number(plane - 1, place)),
        };
        let own = satellite;
        [Some(ahead), Some(behind), east, west].into_iter().flatten().filter(move |other| *other != own)
    }
}

/// The shortest way from one satellite over links to another: the satellites in order, and the length in kilometers. `None` when
/// there is no such satellite or no way.
pub fn shortest_way(grid: &Grid, space: &Snapshot, from: usize, to: usize) -> Option<(Vec<usize>, f64)> {
    let count = space.positions().len().min(grid.planes as usize * grid.per_plane as usize);
    if from >= count || to >= count {
        return None;
    }
    let positions = space.positions();
    let mut search = Search::new(positions.len());
    let rest = |satellite: usize| positions[satellite].distance(positions[to]);
    search.reach(from, 0.0, usize::MAX, rest(from));
    // What is left is at least the straight line (A*: Hart, Nilsson and Raphael, 1968).
    while let Some(satellite) = search.next() {
        if satellite == to {
            return Some((search.way_to(to), search.lengths[to]));
        }
        search.pass_on(grid, positions, satellite, rest);
    }
    None
}

/// The way from a satellite to the nearest gateway.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Descent {
    /// The gateway, by its place in the list.
    pub(crate) gateway: usize,
    /// The satellite that sends down to it.
    pub(crate) exit: usize,
    /// How many satellites are on the way, both ends included.
    pub(crate) satellites: usize,
    /// In kilometers.
    pub(crate) length: f64,
}

/// From each satellite over links down to the nearest gateway; `down` has the satellites that see one (Dijkstra, 1959, from all of
/// them at once).
pub(crate) fn descents(grid: &Grid, space: &Snapshot, down: &[Option<Descent>]) -> Vec<Option<Descent>> {
    let positions = space.positions();
    let mut found = down.to_vec();
    let mut search = Search::new(positions.len());
    for (satellite, descent) in down.iter().enumerate() {
        if let Some(Descent { length, .. }) = descent {
            search.reach(satellite, *length, usize::MAX, 0.0);
        }
    }
    while let Some(satellite) = search.next() {
        let before = search.before[satellite];
        // What came before is final.
        if let Some(Some(next)) = found.get(before).copied() {
            let (satellites, length) = (next.satellites + 1, search.lengths[satellite]);
            found[satellite] = Some(Descent { satellites, length, ..next });
        }
        search.pass_on(grid, positions, satellite, |_| 0.0);
    }
    found
}

/// A search for shortest ways.
struct Search {
    /// The shortest way so far to each satellite, in kilometers.
    lengths: Vec<f64>,
    /// The satellite before each one on it; none at the beginning.
    before: Vec<usize>,
    done: Vec<bool>,
    heap: BinaryHeap<Reached>,
}

impl Search {
    fn new(satellites: usize) -> Self {
        Search {
            lengths: vec![f64::INFINITY; satellites],
            before: vec![usize::MAX; satellites],
            done: vec![false; satellites],
            heap: BinaryHeap::new(),
        }
    }

    /// A way of this length to a satellite; `rest` is the least that must follow.
    fn reach(&mut self, satellite: usize, length: f64, before: usize, rest: f64) {
        if length < self.lengths[satellite] {
            self.lengths[satellite] = length;
            self.before[satellite] = before;
            self.heap.push(Reached { estimate: length + rest, satellite });
        }
    }

    /// The satellite whose way is final next.
    fn next(&mut self) -> Option<usize> {
        loop {
            let Reached { satellite, .. } = self.heap.pop()?;
            if !std::mem::replace(&mut self.done[satellite], true) {
                return Some(satellite);
            }
        }
    }

    /// Reach the neighbors of a satellite.
    fn pass_on(&mut self, grid: &Grid, positions: &[Vector], satellite: usize, rest: impl Fn(usize) -> f64) {
        for neighbor in grid.neighbors(satellite).filter(|neighbor| *neighbor < positions.len()) {
            let (here, there) = (positions[satellite], positions[neighbor]);
            if !self.done[neighbor] && is_clear(here, there) {
                let length = self.lengths[satellite] + here.distance(there);
                self.reach(neighbor, length, satellite, rest(neighbor));
            }
        }
    }

    fn way_to(&self, satellite: usize) -> Vec<usize> {
        let earlier =
            |satellite: &usize| Some(self.before[*satellite]).filter(|before| *before != usize::MAX);
        let mut way: Vec<usize> = std::iter::successors(Some(satellite), earlier).collect();
        way.reverse();
        way
    }
}

/// Where the search is.
#[derive(Clone, Copy, PartialEq)]
struct Reached {
    /// The way so far with the least that must follow.
    estimate: f64,
    satellite: usize,
}

impl Eq for Reached {}

impl PartialOrd for Reached {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Reached {
    /// The heap gives the greatest first: the shortest estimate; of equals, the lowest number.
    fn cmp(&self, other: &Self) -> Ordering {
        other.estimate.total_cmp(&self.estimate).then(other.satellite.cmp(&self.satellite))
    }
}

/// Links pass at least 80 km above the ground, as in Hypatia: lower, the atmosphere bends them.
const LOWEST: f64 = 6378.137 + 80.0;

/// Whether the line between two satellites does not pass too low.
fn is_clear(here: Vector, there: Vector) -> bool {
    let line = there - here;
    // The share of the line at which it is lowest.
    let share = (-here.dot(line) / line.dot(line)).clamp(0.0, 1.0);
    let lowest = here + line * share;
    lowest.dot(lowest) >= LOWEST * LOWEST
}
