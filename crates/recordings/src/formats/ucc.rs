//! The 4G and 5G drives of University College Cork (Raca et al., MMSys 2018 and 2020): CSV of G-NetTrack Pro.
//!
//! One row per second: `Timestamp` such as `2019.12.14_10.16.30` without a zone, `DL_bitrate` and `UL_bitrate` in kbit/s, `State` (`D`
//! while an app downloads, `I` while it is idle), `CellID` and `NetworkMode`, and in 5G every few seconds a ping: `PINGAVG` in ms and
//! `PINGLOSS` in percent. `-` is missing. Rows with one and the same second share it.
//!
//! The downlink is what an app got: of a file download, that is what TCP delivered; a video asks for less. Idle rows say nothing of the
//! link and are left out.

use super::table::time::TimeForm;
use super::table::{Fields, Header, Holds, Rows, instants, is_missing, place_values};
use crate::Recording;
use crate::error::ImportError;
use crate::file::{HIGHEST_RATE, LONGEST_DELAY, LONGEST_SECONDS, quoted};
use crate::measured::{DelayMeaning, Direction, Measured, RateMeaning};
use crate::series;
use seamline_wire::{Duration, Instant};

/// Phones correct their clocks now and then: rows up to this much earlier than one before them, in ns, count as its second.
const LONGEST_STEP_BACK: i64 = 10_000_000_000;
const COLUMNS: [&str; 6] = ["Timestamp", "CellID", "NetworkMode", "DL_bitrate", "UL_bitrate", "State"];

/// Whether the header has the columns of these data sets.
pub fn looks_like(recording: &Recording) -> bool {
    Header::of(recording).is_some_and(|header| header.has(&COLUMNS))
}

/// Read a drive.
///
/// # Errors
/// When a field is out of range, times decrease, or there is no row.
pub fn read(recording: &Recording) -> Result<Measured, ImportError> {
    let mut rows = Fields::open(recording)?;
    let place = |name: &str| rows.names().iter().position(|it| it == name);
    let places = Places {
        known: COLUMNS.map(|name| place(name).unwrap_or(usize::MAX)),
        node: place("NODEHEX"),
        ping: place("PINGAVG"),
        loss: place("PINGLOSS"),
    };
    let mut drive = Drive::default();
    let mut fields = Vec::new();
    while let Some(line) = rows.next(&mut fields)? {
        drive.take(recording, line, &places, &fields)?;
    }
    drive.finish(recording)
}

/// Where the columns are.
struct Places {
    known: [usize; 6],
    node: Option<usize>,
    ping: Option<usize>,
    loss: Option<usize>,
}

/// What was read so far; values by their rows.
#[derive(Default)]
struct Drive {
    times: Vec<i64>,
    down: Vec<(usize, f64)>,
    up: Vec<(usize, f64)>,
    pings: Vec<(usize, f64)>,
    losses: Vec<(usize, f64)>,
    cell: Option<String>,
    changes: Vec<usize>,
    idle: usize,
    set_back: usize,
}

impl Drive {
    fn take(
        &mut self,
        recording: &Recording,
        line: u64,
        places: &Places,
        fields: &[String],
    ) -> Result<(), ImportError> {
        let field = |place: Option<usize>| {
            place.and_then(|it| fields.get(it)).map(|it| it.trim()).filter(|it| !is_missing(it))
        };
        let [time, cell, mode, down, up, state] = places.known.map(Some);
        self.begin(recording, line, field(time).unwrap_or(""))?;
        let row = self.times.len() - 1;
        let number = |name: &str, place: Option<usize>, unit: f64, most: f64| {
            field(place).map(|text| recording.number(line, name, text, unit, most)).transpose()
        };
        let rate = number("DL_bitrate", down, 1e3, HIGHEST_RATE)?;
        if field(state).is_some_and(|state| state.contains('D')) {
            self.down.extend(rate.map(|rate| (row, rate)));
        } else {
            self.idle += 1;
        }
        self.up.extend(number("UL_bitrate", up, 1e3, HIGHEST_RATE)?.map(|rate| (row, rate)));
        self.pings.extend(number("PINGAVG", places.ping, 1e-3, LONGEST_DELAY)?.map(|it| (row, it)));
        self.losses.extend(number("PINGLOSS", places.loss, 0.01, 1.0)?.map(|it| (row, it)));
        if let Some(cell) = field(cell) {
            let (node, mode) = (field(places.node).unwrap_or(""), field(mode).unwrap_or(""));
            self.attach(row, format!("{cell} {node} {mode}"));
        }
        Ok(())
    }

