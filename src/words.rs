//! Quantities among the arguments of a command, written as in scenarios.

use seamline_scenario::document::{Node, Value};
use seamline_scenario::source::SourceId;
use seamline_scenario::units::{self, Complaint};
use seamline_wire::Duration;

/// A span of time above zero: `5 s`, `150 ms`.
pub(crate) fn time(words: &str) -> Result<Duration, String> {
    quantity(words, units::positive_duration)
}

/// A number of bytes: `100 kB`.
pub(crate) fn bytes(words: &str) -> Result<u64, String> {
    match quantity(words, units::bytes)? {
        0 => Err("nothing".to_owned()),
        bytes => Ok(bytes),
    }
}

fn quantity<T>(words: &str, read: impl Fn(&Node) -> Result<T, Complaint>) -> Result<T, String> {
    let node = Node { span: SourceId::FILE.span(0..words.len()), value: Value::Text(words.to_owned()) };
    read(&node).map_err(|complaint| {
        let tips = complaint.tips.iter().map(|tip| format!("\ntip: {tip}"));
        complaint.label + &tips.collect::<String>()
    })
}
