//! Reading what was written.

use super::{COLUMNS, HANDOVER, TITLE};
use crate::Recording;
use crate::error::ImportError;
use crate::file::{HIGHEST_RATE, LONGEST_DELAY, quoted};
use crate::measured::{Conditions, Measured};
use ::csv::{ReaderBuilder, StringRecord};
use seamline_net::Schedule;
use seamline_net::schedule::{Fates, Handover, Handovers, Steps};
use seamline_wire::{Duration, Instant, Rate};

const FATES: [(&str, Fates); 2] = [("held", Fates::SEAMLESS), ("lost", Fates::HARD)];

/// Read a recording.
///
/// # Errors
/// When it is of another version, has no length, or a row is not as [the format](super) says.
pub fn read(recording: &Recording) -> Result<Measured, ImportError> {
    let head = head(recording)?;
    let mut builder = ReaderBuilder::new();
    let mut reader =
        builder.comment(Some(b'#')).trim(::csv::Trim::All).from_reader(recording.text().as_bytes());
    let header = reader.headers().map_err(|why| recording.malformed(&why))?.clone();
    let columns = columns(recording, &header, head.lines + 1)?;
    let mut sides = [Side::default(), Side::default()];
    let mut last = None;
    for row in reader.records() {
        let row = row.map_err(|why| recording.malformed(&why))?;
        let line = row.position().map_or(0, ::csv::Position::line);
        let at = Instant::ZERO + recording.seconds(line, COLUMNS[0], field(&row, columns[0]), 1.0)?;
        if let Some(last) = last.filter(|last| at <= *last) {
            let (found, help) = (format!("{at} s after {last} s"), "sort the rows by time");
            return Err(recording.at(line, Some(COLUMNS[0]), found, "times that increase", help));
        }
        last = Some(at);
        for (place, side) in sides.iter_mut().enumerate() {
            side.take(recording, line, at, place, |column| field(&row, columns[column]))?;
        }
    }
    if last.is_none() {
        return Err(recording.empty("at least one row below the header"));
    }
    let end = Instant::ZERO + head.length;
    let [down, up] = sides.map(|side| side.schedule(recording, end));
    let conditions = Some(Conditions { down: down?, up: up? });
    Ok(Measured { length: head.length, conditions, ..Measured::default() })
}

/// What the lines before the table say.
struct Head {
    lines: u64,
    length: Duration,
}

fn head(recording: &Recording) -> Result<Head, ImportError> {
    let (mut length, mut lines) = (None, 0);
    for (line, text) in recording.lines().take_while(|(_, text)| text.starts_with('#')) {
        lines = line;
        if line == 1 && text != TITLE {
            let help = "convert the file again, or read it with the version that wrote it";
            return Err(recording.at(line, None, quoted(text), &format!("{TITLE:?}"), help));
        }
        // Later lines are remarks, whatever they say.
        if length.is_none()
            && let Some((key, value)) = text[1..].split_once('=')
            && key.trim() == "length_s"
        {
            length = Some(recording.seconds(line, "length_s", value, 1.0)?);
        }
    }
    let missing =
        || recording.whole("no length".into(), "a line `# length_s = SECONDS`", "add it below the title");
    Ok(Head { lines, length: length.filter(|it| !it.is_zero()).ok_or_else(missing)? })
}

/// Where each column is.
fn columns(
    recording: &Recording,
    header: &StringRecord,
    line: u64,
) -> Result<[Option<usize>; 9], ImportError> {
    if let Some(unknown) = header.iter().find(|name| !COLUMNS.contains(name)) {
        let expected = format!("columns out of {}", COLUMNS.join(", "));
        return Err(recording.at(line, None, quoted(unknown), &expected, "correct or remove the column"));
    }
    let found = COLUMNS.map(|column| header.iter().position(|name| name == column));
    if found[0].is_none() {
        let names: Vec<&str> = header.iter().collect();
        let found = format!("the columns {}", quoted(&names.join(", ")));
        return Err(recording.at(line, None, found, "a column time_s", "add it"));
    }
    Ok(found)
}

fn field(row: &StringRecord, column: Option<usize>) -> &str {
    column.and_then(|index| row.get(index)).unwrap_or("")
}

/// One direction.
#[derive(Default)]
struct Side {
    rates: Vec<(Instant, Rate)>,
    delays: Vec<(Instant, Duration)>,
    losses: Vec<(Instant, f64)>,
    /// Those that are over, and the one that is not.
    outages: Vec<Handover>,
    open: Option<(Instant, Fates)>,
}

impl Side {
    fn take<'a>(
        &mut self,
        recording: &Recording,
        line: u64,
        at: Instant,
        place: usize,
        field: impl Fn(usize) -> &'a str,
    ) -> Result<(), ImportError> {
        let number = |column: usize, unit, most| {
            let text = field(column + place);
            let read = || recording.number(line, COLUMNS[column + place], text, unit, most);
            (!text.is_empty()).then(read).transpose()
        };
        let rate = number(1, 1e6, HIGHEST_RATE)?;
        // Written are whole bits per second and nanoseconds, which the product may miss by a little.
        self.rates.extend(rate.map(|bits| (at, Rate::from_bits_per_second(libm::round(bits) as u64))));
        let delay = number(3, 1e-3, LONGEST_DELAY)?;
        self.delays.extend(delay.map(|seconds| (at, Duration::from_secs_f64(seconds))));
        self.losses.extend(number(5, 1.0, 1.0)?.map(|loss| (at, loss)));
        match field(7 + place) {
            "" => {}
            "none" => self.end_outage(at),
            HANDOVER => {
                self.end_outage(at);
                self.outages.push(Handover { at, interruption: Duration::ZERO, fates: Fates::SEAMLESS });
            }
            word => {
                let fates = FATES.iter().find(|(name, _)| *name == word).map(|(_, fates)| *fates);
                let Some(fates) = fates else {
                    let (column, help) = (Some(COLUMNS[7 + place]), "correct the field");
                    return Err(recording.at(
                        line,
                        column,
                        quoted(word),
                        "held, lost, none or handover",
                        help,
                    ));
                };
                self.end_outage(at);
                self.open = Some((at, fates));
            }
        }
        Ok(())
    }

    fn end_outage(&mut self, end: Instant) {
        if let Some((at, fates)) = self.open.take() {
            let interruption = end.saturating_since(at);
            self.outages.push(Handover { at, interruption, fates });
        }
    }

    fn schedule(mut self, recording: &Recording, end: Instant) -> Result<Schedule, ImportError> {
        let last = self.open.map_or(end, |(at, _)| end.max(at));
        self.end_outage(last);
        Ok(Schedule {
            capacity: steps(recording, self.rates, end)?.map(Into::into),
            one_way_delay: steps(recording, self.delays, end)?,
            loss: steps(recording, self.losses, end)?,
            handovers: Handovers::new(self.outages).map_err(|why| recording.no_schedule(why))?,
            ..Schedule::default()
        })
    }
}

/// A last step at the end says how far the recording reaches.
fn steps<T: Copy>(
    recording: &Recording,
    mut points: Vec<(Instant, T)>,
    end: Instant,
) -> Result<Option<Steps<T>>, ImportError> {
    let Some((last, value)) = points.last().copied() else { return Ok(None) };
    points.extend((end > last).then_some((end, value)));
    Steps::new(points).map(Some).map_err(|why| recording.no_schedule(why))
}
