//! When a mobile node is in which cell: a timetable, made before the run.

use seamline_wire::random::Stream;
use seamline_wire::{Duration, Instant};
use std::fmt;
use std::sync::Arc;

/// A radio cell, by its number in the scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CellId(pub u32);

/// A move from one cell to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    /// When the node leaves the cell it was in.
    pub at: Instant,
    /// The cell it goes to.
    pub to: CellId,
}

/// In which order cells follow each other.
#[derive(Clone, Debug)]
pub enum Order {
    /// As they are listed, then again from the first.
    InTurn,
    /// Each of the others is as likely, never the one it is in. One draw per move.
    Random(Stream),
}

/// Moves at a fixed interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Period {
    /// When the first move takes place.
    pub first: Instant,
    /// From one move to the next; not zero.
    pub every: Duration,
    /// No move takes place then or later.
    pub end: Instant,
}

/// The time between two handovers, which a node spends in one cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stay {
    /// The cell.
    pub cell: CellId,
    /// When the node can be reached there by radio; [`Instant::ZERO`] where it begins.
    pub from: Instant,
    /// When it turns to another cell, or is out of range; [`Instant::MAX`] when neither happens.
    pub until: Instant,
}

/// A node's whereabouts over the whole run. Cheap to clone.
///
/// From a move on the node is in no cell until the interruption is over; with an interruption of zero it is
/// in the new cell at once. A node is in the cell in `[from, until)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Movement {
    stays: Arc<[Stay]>,
}

/// Why moves make no timetable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MovementError {
    /// A move begins before the one before it is over.
    TooEarly {
        /// When it begins.
        at: Instant,
    },
    /// A move leads to the cell that the node is in.
    ToTheSameCell {
        /// When it begins.
        at: Instant,
    },
}

impl fmt::Display for MovementError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MovementError::TooEarly { at } => {
                write!(f, "the move at {at} begins before the one before it is over")
            }
            MovementError::ToTheSameCell { at } => {
                write!(f, "the move at {at} leads to the cell that the node is in")
            }
        }
    }
}
impl std::error::Error for MovementError {}

impl Movement {
    /// A node that is in `start` at first and then moves; each move interrupts its link for `interruption`.
    ///
    /// # Errors
    /// When moves are not in order, overlap, or lead nowhere.
    pub fn new(start: CellId, moves: Vec<Move>, interruption: Duration) -> Result<Self, MovementError> {
        let mut stay = Stay { cell: start, from: Instant::ZERO, until: Instant::MAX };
        let mut stays = Vec::with_capacity(moves.len() + 1);
        let mut free_from = Instant::ZERO;
        for Move { at, to } in moves {
            if at < free_from {
                return Err(MovementError::TooEarly { at });
            }
            if to == stay.cell {
                return Err(MovementError::ToTheSameCell { at });
            }
            free_from = at + interruption.max(Duration::from_nanos(1));
            stays.push(Stay { until: at, ..stay });
            stay = Stay { cell: to, from: at + interruption, until: Instant::MAX };
        }
        stays.push(stay);
        Ok(Movement { stays: stays.into() })
    }

    /// Whereabouts that are known already.
    ///
    /// # Panics
    /// Without a stay, and when one begins before the one before it is over.
    pub(crate) fn of(stays: Vec<Stay>) -> Self {
        assert!(!stays.is_empty() && stays.windows(2).all(|pair| pair[0].until <= pair[1].from), "in order");
        Movement { stays: stays.into() }
    }

    /// A node that begins in the first of these cells and moves at a fixed interval. With fewer than two
    /// cells it stays where it is.
    ///
    /// # Errors
    /// When the interruption is longer than the interval, or a cell follows itself in the list.
    ///
    /// # Panics
    /// Without a cell.
    pub fn periodic(
        cells: &[CellId],
        period: Period,
        mut order: Order,
        interruption: Duration,
    ) -> Result<Self, MovementError> {
        let mut place = 0;
        let mut moves = Vec::new();
        let mut at = period.first;
        while at < period.end && cells.len() > 1 {
            place = match &mut order {
                Order::InTurn => (place + 1) % cells.len(),
                Order::Random(stream) => {
                    let other = stream.below(cells.len() as u64 - 1) as usize;
                    other + usize::from(other >= place)
                }
            };
            moves.push(Move { at, to: cells[place] });
            at += period.every;
        }
        Movement::new(cells[0], moves, interruption)
    }

    /// The cell that the node begins in.
    pub fn start(&self) -> CellId {
        self.stays[0].cell
    }
    /// Where it is when, in the order of time. What lies between two of them is a handover.
    pub fn stays(&self) -> &[Stay] {
        &self.stays
    }
    /// The cell that the node is in at a time; `None` during a handover and out of all ranges.
    pub fn cell_at(&self, time: Instant) -> Option<CellId> {
        let begun = self.stays.partition_point(|stay| stay.from <= time);
        let stay = self.stays[begun.checked_sub(1)?];
        (time < stay.until).then_some(stay.cell)
    }
}
