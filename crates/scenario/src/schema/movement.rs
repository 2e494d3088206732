//! `movement = { every = "5 s", order = "in turn" }`: when a mobile node changes its cell.

use super::cell::CellSpec;
use super::named_place;
use super::waypoints::{self, WaypointsSpec};
use crate::codes::Code;
use crate::document::{Node, Value};
use crate::reader::Reader;
use crate::units::{self, Complaint};
use seamline_mobility::{CellId, Layer2Config, Move, Movement, MovementError, Order, Period};
use seamline_wire::random::Stream;
use seamline_wire::{Duration, Instant};

/// When a mobile node changes its cell.
#[derive(Clone, Debug, PartialEq)]
pub struct MovementSpec {
    /// How long each handover takes.
    pub layer_2: Layer2Config,
    /// Whether a handover that is not over when the next begins is given up, rather than a mistake in the file.
    pub gives_up: bool,
    /// How long the old link lasts.
    pub overlap: Overlap,
    /// The moves.
    pub moves: MovesSpec,
}

/// For how long a node that turns to another cell has its old link, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Overlap {
    /// It has one radio, which turns to the new cell at once.
    #[default]
    None,
    /// Until its range ends.
    Range,
    /// For this long.
    For(Duration),
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
        let handover = self.layer_2.handovers(seed, &format!("mobile/{name}/layer-2"));
        match &self.moves {
            MovesSpec::Timetable(moves) => self.follow(cells[0], moves.clone(), handover),
            MovesSpec::Periodic { period, random } => {
                let order = match random {
                    true => Order::Random(Stream::new(seed, &format!("mobile/{name}/movement"))),
                    false => Order::InTurn,
                };
                self.follow(cells[0], period.moves(&cells, order), handover)
            }
            MovesSpec::Waypoints(spec) => Ok(spec.build(handover, self.overlap == Overlap::Range)),
        }
    }

    fn follow(
        &self,
        start: CellId,
        moves: Vec<Move>,
        handover: impl FnMut() -> Duration,
    ) -> Result<Movement, MovementError> {
        let movement = match self.layer_2.always().filter(|_| !self.gives_up) {
            Some(interruption) => Movement::new(start, moves, interruption)?,
            None => Movement::with_handovers(start, moves, handover)?,
        };
        Ok(match self.overlap {
            Overlap::For(overlap) => movement.with_old_links(|_, until| until + overlap),
            Overlap::None | Overlap::Range => movement,
        })
    }
}

/// The ways to say when a node moves; the first key of each is what makes it.
const WAYS: [&[&str]; 3] = [&["waypoints", "start", "change"], &["timetable"], &["every", "first", "order"]];

/// Read when a node that has these cells of all moves; it begins in the first of its own.
pub(super) fn read(
    mut reader: Reader<'_>,
    layer_2: Option<Layer2Config>,
    own: &[usize],
    cells: &[CellSpec],
    duration: Duration,
) -> Option<MovementSpec> {
    let interruption = reader.or("interruption", Duration::ZERO, units::duration);
    if layer_2.is_some() && interruption.is_some() && reader.has("interruption") {
        let complaint = Complaint::new("`layer_2` says how long a handover takes").code(Code::Conflict);
        reader.refuse_value("interruption", complaint);
    }
    let gives_up = layer_2.is_some();
    let layer_2 = layer_2.or_else(|| interruption.map(Layer2Config::constant));
    let way = refuse_other_ways(&mut reader);
    let overlap = reader.or("overlap", Overlap::None, |node| read_overlap(node, way == "waypoints"));
    let moves = match way {
        "waypoints" => waypoints::read(&mut reader, own, cells).map(MovesSpec::Waypoints),
        "timetable" => read_timetable(&mut reader, own, cells),
        _ => read_period(&mut reader, duration),
    };
    let span = reader.span_of(&["timetable", "interruption", "every"]);
    let key = if way == "timetable" { way } else { "interruption" };
    let spec = moves.zip(layer_2).zip(overlap);
    let spec = spec.map(|((moves, layer_2), overlap)| MovementSpec { layer_2, gives_up, overlap, moves });
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

pub(crate) const NO_OVERLAP: &str = "none";
pub(crate) const OLD_LINK: &str = "old link";

fn read_overlap(node: &Node, has_ranges: bool) -> Result<Overlap, Complaint> {
    let overlap = match &node.value {
        Value::Text(text) if text == NO_OVERLAP => Overlap::None,
        Value::Text(text) if text == OLD_LINK => Overlap::Range,
        _ => Overlap::For(units::duration(node).map_err(|complaint| {
            complaint.tip(format!("or \"{NO_OVERLAP}\", or \"{OLD_LINK}\" for a way by waypoints"))
        })?),
    };
    match overlap {
        Overlap::For(_) if has_ranges => Err(Complaint::new("the ranges of cells say for how long")
            .code(Code::Conflict)
            .tip(format!("write \"{OLD_LINK}\": the old link lasts until its range ends"))),
        Overlap::Range if !has_ranges => Err(Complaint::new("without waypoints no range ends")
            .code(Code::Conflict)
            .tip("say for how long, such as \"500 ms\"")),
        overlap => Ok(overlap),
    }
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
