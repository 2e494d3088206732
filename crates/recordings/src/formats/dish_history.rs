//! The history that a Starlink dish keeps: JSON of `dishGetHistory`, as grpcurl and starlink-grpc-tools print it:
//! `grpcurl -plaintext -d '{"get_history":{}}' 192.168.100.1:9200 SpaceX.API.Device.Device/Handle`.
//!
//! One value per second in rings: share of lost pings to the point of presence (0 to 1), their mean round trip in ms, and what passed
//! down and up in bit/s. `current` counts all seconds since the dish started; the oldest value is at `current` modulo the length of the
//! ring, and a ring that is not full yet begins at 0. The time of day is known only from `eventLog`, which newer dishes have. Outages
//! name times of GPS. What passes is the traffic of the users of the dish, not a measurement of the link.

use super::json::{self, Number};
use crate::Recording;
use crate::error::ImportError;
use crate::file::HIGHEST_RATE;
use crate::measured::{DelayMeaning, Delays, Direction, Losses, Measured, RateMeaning, Rates, Sample};
use seamline_wire::{Duration, Instant, Rate};
use serde::Deserialize;
use std::collections::BTreeMap;

const WHAT: &str = "JSON of a dish's history";
/// A delay that no ping waits for, in ms.
const LONGEST_MS: f64 = 60_000.0;

#[derive(Deserialize)]
struct Document {
    #[serde(rename = "dishGetHistory", alias = "dish_get_history")]
    history: History,
}

#[derive(Deserialize)]
struct History {
    #[serde(default)]
    current: Number,
    #[serde(rename = "popPingDropRate", alias = "pop_ping_drop_rate")]
    drop: Vec<Number>,
    #[serde(rename = "popPingLatencyMs", alias = "pop_ping_latency_ms")]
    latency: Vec<Number>,
    #[serde(rename = "downlinkThroughputBps", alias = "downlink_throughput_bps", default)]
    down: Vec<Number>,
    #[serde(rename = "uplinkThroughputBps", alias = "uplink_throughput_bps", default)]
    up: Vec<Number>,
    #[serde(default)]
    outages: Vec<Outage>,
    #[serde(rename = "eventLog", alias = "event_log", default)]
    events: Events,
}

#[derive(Deserialize)]
struct Outage {
    #[serde(default)]
    cause: String,
}

#[derive(Default, Deserialize)]
struct Events {
    #[serde(rename = "currentTimestampNs", alias = "current_timestamp_ns", default)]
    now: Number,
}

const BARE: [[&str; 2]; 2] =
    [["popPingDropRate", "popPingLatencyMs"], ["pop_ping_drop_rate", "pop_ping_latency_ms"]];

/// Whether there is such a history, as an answer of the dish or by itself.
pub fn looks_like(recording: &Recording) -> bool {
    let keys = json::keys(recording);
    keys.contains(&"dishGetHistory") || keys.contains(&"dish_get_history") || is_bare(&keys)
}

fn is_bare(keys: &[&str]) -> bool {
    BARE.iter().any(|names| names.iter().all(|name| keys.contains(name)))
}

