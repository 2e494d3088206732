//! One TCP connection, sans-IO: the state machine of RFC 9293 around a sender and a receiver.
//!
//! Who drives it calls [`Endpoint::open`] once, then [`Endpoint::on_packet`] for each packet and
//! [`Endpoint::on_wake`] at [`Endpoint::wake_at`]; the application's calls are [`Endpoint::supply`],
//! [`Endpoint::consume`], [`Endpoint::close`], [`Endpoint::close_both_ways`] and [`Endpoint::abort`]. Each call puts the packets to
//! send into the outbox.

mod application;
mod close;
mod fast_open;
mod handover;
mod handshake;
mod icmp;
mod info;
mod input;
mod marks;
mod options;
mod predicted;
mod state;
mod timestamps;
mod transactions;

pub use application::Readiness;
pub use icmp::NetworkError;
pub use info::{Agreement, Information};
pub use marks::MarkCounts;
pub use state::{CloseReason, State};

use crate::emit::{Address, Header, TimestampClock, reset_for};
use crate::handover::{Action, Actions, Handover, HandoverEvent, Release, Scheme};
use crate::offset::Offset;
use crate::parameters::{KeepAlive, Parameters, SegmentParameters};
use crate::receiver::{Agreed, Arrival, Receiver, Timing};
use crate::sender::{Acknowledgment, Exit, Sender, SenderStatistics, Write};
use crate::variant::Variant;
use seamline_wire::{
    Duration, Ecn, Event, Flags, Instant, Mark, MarkRefusal, Outbox, Packet, Segment, SenderSample,
    SequenceNumber, Signal,
};
use std::sync::Arc;

/// What an endpoint is made from.
#[derive(Clone, Debug)]
pub struct EndpointConfig {
    /// This end.
    pub local: Address,
    /// The other end.
    pub remote: Address,
    /// Parameters, shared between connections.
    pub parameters: Arc<Parameters>,
    /// Congestion control and recovery.
    pub variant: Variant,
    /// What to do about a move; `None` is nothing.
    pub handover: Option<&'static Scheme>,
    /// The initial sequence number (RFC 9293 section 3.4.1: hard to guess on real hosts).
    pub initial_sequence: SequenceNumber,
}

/// How a connection begins.
#[derive(Clone, Debug)]
pub enum Opening {
    /// Send a SYN.
    Active,
    /// Wait for a SYN.
    Passive,
    /// Leave the handshake out: the peer is one of ours with these parameters and this initial
    /// sequence number, and both begin in ESTABLISHED.
    Established {
        /// The peer's parameters.
        peer: Arc<Parameters>,
        /// The peer's initial sequence number.
        peer_initial_sequence: SequenceNumber,
    },
}

/// Counters of a connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// The sending side.
    pub sender: SenderStatistics,
    /// Payload bytes acknowledged by the peer.
    pub bytes_acknowledged: u64,
    /// Payload bytes received in order.
    pub bytes_delivered: u64,
    /// Segments received.
    pub segments_received: u64,
    /// Of those, segments whose payload had all arrived before.
    pub duplicate_segments_received: u64,
    /// Challenge ACKs sent (RFC 5961).
    pub challenge_acks: u64,
    /// Marks of handovers.
    pub marks: MarkCounts,
}

