//! Quantities among the arguments of a command, written as in scenarios.

use seamline_config::document::Node;
use seamline_config::units::{self, Complaint};
use seamline_wire::Duration;

/// A span of time above zero: `5 s`, `150 ms`.
pub(crate) fn time(words: &str) -> Result<Duration, String> {
    quantity(words, units::positive_duration)
}

/// A number of bytes above zero: `100 kB`.
pub(crate) fn bytes(words: &str) -> Result<u64, String> {
    match quantity(words, units::bytes)? {
        0 => Err("expected more than 0 bytes".to_owned()),
        bytes => Ok(bytes),
    }
}

/// A quantity as `read` takes it; on error what is wrong with it, and below it how to write it.
pub(crate) fn quantity<T>(words: &str, read: impl Fn(&Node) -> Result<T, Complaint>) -> Result<T, String> {
    units::in_words(words, read).map_err(|complaint| {
        let tips = complaint.tips.iter().map(|tip| format!("\ntip: {tip}"));
        complaint.label.clone() + &tips.collect::<String>()
    })
}
