//! `movement = { start = ["0 m", "0 m"], waypoints = [{ at = "10 s", to = ["90 m", "0 m"], speed = "10 m/s" }] }`: a way
//! through the ranges of cells.

use super::cell::{self, Area, CellSpec};
use crate::codes::Code;
use crate::reader::Reader;
use crate::units::{self, Complaint};
use seamline_mobility::{CellId, Change, Disc, Leg, Movement, Position, Trajectory};
use seamline_wire::{Duration, Instant};

/// A way, and the cells on it.
#[derive(Clone, Debug, PartialEq)]
pub struct WaypointsSpec {
    /// Where the node is when.
    pub trajectory: Trajectory,
    /// When it changes its cell.
    pub change: Change,
    /// Its cells.
    pub discs: Vec<Disc>,
}

pub(crate) const CHANGES: &[(&str, Change)] =
    &[("entering", Change::Entering), ("leaving", Change::Leaving), ("nearest", Change::Nearest)];

impl WaypointsSpec {
    /// The movement, when each handover takes as long as `handover` says, and old links last until their ranges end
    /// or are lost at once.
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

/// Read the way of a node that has these cells of all; it begins in the first of its own.
pub(super) fn read(reader: &mut Reader<'_>, own: &[usize], cells: &[CellSpec]) -> Option<WaypointsSpec> {
    let start = reader.required("start", cell::position);
    let change = reader.choice("change", CHANGES).unwrap_or_default();
    let trajectory = read_trajectory(reader, start);
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

fn read_trajectory(reader: &mut Reader<'_>, start: Option<Position>) -> Option<Trajectory> {
    let mut rows = reader.tables("waypoints");
    let mut legs = Vec::new();
    for row in &mut rows {
        let at = row.required("at", units::duration);
        let to = row.required("to", cell::position);
        let speed = row.required("speed", units::positive_speed);
        let leg = |((at, to), speed)| Leg { at: Instant::ZERO + at, to, speed };
        legs.extend(at.zip(to).zip(speed).map(leg));
    }
    let complete = legs.len() == rows.len();
    let trajectory = start.filter(|_| complete).map(|start| Trajectory::new(start, &legs));
    if let Some(Err(error)) = &trajectory {
        let complaint =
            Complaint::new(error.to_string()).tip("set out later, or give the waypoint before more speed");
        rows[error.leg].refuse_value("at", complaint);
    }
    rows.into_iter().for_each(Reader::finish);
    trajectory?.ok()
}

fn read_discs(reader: &mut Reader<'_>, own: &[usize], cells: &[CellSpec]) -> Option<Vec<Disc>> {
    let mut discs = Vec::new();
    for place in own {
        let CellSpec { area, name, .. } = &cells[*place];
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
        discs.push(Disc { cell: CellId(*place as u32), position, range });
    }
    (!discs.is_empty()).then_some(discs)
}
