//! Results on disk: the records of runs, kept until they are compared or become a report.
//!
//! [`sweep()`] runs every cell and seed of a plan and appends one line for each finished run to a folder; it
//! can be interrupted at any time and resumed, and split between machines. [`compact()`] turns the lines into a
//! table for notebooks. [`compare()`] takes two results and says, seed by seed, whether there is a difference.
//! [`json_lines`] is the file format underneath.

pub mod compact;
pub mod compare;
pub mod error;
mod files;
mod jobs;
pub mod json_lines;
pub mod load;
pub mod manifest;
mod merge;
pub mod store;
mod stored;
mod stored_runs;
pub mod sweep;

pub use compact::compact;
pub use compare::compare;
pub use error::Error;
pub use load::load;
pub use store::{Line, has_lines};
pub use stored_runs::StoredRuns;
pub use sweep::{RunOne, Shard, SweepOptions, sweep, sweep_with};
