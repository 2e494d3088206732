//! NYU-METS (Mei et al., PAM 2019): what TCP delivered on buses, trains and ferries of New York.
//!
//! One line per second, without a header: a number and its unit, `0.57,Mbits/sec`, as iperf prints them. The data set does not say in
//! which direction; here it is the one to the host that moves.

use crate::Recording;
use crate::error::ImportError;
use crate::file::{HIGHEST_RATE, quoted};
use crate::measured::{Direction, Measured, RateMeaning, Rates, Sample};
use seamline_wire::{Duration, Instant, Rate};

const UNITS: [(&str, f64); 4] =
    [("bits/sec", 1.0), ("Kbits/sec", 1e3), ("Mbits/sec", 1e6), ("Gbits/sec", 1e9)];

/// Whether the first line is a number and a unit of iperf.
pub fn looks_like(recording: &Recording) -> bool {
    let first = recording.lines().next().and_then(|(_, text)| split(text));
    first.is_some_and(|(number, _)| number.parse::<f64>().is_ok())
}

fn split(text: &str) -> Option<(&str, f64)> {
    let (number, unit) = text.split_once(',')?;
    let (_, factor) = UNITS.iter().find(|(name, _)| *name == unit.trim())?;
    Some((number.trim(), *factor))
}

/// Read a ride.
///
/// # Errors
/// When a line is no rate with its unit, or there is none.
pub fn read(recording: &Recording) -> Result<Measured, ImportError> {
    let mut samples = Vec::new();
    for (second, (line, text)) in recording.lines().enumerate() {
        let Some((number, unit)) = split(text) else {
            let expected = "a rate and its unit, as 0.57,Mbits/sec";
            return Err(recording.at(line, None, quoted(text), expected, "correct or remove the line"));
        };
        let bits = recording.number(line, "rate", number, unit, HIGHEST_RATE)?;
        let from = Instant::from_secs(second as u64);
        let until = from + Duration::from_secs(1);
        samples.push(Sample { from, until, value: Rate::from_bits_per_second(bits as u64) });
    }
    if samples.is_empty() {
        return Err(recording.empty("a rate and its unit per line"));
    }
    let length = Duration::from_secs(samples.len() as u64);
    let rates = vec![Rates { direction: Direction::Down, meaning: RateMeaning::Goodput, samples }];
    let notes = vec![
        "The link could carry at least the goodput of TCP; how much more is not measured.".to_owned(),
        "The data set does not name the direction; it is taken for the one to the host that moves."
            .to_owned(),
        "The file has no times, delays, losses or handovers: lines are taken to be a second apart."
            .to_owned(),
    ];
    Ok(Measured { length, rates, notes, ..Measured::default() })
}
