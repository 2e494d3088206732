//! Experiments: run scenarios with many seeds, observe them, and evaluate the results.
//!
//! [`run()`] turns every grid cell and seed of a plan into a [`record::RunRecord`], in simulated time. [`live`] does
//! the same against another clock, with external hosts. [`summarise`] compares grid cells seed by seed.
//! [`report::ResultDocument`] is the whole result as JSON.

pub mod atomic;
mod background;
pub mod baseline;
mod block_file;
mod columns;
mod files;
pub mod lines;
pub mod live;
pub mod measure;
pub mod memory;
pub mod network;
mod observe;
pub mod pages;
mod records;
pub mod report;
pub mod run;
pub mod sample;
mod single;
pub mod summary;
pub mod text;

pub use baseline::Baseline;
pub use observe::{ConvertError, Felt, convert, converted_path};
pub use run::{CellResult, FinishedRun, Incomplete, Job, RunOptions, by_seed, run, run_each, run_one};
pub use seamline_report::{emulation, record, statistics};
pub use single::{run_seed, run_seed_closely};
pub use summary::{Comparisons, FlowSummary, summarise};
