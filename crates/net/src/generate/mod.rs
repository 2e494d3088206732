//! Synthetic schedules after published measurements. Recordings may not ship with the product; these may.
//!
//! Each generator is a function of its parameters and one random stream, and nothing else. Every default
//! names the measurement it follows, or says that it is an assumption.

mod cellular;
mod distributions;
mod starlink;

pub use cellular::{CellularParameters, Recovery, cellular};
pub use distributions::{Quantiles, Variation};
pub use starlink::{StarlinkParameters, starlink};
