//! Where to cut a world, so that the parts have about the same work.

use crate::world::{Element, ElementId, Observer, World};
use seamline_net::Link;
use seamline_wire::{Duration, Instant, Machine, Port};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Threads wait for each other at the end of each window; shorter windows would not be worth that.
const LEAST_DELAY: Duration = Duration::from_millis(1);
/// The first try, and the longest window.
const MOST_DELAY: Duration = Duration::from_millis(64);
/// Each part has a place for every element of the world.
const MOST_PARTS: usize = 16;
/// To cut a world and join it again costs more time than this many windows save.
const LEAST_WINDOWS: u64 = 8;
/// Wake-ups in a window, about 0.1 ms of work: with fewer, threads would mostly wait for each other.
const LEAST_WORK: u128 = 500;
/// A machine works on a packet for longer than a link does, by about this factor.
const MACHINE: u64 = 3;
/// A part with more than this share of the work (in percent) leaves too little for the others.
const LARGEST_SHARE: u64 = 85;
/// Shares that differ by less than so many percent are alike.
const SHARES_ALIKE: u64 = 5;

/// Which part each element belongs to.
#[derive(Debug)]
pub(super) struct Cut {
    /// By place.
    pub(super) parts: Vec<u16>,
    /// By place of a link: the part at its far end, if that is another one than its own.
    pub(super) far_ends: Arc<[Option<u16>]>,
    /// How many parts there are.
    pub(super) count: usize,
    /// For how long they run apart: the least delay of the links between them, within bounds.
    pub(super) window: Duration,
    /// The share of the work that the largest part has, in percent.
    largest_share: u64,
}

impl Cut {
    /// Cut a world into up to so many parts, to run them until `end`. `None` where it would not be faster.
    pub(super) fn new<M: Machine, O: Observer>(
        world: &World<M, O>,
        most: usize,
        end: Instant,
    ) -> Option<Self> {
        let (time, most) = (end.saturating_since(world.now), most.min(MOST_PARTS));
        if time < LEAST_DELAY * LEAST_WINDOWS {
            return None;
        }
        // The longer the delays at the cut, the longer the windows; the first of several is taken.
        let delays = std::iter::successors(Some(MOST_DELAY), |delay| Some(*delay / 2));
        let cuts = delays
            .take_while(|delay| *delay >= LEAST_DELAY)
            .filter_map(|least| Cut::at(world, most, least, time));
        cuts.min_by_key(|cut| cut.largest_share / SHARES_ALIKE)
    }

    /// The same at links with at least this delay.
    fn at<M: Machine, O: Observer>(
        world: &World<M, O>,
        most: usize,
        least: Duration,
        time: Duration,
    ) -> Option<Self> {
        let sets = together(world, least);
        let (work, neighbours) = graph(world, &sets);
        let (part_of, largest_share) = distribute(&work, &neighbours, most)?;
        let parts: Vec<u16> = sets.iter().map(|set| part_of[set]).collect();
        // Only links lead out of a set.
        let far_end = |place: usize| {
            let to = parts[world.slots[place].first_wire?.to.place()];
            (to != parts[place]).then_some(to)
        };
        let far_ends: Arc<[Option<u16>]> = (0..parts.len()).map(far_end).collect();
        let delay = |place: usize| link_at(world, place)?.fixed_delay().filter(|_| far_ends[place].is_some());
        let least_delay = (0..parts.len()).filter_map(delay).min()?;
        let so_far = u128::from(world.now.as_nanos());
        // Meanwhile nobody is asked whether to go on, and everything that happens is remembered.
        let window = least_delay.min(MOST_DELAY);
        let in_a_window = u128::from(world.steps) * u128::from(window.as_nanos()) / so_far.max(1);
        let count = usize::from(*parts.iter().max()?) + 1;
        (in_a_window >= LEAST_WORK && time >= window * LEAST_WINDOWS).then_some(Cut {
            parts,
            far_ends,
            count,
            window,
            largest_share,
        })
    }
}

fn link_at<M: Machine, O: Observer>(world: &World<M, O>, place: usize) -> Option<&Link> {
    world.link(ElementId(place as u32))
}

