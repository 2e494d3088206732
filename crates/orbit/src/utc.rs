//! Points in time on the calendar.

use crate::OrbitError;
use seamline_wire::Duration;
use std::fmt;

const NANOS: i64 = 1_000_000_000;
const SECONDS_PER_DAY: i64 = 86_400;
/// 2000-01-01T12:00:00 in seconds since 1970.
const J2000: i64 = 946_728_000;

/// A point in time in UTC, to the nanosecond, between the years 1900 and 2200. Days have 86,400 seconds: as in element
/// sets, leap seconds are not counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Utc {
    /// Nanoseconds since 1970.
    nanos: i64,
}

impl Utc {
    /// The time so many nanoseconds after the beginning of 1970.
    pub const fn from_unix_nanos(nanos: i64) -> Self {
        Utc { nanos }
    }

    /// Read `2026-11-27T12:00:00Z`, with or without a fraction of a second; a date alone is its midnight.
    ///
    /// # Errors
    /// When it is written otherwise, or no such time exists.
    pub fn parse(text: &str) -> Result<Self, OrbitError> {
        let wrong = || {
            OrbitError::new(format!(
                "`{text}` is no time between 1900 and 2200; write it as 2026-11-27T12:00:00Z"
            ))
        };
        let (date, time) = match text.trim().split_once(['T', ' ']) {
            Some((date, time)) => (date, time.strip_suffix('Z').unwrap_or(time)),
            None => (text.trim(), "00:00:00"),
        };
        let [year, month, day] = parts(date, '-').ok_or_else(wrong)?;
        let (clock, fraction) = time.split_once('.').unwrap_or((time, ""));
        let [hour, minute, second] = parts(clock, ':').ok_or_else(wrong)?;
        let fraction = nanos_of(fraction).ok_or_else(wrong)?;
        let is_day = (1..=12).contains(&month) && (1..=days_in(year, month)).contains(&day);
        let is_clock = hour < 24 && minute < 60 && second < 60;
        if !(1900..2200).contains(&year) || !is_day || !is_clock {
            return Err(wrong());
        }
        let seconds = days(year, month, day) * SECONDS_PER_DAY + hour * 3600 + minute * 60 + second;
        Ok(Utc { nanos: seconds * NANOS + fraction })
    }

    /// Nanoseconds since 1970.
    pub const fn as_unix_nanos(self) -> i64 {
        self.nanos
    }

    /// Seconds since 2000-01-01T12:00:00.
    pub fn seconds_since_j2000(self) -> f64 {
        let nanos = self.nanos - J2000 * NANOS;
        (nanos / NANOS) as f64 + (nanos % NANOS) as f64 / NANOS as f64
    }

    /// Seconds from another time to this one; negative when the other is later.
    pub fn seconds_since(self, other: Utc) -> f64 {
        let nanos = self.nanos - other.nanos;
        (nanos / NANOS) as f64 + (nanos % NANOS) as f64 / NANOS as f64
    }

    /// The time `span` later.
    #[must_use]
    pub fn after(self, span: Duration) -> Self {
        let span = i64::try_from(span.as_nanos()).unwrap_or(i64::MAX);
        Utc { nanos: self.nanos.saturating_add(span) }
    }
}

impl fmt::Display for Utc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.nanos.div_euclid(NANOS);
        let (year, month, day) = date(seconds.div_euclid(SECONDS_PER_DAY));
        let clock = seconds.rem_euclid(SECONDS_PER_DAY);
        let (hour, minute, second) = (clock / 3600, clock / 60 % 60, clock % 60);
        write!(f, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}")?;
        match self.nanos.rem_euclid(NANOS) {
            0 => write!(f, "Z"),
            fraction => write!(f, ".{}Z", format!("{fraction:09}").trim_end_matches('0')),
        }
    }
}

fn parts(text: &str, separator: char) -> Option<[i64; 3]> {
    let mut parts = text.split(separator).map(|part| {
        let is_number = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| part.parse().ok()).flatten()
    });
    let three = [parts.next()??, parts.next()??, parts.next()??];
    parts.next().is_none().then_some(three)
}

fn nanos_of(fraction: &str) -> Option<i64> {
    let is_short = fraction.len() <= 9 && fraction.bytes().all(|byte| byte.is_ascii_digit());
    is_short.then(|| format!("{fraction:0<9}").parse().ok()).flatten()
}

fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

fn days_in(year: i64, month: i64) -> i64 {
    match month {
        2 => 28 + i64::from(is_leap(year)),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days since 1970, for the Gregorian calendar; a year begins in March, so that its leap day is its last.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, month) = (year.div_euclid(400), (month + 9) % 12);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * month + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// The date so many days after 1970 began.
fn date(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year + era * 400 + i64::from(month <= 2), month, day)
}
