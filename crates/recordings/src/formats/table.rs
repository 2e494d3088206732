//! Tables with named columns: CSV and Parquet.
//!
//! The names in the header say what a column holds and in which unit; a list of [`Column`]s says it where they do not.
//! A field that is empty, `-`, `nan`, `null` or `na` is missing. Times increase; rows with one and the same time share the span up
//! to the next time evenly. A value holds until the next one of its column, but not across gaps of the recording.

mod columns;
mod guess;
mod parquet;
mod rows;
pub mod time;

pub use columns::{Column, Holds, parse_columns};
pub use parquet::{looks_like as is_parquet, read as read_parquet};
pub(super) use rows::{Fields, Header, Rows, is_missing};

use crate::Recording;
use crate::error::ImportError;
use crate::file::quoted;
use crate::measured::{DelayMeaning, Delays, Direction, Losses, Measured, Rates, Sample};
use crate::series;
use columns::Place;
use seamline_wire::{Duration, Instant, Rate};

/// Whether the first line is a header whose names say what columns hold.
pub fn looks_like(recording: &Recording) -> bool {
    let named = [super::ucc::looks_like, super::wetlinks::looks_like, super::lens::looks_like];
    if recording.binary().is_some() || named.iter().any(|format| format(recording)) {
        return false;
    }
    let Some(header) = Header::of(recording) else { return false };
    let columns = guess::columns(&header.names);
    columns.iter().any(|it| it.holds == Holds::Time) && columns.iter().any(|it| it.holds != Holds::Time)
}

/// Read a table of text, by the names in its header.
///
/// # Errors
/// When no column is a time or none holds a value, or as [`read_columns`].
pub fn read(recording: &Recording) -> Result<Measured, ImportError> {
    let mut rows = Fields::open(recording)?;
    let columns = guess::columns(rows.names());
    read_rows(recording, &mut rows, &columns, true)
}

/// Read a table, text or Parquet, by columns that the caller names.
///
/// # Errors
/// When a column is missing, a field is out of range, times decrease, or there is no row.
pub fn read_columns(recording: &Recording, columns: &[Column]) -> Result<Measured, ImportError> {
    if recording.binary().is_some() {
        return parquet::read_columns(recording, columns);
    }
    read_rows(recording, &mut Fields::open(recording)?, columns, false)
}

/// What the caller says the columns hold, or their names.
pub(super) fn read_rows(
    recording: &Recording,
    rows: &mut dyn Rows,
    columns: &[Column],
    guessed: bool,
) -> Result<Measured, ImportError> {
    let names = rows.names().to_vec();
    let places = Place::find_all(recording, &names, columns)?;
    let Some((time, values)) = places.split_first().filter(|(_, values)| !values.is_empty()) else {
        return Err(undecided(recording, &names));
    };
    let mut table = Table::new(values.len());
    let mut fields = Vec::new();
    while let Some(line) = rows.next(&mut fields)? {
        let field = |place: &Place| fields.get(place.index).map_or("", |it| it.trim());
        if is_missing(field(time)) {
            table.untimed += 1;
            continue;
        }
        table.begin(recording, line, time, rows.form(time.index), field(time))?;
        for (number, place) in values.iter().enumerate() {
            let text = field(place);
            if is_missing(text) {
                table.missing += 1;
            } else {
                table.take(recording, line, number, place, text)?;
            }
        }
    }
    table.finish(recording, &places, guessed)
}

/// The error for a table whose names do not say enough.
fn undecided(recording: &Recording, names: &[String]) -> ImportError {
    let found = format!("the columns {}", quoted(&names.join(", ")));
    let expected = "a column of times, and one of rates, delays or losses";
    let help = "name them in the header with their units, as time_s, down_mbps, rtt_ms, loss_percent, or name the columns yourself";
    recording.at(1, None, found, expected, help)
}

/// What was read so far: values by their rows.
struct Table {
    times: Vec<i64>,
    values: Vec<Vec<(usize, f64)>>,
    cells: Vec<Option<String>>,
    changes: Vec<usize>,
    form: Option<time::TimeForm>,
    missing: usize,
    untimed: usize,
    undated: bool,
}

impl Table {
    fn new(columns: usize) -> Self {
        Table {
            times: Vec::new(),
            values: vec![Vec::new(); columns],
            cells: vec![None; columns],
            changes: Vec::new(),
            form: None,
            missing: 0,
            untimed: 0,
            undated: false,
        }
    }

