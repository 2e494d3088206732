//! irtt's JSON (github.com/heistp/irtt, `irtt client -o FILE`), plain or gzip.
//!
//! All times are nanoseconds. A probe (`round_trips[]`) has the client's times of sending by its wall clock and its monotonic clock,
//! the round-trip time without the time in the server, and one-way delays if the server stamps. `lost` says in which direction a
//! probe was lost, when the server counts (`--stats=both`). One-way delays are differences of two clocks: they are used only when
//! none of them is negative. irtt measures no capacity.

use super::json;
use crate::Recording;
use crate::error::ImportError;
use crate::file::LONGEST_SECONDS;
use crate::measured::{Direction, Measured, Outcome, Probe};
use crate::series;
use seamline_wire::Instant;
use serde::Deserialize;

const WHAT: &str = "JSON of irtt";
const EXPECTED: &str = "times that do not go back, within a year";

#[derive(Deserialize)]
struct Document {
    round_trips: Vec<Trip>,
}

#[derive(Deserialize)]
struct Trip {
    lost: Lost,
    timestamps: Stamps,
    #[serde(default)]
    delay: Delays,
}

#[derive(Clone, Copy, Deserialize)]
enum Lost {
    #[serde(rename = "false")]
    No,
    #[serde(rename = "true")]
    Somewhere,
    #[serde(rename = "true_up")]
    Up,
    #[serde(rename = "true_down")]
    Down,
}

#[derive(Deserialize)]
struct Stamps {
    client: Client,
}

#[derive(Deserialize)]
struct Client {
    send: Stamp,
}

#[derive(Deserialize)]
struct Stamp {
    wall: Option<i64>,
    monotonic: Option<i64>,
}

#[derive(Default, Deserialize)]
struct Delays {
    rtt: Option<i64>,
    send: Option<i64>,
    receive: Option<i64>,
}

/// Whether the keys are irtt's.
pub fn looks_like(recording: &Recording) -> bool {
    json::has(recording, &["version", "config", "round_trips"])
}

/// Read the output of irtt.
///
/// # Errors
/// When it is no such JSON, has no probe, a probe has no time, or times go back.
pub fn read(recording: &Recording) -> Result<Measured, ImportError> {
    let document: Document = json::read(recording, WHAT)?;
    let trips = document.round_trips;
    let Some(first) = trips.first() else {
        return Err(recording.empty("at least one entry in round_trips"));
    };
    let began = first.timestamps.client.send.wall.map(|nanos| nanos as f64 * 1e-9);
    let times = times(recording, &trips)?;
    let possible = |delay: Option<i64>| delay.is_none_or(|nanos| nanos >= 0);
    let agree = trips.iter().all(|it| possible(it.delay.send) && possible(it.delay.receive));
    let mut probes = Vec::with_capacity(trips.len());
    for (index, (trip, sent)) in trips.iter().zip(&times).enumerate() {
        let outcome = outcome(recording, index, trip, agree)?;
        probes.push(Probe { sent: *sent, outcome });
    }
    let stamped = trips.iter().any(|it| it.delay.send.is_some());
    let mut measured = Measured { began, probes, notes: notes(stamped, agree), ..Measured::default() };
    measured.length = series::length(&measured);
    Ok(measured)
}

/// When each probe was sent: by the monotonic clock where all of them have it.
fn times(recording: &Recording, trips: &[Trip]) -> Result<Vec<Instant>, ImportError> {
    let monotonic = trips.iter().all(|it| it.timestamps.client.send.monotonic.is_some());
    let (mut origin, mut last, mut times) = (None, 0, Vec::with_capacity(trips.len()));
    for (index, trip) in trips.iter().enumerate() {
        let Stamp { wall, monotonic: steady } = trip.timestamps.client.send;
        let path = || format!("round_trips[{index}].timestamps.client.send");
        let Some(at) = (if monotonic { steady } else { wall }) else {
            let missing = recording.whole(
                "no time".into(),
                "the time at which the probe was sent",
                "record it with irtt's default --clock=both",
            );
            return Err(ImportError { field: Some(path().into()), ..missing });
        };
        let since = at.checked_sub(*origin.get_or_insert(at));
        let since = since.filter(|since| *since >= last && *since as f64 * 1e-9 <= LONGEST_SECONDS);
        last = since.ok_or_else(|| json::value(recording, &path(), at as f64, EXPECTED))?;
        times.push(Instant::from_nanos(last as u64));
    }
    Ok(times)
}

fn outcome(recording: &Recording, index: usize, trip: &Trip, agree: bool) -> Result<Outcome, ImportError> {
    let delay = |name: &str, nanos: i64| {
        json::delay(recording, || format!("round_trips[{index}].delay.{name}"), nanos as f64 * 1e-9)
    };
    match (trip.lost, trip.delay.rtt) {
        (Lost::No, Some(rtt)) => {
            let one_way = match (trip.delay.send, trip.delay.receive) {
                (Some(up), Some(down)) if agree => Some((delay("send", up)?, delay("receive", down)?)),
                _ => None,
            };
            Ok(Outcome::Answered { round_trip: delay("rtt", rtt)?, one_way })
        }
        (Lost::Up, _) => Ok(Outcome::Lost(Some(Direction::Up))),
        (Lost::Down, _) => Ok(Outcome::Lost(Some(Direction::Down))),
        (Lost::Somewhere, _) | (Lost::No, None) => Ok(Outcome::Lost(None)),
    }
}

fn notes(stamped: bool, agree: bool) -> Vec<String> {
    let clocks = if !stamped {
        "The server wrote no timestamps. So there are no one-way delays."
    } else if agree {
        "One-way delays include any offset between the clocks of the two ends."
    } else {
        "One-way delays are left out. Some are negative, so the clocks of the two ends differ."
    };
    vec![clocks.to_owned()]
}
