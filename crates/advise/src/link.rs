//! A link as given on the command line: `geo`, `geo, loss=1 %`, `rate=20 Mbit/s, round_trip=60 ms, queue=50 packets`,
//! `recording=drive.gz, round_trip=50 ms`.

use crate::error::InputError;
use crate::on::{Means, means_of};
use crate::presets;
use seamline_config::diagnostics::suggestion;
use seamline_config::document::Node;
use seamline_config::units::{self, Amount, Complaint};
use seamline_report::quantity::{bit_rate, millis};
use seamline_scenario::Diagnostics;
use seamline_scenario::recordings::detect;
use seamline_wire::{Duration, Rate};
use serde::Serialize;
use std::path::Path;

/// The packet size of the default queue, which holds one bandwidth-delay product, but at least an initial window (RFC
/// 6928).
pub const PACKET_BYTES: u64 = 1500;
const LEAST_QUEUE: u64 = 10;

/// How many packets the default queue holds.
pub(crate) fn product_packets(rate: Rate, round_trip: Duration) -> u64 {
    rate.bandwidth_delay_product(round_trip).div_ceil(PACKET_BYTES).max(LEAST_QUEUE)
}

const KEYS: [&str; 6] = ["rate", "round_trip", "loss", "queue", "recording", "schedule"];

/// A link to the mobile host, the same in both directions.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AccessLink {
    /// Its name: the preset, the file of the recording, or "old link" and "new link".
    pub name: String,
    /// Where its values come from.
    pub source: String,
    /// Rate in bit/s; for a recorded capacity the average, as given by the user or else that of the recording.
    #[serde(rename = "rate_bits_per_second", serialize_with = "bits")]
    pub rate: Rate,
    /// Round-trip time of the whole path without queueing; for a recorded delay the average, as given by the user or else
    /// that of the recording.
    #[serde(rename = "round_trip_s", serialize_with = "seconds")]
    pub round_trip: Duration,
    /// The share of packets lost in each direction; `None` for an error model given as a table.
    pub loss: Option<f64>,
    /// Its keys in a scenario other than rate and delay, one per line.
    #[serde(skip)]
    pub tables: String,
    /// Whether conditions vary over time.
    pub scheduled: bool,
    /// What its recording was read as, for people.
    #[serde(skip)]
    pub recording: Option<String>,
}

fn bits<S: serde::Serializer>(rate: &Rate, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(rate.bits_per_second())
}
pub(crate) fn seconds<S: serde::Serializer>(span: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(span.as_secs_f64())
}

/// The keys given for a link. The last value of a key counts, so that a preset can be changed.
#[derive(Debug, Default)]
struct LinkKeys<'a> {
    preset: Option<&'static presets::Preset>,
    values: Vec<(&'a str, &'a str)>,
}

impl<'a> LinkKeys<'a> {
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
    /// Parse a link; `place` is the option it was given with.
    ///
    /// # Errors
    /// The error names the key and the fix.
    pub fn read(place: &str, text: &str) -> Result<Self, InputError> {
        let keys = read_keys(place, text)?;
        let at = |key: &str| format!("{place}, {key}");
        let (schedule, mut recording) = read_schedule(place, &keys)?;
        let means = missing_means(place, &keys, schedule.as_deref())?;
        let given = |key: &str| keys.get(key);
        let rate = match (given("rate"), means.as_ref().and_then(|means| means.rate)) {
            (Some(text), _) => quantity(&at("rate"), text, units::positive_rate)?,
            (None, Some(mean)) => mean,
            (None, None) => return Err(missing(place, "rate", schedule.is_some())),
        };
        let round_trip = match (given("round_trip"), means.as_ref().and_then(|means| means.round_trip)) {
            (Some(text), _) => quantity(&at("round_trip"), text, units::positive_duration)?,
            (None, Some(mean)) => mean,
            (None, None) => return Err(missing(place, "round_trip", schedule.is_some())),
        };
        if means.is_some() {
            let taken = taken(&keys, rate, round_trip);
            recording = Some(recording.map_or(taken.clone(), |read| format!("{read}; {taken}")));
        }
        let (loss, loss_line) = read_loss(&at("loss"), keys.get("loss").unwrap_or("0 %"))?;
        let queue = read_queue(&at("queue"), keys.get("queue"), rate, round_trip)?;
        let own = keys.preset.filter(|preset| text.trim() == preset.name);
        let source = match (keys.preset, own) {
            (Some(preset), Some(_)) => preset.source.to_owned(),
            (Some(preset), None) => format!("{}, changed as given; {}", preset.name, preset.source),
            (None, _) => format!("as given: {}", text.trim()),
        };
        Ok(AccessLink {
            name: keys.name(place),
            source,
            rate,
            round_trip,
            loss,
            tables: format!("{loss_line}{queue}{}", schedule.as_deref().unwrap_or_default()),
            scheduled: schedule.is_some(),
            recording,
        })
    }

