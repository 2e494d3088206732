//! `movement = { start = ["0 m", "0 m"], waypoints = [{ at = "10 s", to = ["90 m", "0 m"], speed = "10 m/s" }] }`: a way
//! through the ranges of cells.

use super::cell::{self, Area, CellSpec};
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
        sections waypoints (legs): leg, "Its way through the ranges of its cells, instead of `every`";
        key change: choice(CHANGES), "When it changes its cell, with waypoints: on entering a range, on leaving its own, or when another base station is nearer";
    }
}

/// The way of a node that has these cells of all; it begins in the first of its own.
pub(super) fn make(
    options: Options,
    reader: &mut Reader<'_>,
    own: &[usize],
    cells: &[CellSpec],
) -> Option<WaypointsSpec> {
    if !reader.has("start") {
        reader.missing("start");
    }
    let change = options.change;
    let trajectory = trajectory(&options, reader);
    let discs = read_discs(reader, own, cells);
    let spec = WaypointsSpec { trajectory: trajectory?, change, discs: discs? };
    let at_start = Movement::through(&spec.trajectory, &spec.discs, change, || Duration::ZERO);
    let complaint = match at_start.map(|movement| movement.start()) {
        Err(_) => Complaint::new("no cell of the node reaches this place").code(Code::OutOfBounds),
        Ok(CellId(first)) if own.first().is_some_and(|own| *own != first as usize) => {
            let first = &cells[first as usize].name;
            Complaint::new(format!("here the node is in cell \"{first}\""))
                .code(Code::Conflict)
                .tip(format!("a node begins in the first of its `cells`: name \"{first}\" first"))
        }
        Ok(_) => return Some(spec),
    };
    reader.refuse_value("start", complaint);
    None
}

fn trajectory(options: &Options, reader: &mut Reader<'_>) -> Option<Trajectory> {
    match Trajectory::new(options.start?, options.legs.as_ref()?) {
        Ok(trajectory) => Some(trajectory),
        Err(error) => {
            let complaint = Complaint::new(error.to_string())
                .tip("set out later, or give the waypoint before more speed");
            reader.tables("waypoints")[error.leg].refuse_value("at", complaint);
            None
        }
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
