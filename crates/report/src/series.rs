//! One run over time: what the time panels show.
//!
//! Positions are bytes since the first sequence number of a connection, 64 bits wide, so that they survive
//! the wrap of sequence numbers.

use crate::messages::HandoverMessages;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// One run of one cell.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunSeries {
    /// Place of the cell in the grid.
    pub cell: usize,
    /// The name of the cell.
    pub name: String,
    /// The master seed.
    pub seed: u64,
    /// Length of the run.
    pub duration_s: f64,
    /// Its flows.
    pub flows: Vec<FlowSeries>,
    /// What waited in the queues.
    pub queues: Vec<QueueSeries>,
    /// Handovers of any link.
    pub handovers: Vec<HandoverBand>,
    /// The packets around the first handover that a flow met.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub messages: Option<HandoverMessages>,
    /// What is omitted, and why.
    pub notes: Vec<String>,
}

/// One connection of a flow.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FlowSeries {
    /// The flow.
    pub flow: String,
    /// The name of the variant.
    pub variant: String,
    /// The state of the sender.
    pub sender: SenderColumns,
    /// Segments put on the wire, in the order of time.
    pub segments: Vec<SegmentSent>,
    /// Acknowledgments that arrived at the sender, in the order of time.
    pub acknowledgments: Vec<Acknowledgment>,
    /// Blocks that selective acknowledgments reported, in the order of time.
    pub selective: Vec<SelectiveBlock>,
    /// Segments lost on the way, in the order of time.
    pub drops: Vec<Drop>,
    /// Payload delivered in order in each [`FlowSeries::delivered_bin_s`], from the start of the run.
    pub delivered_bytes: Vec<u64>,
    /// The length of such a bin.
    pub delivered_bin_s: f64,
    /// Expiries of the retransmission timer.
    pub timeouts_s: Vec<f64>,
    /// When recovery began without a timeout.
    pub recoveries_s: Vec<f64>,
}

/// The state of a sender over time, one value a column and time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SenderColumns {
    /// When.
    pub time_s: Vec<f64>,
    /// Congestion window in segments.
    pub congestion_window_segments: Vec<f64>,
    /// Slow start threshold in segments; infinite while it is arbitrarily high.
    pub slow_start_threshold_segments: Vec<f64>,
    /// Smoothed round-trip time; zero before the first sample.
    pub smoothed_round_trip_ms: Vec<f64>,
    /// Retransmission timeout with its back-off.
    pub retransmission_timeout_ms: Vec<f64>,
    /// Bytes sent and not yet acknowledged cumulatively.
    pub bytes_in_flight: Vec<f64>,
}

/// A segment put on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SegmentSent {
    /// When.
    pub time_s: f64,
    /// Position of its first byte.
    pub start: u64,
    /// Length in sequence space.
    pub length: u32,
    /// Whether these bytes were sent before.
    pub retransmission: bool,
}

/// An acknowledgment that arrived at the sender.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Acknowledgment {
    /// When.
    pub time_s: f64,
    /// Everything before this position has arrived.
    pub position: u64,
    /// The peer accepts bytes before this position.
    pub window_edge: u64,
}

/// A block of a selective acknowledgment.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SelectiveBlock {
    /// When it arrived at the sender.
    pub time_s: f64,
    /// Position of its first byte.
    pub start: u64,
    /// The position just after it.
    pub end: u64,
}

/// A segment lost on the way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Drop {
    /// When.
    pub time_s: f64,
    /// Position of its first byte.
    pub start: u64,
    /// Why.
    pub cause: Cow<'static, str>,
}

/// What waited in one direction of a link, or was in service there.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct QueueSeries {
    /// The link and the direction.
    pub link: String,
    /// When.
    pub time_s: Vec<f64>,
    /// Packets.
    pub packets: Vec<f64>,
}

/// A handover of a link.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct HandoverBand {
    /// The link.
    pub link: String,
    /// When the link layer last announced one, since the handover before; false alarms say the same.
    pub predicted_s: Option<f64>,
    /// When the interruption began.
    pub start_s: f64,
    /// When the link carried packets again; `None` when the run ended first.
    pub end_s: Option<f64>,
    /// When the host noticed that it had moved.
    pub movement_detected_s: Option<f64>,
    /// When its new place was known to those who must know it.
    pub registered_s: Option<f64>,
}
