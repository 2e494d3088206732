//! `movement = { start = ["0 m", "0 m"], waypoints = [{ at = "10 s", to = ["90 m", "0 m"], speed = "10 m/s" }] }`: a way
//! through the ranges of cells.

use super::cell::{self, Area, CellSpec};
use super::movement::{Asked, MovesSpec};
use super::several::spaced;
use crate::codes::Code;
use crate::keys::{Keys, choice, positive_speed, table, time};
use crate::reader::Reader;
use crate::units::Complaint;
use seamline_mobility::{CellId, Change, Disc, Leg, Movement, Position, Trajectory};
use seamline_wire::{Duration, Instant};

/// A way, and the cells on it.
#[derive(Clone, Debug, PartialEq)]
pub struct WaypointsSpec {
    /// The trajectory of the node.
    pub trajectory: Trajectory,
    /// When it changes its cell.
    pub change: Change,
    /// Its cells.
    pub discs: Vec<Disc>,
}

const CHANGES: &[(&str, Change)] =
    &[("entering", Change::Entering), ("leaving", Change::Leaving), ("nearest", Change::Nearest)];

impl WaypointsSpec {
    /// The movement; `handover` returns the duration of each handover, and old links last until their ranges end or are
    /// lost at once.
    ///
    /// # Panics
    /// When no cell reaches the start, which reading a scenario finds out.
    pub fn build(&self, handover: impl FnMut() -> Duration, old_links_last: bool) -> Movement {
        let movement = Movement::through(&self.trajectory, &self.discs, self.change, handover);
        let movement = movement.expect("the start is in range");
        if !old_links_last {
            return movement;
        }
        movement.with_old_links(|cell, until| {
            let disc = self.discs.iter().find(|disc| disc.cell == cell);
            disc.map_or(until, |disc| disc.range_ends(&self.trajectory, until))
        })
    }
}

/// The keys of a way.
#[derive(Clone, Default)]
pub(super) struct Options {
    start: Option<Position>,
    spacing: Option<Position>,
    legs: Option<Vec<Leg>>,
    change: Change,
}

pub(super) fn keys<'a>() -> Keys<'a, Options> {
    type Row = (Option<Duration>, Option<Position>, Option<f64>);
    let leg = table! { Row;
        required at (0): time(), "When it sets out";
        required to (1): cell::position(), "Where it goes, in a straight line";
        required speed (2): positive_speed(), "Its speed";
    }
    .build(Row::default(), |(at, to, speed), _| {
        Some(Leg { at: Instant::ZERO + at?, to: to?, speed: speed? })
    });
    table! { Options;
        optional start: cell::position(), "Position before the first waypoint";
        optional spacing: cell::position(), "Offset from the way of each node of a group to that of the next, to the east and to the north";
        sections waypoints (legs): leg, "Its way through the ranges of its cells, instead of `every`";
        key change: choice(CHANGES), "When it changes its cell, with waypoints: on entering a range, on leaving its own, or when another base station is nearer";
    }
}

/// The ways of the nodes, each with its cells.
pub(super) fn make(
    options: Options,
    reader: &mut Reader<'_>,
    asked: &Asked<'_>,
) -> Option<Vec<(MovesSpec, Vec<usize>)>> {
    reader.need("start");
    let change = options.change;
    let first = trajectory(&options, reader, 0.0);
    let discs = read_discs(reader, asked.own, asked.cells);
    let (_, discs) = (first?, discs?);
    let eastwards = Eastwards::of(&discs);
    let count = if reader.has("spacing") || asked.picks { asked.count } else { 1 };
    let mut ways = Vec::with_capacity(count);
    for place in 0..count {
        let trajectory = trajectory(&options, reader, place as f64)?;
        let reached = if asked.picks { eastwards.near(&options, place as f64) } else { discs.clone() };
        let spec = WaypointsSpec { trajectory, change, discs: reached };
        ways.push(way(spec, reader, asked, place)?);
    }
    Some(ways)
}

