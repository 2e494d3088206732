//! The path of a node in the plane: straight lines at constant speed, and stops between them.

use seamline_wire::{Duration, Instant};
use std::fmt;

/// A place in the plane, in metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Position {
    /// To the east.
    pub x: f64,
    /// To the north.
    pub y: f64,
}

impl Position {
    /// The distance between two places in metres.
    pub fn distance(self, other: Position) -> f64 {
        let (east, north) = (other.x - self.x, other.y - self.y);
        (east * east + north * north).sqrt()
    }
}

/// A straight leg to a place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Leg {
    /// The departure time.
    pub at: Instant,
    /// The destination.
    pub to: Position,
    /// Metres per second, more than zero.
    pub speed: f64,
}

/// A leg begins before the previous one has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StillOnItsWay {
    /// The index of the leg.
    pub leg: usize,
    /// When the node arrives at the end of the previous leg.
    pub arrives: Instant,
}

impl fmt::Display for StillOnItsWay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the node arrives at the previous waypoint at {} s", self.arrives)
    }
}
impl std::error::Error for StillOnItsWay {}

/// A period of constant velocity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Piece {
    pub(crate) from: Instant,
    pub(crate) until: Instant,
    /// Its start position.
    pub(crate) position: Position,
    /// Metres per second to the east and to the north.
    pub(crate) velocity: Position,
}

impl Piece {
    fn rest(position: Position, from: Instant, until: Instant) -> Self {
        Piece { from, until, position, velocity: Position { x: 0.0, y: 0.0 } }
    }
    pub(crate) fn at(&self, time: Instant) -> Position {
        let seconds = time.saturating_since(self.from).as_secs_f64();
        let along = |start: f64, speed: f64| if speed == 0.0 { start } else { start + speed * seconds };
        Position { x: along(self.position.x, self.velocity.x), y: along(self.position.y, self.velocity.y) }
    }
}

/// The position of a node at any time.
#[derive(Clone, Debug, PartialEq)]
pub struct Trajectory {
    /// Consecutive pieces without gaps, from the start to [`Instant::MAX`].
    pieces: Vec<Piece>,
}

impl Trajectory {
    /// A node that rests at `start` until its first leg, and at the end of each leg until the next.
    ///
    /// # Errors
    /// When a leg begins before the previous one has ended.
    pub fn new(start: Position, legs: &[Leg]) -> Result<Self, StillOnItsWay> {
        let (mut position, mut arrives) = (start, Instant::ZERO);
        let mut pieces = Vec::new();
        for (index, Leg { at, to, speed }) in legs.iter().copied().enumerate() {
            if at < arrives {
                return Err(StillOnItsWay { leg: index, arrives });
            }
            if arrives < at {
                pieces.push(Piece::rest(position, arrives, at));
            }
            let distance = position.distance(to);
            arrives = at + Duration::from_secs_f64(distance / speed);
            if at < arrives {
                let component = |from: f64, to: f64| (to - from) / distance * speed;
                let velocity = Position { x: component(position.x, to.x), y: component(position.y, to.y) };
                pieces.push(Piece { from: at, until: arrives, position, velocity });
            }
            position = to;
        }
        pieces.push(Piece::rest(position, arrives, Instant::MAX));
        Ok(Trajectory { pieces })
    }

    /// The position of the node at a time.
    pub fn position_at(&self, time: Instant) -> Position {
        let begun = self.pieces.partition_point(|piece| piece.from <= time);
        self.pieces[begun.saturating_sub(1)].at(time)
    }

    pub(crate) fn pieces(&self) -> &[Piece] {
        &self.pieces
    }
}
