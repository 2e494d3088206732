//! Results as text for a terminal: a table of one run for each grid cell, with handovers between the rows, and one
//! line of verdict for each.

mod intervals;
mod quantity;
mod sentences;
mod verdict;

pub use intervals::interval_table;
pub use sentences::sentences;
pub use verdict::{emulation_warnings, verdicts, warnings};
pub(crate) use verdict::{judgement, name, why_no_factor};

/// A rate in bits per second with three significant digits: `41.2 Mbit/s`.
pub fn rate_in_words(bits_per_second: f64) -> String {
    quantity::bit_rate(bits_per_second)
}

/// A time in seconds with three significant digits: `76.0 ms`, `1.20 s`.
pub fn duration_in_words(seconds: f64) -> String {
    quantity::millis(seconds * 1e3)
}
