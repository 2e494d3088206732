//! Spans of time and names as people write them.

use seamline_wire::Duration;

/// Units, each with its nanoseconds.
const UNITS: [(&str, f64); 6] =
    [("ns", 1.0), ("us", 1e3), ("ms", 1e6), ("s", 1e9), ("min", 60e9), ("h", 3600e9)];

/// A span of time in words: `150 ms`, `2.5s`. From 0 to a year.
///
/// # Errors
/// What is wrong with it, in words.
pub fn duration(text: &str) -> Result<Duration, String> {
    let text = text.trim();
    let end = text.find(|letter: char| letter.is_alphabetic()).unwrap_or(text.len());
    let (number, unit) = (text[..end].trim_end(), &text[end..]);
    let example = "write a number and its unit, as 150 ms, 2.5 s or 10 min";
    let value: f64 = number.parse().map_err(|_| format!("{text:?} is no span of time: {example}"))?;
    let Some((_, nanoseconds)) = UNITS.iter().find(|(name, _)| *name == unit) else {
        return Err(format!("{text:?} has no unit of time (ns, us, ms, s, min, h): {example}"));
    };
    let value = value * nanoseconds;
    if !(0.0..=366.0 * 86_400e9).contains(&value) {
        return Err(format!("{text:?} is not between 0 and a year"));
    }
    Ok(Duration::from_nanos(value as u64))
}

/// The known name that somebody may have meant, if one is near.
pub fn nearest<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let near = |name: &&str| strsim::damerau_levenshtein(given, name);
    let best = known.into_iter().min_by_key(near)?;
    (near(&best) <= 1 + given.len() / 4).then_some(best)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_read_with_and_without_a_space() {
        assert_eq!(duration("150 ms"), Ok(Duration::from_millis(150)));
        assert_eq!(duration("2.5s"), Ok(Duration::from_millis(2500)));
        assert_eq!(duration(" 1 min "), Ok(Duration::from_secs(60)));
        for wrong in ["", "150", "ms", "-1 s", "1 sec", "1e9 h", "nan s", "1 s 2"] {
            assert!(duration(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn names_that_are_near_are_found() {
        assert_eq!(nearest("repaet", ["repeat", "kick"]), Some("repeat"));
        assert_eq!(nearest("colour", ["repeat", "kick"]), None);
    }
}
