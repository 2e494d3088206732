//! Scenario files: names and quantities in words in, runs and their statistics out.
//!
//! [`Plan::new`] reads a TOML file with its `--set` overrides, expands its grid and checks every cell; all
//! errors come back at once, each with its place ([`Diagnostics`]). [`run()`] turns every cell and seed into
//! a simulated world and its [`record::RunRecord`]. [`summarise`] compares cells seed by seed, and
//! [`report::Document`] is all of it as JSON.
//!
//! The keys of each kind of table live in one file under [`schema`].

pub mod atomic;
mod background;
mod block_file;
mod build;
pub mod codes;

pub mod diagnostics;
pub mod document;
mod follow;
pub mod grid;
pub mod identity;
pub mod keys;
pub mod lines;
pub mod live;
pub mod measure;
mod observe;
mod overrides;
pub mod pages;
mod path;
pub mod plan;
pub mod reader;
pub mod recordings;
pub mod report;
mod routes;
pub mod run;
pub mod sample;
pub mod schema;
mod single;
pub mod source;
pub mod summary;
pub mod text;
pub mod units;

pub use codes::Code;
pub use diagnostics::{Diagnostic, Diagnostics};
pub use plan::{Cell, Plan};
pub use run::{CellResult, Incomplete, RunOptions, run};
pub use seamline_record::{emulation, record, statistics};
pub use single::run_seed;
pub use summary::{FlowSummary, summarise};