/// One TCP connection.
#[derive(Debug)]
pub struct Endpoint {
    parameters: Arc<Parameters>,
    variant: Variant,
    state: State,
    close_reason: Option<CloseReason>,
    network_error: Option<NetworkError>,
    was_reset: bool,
    passive: bool,
    reads_at_once: bool,
    /// No application is there any more.
    orphaned: bool,
    /// Whether segments may take the fast path ([`predicted`]).
    predicts: bool,
    fast_open: fast_open::FastOpen,
    counted: Option<Box<transactions::Counted>>,
    header: Header,
    sender: Sender,
    receiver: Receiver,
    peer_window_shift: u8,
    segment_size_agreed: u32,
    first_initial_sequence: SequenceNumber,
    last_window_update: (Offset, Offset),
    bytes_delivered: u64,
    segments_received: u64,
    last_arrival: Instant,
    duplicate_segments_received: u64,
    challenge: input::ChallengeLimiter,
    mover: Option<handover::Mover>,
    marks: marks::MarkBudget,
    syn_retransmissions: u32,
    /// The end of TIME-WAIT, of FIN-WAIT-2 without an application, or of a handshake.
    waits_until: Option<Instant>,
    keepalive: Option<KeepAlive>,
    keepalive_at: Option<Instant>,
    keepalives_unanswered: u32,
    user_timeout: Option<Duration>,
    /// Chosen by the application.
    most_syn_retransmissions: Option<u32>,
}

impl Endpoint {
    /// A closed connection.
    pub fn new(config: EndpointConfig) -> Self {
        let parameters = config.parameters;
        let size = u32::from(parameters.segments.maximum_segment_size);
        let mut header = Header::new(config.local, config.remote, &parameters);
        header.sack &= config.variant.recovery.needs_sack;
        let agreed = Agreed { segment_size: size, payload: size, ..Agreed::default() };
        let receiver = Receiver::new(Arc::clone(&parameters), SequenceNumber(0), Offset::SYN, agreed);
        let sender = Sender::new(&parameters, &config.variant, config.initial_sequence, Offset::SYN, size);
        header.ecn.needs = sender.ecn_needs();
        Endpoint {
            variant: config.variant,
            state: State::Closed,
            close_reason: None,
            network_error: None,
            was_reset: false,
            passive: false,
            reads_at_once: false,
            orphaned: false,
            predicts: false,
            fast_open: fast_open::FastOpen::default(),
            counted: None,
            header,
            sender,
            receiver,
            peer_window_shift: 0,
            segment_size_agreed: size,
            first_initial_sequence: config.initial_sequence,
            last_window_update: (Offset::SYN, Offset::SYN),
            bytes_delivered: 0,
            segments_received: 0,
            last_arrival: Instant::ZERO,
            duplicate_segments_received: 0,
            challenge: input::ChallengeLimiter::default(),
            mover: config.handover.map(|scheme| handover::Mover::new(scheme, &parameters)),
            marks: marks::MarkBudget::default(),
            syn_retransmissions: 0,
            waits_until: None,
            keepalive_at: None,
            keepalive: parameters.connection.keepalive,
            keepalives_unanswered: 0,
            user_timeout: parameters.connection.user_timeout,
            most_syn_retransmissions: None,
            parameters,
        }
    }

    /// This end.
    pub fn local(&self) -> Address {
        self.header.local
    }
    /// Its parameters.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }
    /// The other end.
    pub fn remote(&self) -> Address {
        self.header.remote
    }
    /// The connection's state.
    pub fn state(&self) -> State {
        self.state
    }
    /// Why the connection ended, once it has.
    pub fn close_reason(&self) -> Option<CloseReason> {
        self.close_reason
    }
    /// Whether the peer's reset ended the connection, also where both ends had closed before, so that it ended well.
    pub fn was_reset(&self) -> bool {
        self.was_reset
    }
    /// Counters.
    pub fn statistics(&self) -> Statistics {
        Statistics {
            sender: self.sender.statistics,
            bytes_acknowledged: self.sender.bytes_acknowledged(),
            bytes_delivered: self.bytes_delivered,
            segments_received: self.segments_received,
            duplicate_segments_received: self.duplicate_segments_received,
            challenge_acks: self.challenge.sent,
            marks: self.marks.counts,
        }
    }
    /// The sender's state, as traces show it.
    pub fn sample(&self) -> SenderSample {
        self.sender.sample()
    }
    /// What is known of the round-trip time.
    pub fn round_trip(&self) -> crate::rtt::RoundTrip {
        self.sender.view.round_trip
    }
    /// Payload of a full segment in bytes.
    pub fn segment_size(&self) -> u32 {
        self.sender.view.segment_size
    }
    /// Whether fast recovery is under way.
    pub fn in_recovery(&self) -> bool {
        self.sender.in_recovery()
    }
    /// Bytes received in order and not yet consumed.
    pub fn readable(&self) -> u64 {
        self.receiver.readable()
    }
    /// Whether the peer has closed, and everything before its FIN has arrived.
    pub fn peer_has_closed(&self) -> bool {
        self.receiver.is_finished()
    }
    /// Bytes supplied and not yet acknowledged.
    pub fn buffered(&self) -> u64 {
        self.sender.bytes_buffered()
    }
    /// The sequence number of the next byte expected, to place payload by.
    pub fn next_expected(&self) -> SequenceNumber {
        self.receiver.acknowledgment()
    }

