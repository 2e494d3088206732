//! Tables of conditions over time, with a map from columns to what they hold.

use super::{ImportError, Recording};
use crate::import::text::quoted;
use crate::schedule::{Schedule, Steps};
use ::csv::{self, StringRecord};
use seamline_wire::{Duration, Instant, Rate};

/// A unit of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeUnit {
    /// Seconds.
    Seconds,
    /// Milliseconds.
    Milliseconds,
    /// Microseconds.
    Microseconds,
    /// Nanoseconds.
    Nanoseconds,
}

impl TimeUnit {
    fn in_seconds(self) -> f64 {
        match self {
            TimeUnit::Seconds => 1.0,
            TimeUnit::Milliseconds => 1e-3,
            TimeUnit::Microseconds => 1e-6,
            TimeUnit::Nanoseconds => 1e-9,
        }
    }
}

/// A unit of data rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RateUnit {
    /// Bits per second.
    BitsPerSecond,
    /// 10^3 bits per second.
    KilobitsPerSecond,
    /// 10^6 bits per second.
    MegabitsPerSecond,
    /// 10^9 bits per second.
    GigabitsPerSecond,
    /// Bytes per second.
    BytesPerSecond,
}

impl RateUnit {
    fn in_bits_per_second(self) -> f64 {
        match self {
            RateUnit::BitsPerSecond => 1.0,
            RateUnit::KilobitsPerSecond => 1e3,
            RateUnit::MegabitsPerSecond => 1e6,
            RateUnit::GigabitsPerSecond => 1e9,
            RateUnit::BytesPerSecond => 8.0,
        }
    }
}

/// A unit of probability.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LossUnit {
    /// A share, 0 to 1.
    Share,
    /// Per cent, 0 to 100.
    Percent,
}

impl LossUnit {
    fn as_share(self) -> f64 {
        match self {
            LossUnit::Share => 1.0,
            LossUnit::Percent => 0.01,
        }
    }
}

/// Which column holds what, by the names in the first line, with their units.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnMap {
    /// Time of the row. The first row's time becomes zero.
    pub time: (String, TimeUnit),
    /// Rate from that time on.
    pub rate: Option<(String, RateUnit)>,
    /// One-way delay from that time on.
    pub one_way_delay: Option<(String, TimeUnit)>,
    /// Probability of loss from that time on.
    pub loss: Option<(String, LossUnit)>,
}

/// The largest rate accepted: 10 Tbit/s.
const HIGHEST_RATE: f64 = 1e13;
/// The latest time accepted, in seconds: enough for times after 1970.
const LATEST_TIME: f64 = u32::MAX as f64;
/// The longest delay accepted, in seconds.
const LONGEST_DELAY: f64 = 3_600.0;

/// A column that was found: its place, its name and the factor to the base unit.
struct Column<'a> {
    index: usize,
    name: &'a str,
    unit: f64,
    most: f64,
}

impl<'a> Column<'a> {
    fn find(
        recording: &Recording,
        header: &StringRecord,
        name: &'a str,
        unit: f64,
        most: f64,
    ) -> Result<Self, ImportError> {
        match header.iter().position(|column| column == name) {
            Some(index) => Ok(Column { index, name, unit, most }),
            None => {
                let columns: Vec<&str> = header.iter().collect();
                let found = format!("the columns {}", quoted(&columns.join(", ")));
                let help = "correct the column map or the header";
                Err(recording.at(1, Some(name), found, &format!("a column {name:?}"), help))
            }
        }
    }

    fn read(&self, recording: &Recording, line: u64, row: &StringRecord) -> Result<f64, ImportError> {
        recording.number(line, self.name, row.get(self.index).unwrap_or(""), self.unit, self.most)
    }
}

/// All columns that the map names.
struct Columns<'a> {
    time: Column<'a>,
    rate: Option<Column<'a>>,
    one_way_delay: Option<Column<'a>>,
    loss: Option<Column<'a>>,
}

