//! The record of a run: plain data for JSON and for tables. Times are seconds since the start of the
//! run unless a name says otherwise. The same scenario and seed give the same record, byte for byte.

use crate::emulation::EmulationRecord;
use serde::{Deserialize, Serialize};

/// One run: one cell of the grid under one seed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunRecord {
    /// The master seed.
    pub seed: u64,
    /// One entry for each `[[flow]]`, in the order of the file.
    pub flows: Vec<FlowRecord>,
    /// Two entries for each `[[link]]`, and then for each `[[cell]]`, down and up, in the order of the file.
    pub links: Vec<LinkRecord>,
    /// One entry for each `[[agent]]` with a position, in the order of the file, except those replaced by a command.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<AgentRecord>,
    /// How well it was emulated, where it was run with real stacks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub emulation: Option<EmulationRecord>,
}

/// What an agent did in the whole run, over all connections.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentRecord {
    /// Its name.
    pub name: String,
    /// Packets that came in, from either side.
    pub packets: u64,
    /// Data packets retransmitted over the wireless side.
    pub local_retransmissions: u64,
    /// Acknowledgments that were not passed on.
    pub suppressed_acknowledgments: u64,
    /// Acknowledgments in which something was written.
    pub marked_acknowledgments: u64,
    /// Messages sent to the agent at the other end of a link.
    pub messages: u64,
}

/// The results of a flow: the sum of its parallel copies.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FlowRecord {
    /// Its name.
    pub name: String,
    /// The name of the variant.
    pub variant: String,
    /// Payload delivered in order in the whole run.
    pub delivered_bytes: u64,
    /// Payload delivered per second between `measured_from_s` and `measured_to_s`.
    pub goodput_bits_per_second: f64,
    /// End of the warm-up, or the start of the flow when that is later.
    pub measured_from_s: f64,
    /// End of the run, or when the flow was stopped or complete when that is earlier.
    pub measured_to_s: f64,
    /// Segments retransmitted in the whole run.
    pub retransmissions: u64,
    /// Expiries of the retransmission timer, in the whole run.
    pub timeouts: u64,
    /// Times that recovery began without a timeout, in the whole run.
    pub fast_recoveries: u64,
    /// Of both, how many turned out to have been spurious, so that the cut of the window was taken back, in the whole run; zero where
    /// this is not detected, as in flows over the kernel's TCP.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub undone_cuts: u64,
    /// Mean round-trip time of segments sent once, from their departure to the acknowledgment that covers
    /// them, after the warm-up; `None` without such segments.
    pub round_trip_mean_ms: Option<f64>,
    /// The smallest of them.
    pub round_trip_min_ms: Option<f64>,
    /// Mean time from the loss of a data packet until the sender has the acknowledgment that covers it, repaired by the sender or by an agent; `None` without
    /// such a loss, and in flows over the kernel's TCP. Repairs after the warm-up count. What is lost again counts from its first loss,
    /// and what is never repaired does not count. Behind an agent that splits the connection, the acknowledgment is the agent's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loss_repair_mean_ms: Option<f64>,
    /// From the start of the flow until the last byte of the transfer had arrived at the last copy; `None`
    /// when it did not, or the transfer has no end.
    pub completion_s: Option<f64>,
    /// Goodput of each copy, when there are several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub copies_bits_per_second: Vec<f64>,
    /// The handovers of the links on its way.
    pub handovers: Vec<HandoverRecord>,
    /// Its rows over time; only in the first run of a cell unless the scenario wants them of every run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub intervals: Vec<IntervalRecord>,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// A handover as a flow met it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HandoverRecord {
    /// The link, or the mobile node that left its cell.
    pub link: String,
    /// When it began.
    pub start_s: f64,
    /// From its start until the link was back, or what is addressed to the mobile node was sent to its new cell. Nothing passed
    /// meanwhile, unless an old link of the mobile node lasted; `None` when the run ended, or the node moved again, first.
    pub interruption_ms: Option<f64>,
    /// From its start until data arrived over the link that works again; `None` when none did.
    pub first_data_ms: Option<f64>,
    /// From its start until the flow has recovered its goodput (as `seamline_experiment::measure` has it);
    /// `None` when that did not happen before the next handover or the end, or there was no goodput to recover.
    pub recovery_ms: Option<f64>,
    /// Payload delivered in the second after the link worked again.
    pub following_second_bytes: u64,
    /// Payload delivered from its start until that first data: what came over the old way.
    #[serde(default)]
    pub stalled_bytes: u64,
    /// Data packets of the flow lost from its start until that first data, for whatever reason.
    #[serde(default)]
    pub lost_packets: u64,
    /// From its start until the mobile node found out that it had moved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub movement_detected_ms: Option<f64>,
    /// From its start until the mobile node learned that its new registration was in force.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub registered_ms: Option<f64>,
}

/// A row of the table of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct IntervalRecord {
    /// Begin.
    pub from_s: f64,
    /// End.
    pub to_s: f64,
    /// Payload delivered.
    pub bytes: u64,
    /// Segments retransmitted.
    pub retransmissions: u64,
    /// Expiries of the retransmission timer.
    pub timeouts: u64,
    /// The last congestion window of the interval in segments, summed over copies.
    pub congestion_window_segments: f64,
    /// The last smoothed round-trip time of the interval, of the copy that reported last.
    pub smoothed_round_trip_ms: f64,
}

/// What one direction of a link did in a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkRecord {
    /// The link and the direction: `space/down`.
    pub name: String,
    /// Packets handed over at the far end.
    pub delivered_packets: u64,
    /// Their bytes, headers included.
    pub delivered_bytes: u64,
    /// Packets that found the queue full.
    pub dropped_by_full_queue: u64,
    /// Packets dropped by active queue management.
    pub dropped_by_queue_management: u64,
    /// ECN-capable packets that the queue marked (CE, RFC 3168) and passed.
    #[serde(default)]
    pub marked_by_queue: u64,
    /// Packets that an error model took.
    pub lost_to_errors: u64,
    /// Packets lost because the link was down.
    pub lost_to_link_down: u64,
    /// In a cell, packets whose mobile node had left it; they count as delivered by the air.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lost_to_departure: Option<u64>,
    /// What it can carry per second, headers included; nothing when its conditions change over time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_bits_per_second: Option<u64>,
}
