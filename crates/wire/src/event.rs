//! What happened, for traces, captures and reports. Events are built only when they are collected
//! ([`crate::Outbox::event`]).

use crate::control::{BindingStatus, ReplyCode};
use crate::packet::{NodeId, Packet, TransportPort};
use crate::sequence::SequenceNumber;
use crate::time::Duration;

named! {
    /// Why a packet was lost.
    DropCause:
    /// The queue was full.
    QueueOverflow = "queue full";
    /// Active queue management dropped it.
    ActiveQueueManagement = "queue management";
    /// The error model lost it.
    ErrorModel = "error model";
    /// The link was down, or went down while the packet was queued or in flight.
    LinkDown = "link down";
    /// No route led to the destination.
    NoRoute = "no route";
    /// It reached, or was to leave from, a radio cell that the node had left.
    LeftCell = "left cell";
    /// It came out of a tunnel at an agent that knows no such visitor.
    NoVisitor = "no visitor";
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

named! {
    /// Why an endpoint ignored a handover mark.
    MarkRefusal:
    /// The segment's sequence number is neither in the window nor that of something sent again.
    OutOfWindow = "mark rejected: out of window";
    /// Its timestamp is older than one that has come (RFC 7323 section 5.3).
    OldTimestamp = "mark rejected: old timestamp";
    /// It acknowledges what was never sent, or what was acknowledged long ago (RFC 5961 section 5.2).
    ImplausibleAcknowledgment = "mark rejected: implausible acknowledgment";
    /// It acknowledges less than is acknowledged: it is late, or a copy that someone else sent.
    OldAcknowledgment = "mark rejected: old acknowledgment";
    /// The scheme here knows no such mark.
    NotExpected = "mark rejected: not expected";
    /// Marks come more often than ends move.
    TooOften = "mark rejected: too often";
}

/// What a mobility protocol does (terms of RFC 3753; messages of RFC 5944).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum MobilityEvent {
    /// A mobile node can be reached by radio in this cell from now on.
    CellEntered {
        /// The cell's number.
        cell: u32,
    },
    /// A mobile node heard an advertisement.
    AdvertisementHeard {
        /// Whose.
        agent: NodeId,
    },
    /// A mobile node found out that it has moved.
    MovementDetected {
        /// The agent that it heard there.
        agent: NodeId,
    },
    /// A mobile node sent a registration request.
    RegistrationRequested {
        /// The care-of address in it.
        care_of_address: NodeId,
    },
    /// A mobile node learned that its registration is in force.
    RegistrationAccepted {
        /// The care-of address.
        care_of_address: NodeId,
        /// Whether the mobile node can be reached after its last move because of it; otherwise it is renewed, one of several, or
        /// for an earlier move.
        after_move: bool,
    },
    /// A mobile node was refused a registration.
    RegistrationRefused {
        /// Why.
        code: ReplyCode,
    },
    /// A mobile node was refused a binding.
    BindingRefused {
        /// Why.
        status: BindingStatus,
    },
    /// A home agent has one binding more: it sends a copy of what is addressed to the mobile node there, too, until the
    /// next change ([`MobilityEvent::BindingChanged`]).
    BindingAdded {
        /// The address that stays.
        home_address: NodeId,
        /// The end of the further tunnel.
        care_of_address: NodeId,
    },
    /// An anchor's binding (a home agent's, a mobility anchor point's) has changed: what is addressed to the mobile node goes elsewhere from now on.
    BindingChanged {
        /// The address that stays: the mobile node's, or its regional care-of address.
        home_address: NodeId,
        /// The end of the tunnel; `None` when there is no tunnel, because the mobile node is at home or its
        /// registration ran out.
        care_of_address: Option<NodeId>,
    },
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
    /// A recovery turned out to have been spurious, and the cut of the window was taken back.
    CutUndone {
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
    /// A queue marked a packet (CE, RFC 3168) that goes on.
    Marked {
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
    /// A handover scheme of TCP did what is named.
    HandoverAction {
        /// Local port of the connection.
        port: TransportPort,
        /// The action's name.
        action: &'static str,
    },
    /// A handover mark arrived and was ignored.
    MarkRefused {
        /// Local port of the connection.
        port: TransportPort,
        /// Why.
        reason: MarkRefusal,
    },
    /// A handover of a link, or of a mobile node between cells, reached this phase.
    Handover(HandoverPhase),
    /// A mobility protocol did something.
    Mobility(MobilityEvent),
}

impl Event {
    /// This packet was lost.
    pub fn dropped(cause: DropCause, packet: &Packet) -> Self {
        Event::Dropped {
            cause,
            source: packet.source,
            source_port: packet.source_port,
            sequence: packet.segment.sequence,
            length: packet.segment.length,
        }
    }
    /// This packet was marked.
    pub fn marked(packet: &Packet) -> Self {
        Event::Marked {
            source: packet.source,
            source_port: packet.source_port,
            sequence: packet.segment.sequence,
            length: packet.segment.length,
        }
    }
}
