//! Tables of conditions over time, with a map from columns to what they hold.

use crate::file::quoted;
use crate::{ImportError, Recording};
use ::csv::{self, StringRecord};
use seamline_net::schedule::{Schedule, Steps};
use seamline_wire::{Duration, Instant, Rate};

/// Units of time by name, in seconds.
pub const TIME_UNITS: &[(&str, f64)] = &[("s", 1.0), ("ms", 1e-3), ("us", 1e-6), ("ns", 1e-9)];
/// Units of data rate by name, in bits per second.
pub const RATE_UNITS: &[(&str, f64)] =
    &[("bit/s", 1.0), ("kbit/s", 1e3), ("Mbit/s", 1e6), ("Gbit/s", 1e9), ("B/s", 8.0)];
/// Units of loss by name, as shares of all packets.
pub const LOSS_UNITS: &[(&str, f64)] = &[("share", 1.0), ("%", 0.01)];

/// Which column holds what, by the names in the first line, each with its unit: one of the factors in [`TIME_UNITS`],
/// [`RATE_UNITS`] or [`LOSS_UNITS`].
#[derive(Clone, Debug, PartialEq)]
pub struct ColumnMap {
    /// Time of the row. The first row's time becomes zero.
    pub time: (String, f64),
    /// Rate from that time on.
    pub rate: Option<(String, f64)>,
    /// One-way delay from that time on.
    pub one_way_delay: Option<(String, f64)>,
    /// Probability of loss from that time on.
    pub loss: Option<(String, f64)>,
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
        let find = |(name, unit): &'a (String, f64), most| Column::find(recording, header, name, *unit, most);
        let optional = |column: &'a Option<(String, f64)>, most| {
            column.as_ref().map(|column| find(column, most)).transpose()
        };
        let (rate, delay) =
            (optional(&map.rate, HIGHEST_RATE)?, optional(&map.one_way_delay, LONGEST_DELAY)?);
        let loss = optional(&map.loss, 1.0)?;
        Ok(Columns { time: find(&map.time, LATEST_TIME)?, rate, one_way_delay: delay, loss })
    }
}

/// Read a table with a header line. The last row holds for ever. Times after 1970 in full are read to
/// about a quarter of a microsecond.
///
/// # Errors
/// When a column is missing, a field is not a number in range, times do not increase, or no row is there.
pub fn parse(recording: &Recording, map: &ColumnMap) -> Result<Schedule, ImportError> {
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(recording.text().as_bytes());
    let header = reader.headers().map_err(|why| recording.malformed(&why))?.clone();
    let columns = Columns::find(recording, &header, map)?;
    let mut table = Table::default();
    for row in reader.records() {
        let row = row.map_err(|why| recording.malformed(&why))?;
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
