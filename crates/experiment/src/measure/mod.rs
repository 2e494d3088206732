//! What is measured while a run goes on.
//!
//! Time to recover from a handover, in detail. The *pace* of a flow is its mean goodput in the
//! [`PACE_WINDOW`] before the handover, or since the end of the handover before, the end of the warm-up or
//! the start of the flow if that is later. The flow is back at its pace at the first time `t`, not before
//! data has arrived over the link that works again, such that goodput over `[t, t + w)` is at least [`PACE_REGAINED`] of it, where `w`
//! is the smoothed round-trip time before the handover, but at least [`SHORTEST_WINDOW`]; the whole window
//! must end before the next handover. The recovery time runs from the start of the handover to `t`, so it
//! is never shorter than the interruption, nor than the time until that data. Times are resolved to [`BIN`].

mod connection;
mod flow;
mod handover;
mod round_trip;

pub(crate) use connection::ConnectionMeter;
pub(crate) use flow::{FlowMeter, FlowSpan};

use seamline_wire::{Duration, Instant};

/// The resolution of goodput over time.
pub const BIN: Duration = Duration::from_millis(10);
/// A flow has recovered when it has this share of its pace before the handover.
pub const PACE_REGAINED: f64 = 0.9;
/// How far back the pace before a handover reaches.
pub const PACE_WINDOW: Duration = Duration::from_secs(5);
/// The shortest stretch over which the pace after a handover is looked at.
pub const SHORTEST_WINDOW: Duration = Duration::from_millis(100);

/// Bytes delivered in each [`BIN`] up to the last delivery: these are delivered now.
pub(crate) fn add_to_bin(bins: &mut Vec<u64>, now: Instant, bytes: u64) {
    let bin = (now.as_nanos() / BIN.as_nanos()) as usize;
    if bins.len() <= bin {
        bins.resize(bin + 1, 0);
    }
    bins[bin] += bytes;
}
