//! What a connection knows of itself, as TCP_INFO of Linux reports it.

use super::*;
use crate::cc::RecoveryState;

/// What both ends have agreed on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Agreement {
    /// Timestamps (RFC 7323).
    pub timestamps: bool,
    /// SACK (RFC 2018).
    pub sack: bool,
    /// Window scaling (RFC 7323).
    pub window_scale: bool,
    /// Explicit congestion notification (RFC 3168).
    pub ecn: bool,
    /// Data went with a SYN and was taken in (RFC 7413).
    pub data_with_syn: bool,
}

/// What a connection knows of itself. A sender without records of its segments (any but the recovery `rack`) leaves counts of
/// segments at zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Information {
    /// The connection's state.
    pub state: State,
    /// The state of the sender.
    pub recovery: RecoveryState,
    /// What was agreed on.
    pub agreement: Agreement,
    /// Doublings of the retransmission timeout.
    pub backoff: u32,
    /// Window probes sent without an answer.
    pub probes: u32,
    /// Expiries of the retransmission timer since anything was acknowledged.
    pub timeouts_in_a_row: u32,
    /// The retransmission timeout with its back-off.
    pub timeout: Duration,
    /// What is known of the round-trip time.
    pub round_trip: crate::rtt::RoundTrip,
    /// The smallest round-trip time of the last five minutes, if any.
    pub least_round_trip: Option<Duration>,
    /// Payload of a full segment in bytes.
    pub segment_size: u32,
    /// Payload of the peer's full segments in bytes, as far as known.
    pub peer_segment_size: u32,
    /// The congestion window in segments.
    pub congestion_window: f64,
    /// The slow start threshold in segments; infinite at first.
    pub slow_start_threshold: f64,
    /// Segments outstanding.
    pub outstanding: u32,
    /// Of those, segments that SACK has reported.
    pub sacked: u32,
    /// Of those, segments taken to be lost.
    pub lost: u32,
    /// Of those, segments that were sent again.
    pub resent: u32,
    /// Segments by which the path reorders, as far as is known.
    pub reordering: u32,
    /// Segments sent again in all.
    pub retransmissions: u64,
    /// Segments delivered in all.
    pub delivered: u64,
    /// Payload bytes taken from the application and not sent.
    pub unsent: u64,
    /// Payload bytes acknowledged.
    pub bytes_acknowledged: u64,
    /// Payload bytes received in order.
    pub bytes_received: u64,
    /// The time in which data was outstanding or waited.
    pub busy: Duration,
    /// Of that, the time in which the peer's window was full.
    pub limited_by_peer: Duration,
    /// Of that, the time in which the send buffer was too small.
    pub limited_by_send_buffer: Duration,
    /// Bytes per second that the sender is paced at; zero before there is a rate.
    pub pacing_rate: u64,
}

impl Endpoint {
    /// What the connection knows of itself at `now`.
    pub fn information(&self, now: Instant) -> Information {
        let sample = self.sender.sample();
        let view = &self.sender.view;
        let records = self.sender.records(now);
        Information {
            state: self.state,
            recovery: view.tracked.state,
            agreement: Agreement {
                timestamps: self.header.timestamps.is_some(),
                sack: self.header.sack,
                window_scale: self.header.window_scaled,
                ecn: self.header.ecn.agreed,
                data_with_syn: self.fast_open.succeeded,
            },
            backoff: sample.backoff.max(1).ilog2(),
            probes: records.probes,
            timeouts_in_a_row: records.timeouts_in_a_row,
            timeout: sample.retransmission_timeout,
            round_trip: view.round_trip,
            least_round_trip: view.tracked.minimum_round_trip,
            segment_size: view.segment_size,
            peer_segment_size: self.receiver.full_segment(),
            congestion_window: sample.congestion_window,
            slow_start_threshold: sample.slow_start_threshold,
            outstanding: view.tracked.outstanding_segments,
            sacked: records.sacked,
            lost: records.lost,
            resent: records.resent,
            reordering: records.reordering,
            retransmissions: self.sender.statistics.retransmissions,
            delivered: view.tracked.delivered,
            unsent: self.sender.bytes_unsent(),
            bytes_acknowledged: self.sender.bytes_acknowledged(),
            bytes_received: self.bytes_delivered,
            busy: records.busy,
            limited_by_peer: records.limited_by_peer,
            limited_by_send_buffer: records.limited_by_send_buffer,
            pacing_rate: view.tracked.pacing_rate,
        }
    }
}
