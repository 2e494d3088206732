//! What columns hold.

use super::one_way;
use super::time::{SECONDS, TimeForm};
use crate::Recording;
use crate::error::ImportError;
use crate::file::{HIGHEST_RATE, LONGEST_DELAY, quoted};
use crate::formats::csv::{LOSS_UNITS, RATE_UNITS, TIME_UNITS};
use crate::measured::{DelayMeaning, Direction, RateMeaning};
use std::fmt;

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    /// The time of the row.
    Time,
    /// A rate.
    Rate(Direction, RateMeaning),
    /// A delay.
    Delay(DelayMeaning),
    /// A share of lost packets; without a direction, of both together.
    Loss(Option<Direction>),
    /// The cell, satellite or network: a change is a handover.
    Cell,
}

impl Holds {
    /// The largest value that is accepted, in base units.
    pub(in crate::formats) fn most(self) -> f64 {
        match self {
            Holds::Rate(..) => HIGHEST_RATE,
            Holds::Delay(_) => LONGEST_DELAY,
            Holds::Loss(_) => 1.0,
            Holds::Time | Holds::Cell => f64::MAX,
        }
    }
}

/// A column, by its name in the header.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// What it holds.
    pub holds: Holds,
    /// What one is in base units: bit/s, seconds, shares. Of no use for times and cells.
    pub unit: f64,
    /// How it writes times; `None` lets the first one decide.
    pub form: Option<TimeForm>,
}

/// The words that name what a column holds, in a list of columns.
const WORDS: [(&str, Holds); 14] = [
    ("time", Holds::Time),
    ("down", Holds::Rate(Direction::Down, RateMeaning::Goodput)),
    ("up", Holds::Rate(Direction::Up, RateMeaning::Goodput)),
    ("down-capacity", Holds::Rate(Direction::Down, RateMeaning::Capacity)),
    ("up-capacity", Holds::Rate(Direction::Up, RateMeaning::Capacity)),
    ("down-traffic", Holds::Rate(Direction::Down, RateMeaning::Traffic)),
    ("up-traffic", Holds::Rate(Direction::Up, RateMeaning::Traffic)),
    ("rtt", Holds::Delay(DelayMeaning::RoundTrip)),
    ("down-delay", Holds::Delay(one_way(Direction::Down))),
    ("up-delay", Holds::Delay(one_way(Direction::Up))),
    ("loss", Holds::Loss(None)),
    ("down-loss", Holds::Loss(Some(Direction::Down))),
    ("up-loss", Holds::Loss(Some(Direction::Up))),
    ("cell", Holds::Cell),
];

/// Read a list of columns: `WHAT=NAME:UNIT`, separated by commas, as `time=Timestamp:date,down=DL_bitrate:kbit/s,rtt=PINGAVG:ms`.
///
/// `WHAT` is `time`, `down` and `up` (goodput), `down-capacity`, `up-capacity`, `down-traffic`,
/// `up-traffic`, `rtt`, `down-delay`, `up-delay`, `loss`, `down-loss`,
/// `up-loss` or `cell`. `UNIT` is one of [`TIME_UNITS`], [`RATE_UNITS`] or [`LOSS_UNITS`], or `date`; times without a unit decide by
/// themselves.
///
/// # Errors
/// In words, with what is allowed.
pub fn parse_columns(list: &str) -> Result<Vec<Column>, String> {
    list.split(',').map(|item| parse_column(item.trim())).collect()
}

fn parse_column(item: &str) -> Result<Column, String> {
    let (what, rest) = item
        .split_once('=')
        .ok_or_else(|| format!("found {item:?}, expected WHAT=NAME or WHAT=NAME:UNIT"))?;
    let Some((_, holds)) = WORDS.iter().find(|(word, _)| *word == what.trim()) else {
        let words: Vec<&str> = WORDS.iter().map(|(word, _)| *word).collect();
        return Err(format!("found {what:?}, expected one of {}", words.join(", ")));
    };
    let (name, unit) = match rest.rsplit_once(':') {
        Some((name, unit)) => (name.trim(), Some(unit.trim())),
        None => (rest.trim(), None),
    };
    let (unit, form) = unit_of(*holds, unit)?;
    Ok(Column { name: name.to_owned(), holds: *holds, unit, form })
}

fn unit_of(holds: Holds, unit: Option<&str>) -> Result<(f64, Option<TimeForm>), String> {
    let units = match holds {
        Holds::Cell => return Ok((1.0, None)),
        Holds::Time if unit == Some("date") => return Ok((1.0, Some(TimeForm::Date))),
        Holds::Time | Holds::Delay(_) => TIME_UNITS,
        Holds::Rate(..) => RATE_UNITS,
        Holds::Loss(_) => LOSS_UNITS,
    };
    let Some(unit) = unit else {
        return match holds {
            Holds::Time => Ok((1.0, None)),
            _ => Err(format!("found no unit, expected one of {}", listed(units))),
        };
    };
    let factor = units.iter().find(|(name, _)| *name == unit).map(|(_, factor)| *factor);
    let factor =
        factor.ok_or_else(|| format!("found the unit {unit:?}, expected one of {}", listed(units)))?;
    let form = (holds == Holds::Time).then_some(TimeForm::Number((factor * 1e9) as i64));
    Ok((factor, form))
}

fn listed(units: &[(&str, f64)]) -> String {
    let names: Vec<&str> = units.iter().map(|(name, _)| *name).collect();
    names.join(", ")
}

/// A column that is there.
pub(super) struct Place {
    pub(super) index: usize,
    pub(super) name: String,
    pub(super) holds: Holds,
    pub(super) unit: f64,
    pub(super) form: Option<TimeForm>,
}

impl Place {
    /// Where the columns are: that of the time first, then the others. None when no column is a time.
    pub(super) fn find_all(
        recording: &Recording,
        names: &[String],
        columns: &[Column],
    ) -> Result<Vec<Place>, ImportError> {
        let mut places = Vec::new();
        let (time, values): (Vec<&Column>, Vec<&Column>) =
            columns.iter().partition(|column| column.holds == Holds::Time);
        if time.is_empty() {
            return Ok(places);
        }
        for column in time.into_iter().take(1).chain(values) {
            let Some(index) = names.iter().position(|name| *name == column.name) else {
                let found = format!("the columns {}", quoted(&names.join(", ")));
                let expected = format!("a column {:?}", column.name);
                let help = "correct the name of the column, or the header";
                return Err(recording.at(1, Some(&column.name), found, &expected, help));
            };
            let Column { name, holds, unit, form } = column.clone();
            places.push(Place { index, name, holds, unit, form });
        }
        Ok(places)
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Place { name, holds, unit, form, .. } = self;
        let word = WORDS.iter().find(|(_, it)| it == holds).map_or("other", |(word, _)| *word);
        write!(f, "{name} as {word}")?;
        let units = match holds {
            Holds::Time => {
                let form = form.unwrap_or(SECONDS);
                return if form == TimeForm::Date { f.write_str(" (date)") } else { Ok(()) };
            }
            Holds::Delay(_) => TIME_UNITS,
            Holds::Rate(..) => RATE_UNITS,
            Holds::Loss(_) => LOSS_UNITS,
            Holds::Cell => return Ok(()),
        };
        units.iter().find(|(_, factor)| factor == unit).map_or(Ok(()), |(unit, _)| write!(f, " ({unit})"))
    }
}
