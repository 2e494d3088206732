//! Configuration files of daemons, in TOML, read by serde: quantities with units, and errors with a line and the nearest known name.

use seamline_wire::Duration;
use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer};
use std::fmt;
use std::path::Path;
pub use toml::Spanned;

/// Units of time, each in nanoseconds.
const TIMES: &[(&str, f64)] =
    &[("ns", 1.0), ("us", 1e3), ("µs", 1e3), ("ms", 1e6), ("s", 1e9), ("min", 60e9), ("h", 3600e9)];
/// Units of data, each in bytes.
const SIZES: &[(&str, f64)] = &[
    ("B", 1.0),
    ("bytes", 1.0),
    ("kB", 1e3),
    ("MB", 1e6),
    ("GB", 1e9),
    ("KiB", 1024.0),
    ("MiB", 1_048_576.0),
    ("GiB", 1_073_741_824.0),
];

/// What is wrong with a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingsError {
    /// The line, from 1; 0 for the file as a whole.
    pub line: usize,
    /// What is wrong, and how to fix it.
    pub message: String,
}

impl SettingsError {
    /// An error about a value of `text`.
    pub fn at<T>(text: &str, value: &Spanned<T>, message: impl Into<String>) -> Self {
        SettingsError { line: line_of(text, value.span().start), message: message.into() }
    }

    /// The error with the file's path in front.
    pub fn in_file(&self, path: &Path) -> String {
        match self.line {
            0 => format!("{}: {}", path.display(), self.message),
            line => format!("{}:{line}: {}", path.display(), self.message),
        }
    }
}

impl fmt::Display for SettingsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => f.write_str(&self.message),
            line => write!(f, "line {line}: {}", self.message),
        }
    }
}

impl std::error::Error for SettingsError {}

/// Read a file's text.
///
/// # Errors
/// The first thing wrong with it.
pub fn read<T: DeserializeOwned>(text: &str) -> Result<T, SettingsError> {
    toml::from_str(text).map_err(|error| {
        let line = error.span().map_or(0, |span| line_of(text, span.start));
        // The first name in backticks is the one given, the others are those expected.
        let mut names = error.message().split('`').skip(1).step_by(2);
        let near = names.next().and_then(|given| nearest(given, names));
        let tip = near.map(|name| format!("\ntip: did you mean `{name}`?")).unwrap_or_default();
        let message = error.message();
        // A value's own error does not name its key.
        let key = text.lines().nth(line.saturating_sub(1)).and_then(|line| line.split_once('='));
        let key = key.map(|(key, _)| key.trim()).filter(|key| line > 0 && !message.contains(key));
        let key = key.map(|key| format!("{key}: ")).unwrap_or_default();
        SettingsError { line, message: format!("{key}{message}{tip}") }
    })
}

fn line_of(text: &str, offset: usize) -> usize {
    text[..offset.min(text.len())].matches('\n').count() + 1
}

/// A time from 0 to a year: `"150 ms"`.
#[derive(Clone, Copy, Debug)]
pub struct Time(pub Duration);

/// A time above 0.
#[derive(Clone, Copy, Debug)]
pub struct PositiveTime(pub Duration);

/// A number of bytes: `"8 MB"`.
#[derive(Clone, Copy, Debug)]
pub struct Bytes(pub u64);

/// An integer from `LEAST` to `MOST`.
#[derive(Clone, Copy, Debug)]
pub struct Count<const LEAST: u32, const MOST: u32>(pub u32);

impl<'de> Deserialize<'de> for Time {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        duration(&String::deserialize(deserializer)?).map(Time).map_err(D::Error::custom)
    }
}

impl<'de> Deserialize<'de> for PositiveTime {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Time::deserialize(deserializer)?.0 {
            Duration::ZERO => Err(D::Error::custom("must be longer than zero")),
            time => Ok(PositiveTime(time)),
        }
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        bytes(&String::deserialize(deserializer)?).map(Bytes).map_err(D::Error::custom)
    }
}