    /// The link, with recordings that begin at this time; `None` if something varies that is no recording.
    pub(crate) fn beginning_at(&self, time: Duration) -> Option<Self> {
        fn begin(value: &mut toml::Value, at: &str) -> Option<()> {
            match value {
                toml::Value::Array(all) => all.iter_mut().try_for_each(|it| begin(it, at)),
                toml::Value::Table(keys) if keys.contains_key("file") => {
                    keys.insert("start".to_owned(), toml::Value::String(at.to_owned()));
                    Some(())
                }
                _ => None,
            }
        }
        let mut tables: toml::Table = toml::from_str(&self.tables).ok()?;
        begin(tables.get_mut("schedule")?, &format!("{} ns", time.as_nanos()))?;
        let lines = tables.iter().map(|(key, value)| format!("{key} = {value}\n"));
        Some(AccessLink { tables: lines.collect(), ..self.clone() })
    }
}

/// The averages of a schedule, when rate or round-trip time have to be taken from it.
fn missing_means(
    place: &str,
    keys: &LinkKeys<'_>,
    schedule: Option<&str>,
) -> Result<Option<Means>, InputError> {
    let is_missing = ["rate", "round_trip"].iter().any(|key| keys.get(key).is_none());
    let Some(schedule) = schedule.filter(|_| is_missing) else { return Ok(None) };
    means_of(schedule, false).map_err(|diagnostics| of_diagnostics(place, &diagnostics))
}

/// What a scenario refuses, in the terms of an option.
pub(crate) fn of_diagnostics(place: &str, diagnostics: &Diagnostics) -> InputError {
    let mut error = InputError::new(place, "the recording cannot be used");
    if let Some(first) = diagnostics.iter().next() {
        let parts = [first.title.as_str(), first.label.as_str()];
        error.message = parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(": ");
        error.tips.clone_from(&first.tips);
    }
    error
}

fn missing(place: &str, key: &str, scheduled: bool) -> InputError {
    let example = if key == "rate" { "20 Mbit/s" } else { "60 ms" };
    let why = if scheduled { ", and the recording has none" } else { "" };
    InputError::new(place, format!("`{key}` is missing{why}"))
        .tip(format!("add {key}={example}; for a recording give its mean"))
}

/// What was taken from a schedule, for people.
fn taken(keys: &LinkKeys<'_>, rate: Rate, round_trip: Duration) -> String {
    let rate =
        keys.get("rate").is_none().then(|| format!("rate {}", bit_rate(rate.bits_per_second() as f64)));
    let time = millis(round_trip.as_millis_f64());
    let round_trip = keys.get("round_trip").is_none().then(|| format!("round trip {time}"));
    let both: Vec<String> = rate.into_iter().chain(round_trip).collect();
    format!("its means are taken: {}", both.join(", "))
}

/// Parse pairs of key and value, after those of a preset if the text starts with one.
fn read_keys<'a>(place: &str, text: &'a str) -> Result<LinkKeys<'a>, InputError> {
    let mut keys = LinkKeys::default();
    for (n, part) in split(text).into_iter().enumerate() {
        match part.split_once('=') {
            Some((key, value)) if KEYS.contains(&key.trim()) => keys.values.push((key.trim(), value.trim())),
            Some((key, _)) => {
                let error = InputError::new(place, format!("unknown key `{}`", key.trim()));
                return Err(with_tip(error, suggestion("key", key.trim(), &KEYS)));
            }
            None if n == 0 => {
                let preset = presets::find(part.trim()).ok_or_else(|| unknown_preset(place, part.trim()))?;
                keys.preset = Some(preset);
                keys.values = split(preset.keys)
                    .into_iter()
                    .filter_map(|part| part.split_once('='))
                    .map(trimmed)
                    .collect();
            }
            None => {
                let message = format!("`{}` is neither `key=value` nor the name of a link", part.trim());
                return Err(InputError::new(place, message).tip("write key=value, e.g. loss=0.1 %"));
            }
        }
    }
    Ok(keys)
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

