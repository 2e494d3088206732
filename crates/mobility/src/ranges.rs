//! When a trajectory is within range of a place, and when it is equally far from two places.

use crate::trajectory::{Piece, Position, Trajectory};
use seamline_wire::{Duration, Instant};

/// A time in range: `[from, until)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct InRange {
    pub(crate) from: Instant,
    pub(crate) until: Instant,
}

/// The times at which a trajectory is at most `range` metres from a place, to the nanosecond, in order. Touching the
/// circle from outside does not count.
pub(crate) fn times_in_range(trajectory: &Trajectory, centre: Position, range: f64) -> Vec<InRange> {
    let mut times: Vec<InRange> = Vec::new();
    for piece in trajectory.pieces() {
        let Some(within) = chord(piece, centre, range) else { continue };
        match times.last_mut() {
            // It was in range when its velocity changed.
            Some(last) if last.until == within.from => last.until = within.until,
            _ => times.push(within),
        }
    }
    times
}

/// The part of a piece that is in range.
fn chord(piece: &Piece, centre: Position, range: f64) -> Option<InRange> {
    let Piece { from, until, position, velocity } = *piece;
    let (east, north) = (position.x - centre.x, position.y - centre.y);
    let speed_squared = velocity.x * velocity.x + velocity.y * velocity.y;
    if speed_squared == 0.0 {
        return (east * east + north * north <= range * range).then_some(InRange { from, until });
    }
    // Computed from the closest approach: the difference of two large squares would lose precision.
    let closest = -(east * velocity.x + north * velocity.y) / speed_squared;
    let across = east * velocity.y - north * velocity.x;
    let half_squared = range * range - across * across / speed_squared;
    if half_squared <= 0.0 {
        return None;
    }
    let half = (half_squared / speed_squared).sqrt();
    let enters = (from + Duration::from_secs_f64(closest - half)).max(from);
    let leaves = (from + Duration::from_secs_f64(closest + half)).min(until);
    (enters < leaves).then_some(InRange { from: enters, until: leaves })
}

/// The times at which a trajectory becomes nearer to one place than to the other. A time at which its velocity
/// changes may be listed twice.
pub(crate) fn times_of_equal_distance<'a>(
    trajectory: &'a Trajectory,
    one: Position,
    other: Position,
) -> impl Iterator<Item = Instant> + 'a {
    let (east, north) = (other.x - one.x, other.y - one.y);
    let middle = Position { x: (one.x + other.x) / 2.0, y: (one.y + other.y) / 2.0 };
    trajectory.pieces().iter().filter_map(move |piece| {
        let towards = piece.velocity.x * east + piece.velocity.y * north;
        let ahead = (middle.x - piece.position.x) * east + (middle.y - piece.position.y) * north;
        let seconds = ahead / towards;
        let at = piece.from + Duration::from_secs_f64(seconds);
        (towards != 0.0 && seconds >= 0.0 && at <= piece.until).then_some(at)
    })
}
