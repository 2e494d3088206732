//! `movement = { every = "5 s", order = "in turn" }`: when a mobile node changes its cell.

use super::cell::CellSpec;
use super::waypoints::{self, WaypointsSpec};
use crate::codes::Code;
use crate::document::{Node, Value};
use crate::keys::{Keys, Shape, Takes, choice, index_of, positive_time, table, time};
use crate::reader::Reader;
use crate::units::{Complaint, Quantity};
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
    /// Along a way through the ranges of the cells.
    Waypoints(WaypointsSpec),
}

const ORDERS: &[(&str, bool)] = &[("in turn", false), ("random", true)];
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

/// The ways to give the moves; the first key of each selects it.
const WAYS: [&[&str]; 3] =
    [&["waypoints", "start", "spacing", "change"], &["timetable"], &["every", "first", "order"]];

/// The keys of a movement.
#[derive(Clone, Default)]
pub(super) struct Options {
    interruption: Duration,
    overlap: Overlap,
    every: Option<Duration>,
    first: Option<Duration>,
    random: bool,
    timetable: Option<Vec<(Duration, usize)>>,
    way: waypoints::Options,
}

/// The keys; `cells` are the names of all cells.
pub(super) fn keys<'a>(cells: Vec<&'a str>) -> Keys<'a, Options> {
    let step = table! { (_, _);
        required at (0): time(), "When it leaves its cell";
        required cell (1): index_of("cell", cells), "Cell it goes to";
    }
    .build((None, None), |(at, cell), _| at.zip(cell));
    table! { Options;
        .definition("movement");
        optional every: positive_time(), "Time from one move to the next";
        optional first: time(), "Time of the first move; after `every` unless given";
        key order (random): choice(ORDERS), "Which cell is next";
        key interruption: time(), "How long a move interrupts the link";
        key overlap: overlap(), "How long the old link lasts after a move; `old link`: until its range ends, with waypoints";
        sections timetable: step, "All moves, instead of `every`";
        .with(waypoints::keys(), |it| &mut it.way);
    }
}

/// What a movement is for.
pub(super) struct Asked<'a> {
    /// The cells of the nodes; each begins in the first.
    pub(super) own: &'a [usize],
    /// Whether each node takes those of them that are on its way.
    pub(super) picks: bool,
    /// All cells.
    pub(super) cells: &'a [CellSpec],
    /// How long a run lasts.
    pub(super) duration: Duration,
    /// How many nodes there are.
    pub(super) count: usize,
}

/// When each node moves, with its cells. `None` when something is wrong, which has been noted.
pub(super) fn make(
    options: Options,
    reader: &mut Reader<'_>,
    layer_2: Option<Layer2Config>,
    asked: &Asked<'_>,
) -> Option<Vec<(MovementSpec, Vec<usize>)>> {
    if layer_2.is_some() && reader.has("interruption") {
        let complaint = Complaint::conflict("`layer_2` sets how long a handover takes");
        reader.refuse_value("interruption", complaint);
    }
    let way = refuse_other_ways(reader);
    refuse_overlap(reader, options.overlap, way == "waypoints")?;
    let gives_up = layer_2.is_some();
    let layer_2 = layer_2.unwrap_or_else(|| Layer2Config::constant(options.interruption));
    let overlap = options.overlap;
    let moves = match way {
        "waypoints" => waypoints::make(options.way, reader, asked)?,
        "timetable" => {
            let moves = MovesSpec::Timetable(timetable(options.timetable?, reader, asked.own)?);
            vec![(moves, asked.own.to_vec())]
        }
        _ => vec![(period(&options, reader, asked.duration)?, asked.own.to_vec())],
    };
    let spec = |(moves, own)| (MovementSpec { layer_2, gives_up, overlap, moves }, own);
    let mut specs: Vec<(MovementSpec, Vec<usize>)> = moves.into_iter().map(spec).collect();
    for (spec, own) in specs.iter().filter(|(_, own)| !own.is_empty()) {
        if let Err(error) = spec.build(own, 0, "") {
            let span = reader.span_of(&["timetable", "interruption", "every"]);
            let key = if way == "timetable" { way } else { "interruption" };
            reader.refuse(key, span, Complaint::new(error.to_string()));
            return None;
        }
    }
    // Nodes of a group that do not go through ranges all move alike.
    let first = specs.first()?.clone();
    specs.resize(asked.count, first);
    Some(specs)
}

