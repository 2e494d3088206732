//! Tables of WetLinks (Laniewski et al., TMA 2024) and of the other Starlink data sets of Osnabrück: iperf, ping and dish.
//!
//! Rows have a begin and an end (`timestamp_start`, `timestamp_end`, without a zone). `net_iperf` has `download` and `upload` in bit/s,
//! one row per second for 15 s every few minutes, of UDP that fills the link; `net_ping` has the mean round trip of some 250 pings in
//! ms and their loss in percent; `starlink` has what the dish said: one `timestamp`, round trip to the point of presence in ms, loss
//! in percent, and traffic in Mbit/s.

use super::table::time::TimeForm;
use super::table::{Fields, Header, Holds, Rows, is_missing, place_values};
use crate::Recording;
use crate::error::ImportError;
use crate::file::{LONGEST_SECONDS, quoted};
use crate::measured::{DelayMeaning, Direction, Measured, RateMeaning, Sample};
use crate::series;
use seamline_wire::{Duration, Instant};

const IPERF: [&str; 4] = ["timestamp_start", "timestamp_end", "download", "upload"];
const PING: [&str; 4] = ["timestamp_start", "timestamp_end", "ping_avg", "packet_loss"];
const DISH: [&str; 5] = ["timestamp", "pop_ping_latency", "ping_drop", "downlink", "uplink"];

/// Most columns of values that a table has.
const MOST_VALUES: usize = 4;

/// The kinds of tables.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Iperf,
    Ping,
    Dish,
}

impl Kind {
    fn of(header: &Header) -> Option<Kind> {
        // Routes have the columns of pings, for each hop.
        let kinds = [(Kind::Iperf, &IPERF[..]), (Kind::Ping, &PING[..]), (Kind::Dish, &DISH[..])];
        let found = kinds.iter().find(|(_, names)| header.has(names)).map(|(kind, _)| *kind);
        found.filter(|_| !header.has(&["hop"]))
    }

    /// Columns of values: what they hold and their factor to base units.
    fn values(self) -> &'static [(&'static str, Holds, f64)] {
        const ROUND_TRIP: Holds = Holds::Delay(DelayMeaning::RoundTrip);
        match self {
            Kind::Iperf => &[
                ("download", Holds::Rate(Direction::Down, RateMeaning::Goodput), 1.0),
                ("upload", Holds::Rate(Direction::Up, RateMeaning::Goodput), 1.0),
            ],
            Kind::Ping => &[("ping_avg", ROUND_TRIP, 1e-3), ("packet_loss", Holds::Loss(None), 0.01)],
            Kind::Dish => &[
                ("downlink", Holds::Rate(Direction::Down, RateMeaning::Traffic), 1e6),
                ("uplink", Holds::Rate(Direction::Up, RateMeaning::Traffic), 1e6),
                ("pop_ping_latency", ROUND_TRIP, 1e-3),
                ("ping_drop", Holds::Loss(None), 0.01),
            ],
        }
    }

    fn times(self) -> [&'static str; 2] {
        match self {
            Kind::Iperf | Kind::Ping => [IPERF[0], IPERF[1]],
            Kind::Dish => [DISH[0], DISH[0]],
        }
    }
}

/// Whether the header has the columns of one of the tables.
pub fn looks_like(recording: &Recording) -> bool {
    Header::of(recording).is_some_and(|header| Kind::of(&header).is_some())
}

/// Read a table.
///
/// # Errors
/// When a field is out of range, or there is no row.
pub fn read(recording: &Recording) -> Result<Measured, ImportError> {
    let Some(kind) = Header::of(recording).as_ref().and_then(Kind::of) else {
        let help = "name the columns yourself: it is read as CSV then";
        return Err(recording.at(
            1,
            None,
            "another header".into(),
            "the columns of iperf, ping or dish",
            help,
        ));
    };
    let mut rows = Fields::open(recording)?;
    let place = |name: &str| rows.names().iter().position(|it| it == name).unwrap_or(usize::MAX);
    let times = kind.times().map(|name| (place(name), name));
    let places: Vec<usize> = kind.values().iter().map(|(name, ..)| place(name)).collect();
    let mut table = Table::default();
    let mut fields = Vec::new();
    while let Some(line) = rows.next(&mut fields)? {
        let field = |place: usize| fields.get(place).map_or("", |it| it.trim());
        let span = times.map(|(place, name)| (field(place), name));
        let mut values = [None; MOST_VALUES];
        for (value, (place, (name, what, unit))) in values.iter_mut().zip(places.iter().zip(kind.values())) {
            if !is_missing(field(*place)) {
                *value = Some(recording.number(line, name, field(*place), *unit, what.most())?);
            }
        }
        table.take(recording, line, span, values)?;
    }
    table.finish(recording, kind)
}

