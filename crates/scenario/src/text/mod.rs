//! Results as text for a terminal: a table of one run for each cell, with its handovers between the rows,
//! and a line of verdict for each.

mod intervals;
mod quantity;
mod verdict;

pub use intervals::interval_table;
pub use verdict::{verdicts, warnings};