    /// Receive into so many bytes from now on, but take back nothing that was offered. The window scale is agreed on when a
    /// connection opens: [`Parameters::set_receive_buffer`] chooses it for the largest buffer there will be.
    pub fn set_receive_buffer(&mut self, bytes: u32) {
        self.receiver.set_buffer(bytes);
    }
    /// Receive buffer in bytes.
    pub fn receive_buffer(&self) -> u32 {
        self.receiver.buffer()
    }
    /// Bytes of the peer that are not read, or may still come because they were offered.
    pub fn committed(&self) -> u64 {
        self.receiver.committed()
    }
    /// The path was gone, and is there again: what was under way is lost without a sign of it. Send it again at once, from
    /// the first outstanding byte on; a SYN or a window probe, if that is what waits for an answer.
    pub fn resume(&mut self, now: Instant, out: &mut Outbox) {
        if self.state.is_handshaking() {
            self.send_syn(now, out);
        } else if self.acts_on_moves() {
            let Endpoint { sender, receiver, header, .. } = self;
            sender.resume(now, &mut Exit { header, receiver, out });
        }
    }

    /// Acknowledgments may have been lost with a path that is gone, and nothing else: send the first outstanding segment again, so
    /// that the peer says how far it is.
    pub fn ask_again(&mut self, now: Instant, out: &mut Outbox) {
        if self.state.is_handshaking() {
            self.send_syn(now, out);
        } else if self.acts_on_moves() {
            let Endpoint { sender, receiver, header, .. } = self;
            sender.ask_again(now, &mut Exit { header, receiver, out });
        }
    }

    fn pump(&mut self, now: Instant, out: &mut Outbox) {
        if self.transmits() {
            let Endpoint { sender, receiver, header, .. } = self;
            sender.pump(now, &mut Exit { header, receiver, out });
        }
    }