    /// Begin a row.
    fn begin(
        &mut self,
        recording: &Recording,
        line: u64,
        place: &Place,
        form: Option<time::TimeForm>,
        text: &str,
    ) -> Result<(), ImportError> {
        let wrong = |found: String, expected: &str, help: &str| {
            Err(recording.at(line, Some(&place.name), found, expected, help))
        };
        let form = *self.form.get_or_insert_with(|| {
            form.or(place.form).or_else(|| time::TimeForm::guess(text)).unwrap_or(time::SECONDS)
        });
        let Some(at) = form.parse(text) else {
            return wrong(quoted(text), "a time like those above it", "correct or remove the row");
        };
        self.undated |= form == time::TimeForm::Date && time::zoned(text).is_none();
        let (first, last) = (*self.times.first().unwrap_or(&at), *self.times.last().unwrap_or(&at));
        if at < last {
            let found = format!("{text:?} after a later time");
            return wrong(found, "times that do not decrease", "sort the rows by time");
        }
        if at.checked_sub(first).is_none_or(|span| span as f64 * 1e-9 > crate::file::LONGEST_SECONDS) {
            return wrong(
                quoted(text),
                "times within a year",
                "name the unit of the times in the header, as time_ms",
            );
        }
        self.times.push(at);
        Ok(())
    }

    /// A value of the row.
    fn take(
        &mut self,
        recording: &Recording,
        line: u64,
        number: usize,
        place: &Place,
        text: &str,
    ) -> Result<(), ImportError> {
        let row = self.times.len() - 1;
        if place.holds == Holds::Cell {
            if self.cells[number].as_deref().is_some_and(|cell| cell != text) {
                self.changes.push(row);
            }
            if self.cells[number].as_deref() != Some(text) {
                self.cells[number] = Some(text.to_owned());
            }
            return Ok(());
        }
        let value = recording.number(line, &place.name, text, place.unit, place.holds.most())?;
        self.values[number].push((row, value));
        Ok(())
    }

    fn finish(
        mut self,
        recording: &Recording,
        places: &[Place],
        guessed: bool,
    ) -> Result<Measured, ImportError> {
        let instants = instants(&self.times);
        let (Some(first), Some(last)) = (self.times.first(), instants.last()) else {
            return Err(recording.empty("a header line and at least one row"));
        };
        let first = *first as f64 * 1e-9;
        let mut measured = Measured { began: (first >= 1e8).then_some(first), ..Measured::default() };
        self.changes.dedup();
        measured.handovers = self.changes.iter().map(|row| instants[*row]).collect();
        for (place, values) in places[1..].iter().zip(&self.values) {
            let points = values.iter().map(|(row, value)| (instants[*row], *value)).collect::<Vec<_>>();
            place_values(&mut measured, place.holds, &series::hold(&points));
        }
        let filled = measured.rates.iter().any(|it| it.meaning == crate::measured::RateMeaning::Goodput);
        measured.delays.iter_mut().for_each(|it| it.loaded = filled);
        measured.length = series::length(&measured).max(last.saturating_since(Instant::ZERO));
        measured.notes = self.notes(places, guessed);
        Ok(measured)
    }

    fn notes(&self, places: &[Place], guessed: bool) -> Vec<String> {
        let mut notes = Vec::new();
        if guessed {
            let read: Vec<String> = places.iter().map(ToString::to_string).collect();
            notes.push(format!("Columns were recognized by their names: {}.", read.join(", ")));
        }
        if self.undated {
            notes.push("Times have no time zone. They are read as UTC.".to_owned());
        }
        for (count, what) in [(self.missing, "Missing fields"), (self.untimed, "Rows without a time")] {
            if count > 0 {
                notes.push(format!("{what}: {count}."));
            }
        }
        notes
    }
}

/// Add the values of one column, if there are any.
pub(super) fn place_values(measured: &mut Measured, holds: Holds, samples: &[Sample<f64>]) {
    if samples.is_empty() {
        return;
    }
    match holds {
        Holds::Time | Holds::Cell => {}
        Holds::Rate(direction, meaning) => {
            let samples = map(samples, |bits| Rate::from_bits_per_second(bits as u64));
            measured.rates.push(Rates { direction, meaning, samples });
        }
        Holds::Delay(meaning) => {
            let samples = map(samples, Duration::from_secs_f64);
            measured.delays.push(Delays { meaning, loaded: false, samples });
        }
        Holds::Loss(direction) => {
            measured.losses.push(Losses { direction, samples: map(samples, |share| share) });
        }
    }
}

fn map<T>(samples: &[Sample<f64>], convert: impl Fn(f64) -> T) -> Vec<Sample<T>> {
    let span = |it: &Sample<f64>| Sample { from: it.from, until: it.until, value: convert(it.value) };
    samples.iter().map(span).collect()
}

/// Times since the first. Rows with one time share the span up to the next time, or a second at the end.
pub(super) fn instants(times: &[i64]) -> Vec<Instant> {
    let mut instants = Vec::with_capacity(times.len());
    let first = times.first().copied().unwrap_or(0);
    let mut start = 0;
    while start < times.len() {
        let same = times[start..].iter().take_while(|at| **at == times[start]).count();
        let next = times.get(start + same).copied().unwrap_or(times[start].saturating_add(1_000_000_000));
        let (since, span) = ((times[start] - first) as u64, (next - times[start]) as u64);
        let share = span / same as u64;
        instants.extend((0..same as u64).map(|index| Instant::from_nanos(since + share * index)));
        start += same;
    }
    instants
}

/// Delays of one way, for columns that say which.
const fn one_way(direction: Direction) -> DelayMeaning {
    DelayMeaning::OneWay(direction)
}