/// The way of a node with its cells, in which it begins in the first.
fn way(
    spec: WaypointsSpec,
    reader: &mut Reader<'_>,
    asked: &Asked<'_>,
    place: usize,
) -> Option<(MovesSpec, Vec<usize>)> {
    let at_start = Movement::through(&spec.trajectory, &spec.discs, spec.change, || Duration::ZERO);
    let index = |cell: CellId| cell.0 as usize;
    let complaint = match at_start {
        Err(_) if place > 0 => {
            let label = format!("node {} of the group starts outside all cells", place + 1);
            Complaint::out_of_bounds(label).tip("add cells, or make `spacing` smaller")
        }
        Err(_) => Complaint::out_of_bounds("no cell of the node reaches this place"),
        Ok(movement) if asked.picks => {
            let first = movement.start();
            let others = spec.discs.iter().map(|disc| disc.cell).filter(|cell| *cell != first);
            let own = std::iter::once(first).chain(others).map(index).collect();
            return Some((MovesSpec::Waypoints(spec), own));
        }
        Ok(movement) if asked.own.first().is_some_and(|own| *own != index(movement.start())) => {
            let first = &asked.cells[index(movement.start())].name;
            Complaint::conflict(format!("here the node is in cell \"{first}\""))
                .tip(format!("a node begins in the first of its `cells`: name \"{first}\" first"))
        }
        Ok(_) => return Some((MovesSpec::Waypoints(spec), asked.own.to_vec())),
    };
    reader.refuse_value("start", complaint);
    None
}

fn trajectory(options: &Options, reader: &mut Reader<'_>, place: f64) -> Option<Trajectory> {
    let legs: Vec<Leg> = options
        .legs
        .as_ref()?
        .iter()
        .map(|leg| Leg { to: spaced(leg.to, options.spacing, place), ..*leg })
        .collect();
    match Trajectory::new(spaced(options.start?, options.spacing, place), &legs) {
        Ok(trajectory) => Some(trajectory),
        Err(error) => {
            let complaint = Complaint::new(error.to_string())
                .tip("set out later, or give the waypoint before more speed");
            reader.tables("waypoints")[error.leg].refuse_value("at", complaint);
            None
        }
    }
}

/// Discs from west to east, so that each way looks only at those around it.
struct Eastwards<'a> {
    /// Each with its place among all.
    discs: Vec<(usize, &'a Disc)>,
    longest_range: f64,
}

impl<'a> Eastwards<'a> {
    fn of(discs: &'a [Disc]) -> Self {
        let longest_range = discs.iter().map(|disc| disc.range).fold(0.0, f64::max);
        let mut discs: Vec<(usize, &Disc)> = discs.iter().enumerate().collect();
        discs.sort_by(|(_, one), (_, other)| one.position.x.total_cmp(&other.position.x));
        Eastwards { discs, longest_range }
    }

    /// The discs that a way may meet: those that reach into the rectangle around it, in their own order.
    fn near(&self, options: &Options, place: f64) -> Vec<Disc> {
        let legs = options.legs.iter().flatten().map(|leg| leg.to);
        let corners: Vec<Position> =
            options.start.into_iter().chain(legs).map(|at| spaced(at, options.spacing, place)).collect();
        let ends = |of: fn(&Position) -> f64| {
            let all = corners.iter().map(of);
            all.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), it| (low.min(it), high.max(it)))
        };
        let (x, y) = (ends(|it| it.x), ends(|it| it.y));
        let reaches =
            |(low, high): (f64, f64), at: f64, range: f64| (low - range..=high + range).contains(&at);
        let first = self.discs.partition_point(|(_, disc)| disc.position.x < x.0 - self.longest_range);
        let last = self.discs.partition_point(|(_, disc)| disc.position.x <= x.1 + self.longest_range);
        let mut met: Vec<(usize, Disc)> = self.discs[first..last]
            .iter()
            .filter(|(_, disc)| {
                reaches(x, disc.position.x, disc.range) && reaches(y, disc.position.y, disc.range)
            })
            .map(|(place, disc)| (*place, **disc))
            .collect();
        met.sort_unstable_by_key(|(place, _)| *place);
        met.into_iter().map(|(_, disc)| disc).collect()
    }
}

fn read_discs(reader: &mut Reader<'_>, own: &[usize], cells: &[CellSpec]) -> Option<Vec<Disc>> {
    let mut discs = Vec::new();
    for index in own {
        let CellSpec { area, name, .. } = &cells[*index];
        let Some(Area { position, range }) = *area else {
            let complaint =
                Complaint::new(format!("cell \"{name}\" of this node has no position and no range"))
                    .code(Code::Missing)
                    .tip(format!(
                        "add position = [\"200 m\", \"300 m\"] and range = \"90 m\" to cell \"{name}\""
                    ));
            reader.refuse_value("waypoints", complaint);
            return None;
        };
        discs.push(Disc { cell: CellId(*index as u32), position, range });
    }
    (!discs.is_empty()).then_some(discs)
}
