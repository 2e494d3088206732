//! The quantities that are measured in a run: of one of its flows, or of all of them together.

use seamline_experiment::record::{FlowRecord, HandoverRecord, IntervalRecord, LinkRecord, RunRecord};
use seamline_experiment::statistics::mean;
use seamline_model::obtcp::jain_index;
use serde::Deserialize;

/// A number of a flow in a run, or of the run. The `claims.toml` of papers mobility-vegas-2020, cross-layer-handover and obtcp
/// define these in more detail.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum Quantity {
    /// Payload delivered per second, in kb/s.
    #[default]
    Goodput,
    /// Seconds from the start of the flow until its last byte has arrived.
    TransferTime,
    /// Seconds from the beginning of a handover until payload arrives over the new path, mean over the handovers; without
    /// such payload, until the next handover or the end.
    Stall,
    /// Payload delivered per second during stalls, in kb/s.
    GoodputInStalls,
    /// Data packets lost during a stall, mean over the handovers.
    LostAtHandovers,
    /// Smoothed round-trip time at the end of each interval, in ms, mean over the intervals.
    SmoothedRoundTrip,
    /// From the loss of a data packet until the sender has the acknowledgment that covers it, in ms, mean over the losses.
    LossRepair,
    /// Jain's index of the goodput of all flows.
    Fairness,
    /// Payload delivered by all flows, in percent of the capacity of the bottleneck.
    Utilisation,
}

impl Quantity {
    /// Its unit.
    pub fn unit(self) -> &'static str {
        self.unit_and_axis().0
    }

    /// The title of an axis of it, with its unit.
    pub fn axis(self) -> &'static str {
        self.unit_and_axis().1
    }

    fn unit_and_axis(self) -> (&'static str, &'static str) {
        match self {
            Quantity::Goodput => ("kb/s", "throughput (kb/s)"),
            Quantity::TransferTime => ("s", "data transfer time (s)"),
            Quantity::Stall => ("s", "stall at a handover (s)"),
            Quantity::GoodputInStalls => ("kb/s", "throughput during stalls (kb/s)"),
            Quantity::LostAtHandovers => ("packets", "lost at a handover (packets)"),
            Quantity::SmoothedRoundTrip => ("ms", "smoothed round-trip time (ms)"),
            Quantity::LossRepair => ("ms", "time until a loss is repaired (ms)"),
            Quantity::Fairness => ("", "Jain's fairness index"),
            Quantity::Utilisation => ("%", "utilisation of the bottleneck (%)"),
        }
    }

    /// The number of a whole run, for a quantity of all flows; `None` for others.
    pub(crate) fn of_all_flows(self) -> Option<fn(&RunRecord) -> Option<f64>> {
        match self {
            Quantity::Fairness => Some(fairness),
            Quantity::Utilisation => Some(utilisation),
            _ => None,
        }
    }

    /// The number of a flow, in the whole run or between two times in seconds. `None` where there is none: the transfer did not
    /// end, there was no handover, or the record holds no rows for that time.
    pub fn of(self, flow: &FlowRecord, between: Option<[f64; 2]>) -> Option<f64> {
        match self {
            Quantity::Goodput => match between {
                None => Some(flow.goodput_bits_per_second / 1000.0),
                Some(ends) => goodput_between(flow, ends),
            },
            Quantity::TransferTime => flow.completion_s,
            Quantity::Stall => mean(&stalls(flow)),
            Quantity::GoodputInStalls => {
                let stalled: f64 = stalls(flow).iter().sum();
                let bytes: u64 = handovers(flow).map(|handover| handover.stalled_bytes).sum();
                (stalled > 0.0).then(|| bytes as f64 * 8.0 / stalled / 1000.0)
            }
            Quantity::LostAtHandovers => {
                let lost: Vec<f64> = handovers(flow).map(|handover| handover.lost_packets as f64).collect();
                mean(&lost)
            }
            Quantity::SmoothedRoundTrip => mean(&smoothed_round_trips(flow, between)?),
            Quantity::LossRepair => flow.loss_repair_mean_ms,
            Quantity::Fairness | Quantity::Utilisation => None,
        }
    }
}

/// The smoothed round-trip time at the end of each interval that ends in this part of the run, in ms. `None` when the record
/// holds no rows for that time, or a row from before the first sample.
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

/// The handovers that began while the flow was measured.
fn handovers(flow: &FlowRecord) -> impl Iterator<Item = &HandoverRecord> {
    let measured = flow.measured_from_s..flow.measured_to_s;
    flow.handovers.iter().filter(move |handover| measured.contains(&handover.start_s))
}

fn stalls(flow: &FlowRecord) -> Vec<f64> {
    let starts: Vec<f64> =
        handovers(flow).map(|handover| handover.start_s).chain([flow.measured_to_s]).collect();
    let stalls = handovers(flow).zip(&starts[1..]).map(|(handover, next)| {
        let longest = next - handover.start_s;
        handover.first_data_ms.map_or(longest, |millis| (millis / 1000.0).min(longest))
    });
    stalls.collect()
}

/// Rows that lie partly in that time count in part.
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

/// Jain's index of the goodput of all flows; every copy of a flow counts separately (equation 21 of paper obtcp).
fn fairness(run: &RunRecord) -> Option<f64> {
    let rates = run.flows.iter().flat_map(|flow| match flow.copies_bits_per_second.as_slice() {
        [] => std::slice::from_ref(&flow.goodput_bits_per_second),
        copies => copies,
    });
    jain_index(&rates.copied().collect::<Vec<f64>>()).ok()
}

/// Payload delivered by all flows, in percent of the capacity of the bottleneck: the direction of a link that is used the most.
/// `None` when a rate changes over time.
fn utilisation(run: &RunRecord) -> Option<f64> {
    let rates: Option<Vec<(&LinkRecord, f64)>> =
        run.links.iter().map(|link| Some((link, link.rate_bits_per_second? as f64))).collect();
    let used = |(link, rate): &(&LinkRecord, f64)| link.delivered_bytes as f64 / rate;
    let (_, rate) = rates?.into_iter().max_by(|a, b| used(a).total_cmp(&used(b)))?;
    let delivered: f64 = run.flows.iter().map(|flow| flow.goodput_bits_per_second).sum();
    Some(100.0 * delivered / rate)
}
