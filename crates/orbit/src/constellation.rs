//! Satellites that fly together.

use crate::frames::sidereal_angle;
use crate::shell::Orbits;
use crate::{Grid, OrbitError, Satellite, Shell, Snapshot, Utc, Vector};

/// Satellites, numbered from zero.
#[derive(Clone, Debug)]
pub struct Constellation {
    orbits: Motion,
    grid: Option<Grid>,
}

#[derive(Clone, Debug)]
enum Motion {
    /// A shell by numbers.
    Circular(Box<Orbits>),
    /// Element sets.
    Elements(Vec<Satellite>),
}

impl Constellation {
    /// A shell by numbers.
    ///
    /// # Errors
    /// When a number is out of range.
    pub fn of_shell(shell: Shell) -> Result<Self, OrbitError> {
        let shell = shell.checked()?;
        Ok(Constellation { grid: Some(shell.grid()), orbits: Motion::Circular(Box::new(shell.orbits())) })
    }

    /// Element sets. Which satellites are linked is not known from them.
    ///
    /// # Errors
    /// When there are none, or more than a shell may have.
    pub fn of_elements(satellites: Vec<Satellite>) -> Result<Self, OrbitError> {
        match satellites.len() {
            0 => Err(OrbitError::new("there are no element sets")),
            count if count > Shell::MOST_SATELLITES as usize => {
                Err(OrbitError::new(format!("{count} satellites are more than {}", Shell::MOST_SATELLITES)))
            }
            _ => Ok(Constellation { orbits: Motion::Elements(satellites), grid: None }),
        }
    }

    /// The same satellites with links between them.
    ///
    /// # Errors
    /// When the grid has another number of satellites.
    pub fn linked(self, grid: Grid) -> Result<Self, OrbitError> {
        match grid.planes as usize * grid.per_plane as usize == self.len() {
            true => Ok(Constellation { grid: Some(grid), ..self }),
            false => Err(OrbitError::new(format!(
                "a grid of {} x {} does not fit {} satellites",
                grid.planes,
                grid.per_plane,
                self.len()
            ))),
        }
    }

    /// How many satellites.
    pub fn len(&self) -> usize {
        match &self.orbits {
            Motion::Circular(orbits) => orbits.shell().count(),
            Motion::Elements(satellites) => satellites.len(),
        }
    }

    /// Whether there is none, which cannot be.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The links between satellites, if they are known.
    pub fn grid(&self) -> Option<&Grid> {
        self.grid.as_ref()
    }

    /// The name of a satellite: as its elements say, or plane and place in the shell.
    pub fn name(&self, satellite: usize) -> String {
        match &self.orbits {
            Motion::Circular(orbits) => {
                let per_plane = orbits.shell().per_plane as usize;
                format!("{}/{}", satellite / per_plane, satellite % per_plane)
            }
            Motion::Elements(satellites) => {
                satellites.get(satellite).map_or_else(String::new, |it| it.name().to_owned())
            }
        }
    }

    /// The earliest and the latest epoch of the element sets; `None` for shells by numbers.
    pub fn epochs(&self) -> Option<(Utc, Utc)> {
        let Motion::Elements(satellites) = &self.orbits else { return None };
        let epochs = || satellites.iter().map(Satellite::epoch);
        epochs().min().zip(epochs().max())
    }

    /// Where all are, in axes fixed to Earth. Satellites that have decayed by then are in the center of Earth.
    pub fn snapshot(&self, at: Utc) -> Snapshot {
        let turn = sidereal_angle(at);
        let positions = match &self.orbits {
            Motion::Circular(orbits) => orbits.positions(at, turn).collect(),
            Motion::Elements(satellites) => satellites.iter().map(|it| it.position(at, turn)).collect(),
        };
        Snapshot::new(at, positions)
    }

    /// Where one is, in axes fixed to Earth; the center of Earth when it has decayed or there is no such satellite.
    pub fn position(&self, satellite: usize, at: Utc) -> Vector {
        let turn = sidereal_angle(at);
        match &self.orbits {
            _ if satellite >= self.len() => Vector::ZERO,
            Motion::Circular(orbits) => orbits.position(satellite, at, turn),
            Motion::Elements(satellites) => satellites[satellite].position(at, turn),
        }
    }
}
