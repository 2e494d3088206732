//! What is looked at in a run: a number of one of its flows.

use seamline_scenario::record::{FlowRecord, HandoverRecord};
use serde::Deserialize;

/// A number of a flow in a run; `papers/V/claims.toml` and `papers/X/claims.toml` say it in words.
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
}

impl Quantity {
    /// Its unit.
    pub fn unit(self) -> &'static str {
        match self {
            Quantity::Goodput | Quantity::GoodputInStalls => "kb/s",
            Quantity::TransferTime | Quantity::Stall => "s",
            Quantity::LostAtHandovers => "packets",
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
        }
    }

    /// The number, in the whole run or between two times in seconds; `None` where there is none: the transfer did not end,
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
        }
    }
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
