//! mtr's JSON (github.com/traviscross/mtr, `mtr -j`).
//!
//! A report has only aggregates of each hop: probes sent, share lost in percent, and best, mean, worst and standard deviation of the
//! round trips in milliseconds. The last hop is the destination; routers on the way answer when they have time, so theirs are left
//! out. There are no times: probes are taken to be sent every second, mtr's default.

use super::json::{self, Number};
use crate::Recording;
use crate::error::ImportError;
use crate::measured::{DelayMeaning, Delays, Losses, Measured, Sample};
use seamline_wire::{Duration, Instant};
use serde::Deserialize;

const WHAT: &str = "JSON of mtr";
/// More probes than a report of a year has.
const MOST_PROBES: f64 = 366.0 * 86_400.0;

#[derive(Deserialize)]
struct Document {
    report: Report,
}

#[derive(Deserialize)]
struct Report {
    hubs: Vec<Hub>,
}

#[derive(Deserialize)]
struct Hub {
    host: String,
    #[serde(rename = "Loss%")]
    loss: Number,
    #[serde(rename = "Snt", default)]
    sent: Number,
    #[serde(rename = "Avg")]
    mean: Number,
    #[serde(rename = "Best", default)]
    best: Number,
    #[serde(rename = "Wrst", default)]
    worst: Number,
    #[serde(rename = "StDev", default)]
    deviation: Number,
}

/// Whether there is a report with hops.
pub fn looks_like(recording: &Recording) -> bool {
    json::keys(recording) == ["report"] && recording.text().contains("\"hubs\"")
}

/// Read a report.
///
/// # Errors
/// When it is no such JSON, or its destination answered no probe.
pub fn read(recording: &Recording) -> Result<Measured, ImportError> {
    let document: Document = json::read(recording, WHAT)?;
    let hubs = &document.report.hubs;
    let Some(last) = hubs.last() else {
        return Err(recording.empty("at least one hop in report.hubs"));
    };
    let path = |name: &str| format!("report.hubs[{}].{name}", hubs.len() - 1);
    let share = last.loss.0 / 100.0;
    if !(0.0..=1.0).contains(&share) {
        return Err(json::value(recording, &path("Loss%"), last.loss.0, "a share from 0 to 100 %"));
    }
    if share >= 1.0 || last.host == "???" {
        let help = "trace to a host that answers, or with --tcp or --udp";
        return Err(recording.whole("a destination without answers".into(), "answers of the last hop", help));
    }
    let mean = json::delay(recording, || path("Avg"), last.mean.0 * 1e-3)?;
    let sent = if last.sent.0.is_nan() { 1.0 } else { last.sent.0 };
    if !(1.0..=MOST_PROBES).contains(&sent) {
        return Err(json::value(recording, &path("Snt"), sent, "a number of probes"));
    }
    let length = Duration::from_secs_f64(sent);
    let (from, until) = (Instant::ZERO, Instant::ZERO + length);
    let delays = Sample { from, until, value: mean };
    let losses = Sample { from, until, value: share };
    Ok(Measured {
        length,
        delays: vec![Delays { meaning: DelayMeaning::RoundTrip, loaded: false, samples: vec![delays] }],
        losses: vec![Losses { direction: None, samples: vec![losses] }],
        notes: notes(last),
        ..Measured::default()
    })
}

fn notes(last: &Hub) -> Vec<String> {
    let Hub { best, worst, deviation, .. } = last;
    let spread = [best, worst, deviation].iter().all(|it| it.0.is_finite());
    let mut notes = vec![
        "mtr writes one mean round-trip time and one loss rate. How they change is not in the file; `ping -D -O` records it.".to_owned(),
        "mtr writes no times. Probes are assumed to be sent every second.".to_owned(),
    ];
    if spread {
        notes.push(format!(
            "Round-trip times ranged from {} to {} ms, with a standard deviation of {} ms.",
            best.0, worst.0, deviation.0
        ));
    }
    notes
}
