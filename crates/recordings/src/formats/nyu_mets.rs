//! NYU-METS (Mei et al., PAM 2019): what TCP delivered on buses, trains and ferries of New York.
//!
//! One line per second: a number and its unit, `0.57,Mbits/sec`, as iperf prints them. Some files have the header `Value,Unit`, empty
//! fields at the end, and pieces of iperf's messages between the rates, which are left out. The data set does not say in which direction
//! the rates are; here it is the one to the host that moves.

use crate::Recording;
use crate::error::ImportError;
use crate::file::{HIGHEST_RATE, quoted};
use crate::measured::{Direction, Measured, RateMeaning, Rates, Sample};
use seamline_wire::{Duration, Instant, Rate};

const UNITS: [(&str, f64); 4] =
    [("bits/sec", 1.0), ("Kbits/sec", 1e3), ("Mbits/sec", 1e6), ("Gbits/sec", 1e9)];

const HEADER: &str = "Value,Unit";

/// Whether the first line is a number and a unit of iperf, below a header if there is one.
pub fn looks_like(recording: &Recording) -> bool {
    let first = recording.lines().map(|(_, text)| text).find(|text| *text != HEADER);
    first.and_then(split).is_some_and(|(number, unit)| number.parse::<f64>().is_ok() && unit.is_some())
}

/// The number and its unit in bit/s; `None` when there is no second field.
fn split(text: &str) -> Option<(&str, Option<f64>)> {
    let mut fields = text.split(',').map(str::trim);
    let (number, unit) = (fields.next()?, fields.next()?);
    Some((number, UNITS.iter().find(|(name, _)| *name == unit).map(|(_, factor)| *factor)))
}

/// Whether a line is a piece of a message, or empty: it does not begin with a digit.
fn is_message(text: &str) -> bool {
    !text.starts_with(|letter: char| letter.is_ascii_digit() || "-+.".contains(letter))
}

/// Read a ride.
///
/// # Errors
/// When a line that begins with a number is no rate with its unit, or there is none.
pub fn read(recording: &Recording) -> Result<Measured, ImportError> {
    let mut samples = Vec::new();
    let mut messages = 0;
    for (line, text) in recording.lines().filter(|(_, text)| *text != HEADER) {
        if is_message(text) {
            messages += 1;
            continue;
        }
        let Some((number, Some(unit))) = split(text) else {
            let expected = "a rate and its unit, as 0.57,Mbits/sec";
            return Err(recording.at(line, None, quoted(text), expected, "correct or remove the line"));
        };
        let bits = recording.number(line, "rate", number, unit, HIGHEST_RATE)?;
        let from = Instant::from_secs(samples.len() as u64);
        let until = from + Duration::from_secs(1);
        samples.push(Sample { from, until, value: Rate::from_bits_per_second(bits as u64) });
    }
    if samples.is_empty() {
        return Err(recording.empty("a rate and its unit per line"));
    }
    let length = Duration::from_secs(samples.len() as u64);
    let rates = vec![Rates { direction: Direction::Down, meaning: RateMeaning::Goodput, samples }];
    let mut notes = vec![
        "The capacity is at least the goodput of TCP. How much higher it is was not measured.".to_owned(),
        "The data set does not name the direction. It is assumed to be down, to the host that moves."
            .to_owned(),
        "The file has no times, delays, losses or handovers. Lines are assumed to be one second apart."
            .to_owned(),
    ];
    if messages > 0 {
        notes.push(format!("Lines without a rate, left out: {messages}."));
    }
    Ok(Measured { length, rates, notes, ..Measured::default() })
}