/// One row: its span in nanoseconds since 1970, and its values.
struct Row {
    from: i64,
    until: i64,
    values: [Option<f64>; MOST_VALUES],
}

#[derive(Default)]
struct Table {
    rows: Vec<Row>,
    overlapping: usize,
}

impl Table {
    fn take(
        &mut self,
        recording: &Recording,
        line: u64,
        span: [(&str, &str); 2],
        values: [Option<f64>; MOST_VALUES],
    ) -> Result<(), ImportError> {
        let mut times = [0; 2];
        for (time, (text, name)) in times.iter_mut().zip(span) {
            let first = self.rows.first().map(|row| row.from);
            let near =
                |at: &i64| first.is_none_or(|first| at.abs_diff(first) as f64 * 1e-9 <= LONGEST_SECONDS);
            let Some(at) = TimeForm::Date.parse(text).filter(near) else {
                let expected = "a time as 2023-09-28 12:33:03, within a year of the first";
                return Err(recording.at(
                    line,
                    Some(name),
                    quoted(text),
                    expected,
                    "correct or remove the row",
                ));
            };
            *time = at;
        }
        let [from, until] = times;
        self.rows.push(Row { from, until, values });
        Ok(())
    }

    fn finish(mut self, recording: &Recording, kind: Kind) -> Result<Measured, ImportError> {
        // The published tables are not in order everywhere.
        self.rows.sort_by_key(|row| (row.from, row.until));
        let Some(first) = self.rows.first().map(|row| row.from) else {
            return Err(recording.empty("a header line and at least one row"));
        };
        let since = |at: i64| Instant::from_nanos(at.saturating_sub(first) as u64);
        let mut series = vec![Vec::new(); kind.values().len()];
        let mut end = Instant::ZERO;
        for row in &self.rows {
            // A dish says a value once; it holds until the next one.
            let point = Duration::from_nanos(u64::from(kind == Kind::Dish));
            let (from, until) = (since(row.from).max(end), since(row.until) + point);
            if until <= from {
                self.overlapping += 1;
                continue;
            }
            end = until;
            for (samples, value) in series.iter_mut().zip(row.values) {
                samples.extend(value.map(|value| Sample { from, until, value }));
            }
        }
        if kind == Kind::Dish {
            for samples in &mut series {
                let points: Vec<(Instant, f64)> = samples.iter().map(|it| (it.from, it.value)).collect();
                *samples = series::hold(&points);
            }
        }
        let length = series.iter().map(|it| series::end(it)).max().unwrap_or(Duration::ZERO);
        if length.is_zero() {
            return Err(recording.empty("a row with values and a span of time"));
        }
        let notes = self.notes(kind);
        let mut measured =
            Measured { began: Some(first as f64 * 1e-9), length, notes, ..Measured::default() };
        for ((_, value, _), samples) in kind.values().iter().zip(&series) {
            place_values(&mut measured, *value, samples);
        }
        Ok(measured)
    }

    fn notes(&self, kind: Kind) -> Vec<String> {
        let mut notes = vec!["Times have no time zone. They are read as UTC.".to_owned()];
        let what = match kind {
            Kind::Iperf => {
                "Rates are UDP rates (see transport_protocol), measured for some seconds every few minutes. Delays are in other files."
            }
            Kind::Ping => {
                "Each row is the mean of many pings. Single round-trip times and rates are not in the file."
            }
            Kind::Dish => "Rates are those of the users' traffic. The capacity is not in the file.",
        };
        notes.push(what.to_owned());
        if self.overlapping > 0 {
            notes.push(format!("Rows that overlap an earlier row and are left out: {}.", self.overlapping));
        }
        notes
    }
}
