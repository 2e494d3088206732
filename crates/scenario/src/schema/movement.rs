//! `movement = { every = "5 s", order = "in turn" }`: when a mobile node changes its cell.

use super::cell::CellSpec;
use super::named_place;
use super::waypoints::{self, WaypointsSpec};
use crate::codes::Code;
use crate::document::Node;
use crate::reader::Reader;
use crate::units::{self, Complaint};
use seamline_mobility::{CellId, Move, Movement, MovementError, Order, Period};
use seamline_wire::random::Stream;
use seamline_wire::{Duration, Instant};

/// When a mobile node changes its cell.
#[derive(Clone, Debug, PartialEq)]
pub struct MovementSpec {
    /// For how long each move takes its link away.
    pub interruption: Duration,
    /// The moves.
    pub moves: MovesSpec,
}

/// Which moves there are.
#[derive(Clone, Debug, PartialEq)]
pub enum MovesSpec {
    /// At a fixed interval.
    Periodic {
        /// When.
        period: Period,
        /// Whether the next cell is drawn among the others; otherwise they follow in turn.
        random: bool,
    },
    /// At these times to these cells.
    Timetable(Vec<Move>),
    /// As the way through the ranges of the cells has it.
    Waypoints(WaypointsSpec),
}

pub(crate) const ORDERS: &[(&str, bool)] = &[("in turn", false), ("random", true)];
/// Moves more often than this are taken for a mistake.
const MOST_MOVES: u64 = 1_000_000;

impl MovementSpec {
    /// The movement between these cells under one seed; `name` is the mobile node's.
    ///
    /// # Errors
    /// When moves overlap or lead nowhere, which reading a scenario finds out.
    pub fn build(&self, cells: &[usize], seed: u64, name: &str) -> Result<Movement, MovementError> {
        let cells: Vec<CellId> = cells.iter().map(|cell| CellId(*cell as u32)).collect();
        match &self.moves {
            MovesSpec::Timetable(moves) => Movement::new(cells[0], moves.clone(), self.interruption),
            MovesSpec::Periodic { period, random } => {
                let order = match random {
                    true => Order::Random(Stream::new(seed, &format!("mobile/{name}/movement"))),
                    false => Order::InTurn,
                };
                Movement::periodic(&cells, *period, order, self.interruption)
            }
            MovesSpec::Waypoints(spec) => Ok(spec.build(|| self.interruption)),
        }
    }
}

/// The ways to say when a node moves; the first key of each is what makes it.
const WAYS: [&[&str]; 3] = [&["waypoints", "start", "change"], &["timetable"], &["every", "first", "order"]];

/// Read when a node that has these cells of all moves; it begins in the first of its own.
pub(super) fn read(
    mut reader: Reader<'_>,
    own: &[usize],
    cells: &[CellSpec],
    duration: Duration,
) -> Option<MovementSpec> {
    let interruption = reader.or("interruption", Duration::ZERO, units::duration);
    let way = refuse_other_ways(&mut reader);
    let moves = match way {
        "waypoints" => waypoints::read(&mut reader, own, cells).map(MovesSpec::Waypoints),
        "timetable" => read_timetable(&mut reader, own, cells),
        _ => read_period(&mut reader, duration),
    };
    let span = reader.span_of(&["timetable", "interruption", "every"]);
    let key = if way == "timetable" { way } else { "interruption" };
    let spec = moves.zip(interruption).map(|(moves, interruption)| MovementSpec { interruption, moves });
    let spec = spec.filter(|spec| {
        let wrong = if own.is_empty() { None } else { spec.build(own, 0, "").err() };
        if let Some(error) = &wrong {
            reader.refuse(key, span, Complaint::new(error.to_string()));
        }
        wrong.is_none()
    });
    reader.finish();
    spec
}

/// The key that says when the node moves; those of other ways are refused.
fn refuse_other_ways(reader: &mut Reader<'_>) -> &'static str {
    let chosen = WAYS.iter().find(|way| reader.has(way[0])).unwrap_or(&WAYS[2]);
    for key in WAYS.iter().filter(|way| way[0] != chosen[0]).copied().flatten() {
        if let Some((written, _)) = reader.entry(key) {
            let label = match chosen[0] {
                "timetable" => "a timetable says it all".to_owned(),
                other => format!("this does not go with `{other}`"),
            };
            reader.refuse(key, written.span, Complaint::new(label).code(Code::Conflict));
        }
    }
    chosen[0]
}

fn read_period(reader: &mut Reader<'_>, duration: Duration) -> Option<MovesSpec> {
    let every = reader.required("every", |node| match units::positive_duration(node)? {
        every if duration.as_nanos() / every.as_nanos() > MOST_MOVES => {
            Err(Complaint::new(format!("that makes more than {MOST_MOVES} moves")).code(Code::OutOfBounds))
        }
        every => Ok(every),
    });
    let first = reader.optional("first", units::duration);
    let random = reader.choice("order", ORDERS).unwrap_or(false);
    let every = every?;
    let first = Instant::ZERO + first.unwrap_or(every);
    let period = Period { first, every, end: Instant::ZERO + duration };
    Some(MovesSpec::Periodic { period, random })
}

fn read_timetable(reader: &mut Reader<'_>, own: &[usize], cells: &[CellSpec]) -> Option<MovesSpec> {
    let all: Vec<&str> = cells.iter().map(|cell| cell.name.as_str()).collect();
    let mut moves = Vec::new();
    let rows = reader.tables("timetable");
    let wanted = rows.len();
    for mut row in rows {
        let at = row.required("at", units::duration);
        let cell = row.required("cell", |node| own_cell(node, own, &all));
        row.finish();
        moves.extend(at.zip(cell).map(|(at, cell)| Move { at: Instant::ZERO + at, to: CellId(cell as u32) }));
    }
    (moves.len() == wanted).then_some(MovesSpec::Timetable(moves))
}

fn own_cell(node: &Node, own: &[usize], all: &[&str]) -> Result<usize, Complaint> {
    let cell = named_place(node, "cell", all)?;
    if own.is_empty() || own.contains(&cell) {
        return Ok(cell);
    }
    Err(Complaint::new("not one of the cells of this node").tip("add it to `cells`"))
}