    /// Send a pure acknowledgment when one is owed and nothing carried it. A scheme that has nothing more to say holds
    /// none back.
    fn acknowledge_if_due(&mut self, now: Instant, out: &mut Outbox) {
        if !self.acts_on_moves() {
            self.release_acknowledgments(now, Release::All, out);
        }
        let keeps_clock = self.receiver.ends_compression(now) && self.receiver.keeps_clock();
        let clock = if keeps_clock { self.last_arrival } else { now };
        if self.receiver.adapts() {
            self.receiver.settle(now, &self.timing());
        }
        if self.receiver.is_due(now) {
            self.acknowledge(clock, out);
        }
        if self.receiver.duplicate_at().is_some_and(|at| at <= now) {
            for _ in 0..self.receiver.take_due_duplicates(now) {
                self.acknowledge(now, out);
            }
        }
    }
    /// Send a pure acknowledgment, as if it were that late.
    fn acknowledge(&mut self, clock: Instant, out: &mut Outbox) {
        let segment = self.acknowledgment();
        self.header.acknowledge(clock, segment, &mut self.receiver, out);
    }
    /// What acknowledges without data.
    fn acknowledgment(&self) -> Segment {
        let sequence = self.sequence_to_stand_at();
        match self.repeats_fin() {
            true => Segment { sequence: sequence - 1, flags: Flags::ACK | Flags::FIN, ..Segment::default() },
            false => Segment { sequence, flags: Flags::ACK, ..Segment::default() },
        }
    }
    /// What the sending side knows of time, for acknowledgments that adapt.
    fn timing(&self) -> Timing {
        if !self.receiver.adapts() {
            return Timing::default();
        }
        let smoothed = self.sender.view.round_trip.smoothed;
        Timing { smoothed: (!smoothed.is_zero()).then_some(smoothed), timeout: self.sender.timeout() }
    }
    /// The sequence number of segments that occupy no sequence space: SND.NXT, but within the peer's
    /// window. Beyond it lies the byte that probes a closed window; the peer would not take our acknowledgments
    /// in from there. When the peer has taken all of its window back, as Freeze-TCP does, the furthest edge counts:
    /// from further left acknowledgments would look old to it, and with both windows closed stay unheard for ever.
    fn sequence_to_stand_at(&self) -> SequenceNumber {
        let view = &self.sender.view;
        let edge = match view.peer_window {
            0 => self.sender.furthest_edge.max(view.unacknowledged),
            window => view.unacknowledged + window,
        };
        view.highest_sent.min(edge).sequence(self.sender.initial)
    }
    fn send_bare_ack(&mut self, now: Instant, out: &mut Outbox) {
        self.send_ack_with(now, None, out);
    }

    /// When [`Endpoint::on_wake`] is to be called.
    #[inline]
    pub fn wake_at(&self) -> Option<Instant> {
        let mut at = self.sender.timer();
        if let Some(acknowledge_at) = self.receiver.acknowledge_at() {
            at = at.min(acknowledge_at);
        }
        if let Some(duplicate_at) = self.receiver.duplicate_at() {
            at = at.min(duplicate_at);
        }
        if let Some(waits_until) = self.waits_until {
            at = at.min(waits_until);
        }
        if let Some(keepalive_at) = self.keepalive_at {
            at = at.min(keepalive_at);
        }
        if self.mover.is_some() {
            at = at.min(self.mover_wake_at().unwrap_or(Instant::MAX));
        }
        (at != Instant::MAX).then_some(at)
    }

    /// A timer may have expired.
    pub fn on_wake(&mut self, now: Instant, out: &mut Outbox) {
        if self.waits_until.is_some_and(|until| until <= now) {
            let both_closed = self.state == State::TimeWait;
            let reason = if both_closed { CloseReason::Finished } else { CloseReason::TimedOut };
            return self.finish(reason, out);
        }
        if self.sender.is_due(now) {
            self.on_sender_timer(now, out);
        }
        if self.keepalive_at.is_some_and(|at| at <= now) {
            self.on_keepalive_timer(now, out);
        }
        self.on_mover_timer(now, out);
        self.acknowledge_if_due(now, out);
    }

    fn on_sender_timer(&mut self, now: Instant, out: &mut Outbox) {
        let limit = self.user_timeout;
        if limit.is_some_and(|limit| self.sender.stalled_for(now) >= limit) {
            self.give_up(now, out);
        } else if self.state.is_handshaking() {
            self.on_handshake_timer(now, out);
        } else {
            if self.sender.has_lost_its_clock() {
                self.happened(now, HandoverEvent::Timeout, out);
            }
            let Endpoint { sender, receiver, header, .. } = self;
            sender.on_timer(now, &mut Exit { header, receiver, out });
        }
    }

    fn enter(&mut self, state: State, out: &mut Outbox) {
        if self.state != state {
            self.state = state;
            self.predicts = state == State::Established && self.is_predictable();
            let port = self.header.local.port;
            out.event(|| Event::ConnectionState { port, state: state.name() });
        }
    }
}
