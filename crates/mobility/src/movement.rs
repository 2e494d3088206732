//! The movement of a mobile node: which radio cell it is in at which time, computed before the run.

use seamline_wire::random::Stream;
use seamline_wire::{Duration, Instant};
use std::fmt;
use std::sync::Arc;

/// A radio cell, by its index in the scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CellId(pub u32);

/// A move from one cell to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    /// When the node leaves its radio cell.
    pub at: Instant,
    /// The radio cell it moves to.
    pub to: CellId,
}

/// The order in which a node visits radio cells.
#[derive(Clone, Debug)]
pub enum Order {
    /// In list order, repeatedly.
    InTurn,
    /// Uniformly random among the others, never the current one. One draw per move.
    Random(Stream),
}

/// Moves at a fixed interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Period {
    /// The time of the first move.
    pub first: Instant,
    /// The time between two moves; not zero.
    pub every: Duration,
    /// Moves end before this time.
    pub end: Instant,
}

/// The stay of a node in one radio cell between two handovers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stay {
    /// The cell.
    pub cell: CellId,
    /// When the node becomes reachable there by radio; [`Instant::ZERO`] for the first stay.
    pub from: Instant,
    /// When it moves to another radio cell, or goes out of range; [`Instant::MAX`] when neither happens.
    pub until: Instant,
    /// Until when the link to the radio cell still carries packets, as far as the node has radios for both: not
    /// before `until`, and not after the node leaves the next radio cell.
    pub link_until: Instant,
}

impl Stay {
    /// A stay that begins at this time and has no end yet.
    pub(crate) fn begins(cell: CellId, from: Instant) -> Self {
        Stay { cell, from, until: Instant::MAX, link_until: Instant::MAX }
    }
    /// End the stay at this time, together with its link.
    pub(crate) fn ends(self, until: Instant) -> Self {
        Stay { until, link_until: until, ..self }
    }
}

/// A node's locations over the whole run. Cheap to clone.
///
/// After a move the node is in no radio cell until the interruption is over; without an interruption it is in the new
/// radio cell at once. A node is in the radio cell in `[from, until)`, and its old link works in `[from,
/// link_until)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Movement {
    stays: Arc<[Stay]>,
}

/// Why moves are invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MovementError {
    /// A move begins before the previous one is over.
    TooEarly {
        /// When it begins.
        at: Instant,
    },
    /// A move leads to the current radio cell.
    ToTheSameCell {
        /// When it begins.
        at: Instant,
    },
}

impl fmt::Display for MovementError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MovementError::TooEarly { at } => {
                write!(f, "the move at {at} begins before the previous one is over")
            }
            MovementError::ToTheSameCell { at } => {
                write!(f, "the move at {at} leads to the radio cell that the node is already in")
            }
        }
    }
}
impl std::error::Error for MovementError {}

impl Movement {
    /// A node that starts in `start` and then moves; each move interrupts its link for `interruption`.
    ///
    /// # Errors
    /// When moves are out of order, overlap, or lead to the current radio cell.
    pub fn new(start: CellId, moves: Vec<Move>, interruption: Duration) -> Result<Self, MovementError> {
        let mut stay = Stay::begins(start, Instant::ZERO);
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
            stays.push(stay.ends(at));
            stay = Stay::begins(to, at + interruption);
        }
        stays.push(stay);
        Ok(Movement { stays: stays.into() })
    }

    /// Like [`Movement::new`], with the durations of `handover`, in order. A handover that is not over when the next
    /// move begins is abandoned.
    ///
    /// # Errors
    /// When moves are out of order, or lead to the current radio cell.
    pub fn with_handovers(
        start: CellId,
        moves: Vec<Move>,
        mut handover: impl FnMut() -> Duration,
    ) -> Result<Self, MovementError> {
        // The order does not depend on durations.
        Movement::new(start, moves.clone(), Duration::ZERO)?;
        let mut stay = Stay::begins(start, Instant::ZERO);
        let mut stays = Vec::with_capacity(moves.len() + 1);
        for Move { at, to } in moves {
            if stay.from <= at {
                stays.push(stay.ends(at));
            }
            stay = Stay::begins(to, at + handover());
        }
        stays.push(stay);
        Ok(Movement { stays: stays.into() })
    }

    /// The same movement, but each link lasts until the time that `end` returns for a radio cell and the time at
    /// which the node leaves it. No link lasts longer than until the next move.
    #[must_use]
    pub fn with_old_links(self, mut end: impl FnMut(CellId, Instant) -> Instant) -> Self {
        let mut stays = self.stays.to_vec();
        for index in 1..stays.len() {
            let latest = stays[index].until;
            let left = &mut stays[index - 1];
            left.link_until = end(left.cell, left.until).clamp(left.until, latest);
        }
        Movement { stays: stays.into() }
    }

    /// A movement with known stays.
    ///
    /// # Panics
    /// Without a stay, and when a stay begins before the previous one is over.
    pub(crate) fn of(stays: Vec<Stay>) -> Self {
        assert!(!stays.is_empty() && stays.windows(2).all(|pair| pair[0].until <= pair[1].from), "in order");
        Movement { stays: stays.into() }
    }

    /// The initial radio cell.
    pub fn start(&self) -> CellId {
        self.stays[0].cell
    }
    /// The stays in order of time. The gaps between them are handovers.
    pub fn stays(&self) -> &[Stay] {
        &self.stays
    }
    /// The radio cell at a time; `None` during a handover and out of all ranges.
    pub fn cell_at(&self, time: Instant) -> Option<CellId> {
        let begun = self.stays.partition_point(|stay| stay.from <= time);
        let stay = self.stays[begun.checked_sub(1)?];
        (time < stay.until).then_some(stay.cell)
    }
    /// Whether packets pass between a radio cell and the node at a time: it is there, or its link there still works.
    pub fn is_linked(&self, cell: CellId, time: Instant) -> bool {
        self.link_ends(cell, time).is_some()
    }
    /// Until when packets pass between a radio cell and the node; `None` when they do not pass at this time.
    pub fn link_ends(&self, cell: CellId, time: Instant) -> Option<Instant> {
        let begun = self.stays.partition_point(|stay| stay.from <= time);
        let mut may_last = self.stays[begun.saturating_sub(2)..begun].iter().rev();
        may_last.find(|stay| stay.cell == cell && time < stay.link_until).map(|stay| stay.link_until)
    }
}

impl Period {
    /// The moves of a node that starts in the first of these radio cells. With fewer than two there are none.
    pub fn moves(self, cells: &[CellId], mut order: Order) -> Vec<Move> {
        let mut index = 0;
        let mut moves = Vec::new();
        let mut at = self.first;
        while at < self.end && cells.len() > 1 {
            index = match &mut order {
                Order::InTurn => (index + 1) % cells.len(),
                Order::Random(stream) => {
                    let other = stream.below(cells.len() as u64 - 1) as usize;
                    other + usize::from(other >= index)
                }
            };
            moves.push(Move { at, to: cells[index] });
            at += self.every;
        }
        moves
    }
}