/// Split at commas outside braces and brackets.
fn split(text: &str) -> Vec<&str> {
    let (mut depth, mut from, mut parts) = (0_i32, 0, Vec::new());
    for (at, letter) in text.char_indices() {
        match letter {
            '{' | '[' => depth += 1,
            '}' | ']' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&text[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[from..]);
    parts
}

/// Parse a quantity with a unit, as in scenarios.
pub(crate) fn quantity<T>(
    place: &str,
    text: &str,
    read: impl Fn(&Node) -> Result<T, Complaint>,
) -> Result<T, InputError> {
    units::in_words(text, read).map_err(|complaint| InputError {
        place: place.to_owned(),
        message: format!("`{text}`: {}", complaint.label),
        tips: complaint.tips,
    })
}

/// Parse the loss: a share, or a table of an error model.
fn read_loss(place: &str, text: &str) -> Result<(Option<f64>, String), InputError> {
    if text.starts_with(['{', '[']) {
        return Ok((None, format!("loss = {text}\n")));
    }
    let loss = read_share(place, text, "e.g. loss=1 %")?;
    let line = format!("loss = {{ model = \"bernoulli\", probability = \"{} %\" }}\n", loss * 100.0);
    Ok((Some(loss), if loss > 0.0 { line } else { String::new() }))
}

/// Parse a share of lost packets; `tip` is an example.
pub(crate) fn read_share(place: &str, text: &str, tip: &str) -> Result<f64, InputError> {
    match quantity(place, text, units::ratio)? {
        loss if loss < 1.0 => Ok(loss),
        _ => Err(InputError::new(place, "the loss must be below 100 %").tip(tip)),
    }
}

/// Parse the queue: an amount, or a table.
pub(crate) fn read_queue(
    place: &str,
    text: Option<&str>,
    rate: Rate,
    round_trip: Duration,
) -> Result<String, InputError> {
    let limit = match text {
        Some(table) if table.starts_with('{') => return Ok(format!("queue = {table}\n")),
        Some(text) => match quantity(place, text, units::amount)? {
            Amount::Bytes(0) | Amount::Packets(0) => {
                return Err(InputError::new(place, "the queue must hold at least one packet")
                    .tip("e.g. queue=50 packets"));
            }
            Amount::Bytes(bytes) => format!("{bytes} B"),
            Amount::Packets(packets) => format!("{packets} packets"),
        },
        None => format!("{} packets", product_packets(rate, round_trip)),
    };
    Ok(format!("queue = {{ discipline = \"drop-tail\", limit = \"{limit}\" }}\n"))
}

/// Parse a recording, whose format is detected from its content, or a table of a schedule. Returns the line of the
/// scenario, and what the recording was read as.
fn read_schedule(place: &str, keys: &LinkKeys<'_>) -> Result<(Option<String>, Option<String>), InputError> {
    match (keys.get("recording"), keys.get("schedule")) {
        (None, None) => Ok((None, None)),
        (Some(_), Some(_)) => {
            let message = "`recording` and `schedule` exclude each other";
            Err(InputError::new(place, message).tip("combine both in schedule=[{ ... }, { ... }]"))
        }
        (Some(path), None) => {
            let read = detect(Path::new(path)).map_err(|message| {
                InputError::new(&format!("{place}, recording"), message)
                    .tip("CSV: schedule={ kind = \"csv\", file = \"...\", time = { column = \"t\", unit = \"s\" }, ... }")
            })?;
            let file = toml_text(&absolute_path(path));
            let line = format!("schedule = {{ kind = \"recording\", file = {file} }}\n");
            Ok((Some(line), Some(format!("{path} read as {}: {}", read.format, read.summary))))
        }
        (None, Some(table)) => Ok((Some(format!("schedule = {}\n", with_absolute_files(table))), None)),
    }
}

/// A TOML basic string.
pub(crate) fn toml_text(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// The absolute path, so that the scenario works in any directory.
pub(crate) fn absolute_path(path: &str) -> String {
    let absolute = std::path::absolute(path).ok();
    absolute.and_then(|path| path.to_str().map(str::to_owned)).unwrap_or_else(|| path.to_owned())
}

/// Make the files of a table, or of a list of tables, absolute. The scenario reader reports what cannot be parsed
/// here.
fn with_absolute_files(table: &str) -> String {
    fn make_absolute(value: &mut toml::Value) {
        match value {
            toml::Value::Array(all) => all.iter_mut().for_each(make_absolute),
            toml::Value::Table(keys) => {
                for (key, value) in keys.iter_mut() {
                    match value {
                        toml::Value::String(path) if key == "file" => *path = absolute_path(path),
                        other => make_absolute(other),
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
                make_absolute(value);
                value.to_string()
            },
        ),
        Err(_) => table.to_owned(),
    }
}