    /// Begin a row.
    fn begin(&mut self, recording: &Recording, line: u64, text: &str) -> Result<(), ImportError> {
        let Some(at) = TimeForm::Date.parse(text) else {
            let help = "correct or remove the row";
            let expected = "a time as 2019.12.14_10.16.30";
            return Err(recording.at(line, Some("Timestamp"), quoted(text), expected, help));
        };
        let (first, last) = (*self.times.first().unwrap_or(&at), *self.times.last().unwrap_or(&at));
        let back = last.saturating_sub(at);
        if back > LONGEST_STEP_BACK || (at - first) as f64 * 1e-9 > LONGEST_SECONDS {
            let expected = "times that do not decrease, within a year";
            return Err(recording.at(
                line,
                Some("Timestamp"),
                quoted(text),
                expected,
                "sort the rows by time",
            ));
        }
        self.set_back += usize::from(back > 0);
        self.times.push(at.max(last));
        Ok(())
    }

    fn attach(&mut self, row: usize, cell: String) {
        if self.cell.as_ref().is_some_and(|last| *last != cell) {
            self.changes.push(row);
        }
        self.cell = Some(cell);
    }

    fn finish(self, recording: &Recording) -> Result<Measured, ImportError> {
        let instants = instants(&self.times);
        let (Some(first), Some(last)) = (self.times.first(), instants.last()) else {
            return Err(recording.empty("a header line and at least one row"));
        };
        let mut measured = Measured {
            began: Some(*first as f64 * 1e-9),
            length: last.saturating_since(Instant::ZERO) + Duration::from_secs(1),
            handovers: self.changes.iter().map(|row| instants[*row]).collect(),
            notes: self.notes(),
            ..Measured::default()
        };
        let series = [
            (Holds::Rate(Direction::Down, RateMeaning::Goodput), &self.down),
            (Holds::Rate(Direction::Up, RateMeaning::Traffic), &self.up),
            (Holds::Delay(DelayMeaning::RoundTrip), &self.pings),
            (Holds::Loss(None), &self.losses),
        ];
        for (holds, values) in series {
            let points: Vec<_> = values.iter().map(|(row, value)| (instants[*row], *value)).collect();
            place_values(&mut measured, holds, &series::hold(&points));
        }
        measured.delays.iter_mut().for_each(|it| it.loaded = true);
        // A last value holds as long as those before it.
        measured.length = measured.length.max(series::length(&measured));
        Ok(measured)
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = vec![
            "The downlink rate is that of an app. If the app downloads a file, it is the goodput of TCP. If it plays a video, it is below the capacity.".to_owned(),
            "The uplink rate is that of traffic such as acknowledgments. It says little about the capacity.".to_owned(),
            "Times have no time zone. They are read as UTC.".to_owned(),
        ];
        if self.idle > 0 {
            notes.push(format!(
                "Rows without a download (state I): {}. Their downlink rates are left out.",
                self.idle
            ));
        }
        if self.set_back > 0 {
            notes.push(format!(
                "Rows with an earlier time than the rows before them, because the phone set its clock: {}.",
                self.set_back
            ));
        }
        let ping = if self.pings.is_empty() {
            "The file has no delays."
        } else {
            "Each ping value is the mean of a few pings during the download."
        };
        notes.push(ping.to_owned());
        notes
    }
}
