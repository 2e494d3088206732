//! A link as it is given on the command line: `geo`, `geo, loss=1 %`, `rate=20 Mbit/s, round_trip=60 ms, queue=50 packets`,
//! `recording=drive.gz, rate=10 Mbit/s, round_trip=50 ms`.

use crate::error::InputError;
use crate::presets;
use seamline_config::diagnostics::suggestion;
use seamline_config::document::Node;
use seamline_config::units::{self, Amount, Complaint};
use seamline_scenario::recordings::detect;
use seamline_wire::{Duration, Rate};
use serde::Serialize;
use std::path::Path;

/// A queue by default holds what the link does (one bandwidth-delay product), but no less than an initial window
/// (RFC 6928), in packets of this size.
pub const PACKET_BYTES: u64 = 1500;
const LEAST_QUEUE: u64 = 10;

const KEYS: [&str; 6] = ["rate", "round_trip", "loss", "queue", "recording", "schedule"];

/// A link to the mobile host, both directions alike.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AccessLink {
    /// What it is called: the preset, the file of the recording, or "old link" and "new link".
    pub name: String,
    /// Where its values come from.
    pub source: String,
    /// Rate in bit/s; of a recording of capacity, what it is on average by who gave it.
    #[serde(rename = "rate_bits_per_second", serialize_with = "bits")]
    pub rate: Rate,
    /// Round-trip time without queues, all of the path's; of a recording of delay likewise the average.
    #[serde(rename = "round_trip_s", serialize_with = "seconds")]
    pub round_trip: Duration,
    /// Share of packets lost in each direction; `None` for a table of an error model.
    pub loss: Option<f64>,
    /// The keys of it in a scenario's table, besides rate and delay, each a line.
    #[serde(skip)]
    pub tables: String,
    /// Whether conditions change over time.
    pub scheduled: bool,
}

fn bits<S: serde::Serializer>(rate: &Rate, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(rate.bits_per_second())
}
pub(crate) fn seconds<S: serde::Serializer>(span: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(span.as_secs_f64())
}

/// What is said of a link; the last word on a key counts, so that a preset can be changed.
#[derive(Debug, Default)]
struct Said<'a> {
    preset: Option<&'static presets::Preset>,
    values: Vec<(&'a str, &'a str)>,
}

impl<'a> Said<'a> {
    fn name(&self, place: &str) -> String {
        let file = self.get("recording").and_then(|path| Path::new(path).file_name()?.to_str());
        let name = self.preset.map(|preset| preset.name).or(file);
        name.unwrap_or(if place == "--from" { "old link" } else { "new link" }).to_owned()
    }
    fn get(&self, key: &str) -> Option<&'a str> {
        self.values.iter().rev().find(|(known, _)| *known == key).map(|(_, value)| *value)
    }
}

impl AccessLink {
    /// Read a link; `place` is the option it was given with.
    ///
    /// # Errors
    /// Naming the key and the fix.
    pub fn read(place: &str, words: &str) -> Result<Self, InputError> {
        let said = read_keys(place, words)?;
        let at = |key: &str| format!("{place}, {key}");
        let needed = |key: &str| {
            said.get(key).ok_or_else(|| {
                InputError::new(place, format!("`{key}` is missing")).tip(format!(
                    "add {key}={}; of a recording give its mean",
                    if key == "rate" { "\"20 Mbit/s\"" } else { "\"60 ms\"" }.trim_matches('"')
                ))
            })
        };
        let rate = quantity(&at("rate"), needed("rate")?, units::positive_rate)?;
        let round_trip = quantity(&at("round_trip"), needed("round_trip")?, units::positive_duration)?;
        let (loss, loss_line) = read_loss(&at("loss"), said.get("loss").unwrap_or("0 %"))?;
        let queue = read_queue(&at("queue"), said.get("queue"), rate, round_trip)?;
        let schedule = read_schedule(place, &said)?;
        let own = said.preset.filter(|preset| words.trim() == preset.name);
        let source = match (said.preset, own) {
            (Some(preset), Some(_)) => preset.source.to_owned(),
            (Some(preset), None) => format!("{}, changed as given; {}", preset.name, preset.source),
            (None, _) => format!("as given: {}", words.trim()),
        };
        Ok(AccessLink {
            name: said.name(place),
            source,
            rate,
            round_trip,
            loss,
            tables: format!("{loss_line}{queue}{}", schedule.as_deref().unwrap_or_default()),
            scheduled: schedule.is_some(),
        })
    }

    /// What the link holds, in bits.
    pub fn bandwidth_delay_product_bits(&self) -> f64 {
        self.rate.bits_per_second() as f64 * self.round_trip.as_secs_f64()
    }
}

/// Pairs of key and value, after those of a preset if one is named first.
fn read_keys<'a>(place: &str, words: &'a str) -> Result<Said<'a>, InputError> {
    let mut said = Said::default();
    for (n, part) in split(words).into_iter().enumerate() {
        match part.split_once('=') {
            Some((key, value)) if KEYS.contains(&key.trim()) => said.values.push((key.trim(), value.trim())),
            Some((key, _)) => {
                let error = InputError::new(place, format!("unknown key `{}`", key.trim()));
                return Err(with_tip(error, suggestion("key", key.trim(), &KEYS)));
            }
            None if n == 0 => {
                let preset = presets::find(part.trim()).ok_or_else(|| unknown_preset(place, part.trim()))?;
                said.preset = Some(preset);
                said.values = split(preset.keys)
                    .into_iter()
                    .filter_map(|part| part.split_once('='))
                    .map(trimmed)
                    .collect();
            }
            None => {
                let message = format!("`{}` is neither a key with its value nor a link", part.trim());
                return Err(InputError::new(place, message).tip("write key=value, e.g. loss=0.1 %"));
            }
        }
    }
    Ok(said)
}

