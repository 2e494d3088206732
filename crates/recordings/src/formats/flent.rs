//! flent's data files (flent.org, `.flent` and `.flent.gz`, versions 1 to 4).
//!
//! `results` has one series for each tool, on common times (`x_values`, seconds since the begin of the test) by interpolation, with
//! `null` where there is nothing; `raw_values` has what the tools said. Names of series say what they are: `Ping (ms) ...`,
//! `TCP download ...`, `TCP upload ...` in Mbit/s, with sums and means of several. A ping of ICMP is read from its raw values: each
//! has its number, the time of the answer and the round trip; missing numbers are lost probes.

use super::json::{self, Number};
use super::table::time;
use crate::Recording;
use crate::error::ImportError;
use crate::file::{HIGHEST_RATE, LONGEST_SECONDS};
use crate::measured::{DelayMeaning, Delays, Direction, Measured, Outcome, Probe, RateMeaning, Rates};
use crate::series;
use seamline_wire::{Duration, Instant, Rate};
use serde::Deserialize;
use std::collections::BTreeMap;

const WHAT: &str = "a data file of flent";
/// Most probes that can be lost in a row: more is a damaged file.
const LONGEST_JUMP: f64 = 32_768.0;
/// Mbit/s.
const MEGABIT: f64 = 1e6;

#[derive(Deserialize)]
struct Document {
    metadata: Metadata,
    x_values: Vec<f64>,
    results: BTreeMap<String, Vec<Number>>,
    #[serde(default)]
    raw_values: BTreeMap<String, Vec<Raw>>,
}

#[derive(Deserialize)]
struct Metadata {
    #[serde(rename = "NAME", default)]
    name: String,
    #[serde(rename = "TITLE")]
    title: Option<String>,
    #[serde(rename = "T0")]
    began: Option<String>,
}

/// What a tool said: when, what, and which of its probes.
#[derive(Clone, Copy, Deserialize)]
struct Raw {
    t: Option<f64>,
    val: Option<f64>,
    seq: Option<f64>,
}

/// Whether the keys are flent's.
pub fn looks_like(recording: &Recording) -> bool {
    json::has(recording, &["metadata", "results", "x_values"])
}

/// Read a data file.
///
/// # Errors
/// When it is no such JSON, has neither ping nor TCP, or a value is out of range.
pub fn read(recording: &Recording) -> Result<Measured, ImportError> {
    let document: Document = json::read(recording, WHAT)?;
    let mut measured = Measured::default();
    let ping = document.ping();
    let zero = document.zero();
    let raw = ping.and_then(|name| Some((name, document.probes(name)?, zero?)));
    // Seconds from the first record to the begin of the test: the first ping leaves before its answer, which is that begin.
    let mut lead = 0.0;
    if let Some((name, raw, zero)) = &raw {
        let first = raw.iter().map(|it| it.sent()).fold(*zero, f64::min);
        lead = zero - first;
        measured.probes = probes(recording, name, raw, first)?;
    }
    measured.began = zero.map(|zero| zero - lead);
    for (direction, words) in [(Direction::Down, "TCP download"), (Direction::Up, "TCP upload")] {
        let total = document.total(words);
        let samples = samples(recording, &document.x_values, &total, lead, |it| {
            let bits = it * MEGABIT;
            (bits <= HIGHEST_RATE).then(|| Rate::from_bits_per_second(bits as u64))
        })?;
        if !samples.is_empty() {
            measured.rates.push(Rates { direction, meaning: RateMeaning::Goodput, samples });
        }
    }
    if raw.is_none()
        && let Some(values) = ping.and_then(|name| document.results.get(name))
    {
        let values: Vec<f64> = values.iter().map(|it| it.0).collect();
        let delay =
            |it: f64| (it <= 1e3 * crate::file::LONGEST_DELAY).then(|| Duration::from_secs_f64(it * 1e-3));
        let samples = samples(recording, &document.x_values, &values, lead, delay)?;
        let (meaning, loaded) = (DelayMeaning::RoundTrip, !measured.rates.is_empty());
        measured.delays.push(Delays { meaning, loaded, samples });
    }
    if measured.probes.is_empty() && measured.rates.is_empty() && measured.delays.is_empty() {
        let names: Vec<&str> = document.results.keys().map(String::as_str).collect();
        let expected = "a series named Ping (ms), TCP download or TCP upload";
        let found = crate::file::quoted(&names.join(", "));
        return Err(recording.whole(found, expected, "name another file of the test, or read its CSV"));
    }
    measured.length = series::length(&measured);
    measured.notes = notes(&document, &measured);
    Ok(measured)
}

impl Document {
    /// The ping that is read: of ICMP if there is one.
    fn ping(&self) -> Option<&str> {
        let is_ping =
            |name: &&str| name.starts_with("Ping (ms)") && !name.contains("::") && !name.ends_with(" avg");
        let mut names = self.results.keys().map(String::as_str).filter(is_ping);
        let first = names.clone().next();
        names.find(|name| name.contains("ICMP")).or(first)
    }

    /// Its single probes, if the tool numbered them.
    fn probes(&self, name: &str) -> Option<Vec<Answer>> {
        let answer = |it: &Raw| Some(Answer { came: it.t?, millis: it.val?, number: it.seq? });
        let answers: Vec<Answer> = self.raw_values.get(name)?.iter().filter_map(answer).collect();
        (answers.len() >= 2).then_some(answers)
    }

