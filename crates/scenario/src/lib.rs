//! Scenario files: what their keys mean, and the simulated world that they describe.
//!
//! [`Plan::new`] reads a TOML file with its `--set` overrides, expands its grid and checks every grid cell; all
//! errors come back at once, each with its position ([`Diagnostics`]). [`build`] turns a grid cell and a seed into a world.
//! [`running`] holds one for those who advance it themselves.
//!
//! The keys of each kind of table are in one file under [`schema`].

pub mod build;
pub mod connections;
pub mod follow;
pub mod identity;
pub mod plan;
pub mod recordings;
pub mod routes;
pub mod running;
pub mod schema;

pub use plan::{Cell, Parts, Plan};
pub use seamline_config::keys;
pub use seamline_config::{Code, Diagnostic, Diagnostics};
use seamline_config::{codes, diagnostics, document, files, grid, overrides, path, reader, source, units};