fn trimmed<'a>((key, value): (&'a str, &'a str)) -> (&'a str, &'a str) {
    (key.trim(), value.trim())
}

fn unknown_preset(place: &str, name: &str) -> InputError {
    let names: Vec<&str> = presets::ALL.iter().map(|preset| preset.name).collect();
    let error = InputError::new(place, format!("there is no link `{name}`"));
    let error = with_tip(error, suggestion("link", name, &names));
    error.tip("or describe one: \"rate=20 Mbit/s, round_trip=60 ms, loss=0.01 %, queue=50 packets\"")
}

fn with_tip(error: InputError, tip: Option<String>) -> InputError {
    match tip {
        Some(tip) => error.tip(tip),
        None => error,
    }
}

/// At commas outside of braces and brackets.
fn split(words: &str) -> Vec<&str> {
    let (mut depth, mut from, mut parts) = (0_i32, 0, Vec::new());
    for (at, letter) in words.char_indices() {
        match letter {
            '{' | '[' => depth += 1,
            '}' | ']' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&words[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&words[from..]);
    parts
}

/// A quantity in words, as scenarios have them.
pub(crate) fn quantity<T>(
    place: &str,
    words: &str,
    read: impl Fn(&Node) -> Result<T, Complaint>,
) -> Result<T, InputError> {
    units::in_words(words, read).map_err(|complaint| InputError {
        place: place.to_owned(),
        message: format!("`{words}`: {}", complaint.label),
        tips: complaint.tips,
    })
}

/// A share, or a table of an error model.
fn read_loss(place: &str, words: &str) -> Result<(Option<f64>, String), InputError> {
    if words.starts_with(['{', '[']) {
        return Ok((None, format!("loss = {words}\n")));
    }
    let loss = quantity(place, words, units::ratio)?;
    if loss >= 1.0 {
        return Err(
            InputError::new(place, "a link that loses everything carries nothing").tip("e.g. loss=1 %")
        );
    }
    let line = format!("loss = {{ model = \"bernoulli\", probability = \"{} %\" }}\n", loss * 100.0);
    Ok((Some(loss), if loss > 0.0 { line } else { String::new() }))
}

/// An amount, or a table of a queue.
fn read_queue(
    place: &str,
    words: Option<&str>,
    rate: Rate,
    round_trip: Duration,
) -> Result<String, InputError> {
    let limit = match words {
        Some(table) if table.starts_with('{') => return Ok(format!("queue = {table}\n")),
        Some(words) => match quantity(place, words, units::amount)? {
            Amount::Bytes(0) | Amount::Packets(0) => {
                return Err(InputError::new(place, "a queue without room lets nothing pass")
                    .tip("e.g. queue=50 packets"));
            }
            Amount::Bytes(bytes) => format!("{bytes} B"),
            Amount::Packets(packets) => format!("{packets} packets"),
        },
        None => {
            let product = rate.bandwidth_delay_product(round_trip);
            format!("{} packets", product.div_ceil(PACKET_BYTES).max(LEAST_QUEUE))
        }
    };
    Ok(format!("queue = {{ discipline = \"drop-tail\", limit = \"{limit}\" }}\n"))
}

/// A recording, recognised by its content, or a table of a schedule.
fn read_schedule(place: &str, said: &Said<'_>) -> Result<Option<String>, InputError> {
    match (said.get("recording"), said.get("schedule")) {
        (None, None) => Ok(None),
        (Some(_), Some(_)) => {
            let message = "`recording` and `schedule` both say what happens over time";
            Err(InputError::new(place, message).tip("schedule=[{ ... }, { ... }] takes both"))
        }
        (Some(path), None) => {
            let kind = detect(Path::new(path)).map_err(|message| {
                InputError::new(&format!("{place}, recording"), message)
                    .tip("CSV: schedule={ kind = \"csv\", file = \"...\", time = { column = \"t\", unit = \"s\" }, ... }")
            })?;
            Ok(Some(format!(
                "schedule = {{ kind = \"{kind}\", file = {} }}\n",
                toml_text(&from_anywhere(path))
            )))
        }
        (None, Some(table)) => Ok(Some(format!("schedule = {}\n", with_files_from_anywhere(table)))),
    }
}

/// A TOML basic string.
fn toml_text(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// A path that means the same file wherever the scenario is put.
fn from_anywhere(path: &str) -> String {
    let absolute = std::path::absolute(path).ok();
    absolute.and_then(|path| path.to_str().map(str::to_owned)).unwrap_or_else(|| path.to_owned())
}

/// A table, or a list of them, whose files are named from anywhere. What cannot be read is left to the scenario to refuse.
fn with_files_from_anywhere(table: &str) -> String {
    fn rename(value: &mut toml::Value) {
        match value {
            toml::Value::Array(all) => all.iter_mut().for_each(rename),
            toml::Value::Table(keys) => {
                for (key, value) in keys.iter_mut() {
                    match value {
                        toml::Value::String(path) if key == "file" => *path = from_anywhere(path),
                        other => rename(other),
                    }
                }
            }
            _ => {}
        }
    }
    match toml::from_str::<toml::Table>(&format!("it = {table}")) {
        Ok(mut read) => read.get_mut("it").map_or_else(
            || table.to_owned(),
            |value| {
                rename(value);
                value.to_string()
            },
        ),
        Err(_) => table.to_owned(),
    }
}
