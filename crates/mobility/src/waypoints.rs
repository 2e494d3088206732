//! Compute the radio cells of a node from its trajectory and the ranges of the radio cells.

use crate::movement::{CellId, Movement, Stay};
use crate::ranges::{InRange, times_in_range, times_of_equal_distance};
use crate::trajectory::{Position, Trajectory};
use seamline_wire::{Duration, Instant};

/// The coverage area of a radio cell: a disc.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Disc {
    /// The cell.
    pub cell: CellId,
    /// The position of its base station.
    pub position: Position,
    /// The radius in metres, more than zero.
    pub range: f64,
}

impl Disc {
    /// When a node that is in range at a time leaves the range; that time itself when it is out of range already.
    pub fn range_ends(&self, trajectory: &Trajectory, time: Instant) -> Instant {
        let ranges = times_in_range(trajectory, self.position, self.range);
        ranges.iter().find(|range| range.from <= time && time < range.until).map_or(time, |range| range.until)
    }
}

/// When a node changes its radio cell. At the end of its range it must, whatever the rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Change {
    /// On entering another range: it is in the radio cell whose range it entered last, among those in range.
    #[default]
    Entering,
    /// At the end of its own range; then to the nearest in range.
    Leaving,
    /// When another base station in range becomes nearer than its own. Equal distance does not count: a node that
    /// rests in the middle, or moves along it, stays in its radio cell.
    Nearest,
}

/// No radio cell covers the start of the trajectory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfRangeAtStart;

impl Movement {
    /// The movement of a node along a trajectory. `handover` returns the interruption of each handover, in order.
    ///
    /// A handover begins when the rule selects another radio cell, or when the node enters a range after having been
    /// in none. During a handover only the end of the target's range counts: then it is abandoned, and another one
    /// begins. Other changes are evaluated when it is over.
    ///
    /// # Errors
    /// When no radio cell covers the start.
    pub fn through(
        trajectory: &Trajectory,
        discs: &[Disc],
        change: Change,
        handover: impl FnMut() -> Duration,
    ) -> Result<Self, OutOfRangeAtStart> {
        let mut walk = Walk { change, handover, stays: Vec::new(), state: State::Nowhere };
        let stretches = stretches(trajectory, discs);
        let start = walk.wanted(None, &stretches[0]).ok_or(OutOfRangeAtStart)?;
        walk.state = State::In(start, Instant::ZERO);
        for (index, stretch) in stretches.iter().enumerate() {
            let until = stretches.get(index + 1).map_or(Instant::MAX, |next| next.from);
            walk.pass(stretch, until);
        }
        if let State::In(cell, from) = walk.state {
            walk.stays.push(Stay::begins(cell, from));
        }
        Ok(Movement::of(walk.stays))
    }
}

/// A radio cell in range.
#[derive(Clone, Copy, Debug)]
struct Reachable {
    cell: CellId,
    since: Instant,
    /// The distance of its base station in metres.
    distance: f64,
}

/// A period in which the same radio cells are in range, and the order of their distances is constant.
#[derive(Clone, Debug)]
struct Stretch {
    from: Instant,
    /// In the order of the scenario.
    in_range: Vec<Reachable>,
    /// Smaller differences of distance, in metres, are rounding errors and count as equal.
    rounding: f64,
}

impl Stretch {
    /// The nearest of these; among equals the current one if it is there, otherwise the first.
    fn nearest<'a>(
        &self,
        own: Option<CellId>,
        candidates: impl Iterator<Item = &'a Reachable> + Clone,
    ) -> Option<CellId> {
        let least = candidates.clone().map(|it| it.distance).min_by(f64::total_cmp)?;
        let mut as_near = candidates.filter(|it| it.distance - least <= self.rounding).map(|it| it.cell);
        as_near.clone().find(|cell| Some(*cell) == own).or_else(|| as_near.next())
    }
}

