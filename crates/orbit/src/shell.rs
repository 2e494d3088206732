//! Shells by numbers: circular orbits of one altitude and inclination in evenly turned planes (Walker).

use crate::frames::RADIUS;
use crate::isl::Grid;
use crate::{OrbitError, Utc, Vector};
use std::f64::consts::TAU;

/// The gravitational parameter of WGS 84, in km^3/s^2.
const GRAVITY: f64 = 398_600.441_8;
/// The second zonal harmonic of WGS 84: how much the flattening of Earth turns planes.
const J2: f64 = 1.082_629_989e-3;

/// How the planes are spread about the axis of Earth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// Over 360 degrees (Walker delta).
    Delta,
    /// Over 180 degrees (Walker star): for orbits over the poles.
    Star,
}

/// How far the satellites of a plane are ahead of those of the plane before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phasing {
    /// By this many parts of 360 degrees over all satellites (Walker's F).
    Steps(u32),
    /// By half their distance in every other plane, as Hypatia builds its shells.
    HalfInOddPlanes,
}

/// A shell.
#[derive(Clone, Debug, PartialEq)]
pub struct Shell {
    /// Kilometers above `surface`.
    pub altitude: f64,
    /// The radius of Earth that the altitude counts from, in kilometers.
    pub surface: f64,
    /// The angle between the planes and the equator, in degrees.
    pub inclination: f64,
    /// How many planes.
    pub planes: u32,
    /// How many satellites in each.
    pub per_plane: u32,
    /// How the planes are spread.
    pub pattern: Pattern,
    /// How neighboring planes are shifted.
    pub phasing: Phasing,
    /// When plane 0 rises at right ascension 0 and its satellite 0 is there.
    pub epoch: Utc,
}

impl Shell {
    /// The largest shell that can be computed.
    pub const MOST_SATELLITES: u32 = 100_000;

    /// A delta shell with the usual radius of Earth (the equator's) and Walker's phasing F, at the epoch 2000-01-01T12:00:00Z.
    ///
    /// # Errors
    /// When a number is out of range.
    pub fn delta(
        altitude: f64,
        inclination: f64,
        [planes, per_plane, steps]: [u32; 3],
    ) -> Result<Self, OrbitError> {
        let shell = Shell {
            altitude,
            surface: RADIUS,
            inclination,
            planes,
            per_plane,
            pattern: Pattern::Delta,
            phasing: Phasing::Steps(steps),
            epoch: Utc::from_unix_nanos(946_728_000_000_000_000),
        };
        shell.checked()
    }

    /// The shell, if its numbers can be.
    ///
    /// # Errors
    /// When a number is out of range.
    pub fn checked(self) -> Result<Self, OrbitError> {
        let refuse = |what: String| Err(OrbitError::new(what));
        if !(160.0..=50_000.0).contains(&self.altitude) {
            return refuse(format!("the altitude {} is not between 160 and 50,000 km", self.altitude));
        }
        if !(0.0..=180.0).contains(&self.inclination) {
            return refuse(format!("the inclination {} is not between 0 and 180 degrees", self.inclination));
        }
        if !(6000.0..=6500.0).contains(&self.surface) {
            return refuse(format!("the radius {} of Earth is not between 6000 and 6500 km", self.surface));
        }
        match self.planes.checked_mul(self.per_plane) {
            None | Some(0) => {
                refuse(format!("{} x {} satellites: at least one, please", self.planes, self.per_plane))
            }
            Some(count) if count > Self::MOST_SATELLITES => {
                refuse(format!("{count} satellites are more than {}", Self::MOST_SATELLITES))
            }
            Some(count) => match self.phasing {
                Phasing::Steps(steps) if steps >= count => {
                    refuse(format!("the phasing {steps} is not below the number of satellites, {count}"))
                }
                _ => Ok(self),
            },
        }
    }

    /// How many satellites.
    pub fn count(&self) -> usize {
        self.planes as usize * self.per_plane as usize
    }

    /// The distance of the satellites from the center of Earth, in kilometers.
    pub fn radius(&self) -> f64 {
        self.surface + self.altitude
    }

    /// From one passage of the ascending node to the next, in seconds.
    pub fn period(&self) -> f64 {
        TAU / self.rates().0
    }

    /// How fast satellites move along their planes and how fast the planes turn, in radians per second: Kepler's motion with
    /// the secular terms of J2 (Vallado, section 9.6).
    fn rates(&self) -> (f64, f64) {
        let radius = self.radius();
        let motion = (GRAVITY / (radius * radius * radius)).sqrt();
        let inclination = self.inclination.to_radians();
        let (sin, cos) = (libm::sin(inclination), libm::cos(inclination));
        let flattening = 0.75 * J2 * (RADIUS / radius) * (RADIUS / radius);
        let along =
            motion * (1.0 + flattening * (2.0 - 3.0 * sin * sin) + flattening * (4.0 - 5.0 * sin * sin));
        (along, -2.0 * flattening * motion * cos)
    }

