//! What tests of formats share.

use seamline_recordings::measured::{Measured, Sample};
use seamline_recordings::{Recording, recognise};
use seamline_wire::{Instant, Rate};

/// A sample of a format, by its name in `tests/samples`.
macro_rules! sample {
    ($name:literal) => {
        include_str!(concat!("../samples/", $name))
    };
}
pub(crate) use sample;

pub(crate) fn text(text: &str) -> Recording {
    Recording::from_bytes("file", text.as_bytes()).unwrap()
}

/// What a text is recognised as contains.
pub(crate) fn read(content: &str) -> Measured {
    recognise(&text(content)).unwrap_or_else(|errors| panic!("{errors:?}")).measured
}

/// The first reason why a text cannot be read; empty when it looks like no format.
pub(crate) fn refusal(content: &str) -> String {
    let errors = recognise(&text(content)).unwrap_err();
    errors.first().map(|(_, error)| error.to_string()).unwrap_or_default()
}

/// Begin and end in ms, and the value.
pub(crate) fn spans<T: Copy, V>(samples: &[Sample<T>], value: impl Fn(T) -> V) -> Vec<(u64, u64, V)> {
    let millis = |at: Instant| at.as_nanos() / 1_000_000;
    samples.iter().map(|it| (millis(it.from), millis(it.until), value(it.value))).collect()
}

pub(crate) fn kilobits(rate: Rate) -> u64 {
    rate.bits_per_second() / 1000
}
