//! Results as text for a terminal: a table of one run for each cell, with its handovers between the rows,
//! and a line of verdict for each.

mod intervals;
mod quantity;
mod verdict;
mod words;

pub use intervals::interval_table;
pub use verdict::{doubts, verdicts, warnings};
pub(crate) use verdict::{judgement, name, why_no_factor};
pub use words::sentences;

/// A rate in bits per second with three significant digits: `41.2 Mbit/s`.
pub fn rate_in_words(bits_per_second: f64) -> String {
    quantity::bit_rate(bits_per_second)
}

/// A time in seconds with three significant digits: `76.0 ms`, `1.20 s`.
pub fn duration_in_words(seconds: f64) -> String {
    quantity::millis(seconds * 1e3)
}
