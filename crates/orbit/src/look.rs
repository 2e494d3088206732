//! Looking up at a satellite.

use crate::ground::Observer;
use crate::{Horizon, Place, Vector};

/// The direction and the distance of a satellite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    /// Degrees from north over east, 0 to 360.
    pub azimuth: f64,
    /// Degrees above the horizon, -90 to 90. The atmosphere's refraction is left out.
    pub elevation: f64,
    /// The slant range in kilometers.
    pub range: f64,
}

/// How a satellite (in axes fixed to Earth) looks from a place.
pub fn look(from: Place, satellite: Vector) -> Look {
    from.observer().look(satellite)
}

impl Observer {
    pub(crate) fn look(&self, satellite: Vector) -> Look {
        let line = satellite - self.at;
        let range = line.length();
        let longitude = self.place.longitude.to_radians();
        let east = Vector::new(-libm::sin(longitude), libm::cos(longitude), 0.0);
        let north = self.up.cross(east);
        let azimuth = libm::atan2(line.dot(east), line.dot(north)).to_degrees();
        let elevation = libm::asin((line.dot(self.up) / range).clamp(-1.0, 1.0)).to_degrees();
        Look { azimuth: azimuth.rem_euclid(360.0), elevation, range }
    }

    /// The sine of the elevation, and the slant range, when a satellite can be used.
    pub(crate) fn sees(&self, satellite: Vector, limit: Limit) -> Option<Seen> {
        let line = satellite - self.at;
        let (range, height) = (line.length(), line.dot(self.up));
        let is_seen = height >= limit.sine * range && range <= limit.range;
        is_seen.then_some(Seen { sine: height / range, range })
    }
}

/// A [`Horizon`] as it is compared with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limit {
    /// The sine of the least elevation.
    sine: f64,
    /// The longest slant range in kilometers.
    range: f64,
}

impl Horizon {
    pub(crate) fn limit(self) -> Limit {
        match self {
            Horizon::Elevation(degrees) => {
                Limit { sine: libm::sin(degrees.to_radians()), range: f64::INFINITY }
            }
            Horizon::Range(range) => Limit { sine: 0.0, range },
        }
    }
}

/// What choosing a satellite takes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seen {
    /// The sine of the elevation.
    pub(crate) sine: f64,
    /// The slant range in kilometers.
    pub(crate) range: f64,
}