    /// The begin of the test in seconds since 1970: `T0` is local time where it has no zone; it is that of the first raw value.
    fn zero(&self) -> Option<f64> {
        let dated = self.metadata.began.as_deref().and_then(time::zoned);
        let raw = || self.raw_values.values().flatten().filter_map(|it| it.t).reduce(f64::min);
        dated.map(|nanos| nanos as f64 * 1e-9).or_else(raw)
    }

    /// The rates of all flows in one direction together, in Mbit/s; not a number where there is nothing.
    fn total(&self, words: &str) -> Vec<f64> {
        let is_flow = |name: &str| {
            name.starts_with(words)
                && !name.contains("::tcp_")
                && !name.ends_with(" avg")
                && !name.ends_with(" sum")
        };
        let mut total = vec![f64::NAN; self.x_values.len()];
        for (_, values) in self.results.iter().filter(|(name, _)| is_flow(name)) {
            for (sum, value) in total.iter_mut().zip(values).filter(|(_, value)| !value.0.is_nan()) {
                *sum = if sum.is_nan() { value.0 } else { *sum + value.0 };
            }
        }
        total
    }
}

/// An answer to a probe.
#[derive(Clone, Copy)]
struct Answer {
    came: f64,
    millis: f64,
    number: f64,
}

impl Answer {
    fn sent(&self) -> f64 {
        self.came - self.millis * 1e-3
    }
}

/// The probes with the lost ones between them. `first` is the time of the first record.
fn probes(
    recording: &Recording,
    name: &str,
    answers: &[Answer],
    first: f64,
) -> Result<Vec<Probe>, ImportError> {
    let mut probes: Vec<Probe> = Vec::new();
    let mut last: Option<Answer> = None;
    for (index, answer) in answers.iter().enumerate() {
        let path = |key: &str| format!("raw_values.{name}[{index}].{key}");
        let since = answer.sent() - first;
        if !(0.0..=LONGEST_SECONDS).contains(&since) {
            return Err(json::value(
                recording,
                &path("t"),
                answer.came,
                "a time within a year of the others",
            ));
        }
        let round_trip = json::delay(recording, || path("val"), answer.millis * 1e-3)?;
        if let Some(before) = last {
            // A second answer to a probe, or one that comes late.
            if answer.number <= before.number || since <= before.sent() - first {
                continue;
            }
            let step = answer.number - before.number;
            if step > LONGEST_JUMP {
                return Err(json::value(recording, &path("seq"), answer.number, "numbers that count up"));
            }
            for lost in 1..step as u64 {
                let share = lost as f64 / step;
                let at = before.sent() - first + (answer.sent() - before.sent()) * share;
                let sent = Instant::ZERO + Duration::from_secs_f64(at);
                probes.push(Probe { sent, outcome: Outcome::Lost(None) });
            }
        }
        last = Some(*answer);
        let sent = Instant::ZERO + Duration::from_secs_f64(since);
        probes.push(Probe { sent, outcome: Outcome::Answered { round_trip, one_way: None } });
    }
    Ok(probes)
}

/// A series on the common times, `lead` seconds later.
fn samples<T: Copy>(
    recording: &Recording,
    times: &[f64],
    values: &[f64],
    lead: f64,
    convert: impl Fn(f64) -> Option<T>,
) -> Result<Vec<crate::measured::Sample<T>>, ImportError> {
    let mut points: Vec<(Instant, T)> = Vec::new();
    for (index, (time, value)) in times.iter().zip(values).enumerate() {
        let at = Instant::ZERO + Duration::from_secs_f64(time + lead);
        let last = points.last().map(|(last, _)| *last);
        if !(0.0..=LONGEST_SECONDS).contains(time) || last.is_some_and(|last| at <= last) {
            return Err(json::value(
                recording,
                &format!("x_values[{index}]"),
                *time,
                "seconds that increase",
            ));
        }
        if value.is_nan() {
            continue;
        }
        let converted = (*value >= 0.0).then(|| convert(*value)).flatten();
        let Some(converted) = converted else {
            return Err(json::value(recording, &format!("results[..][{index}]"), *value, "a value in range"));
        };
        points.push((at, converted));
    }
    Ok(series::hold(&points))
}

fn notes(document: &Document, measured: &Measured) -> Vec<String> {
    let Metadata { name, title, .. } = &document.metadata;
    let title = title.as_deref().filter(|it| !it.is_empty());
    let title = title.map_or(String::new(), |title| format!(", {title:?}"));
    let mut notes = vec![format!("The test was {name}{title}.")];
    if !measured.rates.is_empty() {
        notes.push(
            "The capacity is at least the goodput of TCP. How much higher it is was not measured.".to_owned(),
        );
        if !measured.probes.is_empty() || !measured.delays.is_empty() {
            notes.push(
                "TCP filled the link while ping ran. So the round-trip times include queueing, except at the beginning and the end."
                    .to_owned(),
            );
        }
    }
    if measured.probes.is_empty() {
        notes.push(
            "The file has no ping with numbered probes. So it does not show how many were lost.".to_owned(),
        );
    }
    notes
}
