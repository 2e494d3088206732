//! Quantities among the arguments of a command, written as in scenarios.

use seamline_config::units::{self, Complaint};
use seamline_wire::Duration;

/// A span of time above zero: `5 s`, `150 ms`.
pub(crate) fn time(words: &str) -> Result<Duration, String> {
    units::in_words(words, units::positive_duration).map_err(|complaint| said(&complaint))
}

/// A number of bytes: `100 kB`.
pub(crate) fn bytes(words: &str) -> Result<u64, String> {
    match units::in_words(words, units::bytes).map_err(|complaint| said(&complaint))? {
        0 => Err("nothing".to_owned()),
        bytes => Ok(bytes),
    }
}

/// What is wrong with a quantity, and below it how to write it.
pub(crate) fn said(complaint: &Complaint) -> String {
    let tips = complaint.tips.iter().map(|tip| format!("\ntip: {tip}"));
    complaint.label.clone() + &tips.collect::<String>()
}
