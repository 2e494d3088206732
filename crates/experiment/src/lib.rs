//! Experiments: scenarios run under many seeds, what was observed of them, and what that means.
//!
//! [`run()`] turns every cell and seed of a plan into a [`record::RunRecord`], in simulated time; [`live`] does the same against
//! another clock, with the hosts outside. [`summarise`] compares cells seed by seed, and [`report::Document`] is all of it as JSON.

pub mod atomic;
mod background;
mod block_file;
pub mod lines;
pub mod live;
pub mod measure;
mod observe;
pub mod pages;
pub mod report;
pub mod run;
pub mod sample;
mod single;
pub mod summary;
pub mod text;

pub use run::{CellResult, Incomplete, RunOptions, run};
pub use seamline_report::{emulation, record, statistics};
pub use single::run_seed;
pub use summary::{FlowSummary, summarise};
