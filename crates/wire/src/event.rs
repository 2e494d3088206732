//! What happened, for traces, captures and reports. Events are built only when somebody listens
//! ([`crate::Outbox::event`]).

use crate::packet::{NodeId, TransportPort};
use crate::sequence::SequenceNumber;
use crate::time::Duration;

/// Why a packet was lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum DropCause {
    /// The queue was full.
    QueueOverflow,
    /// Active queue management dropped it.
    ActiveQueueManagement,
    /// The error model lost it.
    ErrorModel,
    /// The link was down, or went down while the packet was queued or in flight.
    LinkDown,
    /// No route led to the destination.
    NoRoute,
}

/// A phase of a handover.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum HandoverPhase {
    /// The link layer announced that the link would be lost.
    Predicted,
    /// The interruption began.
    Started,
    /// The new link carries packets.
    Completed,
}

/// What a TCP sender knows and intends, after everything that one input caused.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SenderSample {
    /// Congestion window in segments, including what a scheme adds to it.
    pub congestion_window: f64,
    /// Slow start threshold in segments.
    pub slow_start_threshold: f64,
    /// Bytes sent and not yet acknowledged cumulatively.
    pub bytes_in_flight: u32,
    /// Duplicate acknowledgments in a row.
    pub duplicate_acks: u32,
    /// Smoothed round-trip time; zero before the first sample.
    pub smoothed_round_trip_time: Duration,
    /// Round-trip time variation.
    pub round_trip_time_variation: Duration,
    /// Current retransmission timeout with its back-off.
    pub retransmission_timeout: Duration,
    /// Factor by which the retransmission timeout is backed off: 1, 2, 4, ...
    pub backoff: u32,
}

/// Something that happened at one element of the network.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Event {
    /// A connection changed its state to the one named (RFC 9293 section 3.3.2).
    ConnectionState {
        /// Local port of the connection.
        port: TransportPort,
        /// The new state's name.
        state: &'static str,
    },
    /// A sender put a segment with payload, SYN or FIN on the wire.
    SegmentSent {
        /// Local port of the connection.
        port: TransportPort,
        /// First sequence number.
        sequence: SequenceNumber,
        /// Length in sequence space.
        length: u32,
        /// Whether these bytes were sent before.
        retransmission: bool,
    },
    /// A sender took in an acknowledgment.
    AckReceived {
        /// Local port of the connection.
        port: TransportPort,
        /// The cumulative acknowledgment.
        acknowledgment: SequenceNumber,
    },
    /// The state of a sender after an input.
    Sender {
        /// Local port of the connection.
        port: TransportPort,
        /// What it knows and intends.
        sample: SenderSample,
    },
    /// The retransmission timer expired.
    RetransmissionTimeout {
        /// Local port of the connection.
        port: TransportPort,
    },
    /// Loss recovery began without a timeout.
    RecoveryStarted {
        /// Local port of the connection.
        port: TransportPort,
    },
    /// A receiver has passed bytes to its application, in order.
    Delivered {
        /// Local port of the connection.
        port: TransportPort,
        /// How many bytes became available.
        bytes: u32,
    },
    /// A packet was lost.
    Dropped {
        /// Why.
        cause: DropCause,
        /// Who sent it.
        source: NodeId,
        /// Port of the sending connection.
        source_port: TransportPort,
        /// First sequence number.
        sequence: SequenceNumber,
        /// Payload bytes.
        length: u32,
    },
    /// What waits in a queue after a change.
    Queue {
        /// Packets waiting or in service.
        packets: u32,
        /// Their bytes.
        bytes: u32,
    },
    /// A link's handover reached this phase.
    Handover(HandoverPhase),
}
