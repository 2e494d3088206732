//! Measurements of one connection of a flow.

use super::round_trip::RoundTripProbe;
use seamline_wire::Instant;

/// The counters of one connection.
#[derive(Debug, Default)]
pub(crate) struct ConnectionMeter {
    /// The index of its flow.
    pub(crate) flow: usize,
    /// Payload delivered in order.
    pub(crate) delivered: u64,
    /// The part delivered after the warm-up.
    pub(crate) measured: u64,
    /// The time at which the transfer was complete.
    pub(crate) completed: Option<Instant>,
    /// Round-trip times.
    pub(crate) round_trips: RoundTripProbe,
    /// Congestion window in segments, as last reported.
    pub(crate) congestion_window: f64,
}
