//! Results as text for a terminal: a table of one run for each grid cell, with handovers between the rows, and one
//! line of verdict for each.

mod intervals;
mod notes;
mod remarks;
mod sentences;
mod tables;
mod verdict;

pub use intervals::interval_table;
pub use remarks::Remarks;
pub use sentences::sentences;
pub use tables::{headline, tables};
pub use verdict::verdicts;
pub(crate) use verdict::{judgement, missing_factor, name};