    /// The angle of a satellite from the ascending node at the epoch.
    fn phase(&self, plane: u32, place: u32) -> f64 {
        let spacing = TAU / f64::from(self.per_plane);
        let shift = match self.phasing {
            Phasing::Steps(steps) => {
                let count = u64::from(self.planes) * u64::from(self.per_plane);
                TAU * (u64::from(steps) * u64::from(plane) % count) as f64 / count as f64
            }
            Phasing::HalfInOddPlanes => spacing / 2.0 * f64::from(plane % 2),
        };
        spacing * f64::from(place) + shift
    }

    /// The links between neighbors: two within the plane, one to each neighboring plane. Planes of a star have none across
    /// the seam, where satellites meet head-on.
    pub fn grid(&self) -> Grid {
        let wrap = match (self.pattern, self.phasing) {
            (Pattern::Star, _) => None,
            // After all planes, the phases have moved on by so many places.
            (Pattern::Delta, Phasing::Steps(steps)) => {
                let count = u64::from(self.planes) * u64::from(self.per_plane);
                let shift = u64::from(steps) * u64::from(self.planes);
                Some(
                    ((shift + u64::from(self.planes) / 2) * u64::from(self.per_plane) / count) as u32
                        % self.per_plane,
                )
            }
            (Pattern::Delta, Phasing::HalfInOddPlanes) => Some(0),
        };
        Grid { planes: self.planes, per_plane: self.per_plane, wrap }
    }

    /// Prepare what positions need.
    pub(crate) fn orbits(&self) -> Orbits {
        let phases = (0..self.planes).flat_map(|plane| (0..self.per_plane).map(move |place| (plane, place)));
        let phases = phases.map(|(plane, place)| self.phase(plane, place));
        Orbits {
            phases: phases.map(|angle| (libm::cos(angle), libm::sin(angle))).collect(),
            shell: self.clone(),
        }
    }
}

/// A shell with the phases of its satellites.
#[derive(Clone, Debug)]
pub(crate) struct Orbits {
    shell: Shell,
    /// Cosine and sine of each satellite's angle from the ascending node at the epoch.
    phases: Vec<(f64, f64)>,
}

impl Orbits {
    pub(crate) fn shell(&self) -> &Shell {
        &self.shell
    }

    /// All positions in inertial axes turned by `turn`, plane by plane.
    pub(crate) fn positions(&self, at: Utc, turn: f64) -> impl Iterator<Item = Vector> + '_ {
        let moved = self.moved(at);
        let per_plane = self.shell.per_plane as usize;
        let planes = self.phases.chunks(per_plane).zip(0..);
        planes.flat_map(move |(phases, plane)| {
            let axes = self.axes(plane, at, turn);
            phases.iter().map(move |phase| place(axes, *phase, moved))
        })
    }

    /// The position of one.
    pub(crate) fn position(&self, satellite: usize, at: Utc, turn: f64) -> Vector {
        let plane = (satellite / self.shell.per_plane as usize) as u32;
        place(self.axes(plane, at, turn), self.phases[satellite], self.moved(at))
    }

    /// How far satellites have moved along their planes since the epoch.
    fn moved(&self, at: Utc) -> (f64, f64) {
        let angle = (self.shell.rates().0 * at.seconds_since(self.shell.epoch)).rem_euclid(TAU);
        (libm::cos(angle), libm::sin(angle))
    }

    /// Where a plane's ascending node and its northernmost point are, times the radius.
    fn axes(&self, plane: u32, at: Utc, turn: f64) -> (Vector, Vector) {
        let shell = &self.shell;
        let span = if shell.pattern == Pattern::Star { TAU / 2.0 } else { TAU };
        let spread = span * f64::from(plane) / f64::from(shell.planes);
        let node = spread + shell.rates().1 * at.seconds_since(shell.epoch) - turn;
        let inclination = shell.inclination.to_radians();
        let (sin, cos) = (libm::sin(node), libm::cos(node));
        let (rise, along) = (libm::sin(inclination), libm::cos(inclination));
        let ascending = Vector::new(cos, sin, 0.0);
        let northernmost = Vector::new(-sin * along, cos * along, rise);
        (ascending * shell.radius(), northernmost * shell.radius())
    }
}

fn place(axes: (Vector, Vector), phase: (f64, f64), moved: (f64, f64)) -> Vector {
    let cos = phase.0 * moved.0 - phase.1 * moved.1;
    let sin = phase.1 * moved.0 + phase.0 * moved.1;
    axes.0 * cos + axes.1 * sin
}
