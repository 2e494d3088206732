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
    let way = shortest(grid, space, &[(from, 0.0)], &[(to, 0.0)])?;
    Some((way.satellites, way.length))
}

/// An end of the way: a satellite, and how many kilometers the way from there to the ground has.
pub(crate) type End = (usize, f64);

/// A way through space.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Way {
    /// The satellites in order, at least one.
    pub(crate) satellites: Vec<usize>,
    /// With both ends, in kilometers.
    pub(crate) length: f64,
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

/// The shortest way from one of `starts` over links to one of `ends` (A*, Hart, Nilsson and Raphael, 1968). What is left to a
/// goal is at least the straight line to one of the `ends` and its way down.
pub(crate) fn shortest(grid: &Grid, space: &Snapshot, starts: &[End], ends: &[End]) -> Option<Way> {
    let positions = space.positions();
    let rest = |satellite: usize| {
        let straight = |(end, down): &End| positions[satellite].distance(positions[*end]) + down;
        ends.iter().map(straight).fold(f64::INFINITY, f64::min)
    };
    let mut best = vec![f64::INFINITY; positions.len()];
    let mut before = vec![usize::MAX; positions.len()];
    let mut heap = BinaryHeap::new();
    for (satellite, up) in starts {
        if *up < best[*satellite] {
            best[*satellite] = *up;
            heap.push(Reached { estimate: up + rest(*satellite), satellite: *satellite });
        }
    }
    let mut goal: Option<(usize, f64)> = None;
    while let Some(Reached { estimate, satellite }) = heap.pop() {
        if goal.is_some_and(|(_, length)| length <= estimate) {
            break;
        }
        let so_far = best[satellite];
        if let Some((_, down)) = ends.iter().find(|(end, _)| *end == satellite) {
            let length = so_far + down;
            if goal.is_none_or(|(_, shortest)| length < shortest) {
                goal = Some((satellite, length));
            }
        }
        for neighbor in grid.neighbors(satellite) {
            let (here, there) = (positions[satellite], positions[neighbor]);
            let length = so_far + here.distance(there);
            if length < best[neighbor] && is_clear(here, there) {
                best[neighbor] = length;
                before[neighbor] = satellite;
                heap.push(Reached { estimate: length + rest(neighbor), satellite: neighbor });
            }
        }
    }
    let (last, length) = goal?;
    let mut satellites = vec![last];
    while let Some(earlier) = before.get(satellites[satellites.len() - 1]).filter(|it| **it != usize::MAX) {
        satellites.push(*earlier);
    }
    satellites.reverse();
    Some(Way { satellites, length })
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