impl<'a> Columns<'a> {
    fn find(recording: &Recording, header: &StringRecord, map: &'a ColumnMap) -> Result<Self, ImportError> {
        let find = |name, unit, most| Column::find(recording, header, name, unit, most);
        let (time, time_unit) = &map.time;
        let rate = map.rate.as_ref().map(|(name, unit)| find(name, unit.in_bits_per_second(), HIGHEST_RATE));
        let delay =
            map.one_way_delay.as_ref().map(|(name, unit)| find(name, unit.in_seconds(), LONGEST_DELAY));
        let loss = map.loss.as_ref().map(|(name, unit)| find(name, unit.as_share(), 1.0));
        Ok(Columns {
            time: find(time, time_unit.in_seconds(), LATEST_TIME)?,
            rate: rate.transpose()?,
            one_way_delay: delay.transpose()?,
            loss: loss.transpose()?,
        })
    }
}

/// Read a table with a header line. The last row holds for ever. Times after 1970 in full are read to
/// about a quarter of a microsecond.
///
/// # Errors
/// When a column is missing, a field is not a number in range, times do not increase, or no row is there.
pub fn parse(recording: &Recording, map: &ColumnMap) -> Result<Schedule, ImportError> {
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(recording.text().as_bytes());
    let header = reader.headers().map_err(|why| malformed(recording, &why))?.clone();
    let columns = Columns::find(recording, &header, map)?;
    let mut table = Table::default();
    for row in reader.records() {
        let row = row.map_err(|why| malformed(recording, &why))?;
        table.push(recording, &columns, &row)?;
    }
    table.into_schedule(recording)
}

#[derive(Default)]
struct Table {
    first: Option<Instant>,
    last: Option<Instant>,
    rates: Vec<(Instant, Rate)>,
    delays: Vec<(Instant, Duration)>,
    losses: Vec<(Instant, f64)>,
}

impl Table {
    fn push(
        &mut self,
        recording: &Recording,
        columns: &Columns<'_>,
        row: &StringRecord,
    ) -> Result<(), ImportError> {
        let line = row.position().map_or(0, csv::Position::line);
        let read = |column: &Option<Column<'_>>| {
            column.as_ref().map(|column| column.read(recording, line, row)).transpose()
        };
        let at = Instant::ZERO + Duration::from_secs_f64(columns.time.read(recording, line, row)?);
        if let Some(last) = self.last.filter(|last| at <= *last) {
            let (found, help) = (format!("{at} s after {last} s"), "sort the rows by time");
            return Err(recording.at(line, Some(columns.time.name), found, "times that increase", help));
        }
        self.rates.extend(read(&columns.rate)?.map(|bits| (at, Rate::from_bits_per_second(bits as u64))));
        self.delays
            .extend(read(&columns.one_way_delay)?.map(|seconds| (at, Duration::from_secs_f64(seconds))));
        self.losses.extend(read(&columns.loss)?.map(|share| (at, share)));
        self.first.get_or_insert(at);
        self.last = Some(at);
        Ok(())
    }

    fn into_schedule(self, recording: &Recording) -> Result<Schedule, ImportError> {
        let Some(first) = self.first else {
            return Err(recording.empty("a header line and at least one row"));
        };
        let start = first.saturating_since(Instant::ZERO);
        Ok(Schedule {
            capacity: steps(recording, self.rates, start)?.map(Into::into),
            one_way_delay: steps(recording, self.delays, start)?,
            loss: steps(recording, self.losses, start)?,
            ..Schedule::default()
        })
    }
}

fn steps<T: Copy>(
    recording: &Recording,
    points: Vec<(Instant, T)>,
    start: Duration,
) -> Result<Option<Steps<T>>, ImportError> {
    if points.is_empty() {
        return Ok(None);
    }
    let steps = Steps::new(points).map_err(|why| recording.no_schedule(why))?;
    Ok(Some(steps.skip(start)))
}

fn malformed(recording: &Recording, why: &csv::Error) -> ImportError {
    let line = why.position().map_or(1, csv::Position::line);
    recording.at(line, None, why.to_string(), "as many fields as the header has", "correct or remove the row")
}
