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
    /// Until when the link to the cell carries packets all the same, as far as the node has radios for both: not before
    /// `until`, and not after the node turns away from the next cell.
    pub link_until: Instant,
}

impl Stay {
    /// That begins then and has no end yet.
    pub(crate) fn begins(cell: CellId, from: Instant) -> Self {
        Stay { cell, from, until: Instant::MAX, link_until: Instant::MAX }
    }
    /// Ends then, with its link.
    pub(crate) fn ends(self, until: Instant) -> Self {
        Stay { until, link_until: until, ..self }
    }
}

/// A node's whereabouts over the whole run. Cheap to clone.
///
/// From a move on the node is in no cell until the interruption is over; with an interruption of zero it is
/// in the new cell at once. A node is in the cell in `[from, until)`, and its old link lasts in `[from, link_until)`.
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

    /// Like [`Movement::new`], with handovers that take as long as `handover` says for each in turn. One that is not
    /// over when the next move begins is given up.
    ///
    /// # Errors
    /// When moves are not in order, or lead nowhere.
    pub fn with_handovers(
        start: CellId,
        moves: Vec<Move>,
        mut handover: impl FnMut() -> Duration,
    ) -> Result<Self, MovementError> {
        // Whether they are in order does not depend on how long they take.
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

    /// The same, but each link lasts until `end` says, given the cell and when the node turns to another. Not longer
    /// than until it turns to the one after that.
    #[must_use]
    pub fn with_old_links(self, mut end: impl FnMut(CellId, Instant) -> Instant) -> Self {
        let mut stays = self.stays.to_vec();
        for place in 1..stays.len() {
            let latest = stays[place].until;
            let left = &mut stays[place - 1];
            left.link_until = end(left.cell, left.until).clamp(left.until, latest);
        }
        Movement { stays: stays.into() }
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
        order: Order,
        interruption: Duration,
    ) -> Result<Self, MovementError> {
        Movement::new(cells[0], period.moves(cells, order), interruption)
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
    /// Whether packets pass between a cell and the node at a time: it is there, or its link there lasts.
    pub fn is_linked(&self, cell: CellId, time: Instant) -> bool {
        self.link_ends(cell, time).is_some()
    }
    /// Until when packets pass between a cell and the node; `None` when they do not at this time.
    pub fn link_ends(&self, cell: CellId, time: Instant) -> Option<Instant> {
        let begun = self.stays.partition_point(|stay| stay.from <= time);
        let mut may_last = self.stays[begun.saturating_sub(2)..begun].iter().rev();
        may_last.find(|stay| stay.cell == cell && time < stay.link_until).map(|stay| stay.link_until)
    }
}

impl Period {
    /// The moves of a node that begins in the first of these cells. With fewer than two cells there are none.
    pub fn moves(self, cells: &[CellId], mut order: Order) -> Vec<Move> {
        let mut place = 0;
        let mut moves = Vec::new();
        let mut at = self.first;
        while at < self.end && cells.len() > 1 {
            place = match &mut order {
                Order::InTurn => (place + 1) % cells.len(),
                Order::Random(stream) => {
                    let other = stream.below(cells.len() as u64 - 1) as usize;
                    other + usize::from(other >= place)
                }
            };
            moves.push(Move { at, to: cells[place] });
            at += self.every;
        }
        moves
    }
}
