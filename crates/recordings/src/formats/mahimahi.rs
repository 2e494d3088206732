//! mahimahi's link recordings: one line per chance to send 1500 bytes, its time in whole milliseconds.

use crate::file::quoted;
use crate::{ImportError, Recording};
use seamline_net::schedule::DeliveryOpportunities;
use seamline_wire::Duration;

const EXPECTED: &str = "one whole number of milliseconds per line, not decreasing";

/// The longest recording accepted, in milliseconds: a year.
const LONGEST_MILLIS: u64 = 366 * 86_400_000;

/// Whether the first line is a whole number.
pub fn looks_like(recording: &Recording) -> bool {
    recording.lines().next().is_some_and(|(_, text)| text.parse::<u64>().is_ok())
}

/// Read a recording of delivery opportunities.
///
/// # Errors
/// When a line is not a time, a time decreases, there is none, or the last one is zero.
pub fn parse(recording: &Recording) -> Result<DeliveryOpportunities, ImportError> {
    let mut times: Vec<Duration> = Vec::new();
    for (line, text) in recording.lines() {
        let time = text.parse::<u64>().ok().filter(|millis| *millis <= LONGEST_MILLIS);
        let Some(time) = time.map(Duration::from_millis) else {
            let help = "each line of a mahimahi recording is a time and nothing else";
            return Err(recording.at(line, Some("time"), quoted(text), EXPECTED, help));
        };
        if times.last().is_some_and(|last| time < *last) {
            let found = format!("{} after {}", time.as_millis(), times[times.len() - 1].as_millis());
            let help = "the file may be two recordings in one, or cut in the middle of a line";
            return Err(recording.at(line, Some("time"), found, EXPECTED, help));
        }
        times.push(time);
    }
    match times.last() {
        None => Err(recording.empty(EXPECTED)),
        Some(last) if last.is_zero() => {
            let help = "the recording repeats after its last time, which cannot be zero";
            Err(recording.whole("only times of zero".into(), EXPECTED, help))
        }
        Some(_) => DeliveryOpportunities::new(&times).map_err(|why| recording.no_schedule(why)),
    }
}
