//! Tables of conditions over time, with a map from columns to what they hold.

use crate::file::{HIGHEST_RATE, LONGEST_DELAY, quoted};
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

/// The latest time accepted, in seconds: enough for times after 1970.
const LATEST_TIME: f64 = u32::MAX as f64;

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

/// Read a table with a header line. The last row holds for ever. Times after 1970 in full are read to
/// about a quarter of a microsecond.
///
/// # Errors
/// When a column is missing, a field is not a number in range, times do not increase, or no row is there.
pub fn parse<'a>(recording: &Recording, map: &'a ColumnMap) -> Result<Schedule, ImportError> {
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(recording.text().as_bytes());
    let header = reader.headers().map_err(|why| recording.malformed(&why))?.clone();
    let find = |(name, unit): &'a (String, f64), most| Column::find(recording, &header, name, *unit, most);
    let values = [(&map.rate, HIGHEST_RATE), (&map.one_way_delay, LONGEST_DELAY), (&map.loss, 1.0)];
    let named = values.map(|(column, most)| column.as_ref().map(|column| find(column, most)));
    let [rate, delay, loss] = named;
    let columns = [rate.transpose()?, delay.transpose()?, loss.transpose()?];
    let time = find(&map.time, LATEST_TIME)?;
    let mut points: [Vec<(Instant, f64)>; 3] = Default::default();
    let mut times: Option<[Instant; 2]> = None;
    for row in reader.records() {
        let row = row.map_err(|why| recording.malformed(&why))?;
        let line = row.position().map_or(0, csv::Position::line);
        let at = Instant::ZERO + Duration::from_secs_f64(time.read(recording, line, &row)?);
        if let Some([_, last]) = times.filter(|[_, last]| at <= *last) {
            let (found, help) = (format!("{at} s after {last} s"), "sort the rows by time");
            return Err(recording.at(line, Some(time.name), found, "times that increase", help));
        }
        for (points, column) in points.iter_mut().zip(&columns) {
            if let Some(column) = column {
                points.push((at, column.read(recording, line, &row)?));
            }
        }
        times = Some([times.map_or(at, |[first, _]| first), at]);
    }
    let [first, _] = times.ok_or_else(|| recording.empty("a header line and at least one row"))?;
    let start = first.saturating_since(Instant::ZERO);
    let [rates, delays, losses] = points;
    Ok(Schedule {
        capacity: steps(recording, rates, start, |bits| Rate::from_bits_per_second(bits as u64))?
            .map(Into::into),
        one_way_delay: steps(recording, delays, start, Duration::from_secs_f64)?,
        loss: steps(recording, losses, start, |share| share)?,
        ..Schedule::default()
    })
}

fn steps<T: Copy>(
    recording: &Recording,
    points: Vec<(Instant, f64)>,
    start: Duration,
    value: impl Fn(f64) -> T,
) -> Result<Option<Steps<T>>, ImportError> {
    if points.is_empty() {
        return Ok(None);
    }
    let points = points.into_iter().map(|(at, number)| (at, value(number))).collect();
    let steps = Steps::new(points).map_err(|why| recording.no_schedule(why))?;
    Ok(Some(steps.skip(start)))
}