/// Whether the world may be cut at the far end of what is here: a link with at least this delay.
fn is_cuttable<M: Machine, O: Observer>(world: &World<M, O>, place: usize, least: Duration) -> bool {
    let joints = &world.joints[place];
    let delay = link_at(world, place).and_then(Link::fixed_delay);
    joints.listeners.is_empty() && joints.ports() == 1 && delay.is_some_and(|delay| delay >= least)
}

/// By place: the first place of those that must stay together, because what happens at one may change another at the same time.
fn together<M: Machine, O: Observer>(world: &World<M, O>, least: Duration) -> Vec<usize> {
    let mut sets: Vec<usize> = (0..world.slots.len()).collect();
    for place in 0..sets.len() {
        if is_cuttable(world, place, least) {
            continue;
        }
        let joints = &world.joints[place];
        let wires = (0..joints.ports()).filter_map(|port| world.wire(place, Port(port))).map(|wire| wire.to);
        for other in wires.chain(joints.listeners.iter().copied()) {
            let (a, b) = (find(&mut sets, place), find(&mut sets, other.place()));
            sets[a.max(b)] = a.min(b);
        }
    }
    (0..sets.len()).map(|place| find(&mut sets, place)).collect()
}

/// The first of a set, with path compression.
fn find(sets: &mut [usize], mut place: usize) -> usize {
    while sets[place] != place {
        sets[place] = sets[sets[place]];
        place = sets[place];
    }
    place
}

type Work = BTreeMap<usize, u64>;
type Neighbours = BTreeMap<usize, Vec<usize>>;

/// By set: how much work it has had so far, and which sets links lead to.
fn graph<M: Machine, O: Observer>(world: &World<M, O>, sets: &[usize]) -> (Work, Neighbours) {
    let mut work: Work = sets.iter().map(|set| (*set, 0)).collect();
    let mut neighbours = Neighbours::new();
    for (place, slot) in world.slots.iter().enumerate() {
        let (Some(link), Some(wire)) = (link_at(world, place), slot.first_wire) else { continue };
        let (from, to) = (sets[place], sets[wire.to.place()]);
        let counters = link.counters();
        *work.entry(from).or_default() += counters.arrived.packets;
        *work.entry(to).or_default() += counters.delivered.packets * factor(world, wire.to);
        if from != to {
            neighbours.entry(from).or_default().push(to);
            neighbours.entry(to).or_default().push(from);
        }
    }
    (work, neighbours)
}

fn factor<M, O>(world: &World<M, O>, at: ElementId) -> u64 {
    match world.slots[at.place()].element {
        Element::Machine(_) => MACHINE,
        _ => 0,
    }
}

/// By set: its part; and the share of the largest part in percent. Sets that links connect are in the same part where that is possible.
fn distribute(work: &Work, neighbours: &Neighbours, most: usize) -> Option<(BTreeMap<usize, u16>, u64)> {
    let all: u64 = work.values().sum();
    let order = depth_first(work, neighbours);
    let mut parts = BTreeMap::new();
    let (mut part, mut done, mut largest, mut own) = (0, 0, 0, 0);
    for set in order {
        // A part ends where the next set would bring it further from its share than it is now.
        let share = all * (part as u64 + 1) / most as u64;
        if own > 0 && part + 1 < most && done + work[&set] / 2 > share {
            part += 1;
            own = 0;
        }
        own += work[&set];
        done += work[&set];
        largest = largest.max(own);
        parts.insert(set, part as u16);
    }
    let largest_share = largest * 100 / all.max(1);
    (part > 0 && largest_share <= LARGEST_SHARE).then_some((parts, largest_share))
}

/// All sets in depth-first order, from the one with most work on.
fn depth_first(work: &Work, neighbours: &Neighbours) -> Vec<usize> {
    let mut starts: Vec<usize> = work.keys().copied().collect();
    starts.sort_by_key(|set| std::cmp::Reverse(work[set]));
    let (mut order, mut seen) = (Vec::new(), BTreeSet::new());
    for start in starts {
        let mut stack = vec![start];
        while let Some(set) = stack.pop() {
            if seen.insert(set) {
                order.push(set);
                stack.extend(neighbours.get(&set).into_iter().flatten().rev());
            }
        }
    }
    order
}
