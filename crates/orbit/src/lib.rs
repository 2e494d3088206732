//! Satellite paths over time. A [`Constellation`] moves, terminals and gateways stand or follow tracks, a [`Policy`]
//! picks who serves whom, and a [`Passage`] tells the result: delay, handovers and outages, also as a
//! [`seamline_net::Schedule`].
//!
//! Lengths are in kilometers, angles in degrees where a name says so and in radians otherwise. There is no clock and no
//! file here: times and texts are arguments.

mod constellation;
mod elements;
mod error;
mod frames;
mod ground;
mod isl;
mod look;
mod omm;
mod passage;
mod path;
mod policy;
mod propagate;
mod scene;
mod schedule;
mod setup;
mod shell;
mod shells;
mod snapshot;
mod track;
mod utc;
mod vector;

pub use constellation::Constellation;
pub use elements::{Satellite, read_elements};
pub use error::OrbitError;
pub use frames::{geodetic, sidereal_angle, teme_to_ecef};
pub use ground::{Horizon, Place, Station, Terminal, read_places};
pub use isl::{Grid, shortest_way};
pub use look::{Look, look};
pub use passage::{Outage, Passage, Route, Service, Switching};
pub use policy::{Pick, Policy, SLOT, SLOT_OFFSET, When};
pub use propagate::{MOST_SAMPLES, follow};
pub use schedule::Switch;
pub use setup::{Relay, Setup};
pub use shell::{Pattern, Phasing, Shell};
pub use shells::{KnownShell, SHELLS, shell_named};
pub use snapshot::Snapshot;
pub use track::Track;
pub use utc::Utc;
pub use vector::Vector;

/// The speed of light in vacuum, in kilometers per second.
pub const LIGHT: f64 = 299_792.458;
