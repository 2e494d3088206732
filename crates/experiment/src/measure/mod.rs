//! Measurements during a run.
//!
//! Definition of *recovered*. The reference goodput of a flow is its mean goodput in the [`REFERENCE_WINDOW`] before
//! the handover, or since the end of the previous handover, the end of the warm-up or the start of the flow,
//! whichever is latest. The flow has recovered at the first time `t`, not before data has arrived over the restored
//! link, such that the goodput over `[t, t + w)` is at least [`RECOVERED_SHARE`] of the reference, where `w` is the
//! smoothed round-trip time before the handover, but at least [`SHORTEST_WINDOW`]. The whole window must end before
//! the next handover. The recovery time runs from the start of the handover to `t`, so it is never shorter than the
//! interruption, nor than the time until the first data. Times have the resolution of [`BIN`].

mod flow;
mod handover;
mod loss_repair;
mod part;
mod round_trip;

pub(crate) use flow::{FlowMeter, FlowSpan, Intervals};

pub(crate) use loss_repair::LossRepairProbe;
pub(crate) use round_trip::RoundTripProbe;
use seamline_wire::{Duration, Instant};

/// The resolution of goodput over time.
pub const BIN: Duration = Duration::from_millis(10);
/// A flow has recovered at this share of its goodput before the handover.
pub const RECOVERED_SHARE: f64 = 0.9;
/// The period before a handover over which the reference goodput is measured.
pub const REFERENCE_WINDOW: Duration = Duration::from_secs(5);
/// The shortest period over which the goodput after a handover is measured.
pub const SHORTEST_WINDOW: Duration = Duration::from_millis(100);

/// The counters of one connection.
#[derive(Debug, Default)]
pub(crate) struct ConnectionMeter {
    /// The index of its flow.
    pub(crate) flow: usize,
    /// The index of its part of the flow: those with the same links and mobile nodes on their way.
    pub(crate) part: usize,
    /// Payload delivered in order.
    pub(crate) delivered: u64,
    /// The part delivered after the warm-up.
    pub(crate) measured: u64,
    /// The time at which the transfer was complete.
    pub(crate) completed: Option<Instant>,
    /// Round-trip times.
    pub(crate) round_trips: RoundTripProbe,
    /// Losses and their repairs.
    pub(crate) loss_repairs: LossRepairProbe,
    /// Congestion window in segments, as last reported.
    pub(crate) congestion_window: f64,
}

/// Add bytes that are delivered now to their [`BIN`]; the list ends with the last delivery.
pub(crate) fn add_to_bin(bins: &mut Vec<u64>, now: Instant, bytes: u64) {
    let bin = (now.as_nanos() / BIN.as_nanos()) as usize;
    if bins.len() <= bin {
        bins.resize(bin + 1, 0);
    }
    bins[bin] += bytes;
}
