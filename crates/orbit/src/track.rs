//! Tracks of ships, aircraft and trains.

use crate::frames::up;
use crate::{OrbitError, Place, Vector};
use std::cmp::Ordering;

/// Where someone is over time: along great circles from waypoint to waypoint, at the last one from then on.
#[derive(Clone, Debug, PartialEq)]
pub struct Track {
    /// Seconds since the start, which increase, and the place then. Never empty.
    waypoints: Vec<(f64, Place)>,
}

impl Track {
    /// Always the same place.
    pub fn still(place: Place) -> Self {
        Track { waypoints: vec![(0.0, place)] }
    }

    /// A track through waypoints at seconds since the start.
    ///
    /// # Errors
    /// When there is none, or the times do not increase.
    pub fn new(waypoints: Vec<(f64, Place)>) -> Result<Self, OrbitError> {
        if waypoints.is_empty() {
            return Err(OrbitError::new("the track has no waypoint"));
        }
        let is_after = |pair: &[(f64, Place)]| pair[1].0.partial_cmp(&pair[0].0) == Some(Ordering::Greater);
        match waypoints.windows(2).find(|pair| !is_after(pair)) {
            Some(pair) => Err(OrbitError::new(format!(
                "the waypoint at {} s does not come after the one at {} s",
                pair[1].0, pair[0].0
            ))),
            None => Ok(Track { waypoints }),
        }
    }

    /// Read lines `seconds,latitude,longitude` or `seconds,latitude,longitude,altitude`: seconds since the start, degrees,
    /// kilometers. A first line of names, empty lines and lines that begin with `#` are skipped.
    ///
    /// # Errors
    /// When a line is written otherwise or a value is out of range, with the line.
    pub fn parse(text: &str) -> Result<Self, OrbitError> {
        let mut waypoints = Vec::new();
        for (number, line) in text.lines().enumerate().map(|(place, line)| (place + 1, line.trim())) {
            let is_heading = waypoints.is_empty() && line.starts_with(|first: char| first.is_alphabetic());
            if line.is_empty() || line.starts_with('#') || is_heading {
                continue;
            }
            let waypoint = waypoint(line).map_err(|error| OrbitError::at(number, error.what))?;
            if waypoints.last().is_some_and(|(before, _): &(f64, Place)| waypoint.0 <= *before) {
                let what = format!("the time {} s does not come after the one before it", waypoint.0);
                return Err(OrbitError::at(number, what));
            }
            waypoints.push(waypoint);
        }
        Track::new(waypoints)
    }

    /// The place at a time in seconds since the start.
    pub fn at(&self, seconds: f64) -> Place {
        let next = self.waypoints.partition_point(|(since, _)| *since <= seconds);
        let last = self.waypoints.len() - 1;
        match next {
            0 => self.waypoints[0].1,
            next if next > last => self.waypoints[last].1,
            next => {
                let ((from_time, from), (to_time, to)) = (self.waypoints[next - 1], self.waypoints[next]);
                between(from, to, (seconds - from_time) / (to_time - from_time))
            }
        }
    }

    /// Its waypoints: seconds since the start, and the place then.
    pub fn waypoints(&self) -> &[(f64, Place)] {
        &self.waypoints
    }
}

fn waypoint(line: &str) -> Result<(f64, Place), OrbitError> {
    let wrong = || {
        OrbitError::new(format!(
            "`{line}` is no waypoint; write seconds, latitude and longitude, such as 60,47.6,-122.3"
        ))
    };
    let (seconds, place) = line.split_once(',').ok_or_else(wrong)?;
    let seconds: f64 = seconds.trim().parse().map_err(|_| wrong())?;
    if !seconds.is_finite() {
        return Err(wrong());
    }
    Ok((seconds, Place::parse(place)?))
}

/// The place after a share of the great circle between two; altitudes change evenly.
fn between(from: Place, to: Place, share: f64) -> Place {
    let (start, end) = (up(from), up(to));
    let angle = libm::atan2(start.cross(end).length(), start.dot(end));
    let sin = libm::sin(angle);
    let direction: Vector = if sin < 1e-12 {
        start
    } else {
        start * (libm::sin((1.0 - share) * angle) / sin) + end * (libm::sin(share * angle) / sin)
    };
    Place {
        latitude: libm::atan2(direction.z, libm::hypot(direction.x, direction.y)).to_degrees(),
        longitude: libm::atan2(direction.y, direction.x).to_degrees(),
        altitude: from.altitude + (to.altitude - from.altitude) * share,
    }
}