/// The key that selects how moves are given; those of other ways are refused.
fn refuse_other_ways(reader: &mut Reader<'_>) -> &'static str {
    let chosen = WAYS.iter().find(|way| reader.has(way[0])).unwrap_or(&WAYS[2]);
    for key in WAYS.iter().filter(|way| way[0] != chosen[0]).copied().flatten() {
        if let Some((written, _)) = reader.entry(key) {
            let label = match chosen[0] {
                "timetable" => "a timetable has all moves".to_owned(),
                other => format!("this cannot be used with `{other}`"),
            };
            reader.refuse(key, written.span, Complaint::conflict(label));
        }
    }
    chosen[0]
}

const NO_OVERLAP: &str = "none";
const OLD_LINK: &str = "old link";

fn overlap<'a>() -> Takes<'a, Overlap> {
    let read = |node: &Node| match &node.value {
        Value::Text(text) if text == NO_OVERLAP => Ok(Overlap::None),
        Value::Text(text) if text == OLD_LINK => Ok(Overlap::Range),
        _ => time().read(node).map(Overlap::For).map_err(|complaint| {
            complaint.tip(format!("or \"{NO_OVERLAP}\", or \"{OLD_LINK}\" with waypoints"))
        }),
    };
    Takes::new(Shape::Quantity(Quantity::Time, &[NO_OVERLAP, OLD_LINK]), read, |overlap| {
        (*overlap == Overlap::None).then(|| format!("\"{NO_OVERLAP}\""))
    })
}

fn refuse_overlap(reader: &mut Reader<'_>, overlap: Overlap, has_ranges: bool) -> Option<()> {
    let complaint = match overlap {
        Overlap::For(_) if has_ranges => Complaint::new("the ranges of cells set how long")
            .tip(format!("write \"{OLD_LINK}\": the old link lasts until its range ends")),
        Overlap::Range if !has_ranges => {
            Complaint::new("without waypoints no range ends").tip("give a time, such as \"500 ms\"")
        }
        _ => return Some(()),
    };
    reader.refuse_value("overlap", complaint.code(Code::Conflict));
    None
}

fn period(options: &Options, reader: &mut Reader<'_>, duration: Duration) -> Option<MovesSpec> {
    reader.need("every");
    let every = options.every?;
    if duration.as_nanos() / every.as_nanos() > MOST_MOVES {
        let label = format!("that makes more than {MOST_MOVES} moves");
        reader.refuse_value("every", Complaint::out_of_bounds(label));
        return None;
    }
    let first = Instant::ZERO + options.first.unwrap_or(every);
    let period = Period { first, every, end: Instant::ZERO + duration };
    Some(MovesSpec::Periodic { period, random: options.random })
}

fn timetable(steps: Vec<(Duration, usize)>, reader: &mut Reader<'_>, own: &[usize]) -> Option<Vec<Move>> {
    let mut is_good = true;
    for (mut row, (_, cell)) in reader.tables("timetable").into_iter().zip(&steps) {
        if !own.is_empty() && !own.contains(cell) {
            row.refuse_value(
                "cell",
                Complaint::new("not one of the cells of this node").tip("add it to `cells`"),
            );
            is_good = false;
        }
    }
    let moves = steps.iter().map(|(at, cell)| Move { at: Instant::ZERO + *at, to: CellId(*cell as u32) });
    is_good.then(|| moves.collect())
}
