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

/// A node's whereabouts over the whole run. Cheap to clone.
///
/// From a move on the node is in no cell until the interruption is over; with an interruption of zero it is
/// in the new cell at once. A node is in the cell in `[entered, left)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Movement {
    start: CellId,
    moves: Arc<[Move]>,
    interruption: Duration,
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
        let (mut cell, mut free_from) = (start, Instant::ZERO);
        for Move { at, to } in moves.iter().copied() {
            if at < free_from {
                return Err(MovementError::TooEarly { at });
            }
            if to == cell {
                return Err(MovementError::ToTheSameCell { at });
            }
            (cell, free_from) = (to, at + interruption.max(Duration::from_nanos(1)));
        }
        Ok(Movement { start, moves: moves.into(), interruption })
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
        self.start
    }
    /// All moves, in the order of time.
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }
    /// For how long a move interrupts the link.
    pub fn interruption(&self) -> Duration {
        self.interruption
    }
    /// The cell that the node is in at a time; `None` during an interruption.
    pub fn cell_at(&self, time: Instant) -> Option<CellId> {
        let begun = self.moves.partition_point(|step| step.at <= time);
        match begun.checked_sub(1).map(|last| self.moves[last]) {
            None => Some(self.start),
            Some(last) => (last.at + self.interruption <= time).then_some(last.to),
        }
    }
}
