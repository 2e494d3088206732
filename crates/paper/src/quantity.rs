//! What is looked at in a run: a number of one of its flows, or of all of them together.

use crate::all_flows::{fairness, utilisation};
use seamline_experiment::record::{FlowRecord, HandoverRecord, IntervalRecord, RunRecord};
use serde::Deserialize;

/// A number of a flow in a run, or of the run; the `claims.toml` of papers mobility-vegas-2020, cross-layer-handover and obtcp say it in words.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
pub enum Quantity {
    /// Payload delivered per second, in kb/s.
    #[default]
    #[serde(rename = "goodput")]
    Goodput,
    /// Seconds from the start of the flow until its last byte has arrived.
    #[serde(rename = "transfer time")]
    TransferTime,
    /// Seconds from the beginning of a handover until payload arrives over the new way, mean over the handovers; where none
    /// arrives, until the next handover or the end.
    #[serde(rename = "stall")]
    Stall,
    /// Payload delivered meanwhile per second, in kb/s.
    #[serde(rename = "goodput in stalls")]
    GoodputInStalls,
    /// Data packets lost meanwhile, mean over the handovers.
    #[serde(rename = "lost at handovers")]
    LostAtHandovers,
    /// Smoothed round-trip time at the end of each interval, in ms, mean over the intervals.
    #[serde(rename = "smoothed round trip")]
    SmoothedRoundTrip,
    /// Jain's index of the goodput of all flows.
    #[serde(rename = "fairness")]
    Fairness,
    /// Payload delivered by all flows, in percent of what the bottleneck carries.
    #[serde(rename = "utilisation")]
    Utilisation,
}

impl Quantity {
    /// Its unit.
    pub fn unit(self) -> &'static str {
        match self {
            Quantity::Goodput | Quantity::GoodputInStalls => "kb/s",
            Quantity::TransferTime | Quantity::Stall => "s",
            Quantity::LostAtHandovers => "packets",
            Quantity::SmoothedRoundTrip => "ms",
            Quantity::Fairness => "",
            Quantity::Utilisation => "%",
        }
    }

    /// What an axis calls it, with its unit.
    pub fn axis(self) -> &'static str {
        match self {
            Quantity::Goodput => "throughput (kb/s)",
            Quantity::TransferTime => "data transfer time (s)",
            Quantity::Stall => "stall at a handover (s)",
            Quantity::GoodputInStalls => "throughput during stalls (kb/s)",
            Quantity::LostAtHandovers => "lost at a handover (packets)",
            Quantity::SmoothedRoundTrip => "smoothed round-trip time (ms)",
            Quantity::Fairness => "Jain's fairness index",
            Quantity::Utilisation => "utilisation of the bottleneck (%)",
        }
    }

    /// The number of a whole run, for a quantity that is none of a single flow; `None` for others.
    pub(crate) fn of_all_flows(self) -> Option<fn(&RunRecord) -> Option<f64>> {
        match self {
            Quantity::Fairness => Some(fairness),
            Quantity::Utilisation => Some(utilisation),
            _ => None,
        }
    }

    /// The number of a flow, in the whole run or between two times in seconds; `None` where there is none: the transfer did not end,
    /// there was no handover, or the record holds no rows for that time.
    pub fn of(self, flow: &FlowRecord, between: Option<[f64; 2]>) -> Option<f64> {
        match self {
            Quantity::Goodput => match between {
                None => Some(flow.goodput_bits_per_second / 1000.0),
                Some(ends) => goodput_between(flow, ends),
            },
            Quantity::TransferTime => flow.completion_s,
            Quantity::Stall => {
                let stalls = stalls(flow);
                (!stalls.is_empty()).then(|| stalls.iter().sum::<f64>() / stalls.len() as f64)
            }
            Quantity::GoodputInStalls => {
                let stalled: f64 = stalls(flow).iter().sum();
                let bytes: u64 = met(flow).map(|handover| handover.stalled_bytes).sum();
                (stalled > 0.0).then(|| bytes as f64 * 8.0 / stalled / 1000.0)
            }
            Quantity::LostAtHandovers => {
                let lost: Vec<u64> = met(flow).map(|handover| handover.lost_packets).collect();
                (!lost.is_empty()).then(|| lost.iter().sum::<u64>() as f64 / lost.len() as f64)
            }
            Quantity::SmoothedRoundTrip => {
                let times: Vec<f64> = smoothed_round_trips(flow, between)?;
                (!times.is_empty()).then(|| times.iter().sum::<f64>() / times.len() as f64)
            }
            Quantity::Fairness | Quantity::Utilisation => None,
        }
    }
}

/// The smoothed round-trip time at the end of each interval that ends in this part of the run, in ms; `None` when the record holds no rows
/// for that time, or a row from before the first sample.
pub(crate) fn smoothed_round_trips(flow: &FlowRecord, between: Option<[f64; 2]>) -> Option<Vec<f64>> {
    let (first, last) = (flow.intervals.first()?, flow.intervals.last()?);
    let [from, to] = between.unwrap_or([first.from_s, last.to_s]);
    if to > last.to_s || to <= from {
        return None;
    }
    let is_meant = |row: &&IntervalRecord| row.to_s > from && row.to_s <= to;
    let time = |row: &IntervalRecord| Some(row.smoothed_round_trip_ms).filter(|time| *time > 0.0);
    flow.intervals.iter().filter(is_meant).map(time).collect()
}

/// The handovers that came while the flow was measured.
fn met(flow: &FlowRecord) -> impl Iterator<Item = &HandoverRecord> {
    let measured = flow.measured_from_s..flow.measured_to_s;
    flow.handovers.iter().filter(move |handover| measured.contains(&handover.start_s))
}

fn stalls(flow: &FlowRecord) -> Vec<f64> {
    let starts: Vec<f64> = met(flow).map(|handover| handover.start_s).chain([flow.measured_to_s]).collect();
    let lasts = met(flow).zip(&starts[1..]).map(|(handover, next)| {
        let longest = next - handover.start_s;
        handover.first_data_ms.map_or(longest, |millis| (millis / 1000.0).min(longest))
    });
    lasts.collect()
}

/// Rows that lie in that time in part count in part.
fn goodput_between(flow: &FlowRecord, [from, to]: [f64; 2]) -> Option<f64> {
    let last = flow.intervals.last()?;
    if to > last.to_s || to <= from {
        return None;
    }
    let bits = flow.intervals.iter().map(|row| {
        let shared = (row.to_s.min(to) - row.from_s.max(from)).max(0.0);
        row.bytes as f64 * 8.0 * shared / (row.to_s - row.from_s)
    });
    Some(bits.sum::<f64>() / (to - from) / 1000.0)
}
