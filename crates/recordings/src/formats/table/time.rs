//! Times in tables: numbers of some unit, and dates.

use std::ops::Range;

const NANOS_PER_SECOND: i64 = 1_000_000_000;

/// How a column writes times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeForm {
    /// A number of this many nanoseconds each.
    Number(i64),
    /// A date and time of day, such as `2023-09-28 12:33:03.5`, `2023-09-28T12:33:03+02:00` or `2019.12.14_10.16.30`. Without a zone
    /// it is taken for UTC.
    Date,
}

/// Seconds.
pub const SECONDS: TimeForm = TimeForm::Number(NANOS_PER_SECOND);

/// Numbers as large as these are times since 1970, not since the begin of a recording: from 1973 on, in each unit.
const SINCE_1970: [(f64, i64); 4] = [(1e17, 1), (1e14, 1_000), (1e11, 1_000_000), (1e8, NANOS_PER_SECOND)];

impl TimeForm {
    /// What the form of a time is most likely: a date, or a number whose size tells its unit. Small numbers are seconds.
    pub(super) fn guess(text: &str) -> Option<TimeForm> {
        let text = text.trim();
        if let Ok(number) = text.parse::<f64>() {
            let unit = SINCE_1970.iter().find(|(least, _)| number >= *least);
            return number
                .is_finite()
                .then(|| TimeForm::Number(unit.map_or(NANOS_PER_SECOND, |(_, unit)| *unit)));
        }
        date(text).map(|_| TimeForm::Date)
    }

    /// A time in nanoseconds.
    pub(in crate::formats) fn parse(self, text: &str) -> Option<i64> {
        match self {
            TimeForm::Number(unit) => number(text.trim(), unit),
            TimeForm::Date => date(text.trim()).map(|(nanos, _)| nanos),
        }
    }
}

/// A decimal number times a unit, exactly where it has no exponent.
fn number(text: &str, unit: i64) -> Option<i64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits = |text: &str| text.bytes().all(|letter| letter.is_ascii_digit());
    if whole.is_empty() || !digits(whole) || !digits(fraction) {
        let value = text.parse::<f64>().ok()? * unit as f64;
        return (value.abs() < 9e18).then_some(value as i64);
    }
    let whole = whole.parse::<i64>().ok()?.checked_mul(unit)?;
    let mut share = unit;
    let mut rest = 0;
    for digit in fraction.bytes().map(|letter| i64::from(letter - b'0')) {
        share /= 10;
        rest += digit * share;
    }
    whole.checked_add(rest)
}

/// A date with its zone, in nanoseconds since 1970; `None` without a zone.
pub(in crate::formats) fn zoned(text: &str) -> Option<i64> {
    date(text.trim()).filter(|(_, zoned)| *zoned).map(|(nanos, _)| nanos)
}

/// A date in nanoseconds since 1970, and whether it names its zone.
pub(super) fn date(text: &str) -> Option<(i64, bool)> {
    let bytes = text.as_bytes();
    let part = |range: Range<usize>, most: i64| -> Option<i64> {
        let digits = bytes.get(range)?;
        let value =
            digits.iter().try_fold(0, |sum, it| it.is_ascii_digit().then(|| sum * 10 + i64::from(it - b'0')));
        value.filter(|value| *value <= most)
    };
    let separators = |places: [usize; 2], allowed: &[u8]| {
        places.iter().all(|place| bytes.get(*place).is_some_and(|letter| allowed.contains(letter)))
    };
    let apart = bytes.get(10).is_some_and(|letter| b"T _t".contains(letter));
    if !separators([4, 7], b"-./") || !separators([13, 16], b":.") || !apart {
        return None;
    }
    let (year, month, day) = (part(0..4, 9999)?, part(5..7, 12)?, part(8..10, 31)?);
    let (hour, minute, second) = (part(11..13, 23)?, part(14..16, 59)?, part(17..19, 60)?);
    if month == 0 || day == 0 {
        return None;
    }
    let rest = text.get(19..)?;
    let digits = rest.strip_prefix(['.', ',']).unwrap_or("");
    let length = digits.bytes().take_while(u8::is_ascii_digit).count();
    let fraction = number(&format!("0.{}", digits.get(..length)?), NANOS_PER_SECOND)?;
    let zone = if length > 0 { rest.get(1 + length..)? } else { rest };
    let offset = zone_seconds(zone.trim())?;
    let seconds = days_since_1970(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second;
    let nanos = (seconds - offset.unwrap_or(0)).checked_mul(NANOS_PER_SECOND)?.checked_add(fraction)?;
    Some((nanos, offset.is_some()))
}

/// `Z`, `UTC`, `+02:00`, `-0700`; `Some(None)` without a zone.
fn zone_seconds(zone: &str) -> Option<Option<i64>> {
    match zone {
        "" => return Some(None),
        "Z" | "z" | "UTC" | "GMT" => return Some(Some(0)),
        _ => {}
    }
    let sign = if zone.starts_with('-') { -1 } else { 1 };
    let digits: String = zone.strip_prefix(['+', '-'])?.split(':').collect();
    let value: i64 = digits.parse().ok().filter(|it| *it >= 0)?;
    let (hours, minutes) = match digits.len() {
        2 => (value, 0),
        4 => (value / 100, value % 100),
        _ => return None,
    };
    Some(Some(sign * (hours * 3_600 + minutes * 60)))
}

/// Days from 1970-01-01 to a date of the Gregorian calendar (Howard Hinnant, "chrono-compatible low-level date algorithms").
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::{TimeForm, date, zoned};

    const SECOND: i64 = 1_000_000_000;

    #[test]
    fn dates_of_the_known_forms() {
        assert_eq!(date("1970-01-01 00:00:00"), Some((0, false)));
        // date -u -d '2019-12-14 10:16:30' +%s
        assert_eq!(date("2019.12.14_10.16.30"), Some((1_576_318_590 * SECOND, false)));
        assert_eq!(date("2024-02-29T23:59:59.25Z"), Some((1_709_251_199 * SECOND + SECOND / 4, true)));
        assert_eq!(date("2024-11-01T14:57:31.169621-0700"), Some((1_730_498_251_169_621_000, true)));
        assert_eq!(zoned("2023-09-13T00:40:00+02:00"), Some(1_694_558_400 * SECOND));
        assert_eq!(zoned("2023-09-13 00:40:00"), None);
        for wrong in [
            "2023-13-01 00:00:00",
            "2023-00-01 00:00:00",
            "2023-09-13",
            "12:00",
            "2023-09-13 00:40:00 CET",
            "",
            "2023-09-13 00:40:0\u{e9}",
        ] {
            assert_eq!(date(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn the_size_of_a_number_tells_its_unit() {
        let read = |text: &str| TimeForm::guess(text).and_then(|form| form.parse(text));
        assert_eq!(read("0.05"), Some(SECOND / 20));
        assert_eq!(read("1705744800616897349"), Some(1_705_744_800_616_897_349));
        assert_eq!(read("1705744800.533641"), Some(1_705_744_800_533_641_000));
        assert_eq!(read("1705744800533"), Some(1_705_744_800_533_000_000));
        assert_eq!(read("1e3"), Some(1000 * SECOND));
        assert_eq!((read("NaN"), read("soon"), read("inf")), (None, None, None));
        assert_eq!(TimeForm::Number(1_000_000).parse("99999999999999999"), None);
    }
}