fn stretches(trajectory: &Trajectory, discs: &[Disc]) -> Vec<Stretch> {
    let ranges: Vec<Vec<InRange>> =
        discs.iter().map(|disc| times_in_range(trajectory, disc.position, disc.range)).collect();
    let mut times: Vec<Instant> = trajectory.pieces().iter().map(|piece| piece.from).collect();
    times.extend(ranges.iter().flatten().flat_map(|time| [time.from, time.until]));
    for (index, one) in discs.iter().enumerate() {
        for other in &discs[..index] {
            times.extend(times_of_equal_distance(trajectory, one.position, other.position));
        }
    }
    times.retain(|time| *time < Instant::MAX);
    times.sort_unstable();
    times.dedup();
    let rounding = rounding(trajectory, discs);
    let stretch = |index: usize| {
        let from = times[index];
        // Where distances are equal rounding decides; in between it does not matter. The last stretch has no end.
        let until = times.get(index + 1).copied().unwrap_or(Instant::MAX);
        let within = from + (until - from) / 2;
        let position = trajectory.position_at(within);
        let reachable = |(disc, ranges): (&Disc, &Vec<InRange>)| {
            let in_range = ranges.iter().find(|range| range.from <= from && from < range.until)?;
            let distance = position.distance(disc.position);
            Some(Reachable { cell: disc.cell, since: in_range.from, distance })
        };
        let in_range = discs.iter().zip(&ranges).filter_map(reachable).collect();
        Stretch { from, in_range, rounding }
    };
    (0..times.len()).map(stretch).collect()
}

/// The error bound of computed distances in metres: a position and then a distance take a dozen operations on numbers
/// of at most four times the largest coordinate, each with an error of at most half of [`f64::EPSILON`].
fn rounding(trajectory: &Trajectory, discs: &[Disc]) -> f64 {
    let positions = discs.iter().map(|disc| disc.position);
    let all = positions.chain(trajectory.pieces().iter().map(|piece| piece.position));
    let largest = all.flat_map(|at| [at.x.abs(), at.y.abs()]).fold(0.0, f64::max);
    12.0 * (0.5 * f64::EPSILON) * (4.0 * largest)
}

/// The state of a node.
#[derive(Clone, Copy, Debug)]
enum State {
    /// In this radio cell since that time.
    In(CellId, Instant),
    /// Moving to this radio cell, with its arrival time.
    To(CellId, Instant),
    /// No radio cell is in range.
    Nowhere,
}

struct Walk<F> {
    change: Change,
    handover: F,
    stays: Vec<Stay>,
    state: State,
}

impl<F: FnMut() -> Duration> Walk<F> {
    fn pass(&mut self, stretch: &Stretch, until: Instant) {
        let mut now = stretch.from;
        loop {
            self.decide(now, stretch);
            match self.state {
                State::To(cell, arrival) if arrival < until => {
                    self.state = State::In(cell, arrival);
                    now = arrival;
                }
                _ => return,
            }
        }
    }

    /// Begin a handover if one is due.
    fn decide(&mut self, now: Instant, stretch: &Stretch) {
        let is_in_range = |cell| stretch.in_range.iter().any(|it| it.cell == cell);
        let current = match self.state {
            State::To(cell, arrival) if is_in_range(cell) => {
                if now < arrival {
                    return;
                }
                self.state = State::In(cell, arrival);
                Some(cell)
            }
            State::In(cell, _) => Some(cell),
            State::To(..) | State::Nowhere => None,
        };
        let wanted = self.wanted(current, stretch);
        if current.is_some() && wanted == current {
            return;
        }
        if let State::In(cell, from) = self.state {
            self.stays.push(Stay::begins(cell, from).ends(now));
        }
        self.state = match wanted {
            Some(cell) => State::To(cell, now + (self.handover)()),
            None => State::Nowhere,
        };
    }

    fn wanted(&self, current: Option<CellId>, stretch: &Stretch) -> Option<CellId> {
        let in_range = &stretch.in_range;
        let nearest = || stretch.nearest(current, in_range.iter());
        match self.change {
            Change::Entering => {
                let last = in_range.iter().map(|it| it.since).max()?;
                let candidates = in_range.iter().filter(|it| it.since == last);
                // If it entered several ranges at once, it keeps its own radio cell.
                current
                    .filter(|own| candidates.clone().any(|it| it.cell == *own))
                    .or_else(|| stretch.nearest(current, candidates))
            }
            Change::Leaving => {
                current.filter(|own| in_range.iter().any(|it| it.cell == *own)).or_else(nearest)
            }
            Change::Nearest => nearest(),
        }
    }
}
