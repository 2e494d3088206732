//! The tables of LENS (Zhao and Pan, MMSys 2024), which are made of its raw files.
//!
//! The raw files of LENS are output of `ping -D` and JSON of irtt, and are read as these. The tables are `timestamp,rtt`, seconds
//! since 1970 at which an answer came and round trips in ms; and `timestamp,rtt,uplink,downlink`, nanoseconds since 1970 at which a
//! probe was sent, and its round trip and one-way delays in ms. There, -1 in `rtt`, `uplink` or `downlink` means that the probe was
//! lost somewhere, on the way up or on the way down; the other two are 0 then.

use super::table::time::TimeForm;
use super::table::{Fields, Header, Rows};
use crate::Recording;
use crate::error::ImportError;
use crate::file::{LONGEST_SECONDS, quoted};
use crate::measured::{Direction, Measured, Outcome, Probe};
use crate::series;
use seamline_wire::Instant;

const PING: [&str; 2] = ["timestamp", "rtt"];
const IRTT: [&str; 4] = ["timestamp", "rtt", "uplink", "downlink"];
/// What says that a probe was lost.
const LOST: &str = "-1";

/// Whether the header is one of the two.
pub fn looks_like(recording: &Recording) -> bool {
    Header::of(recording).is_some_and(|header| header.names == PING || header.names == IRTT)
}

/// Read a table.
///
/// # Errors
/// When a field is out of range, times go back, or there is no row.
pub fn read(recording: &Recording) -> Result<Measured, ImportError> {
    let mut rows = Fields::open(recording)?;
    let one_way = rows.names() == IRTT;
    let mut probes: Vec<(i64, Outcome)> = Vec::new();
    let mut fields = Vec::new();
    let mut clocks_differ = false;
    while let Some(line) = rows.next(&mut fields)? {
        let field = |place: usize| fields.get(place).map_or("", |it| it.trim());
        let unit = if one_way { 1 } else { 1_000_000_000 };
        let Some(at) = TimeForm::Number(unit).parse(field(0)) else {
            let expected = "a time since 1970, in ns with one-way delays, else in s";
            return Err(recording.at(line, Some("timestamp"), quoted(field(0)), expected, "correct the row"));
        };
        let outcome = if one_way {
            outcome(recording, line, [field(1), field(2), field(3)], &mut clocks_differ)?
        } else {
            Outcome::Answered { round_trip: recording.delay(line, "rtt", field(1))?, one_way: None }
        };
        // Tables of ping have the time of the answer.
        let waited = match outcome {
            Outcome::Answered { round_trip, .. } if !one_way => round_trip.as_nanos() as i64,
            _ => 0,
        };
        probes.push((at.saturating_sub(waited), outcome));
    }
    if !one_way {
        // Answers may overtake each other.
        probes.sort_by_key(|(at, _)| *at);
    }
    finish(recording, probes, one_way, clocks_differ)
}

fn outcome(
    recording: &Recording,
    line: u64,
    [rtt, up, down]: [&str; 3],
    clocks_differ: &mut bool,
) -> Result<Outcome, ImportError> {
    let lost = [(rtt, None), (up, Some(Direction::Up)), (down, Some(Direction::Down))];
    if let Some((_, direction)) = lost.iter().find(|(text, _)| *text == LOST) {
        return Ok(Outcome::Lost(*direction));
    }
    let delay = |name: &str, text: &str| recording.delay(line, name, text);
    let round_trip = delay("rtt", rtt)?;
    *clocks_differ |= up.starts_with('-') || down.starts_with('-');
    let one_way = if *clocks_differ { None } else { Some((delay("uplink", up)?, delay("downlink", down)?)) };
    Ok(Outcome::Answered { round_trip, one_way })
}

fn finish(
    recording: &Recording,
    probes: Vec<(i64, Outcome)>,
    one_way: bool,
    clocks_differ: bool,
) -> Result<Measured, ImportError> {
    let Some((first, _)) = probes.first().copied() else {
        return Err(recording.empty("a header line and at least one row"));
    };
    let mut measured = Measured { began: Some(first as f64 * 1e-9), ..Measured::default() };
    let mut last = 0;
    for (at, mut outcome) in probes {
        let since =
            at.checked_sub(first).filter(|since| *since >= last && *since as f64 * 1e-9 <= LONGEST_SECONDS);
        let Some(since) = since else {
            let found = format!("{at} ns");
            let expected = "times that do not go back, within a year";
            return Err(recording.whole(found, expected, "sort the rows by time"));
        };
        last = since;
        if clocks_differ && let Outcome::Answered { one_way, .. } = &mut outcome {
            *one_way = None;
        }
        measured.probes.push(Probe { sent: Instant::from_nanos(since as u64), outcome });
    }
    measured.length = series::length(&measured);
    if clocks_differ {
        measured.notes.push(
            "One-way delays are left out. Some are negative, so the clocks of the two ends differ."
                .to_owned(),
        );
    }
    if !one_way {
        measured.notes.push(
            "Lost probes are not in the table. The raw file of `ping -D` numbers its probes, so that missing numbers show the lost ones.".to_owned(),
        );
    }
    Ok(measured)
}
