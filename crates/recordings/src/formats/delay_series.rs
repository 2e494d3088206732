//! Series of one-way delays: line i holds the delay, in milliseconds, of the i-th interval.

use crate::{ImportError, Recording};
use seamline_net::schedule::Steps;
use seamline_wire::{Duration, Instant};

/// The usual length of an interval: that of the recordings published with LeoCC (SIGCOMM 2025).
pub const USUAL_INTERVAL: Duration = Duration::from_millis(10);

/// Whether the first line is a number.
pub fn looks_like(recording: &Recording) -> bool {
    recording.lines().next().is_some_and(|(_, text)| text.parse::<f64>().is_ok_and(f64::is_finite))
}

/// Read a series of one-way delays. It repeats at its end.
///
/// # Errors
/// When a line is not a delay, or there is none.
pub fn parse(recording: &Recording, interval: Duration) -> Result<Steps<Duration>, ImportError> {
    const EXPECTED: &str = "one delay in milliseconds per line";
    let mut steps: Vec<(Instant, Duration)> = Vec::new();
    let mut intervals = 0;
    for (line, text) in recording.lines() {
        let delay = recording.delay(line, "one-way delay", text)?;
        if steps.last().is_none_or(|(_, last)| *last != delay) {
            steps.push((Instant::ZERO + interval * intervals, delay));
        }
        intervals += 1;
    }
    if steps.is_empty() {
        return Err(recording.empty(EXPECTED));
    }
    let repeating = Steps::new(steps).and_then(|steps| steps.repeating(interval * intervals));
    repeating.map_err(|why| recording.no_schedule(why))
}
