//! All satellites at one time.

use crate::ground::Observer;
use crate::look::{Limit, Seen};
use crate::{Utc, Vector};
use std::f64::consts::FRAC_PI_2;

/// Where all satellites are at one time, in axes fixed to Earth, ordered so that a place finds those near it.
#[derive(Clone, Debug)]
pub struct Snapshot {
    at: Utc,
    positions: Vec<Vector>,
    /// Directions from the center of Earth, and numbers, from south to north.
    by_latitude: Vec<(Vector, u32)>,
    /// The altitude of the highest one over the smallest radius of Earth, in kilometers.
    highest: f64,
}

impl Snapshot {
    /// Of these positions; a satellite in the center of Earth is one that is gone.
    pub fn new(at: Utc, positions: Vec<Vector>) -> Self {
        let present = positions.iter().zip(0u32..).filter(|(position, _)| **position != Vector::ZERO);
        let mut by_latitude: Vec<(Vector, u32)> =
            present.map(|(position, number)| (position.unit(), number)).collect();
        by_latitude.sort_unstable_by(|one, other| one.0.z.total_cmp(&other.0.z).then(one.1.cmp(&other.1)));
        let highest = positions.iter().map(|position| position.length()).fold(0.0, f64::max) - 6356.0;
        Snapshot { at, positions, by_latitude, highest }
    }

    /// The time.
    pub fn at(&self) -> Utc {
        self.at
    }

    /// The positions, by number.
    pub fn positions(&self) -> &[Vector] {
        &self.positions
    }

    /// The altitude of the highest satellite over the smallest radius of Earth, in kilometers.
    pub(crate) fn highest(&self) -> f64 {
        self.highest
    }

    /// Those that an observer can use, `within` an angle (radians) at the center of Earth that holds them all.
    pub(crate) fn seen_from<'a>(
        &'a self,
        observer: &Observer,
        limit: Limit,
        within: f64,
    ) -> impl Iterator<Item = (usize, Seen)> + use<'a> {
        let observer = *observer;
        let direction = observer.at.unit();
        let latitude = libm::asin(direction.z.clamp(-1.0, 1.0));
        let (south, north) = ((latitude - within).max(-FRAC_PI_2), (latitude + within).min(FRAC_PI_2));
        let (south, north) = (libm::sin(south) - 1e-9, libm::sin(north) + 1e-9);
        let from = self.by_latitude.partition_point(|(towards, _)| towards.z < south);
        let to = self.by_latitude.partition_point(|(towards, _)| towards.z <= north);
        let least = libm::cos(within);
        self.by_latitude[from..to].iter().filter_map(move |(towards, number)| {
            if towards.dot(direction) < least {
                return None;
            }
            let number = *number as usize;
            observer.sees(self.positions[number], limit).map(|seen| (number, seen))
        })
    }
}
