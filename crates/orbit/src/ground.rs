//! Who is on the ground, on the sea or in the air.

use crate::frames::{ecef, up};
use crate::{OrbitError, Track, Utc, Vector};
use std::collections::BTreeSet;

/// A place near the surface of Earth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// Geodetic latitude in degrees, -90 to 90, north positive.
    pub latitude: f64,
    /// Longitude in degrees, -180 to 180, east positive.
    pub longitude: f64,
    /// Kilometers above the ellipsoid.
    pub altitude: f64,
}

impl Place {
    /// A place at sea level.
    ///
    /// # Errors
    /// When an angle is out of range.
    pub fn new(latitude: f64, longitude: f64) -> Result<Self, OrbitError> {
        Place { latitude, longitude, altitude: 0.0 }.checked()
    }

    /// The same place at an altitude in kilometers.
    ///
    /// # Errors
    /// When it is not between 1 km below and 100 km above the ellipsoid.
    pub fn at_altitude(self, altitude: f64) -> Result<Self, OrbitError> {
        Place { altitude, ..self }.checked()
    }

    fn checked(self) -> Result<Self, OrbitError> {
        let ranges = [
            ("latitude", self.latitude, -90.0, 90.0, "degrees"),
            ("longitude", self.longitude, -180.0, 180.0, "degrees"),
            ("altitude", self.altitude, -1.0, 100.0, "km"),
        ];
        match ranges.iter().find(|(_, value, low, high, _)| !(*low..=*high).contains(value)) {
            Some((what, value, low, high, unit)) => {
                Err(OrbitError::new(format!("the {what} {value} is not between {low} and {high} {unit}")))
            }
            None => Ok(self),
        }
    }

    /// Read `47.6,-122.3` or `47.6,-122.3,0.1`: latitude and longitude in degrees, altitude in kilometers.
    ///
    /// # Errors
    /// When it is written otherwise, or out of range.
    pub fn parse(text: &str) -> Result<Self, OrbitError> {
        let numbers: Option<Vec<f64>> = text.split(',').map(|part| part.trim().parse().ok()).collect();
        match numbers.as_deref() {
            Some([latitude, longitude]) => Place::new(*latitude, *longitude),
            Some([latitude, longitude, altitude]) => {
                Place::new(*latitude, *longitude)?.at_altitude(*altitude)
            }
            _ => Err(OrbitError::new(format!(
                "`{text}` is no place; write latitude and longitude in degrees, such as 47.6,-122.3"
            ))),
        }
    }

    /// The place in axes fixed to Earth.
    pub fn ecef(self) -> Vector {
        ecef(self)
    }

    /// The place as an observer.
    pub(crate) fn observer(self) -> Observer {
        Observer { at: ecef(self), up: up(self), place: self }
    }
}

/// Read places by name: lines `name,latitude,longitude` or `name,latitude,longitude,altitude` in degrees and kilometers. A first
/// line of names of columns, empty lines and lines that begin with `#` are skipped.
///
/// # Errors
/// When a line is written otherwise, a value is out of range or a name comes twice, with the line; or when there is none.
pub fn read_places(text: &str) -> Result<Vec<(String, Place)>, OrbitError> {
    let mut places = Vec::new();
    let mut names = BTreeSet::new();
    for (number, line) in (1..).zip(text.lines().map(str::trim)) {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let (name, place) = line.split_once(',').unwrap_or((line, ""));
        let name = name.trim();
        let is_heading = places.is_empty() && place.trim_start().starts_with(char::is_alphabetic);
        if is_heading {
            continue;
        }
        let place = Place::parse(place).map_err(|error| {
            let example = "write name, latitude and longitude, such as Seattle,47.6,-122.3";
            OrbitError::at(number, format!("`{line}` is no place with a name ({}); {example}", error.what))
        })?;
        if !names.insert(name) {
            return Err(OrbitError::at(number, format!("another place is called `{name}`, too")));
        }
        places.push((name.to_owned(), place));
    }
    match places.is_empty() {
        true => Err(OrbitError::new("there is no place; write lines such as Seattle,47.6,-122.3")),
        false => Ok(places),
    }
}

/// A place with what looking up from it takes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Observer {
    pub(crate) at: Vector,
    pub(crate) up: Vector,
    pub(crate) place: Place,
}

/// Which satellites can be used from a place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Horizon {
    /// Those at least so many degrees above the horizon, 0 to below 90.
    Elevation(f64),
    /// Those at most so many kilometers away.
    Range(f64),
}

impl Horizon {
    /// The angle at the center of Earth, in radians, within which satellites of an altitude can be seen; rounded up.
    pub(crate) fn central_angle(self, altitude: f64) -> f64 {
        // The smallest radius of Earth and places up to 100 km above it: the angle is never too small.
        let (ground, radius) = (6356.0, 6378.2 + altitude);
        match self {
            Horizon::Elevation(degrees) => {
                let elevation = degrees.to_radians();
                libm::acos((ground / radius * libm::cos(elevation)).min(1.0)) - elevation + 0.01
            }
            Horizon::Range(range) => 2.0 * libm::asin((range / (2.0 * ground)).min(1.0)) + 0.01,
        }
    }
}

/// A station on the ground with a connection to the Internet, or the far end of a path over inter-satellite links.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Station {
    /// Where it is.
    pub place: Place,
    /// Which satellites it can use.
    pub horizon: Horizon,
}

/// Someone served by satellites.
#[derive(Clone, Debug, PartialEq)]
pub struct Terminal {
    /// How results call it.
    pub name: String,
    /// Where it is when.
    pub track: Track,
    /// Which satellites it can use.
    pub horizon: Horizon,
}

impl Terminal {
    /// A terminal that stands still.
    pub fn at(name: &str, place: Place, horizon: Horizon) -> Self {
        Terminal { name: name.to_owned(), track: Track::still(place), horizon }
    }

    pub(crate) fn observer(&self, start: Utc, at: Utc) -> Observer {
        self.track.at(at.seconds_since(start)).observer()
    }
}
