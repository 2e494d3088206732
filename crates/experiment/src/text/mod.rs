//! Results as text for a terminal: a table of one run for each grid cell, with handovers between the rows, and one
//! line of verdict for each.

mod intervals;
mod notes;
mod sentences;
mod tables;
mod verdict;

pub use intervals::interval_table;
pub use notes::notes;
pub use sentences::sentences;
pub use tables::{headline, tables};
pub use verdict::{emulation_warnings, verdicts, warnings};
pub(crate) use verdict::{judgement, missing_factor, name};
