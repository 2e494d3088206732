//! Frames of reference: inertial (TEME, as SGP4 gives it), fixed to Earth (ECEF), and latitude, longitude, altitude on
//! the ellipsoid WGS 84.

use crate::{Place, Utc, Vector};
use std::f64::consts::TAU;

/// The equatorial radius of WGS 84, in kilometers.
pub(crate) const RADIUS: f64 = 6378.137;
/// The flattening of WGS 84.
const FLATTENING: f64 = 1.0 / 298.257_223_563;
/// The square of its eccentricity.
const ECCENTRICITY_SQUARED: f64 = FLATTENING * (2.0 - FLATTENING);
const SECONDS_PER_CENTURY: f64 = 36_525.0 * 86_400.0;

/// Greenwich mean sidereal time in radians, by the formula of 1982 (Vallado, Fundamentals of Astrodynamics and
/// Applications, eq. 3-47). UTC stands for UT1: they differ by less than 0.9 s, which is 0.42 km at the equator.
pub fn sidereal_angle(at: Utc) -> f64 {
    let seconds = at.seconds_since_j2000();
    let t = seconds / SECONDS_PER_CENTURY;
    // The day's turn apart from the slow terms, so that no digits are lost.
    let sidereal = 67_310.548_41
        + (876_600.0 * 3600.0 * t).rem_euclid(86_400.0)
        + (8_640_184.812_866 + (0.093_104 - 6.2e-6 * t) * t) * t;
    (sidereal / 86_400.0 * TAU).rem_euclid(TAU)
}

/// From TEME to axes fixed to Earth; the motion of the poles (some 10 m) is left out.
pub fn teme_to_ecef(teme: Vector, at: Utc) -> Vector {
    teme.in_turned_axes(sidereal_angle(at))
}

/// A place in axes fixed to Earth.
pub(crate) fn ecef(place: Place) -> Vector {
    let (latitude, longitude) = (place.latitude.to_radians(), place.longitude.to_radians());
    let (sin, cos) = (libm::sin(latitude), libm::cos(latitude));
    let normal = RADIUS / (1.0 - ECCENTRICITY_SQUARED * sin * sin).sqrt();
    Vector::new(
        (normal + place.altitude) * cos * libm::cos(longitude),
        (normal + place.altitude) * cos * libm::sin(longitude),
        (normal * (1.0 - ECCENTRICITY_SQUARED) + place.altitude) * sin,
    )
}

/// The direction away from the ellipsoid at a place.
pub(crate) fn up(place: Place) -> Vector {
    let (latitude, longitude) = (place.latitude.to_radians(), place.longitude.to_radians());
    let cos = libm::cos(latitude);
    Vector::new(cos * libm::cos(longitude), cos * libm::sin(longitude), libm::sin(latitude))
}

/// Latitude, longitude and altitude of a point fixed to Earth: for satellites, the point below them.
pub fn geodetic(point: Vector) -> Place {
    let horizontal = libm::hypot(point.x, point.y);
    let mut latitude = libm::atan2(point.z, horizontal);
    // Each round reduces the error more than a hundredfold.
    for _ in 0..5 {
        let sin = libm::sin(latitude);
        let normal = RADIUS / (1.0 - ECCENTRICITY_SQUARED * sin * sin).sqrt();
        latitude = libm::atan2(point.z + ECCENTRICITY_SQUARED * normal * sin, horizontal);
    }
    let (sin, cos) = (libm::sin(latitude), libm::cos(latitude));
    let normal = RADIUS / (1.0 - ECCENTRICITY_SQUARED * sin * sin).sqrt();
    let altitude = horizontal * cos + point.z * sin - normal * (1.0 - ECCENTRICITY_SQUARED * sin * sin);
    Place { latitude: latitude.to_degrees(), longitude: libm::atan2(point.y, point.x).to_degrees(), altitude }
}
