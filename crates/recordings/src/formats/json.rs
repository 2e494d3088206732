//! JSON documents: which keys they have, and what is wrong with one that cannot be read.

use crate::error::ImportError;
use crate::file::quoted;
use crate::{Recording, file};
use serde::de::{Deserializer, Error, Visitor};
use serde::{Deserialize, de};
use std::fmt;

/// More keys than any format has.
const MOST_KEYS: usize = 64;

/// The keys of the first object of a text, in its order; none when the text does not begin with an object. What follows a broken
/// part is not seen.
pub(super) fn keys(recording: &Recording) -> Vec<&str> {
    let text = recording.text().trim_start();
    if !text.starts_with('{') {
        return Vec::new();
    }
    let bytes = text.as_bytes();
    let (mut keys, mut depth, mut at) = (Vec::new(), 0_usize, 0);
    while at < bytes.len() && keys.len() < MOST_KEYS {
        match bytes[at] {
            b'"' => {
                let end = end_of_string(bytes, at);
                if depth == 1 && next_letter(bytes, end + 1) == Some(b':') {
                    keys.extend(text.get(at + 1..end));
                }
                at = end;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth -= 1,
            _ => {}
        }
        at += 1;
        if depth == 0 {
            break;
        }
    }
    keys
}

/// Where the string that begins at `start` has its closing quotation mark.
fn end_of_string(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(letter) = bytes.get(at) {
        match letter {
            b'\\' => at += 2,
            b'"' => break,
            _ => at += 1,
        }
    }
    at
}

fn next_letter(bytes: &[u8], from: usize) -> Option<u8> {
    bytes.get(from..)?.iter().copied().find(|letter| !letter.is_ascii_whitespace())
}

/// Whether the first object has all these keys.
pub(super) fn has(recording: &Recording, wanted: &[&str]) -> bool {
    let found = keys(recording);
    !found.is_empty() && wanted.iter().all(|key| found.contains(key))
}

/// Read the documents of a text one after the other.
pub(super) fn documents<'a, T: Deserialize<'a> + 'a>(
    recording: &'a Recording,
    what: &'a str,
) -> impl Iterator<Item = Result<T, ImportError>> + 'a {
    let stream = serde_json::Deserializer::from_str(recording.text()).into_iter::<T>();
    stream.map(move |document| document.map_err(|why| wrong(recording, what, &why)))
}

/// Read the first document of a text.
pub(super) fn read<'a, T: Deserialize<'a> + 'a>(
    recording: &'a Recording,
    what: &'a str,
) -> Result<T, ImportError> {
    documents(recording, what).next().unwrap_or_else(|| Err(recording.empty(what)))
}

/// What is wrong with a document.
pub(super) fn wrong(recording: &Recording, what: &str, why: &serde_json::Error) -> ImportError {
    let text = why.to_string();
    let place = format!(" at line {} column {}", why.line(), why.column());
    let found = format!("{} (column {})", text.strip_suffix(&place).unwrap_or(&text), why.column());
    let field = text.split('`').nth(1).filter(|_| text.starts_with("missing field"));
    let help = match why.classify() {
        serde_json::error::Category::Eof => "the file is cut: record it again, or repair its end",
        serde_json::error::Category::Data => "correct the value, or read the file with the right format",
        _ => "repair the JSON there",
    };
    recording.at(why.line().max(1) as u64, field, found, what, help)
}

/// An error about one value, by its path in the document.
pub(super) fn value(recording: &Recording, path: &str, found: f64, expected: &str) -> ImportError {
    let help = "correct the value, or remove its entry";
    let found = quoted(&found.to_string());
    ImportError { field: Some(path.into()), ..recording.whole(found, expected, help) }
}

/// A value in seconds that is a delay: from 0 to an hour.
pub(super) fn delay(
    recording: &Recording,
    path: impl FnOnce() -> String,
    seconds: f64,
) -> Result<seamline_wire::Duration, ImportError> {
    if (0.0..=file::LONGEST_DELAY).contains(&seconds) {
        return Ok(seamline_wire::Duration::from_secs_f64(seconds));
    }
    Err(value(recording, &path(), seconds, "a delay from 0 to 3600 s"))
}

/// A number, also one in quotation marks: some programs quote 64-bit numbers. `null` and `"NaN"` are not a number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Number(pub(super) f64);

impl Default for Number {
    fn default() -> Self {
        Number(f64::NAN)
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;
        impl Visitor<'_> for Any {
            type Value = Number;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number")
            }

            fn visit_f64<E: Error>(self, value: f64) -> Result<Number, E> {
                Ok(Number(value))
            }

            fn visit_i64<E: Error>(self, value: i64) -> Result<Number, E> {
                Ok(Number(value as f64))
            }

            fn visit_u64<E: Error>(self, value: u64) -> Result<Number, E> {
                Ok(Number(value as f64))
            }

            fn visit_unit<E: Error>(self) -> Result<Number, E> {
                Ok(Number::default())
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Number, E> {
                let number = text.trim().parse().map(Number);
                number.map_err(|_| E::invalid_value(de::Unexpected::Str(text), &self))
            }
        }
        deserializer.deserialize_any(Any)
    }
}

#[cfg(test)]
mod tests {
    use super::{Number, keys, read};
    use crate::Recording;

    fn text(text: &str) -> Recording {
        Recording::from_bytes("file", text.as_bytes()).unwrap()
    }

    #[test]
    fn keys_of_the_first_object() {
        let nested = text(" {\"a\": {\"b\": [1, \"c\"]}, \"d\\\"e\" : \"f: {\", \"g\":2}\n{\"h\":1}");
        assert_eq!(keys(&nested), ["a", "d\\\"e", "g"]);
        assert_eq!(keys(&text("{\"a\": 1, \"b")), ["a"]);
        for none in ["", "[{\"a\":1}]", "1\n2\n", "{", "{\"a"] {
            assert_eq!(keys(&text(none)), [""; 0], "{none}");
        }
    }

    #[test]
    fn numbers_in_quotation_marks_and_missing_ones() {
        let numbers: Vec<Number> = read(&text("[1, -2.5, \"13547\", \"NaN\", null]"), "numbers").unwrap();
        let plain: Vec<f64> = numbers.iter().map(|it| it.0).collect();
        assert_eq!(plain[..3], [1.0, -2.5, 13547.0]);
        assert!(plain[3].is_nan() && plain[4].is_nan());
        let error = read::<Vec<Number>>(&text("[1,\n \"fast\"]"), "numbers").unwrap_err().to_string();
        assert!(error.starts_with("file:2: found invalid value: string \"fast\""), "{error}");
        let cut = read::<Vec<Number>>(&text("[1,\n"), "numbers").unwrap_err().to_string();
        assert!(cut.contains("the file is cut"), "{cut}");
    }
}