impl<'de, const LEAST: u32, const MOST: u32> Deserialize<'de> for Count<LEAST, MOST> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = i64::deserialize(deserializer)?;
        let count = u32::try_from(number).ok().filter(|count| (LEAST..=MOST).contains(count));
        count
            .map(Count)
            .ok_or_else(|| D::Error::custom(format!("{number} is not between {LEAST} and {MOST}")))
    }
}

/// A time as people write it: `150 ms`, `2.5s`. From 0 to a year.
///
/// # Errors
/// What is wrong with it.
pub fn duration(text: &str) -> Result<Duration, String> {
    let example = "write a number and its unit, as 150 ms, 2.5 s or 10 min";
    let nanoseconds = quantity(text, "time", TIMES, example)?;
    if !(0.0..=366.0 * 86_400e9).contains(&nanoseconds) {
        return Err(format!("{text:?} is not between 0 and a year"));
    }
    Ok(Duration::from_nanos(nanoseconds as u64))
}

/// A number of bytes as people write it: `8 MB`, `512 KiB`. From 0 to 1000 PB.
///
/// # Errors
/// What is wrong with it.
pub fn bytes(text: &str) -> Result<u64, String> {
    let bytes = quantity(text, "data", SIZES, "write a number and its unit, as 512 kB or 8 MB")?;
    if !(0.0..=1e18).contains(&bytes) {
        return Err(format!("{text:?} is not between 0 and 1000 PB"));
    }
    Ok(bytes.round() as u64)
}

fn quantity(text: &str, kind: &str, units: &[(&str, f64)], example: &str) -> Result<f64, String> {
    let text = text.trim();
    let end = text.find(|letter: char| letter.is_alphabetic()).unwrap_or(text.len());
    let (number, unit) = (text[..end].trim_end(), &text[end..]);
    let number: f64 =
        number.parse().map_err(|_| format!("{text:?} does not begin with a number: {example}"))?;
    match units.iter().find(|(name, _)| *name == unit) {
        Some((_, factor)) => Ok(number * factor),
        None => {
            let names: Vec<&str> = units.iter().map(|(name, _)| *name).collect();
            Err(format!("{text:?} has no unit of {kind} ({}): {example}", names.join(", ")))
        }
    }
}

/// The known name that is most similar to `given`, if any is similar enough to be meant.
pub fn nearest<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let distance = |name: &&str| strsim::damerau_levenshtein(given, name);
    let best = known.into_iter().min_by_key(distance)?;
    (distance(&best) <= 1 + given.len() / 4).then_some(best)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_with_and_without_a_space() {
        assert_eq!(duration("150 ms"), Ok(Duration::from_millis(150)));
        assert_eq!(duration("2.5s"), Ok(Duration::from_millis(2500)));
        assert_eq!(duration(" 1 min "), Ok(Duration::from_secs(60)));
        for wrong in ["", "150", "ms", "-1 s", "1 sec", "1e9 h", "nan s", "1 s 2"] {
            assert!(duration(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn sizes_are_read_with_their_units() {
        assert_eq!((bytes("8 MB"), bytes("1.5KiB")), (Ok(8_000_000), Ok(1536)));
        for wrong in ["8", "8 Mb", "-1 kB", "MB"] {
            assert!(bytes(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn errors_have_a_line_and_the_nearest_name() {
        #[derive(Debug, Deserialize)]
        #[serde(deny_unknown_fields)]
        struct File {
            #[serde(rename = "count")]
            _count: Option<Count<1, 9>>,
            #[serde(rename = "idle")]
            _idle: Option<PositiveTime>,
        }
        for (text, line, part) in [
            ("\ncuont = 3", 2, "did you mean `count`?"),
            ("count = 10", 1, "count: 10 is not between 1 and 9"),
            ("count = 0", 1, "0 is not between 1 and 9"),
            ("\n\nidle = \"0 s\"", 3, "longer than zero"),
        ] {
            let error = read::<File>(text).unwrap_err();
            assert!(error.line == line && error.message.contains(part), "{text:?}: {error}");
        }
        assert!(read::<File>("count = 9\nidle = \"1 ns\"").is_ok());
    }

    #[test]
    fn similar_names_are_found() {
        assert_eq!(nearest("repaet", ["repeat", "kick"]), Some("repeat"));
        assert_eq!(nearest("colour", ["repeat", "kick"]), None);
    }
}