/// Read a history.
///
/// # Errors
/// When it is no such JSON, is empty, or its rings differ in length.
pub fn read(recording: &Recording) -> Result<Measured, ImportError> {
    let history = if is_bare(&json::keys(recording)) {
        json::read::<History>(recording, WHAT)?
    } else {
        json::read::<Document>(recording, WHAT)?.history
    };
    let order = order(recording, &history)?;
    let seconds = order.len();
    let length = Duration::from_secs(seconds as u64);
    let now = Some(history.events.now.0 * 1e-9).filter(|now| *now > 0.0);
    let mut measured = Measured {
        began: now.map(|now| now - seconds as f64),
        length,
        notes: notes(&history, now.is_some()),
        ..Measured::default()
    };
    let lost: Vec<f64> = order.iter().map(|index| history.drop[*index].0).collect();
    let latency = |second: usize, it: f64| (lost[second] < 1.0 && it > 0.0).then_some(it);
    let drop = Ring { recording, order: &order, name: "popPingDropRate", most: 1.0 };
    measured.losses.push(Losses { direction: None, samples: drop.samples(&history.drop, |_, it| Some(it))? });
    let delays = Ring { name: "popPingLatencyMs", most: LONGEST_MS, ..drop };
    let samples = delays
        .samples(&history.latency, |second, it| Some(Duration::from_secs_f64(latency(second, it)? * 1e-3)))?;
    measured.delays.push(Delays { meaning: DelayMeaning::RoundTrip, loaded: false, samples });
    let sides = [
        (Direction::Down, "downlinkThroughputBps", &history.down),
        (Direction::Up, "uplinkThroughputBps", &history.up),
    ];
    for (direction, name, values) in sides {
        let ring = Ring { name, most: HIGHEST_RATE, ..drop };
        let samples = ring.samples(values, |_, it| Some(Rate::from_bits_per_second(it as u64)))?;
        if !samples.is_empty() {
            measured.rates.push(Rates { direction, meaning: RateMeaning::Traffic, samples });
        }
    }
    Ok(measured)
}

/// The places of the valid values in the rings, oldest first.
fn order(recording: &Recording, history: &History) -> Result<Vec<usize>, ImportError> {
    let length = history.drop.len();
    let rings = [
        ("popPingLatencyMs", history.latency.len()),
        ("downlinkThroughputBps", history.down.len()),
        ("uplinkThroughputBps", history.up.len()),
    ];
    for (name, other) in rings {
        if other != length && (other > 0 || name == "popPingLatencyMs") {
            let found = other as f64;
            return Err(json::value(
                recording,
                name,
                found,
                &format!("as many values as popPingDropRate: {length}"),
            ));
        }
    }
    let current = history.current.0;
    if length == 0 || current == 0.0 {
        return Err(recording.empty("a ring with at least one second"));
    }
    if current.is_nan() || current as usize <= length {
        // Without a counter the ring is taken to be in order already.
        let valid = if current.is_nan() { length } else { current.max(0.0) as usize };
        return Ok((0..valid).collect());
    }
    let oldest = (current as u64 % length as u64) as usize;
    Ok((oldest..length).chain(0..oldest).collect())
}

/// One ring of values.
#[derive(Clone, Copy)]
struct Ring<'a> {
    recording: &'a Recording,
    order: &'a [usize],
    name: &'static str,
    most: f64,
}

impl Ring<'_> {
    /// One second for each value that there is.
    fn samples<T>(
        &self,
        values: &[Number],
        convert: impl Fn(usize, f64) -> Option<T>,
    ) -> Result<Vec<Sample<T>>, ImportError> {
        let mut samples = Vec::new();
        for (second, index) in self.order.iter().enumerate() {
            let Some(value) = values.get(*index).map(|it| it.0).filter(|it| !it.is_nan()) else { continue };
            if !(0.0..=self.most).contains(&value) {
                let path = format!("{}[{index}]", self.name);
                return Err(json::value(
                    self.recording,
                    &path,
                    value,
                    &format!("a number from 0 to {}", self.most),
                ));
            }
            let from = Instant::from_secs(second as u64);
            let until = Instant::from_secs(second as u64 + 1);
            samples.extend(convert(second, value).map(|value| Sample { from, until, value }));
        }
        Ok(samples)
    }
}

fn notes(history: &History, dated: bool) -> Vec<String> {
    let mut notes = vec![
        "Rates are those of the users' traffic. The capacity is not in the file.".to_owned(),
        "Each second has one mean round-trip time to the point of presence. Handovers are not in the file."
            .to_owned(),
    ];
    if !dated {
        notes.push("The file has no time of day.".to_owned());
    }
    let mut causes: BTreeMap<&str, usize> = BTreeMap::new();
    for outage in &history.outages {
        *causes.entry(&outage.cause).or_default() += 1;
    }
    if !causes.is_empty() {
        let causes: Vec<String> = causes.iter().map(|(cause, count)| format!("{cause} {count}")).collect();
        notes.push(format!("Outages by cause, without their times: {}.", causes.join(", ")));
    }
    notes
}
