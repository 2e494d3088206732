//! Opening a connection (RFC 9293 sections 3.5 and 3.10.7.2 to 3.10.7.4).

use super::*;
use crate::parameters::{DataWithSyn, SynWithFin};

/// MSS when the peer does not say (RFC 9293 section 3.7.1, MUST-15).
const DEFAULT_PEER_SEGMENT_SIZE: u16 = 536;
/// A peer that offers less is taken to offer this, as in Linux: a segment of a byte or two would multiply
/// the work of both ends.
const LEAST_PEER_SEGMENT_SIZE: u16 = 48;
/// Time between two initial sequence numbers (RFC 9293 section 3.4.1).
const INITIAL_SEQUENCE_TICK: Duration = Duration::from_micros(4);
const LARGEST_WINDOW_SHIFT: u8 = 14;

impl Endpoint {
    /// Begin the connection.
    pub fn open(&mut self, now: Instant, opening: Opening, out: &mut Outbox) {
        match opening {
            Opening::Passive => {
                self.passive = true;
                self.enter(State::Listen, out);
            }
            Opening::Active => {
                self.waits_until = self.parameters.connection.handshake_timeout.map(|timeout| now + timeout);
                self.enter(State::SynSent, out);
                self.send_syn(now, out);
            }
            Opening::Established { peer, peer_initial_sequence } => {
                self.open_without_handshake(now, &peer, peer_initial_sequence, out);
            }
        }
    }

    fn open_without_handshake(
        &mut self,
        now: Instant,
        peer: &Parameters,
        peer_initial: SequenceNumber,
        out: &mut Outbox,
    ) {
        let syn = syn_options(&peer.segments);
        self.agree(now, &syn, Ecn::NotEct);
        self.header.ecn.assume(self.parameters.segments.ecn, peer.segments.ecn);
        let payload = self.segment_size_agreed;
        let offered = self.receiver.first_window(payload);
        self.receive_from(peer_initial, Offset::FIRST_BYTE, offered.into());
        let first_may_recover = self.parameters.recovery.fast_retransmit_of_first_segment;
        let start = if first_may_recover { Offset::SYN } else { Offset::FIRST_BYTE };
        let recovery = self.variant.recovery.build(&self.parameters, start);
        self.sender.begin_at(Offset::FIRST_BYTE, recovery);
        self.establish(now, peer.receiver.first_window(payload).into(), start, out);
        self.pump(now, out);
    }

    pub(super) fn send_syn(&mut self, now: Instant, out: &mut Outbox) {
        let retransmission = self.sender.note_syn(now, self.passive);
        let (port, sequence) = (self.header.local.port, self.sender.initial);
        out.event(|| Event::SegmentSent { port, sequence, length: 1, retransmission });
        out.event(|| Event::Sender { port, sample: self.sender.sample() });
        let mut segment = syn_options(&self.parameters.segments);
        segment.length = self.length_with_syn(retransmission);
        segment.sequence = self.sender.initial;
        segment.mark = self.mark_of_syn();
        segment.sack_permitted = self.header.sack;
        if self.state == State::SynReceived {
            segment.flags = Flags::SYN | Flags::ACK;
            segment.flags = segment.flags | self.header.ecn.flags_of_answer();
            if !self.header.window_scaled {
                segment.window_scale = None;
            }
            if self.header.timestamps.is_none() {
                segment.timestamps = None;
            }
            self.header.send(now, segment, &mut self.receiver, out);
        } else {
            let sent_before = self.syn_retransmissions.max(u32::from(retransmission));
            let segments = &self.parameters.segments;
            segment.flags = segment.flags
                | self.header.ecn.flags_of_syn(segments.ecn, sent_before, segments.ecn_syn_retransmissions);
            segment.window = self.receiver.offer(false);
            self.header.send_bare(now, segment, out);
        }
    }

    /// Keep of our options those that the peer's SYN has too.
    fn agree(&mut self, now: Instant, syn: &Segment, field: Ecn) {
        let ours = &self.parameters.segments;
        self.header.window_scaled = ours.window_scale.is_some() && syn.window_scale.is_some();
        self.header.sack &= syn.sack_permitted;
        match syn.flags.intersects(Flags::ACK) {
            true => self.header.ecn.on_answer(ours.ecn, syn, field),
            false => self.header.ecn.on_syn(ours.ecn, syn, field),
        }
        let times = ours.timestamp_tick.filter(|_| syn.timestamps.is_some());
        self.header.timestamps = times.map(|tick| TimestampClock {
            recent: syn.timestamps.map_or(0, |timestamps| timestamps.value),
            recent_since: now,
            ..TimestampClock::new(tick)
        });
        let peer_shift = syn.window_scale.unwrap_or(0).min(LARGEST_WINDOW_SHIFT);
        self.peer_window_shift = if self.header.window_scaled { peer_shift } else { 0 };
        let peer_size =
            syn.maximum_segment_size.unwrap_or(DEFAULT_PEER_SEGMENT_SIZE).max(LEAST_PEER_SEGMENT_SIZE);
        let most = u32::from(ours.maximum_segment_size.min(peer_size));
        self.header.largest_segment = most;
        self.segment_size_agreed = most.saturating_sub(self.header.options_length()).max(1);
    }

    /// Receive from a peer who began at `initial`, to whom `offered` bytes from `next` on have been offered.
    fn receive_from(&mut self, initial: SequenceNumber, next: Offset, offered: u64) {
        let segments = &self.parameters.segments;
        let shift = segments.window_scale.filter(|_| self.header.window_scaled).unwrap_or(0);
        let segment_size = u32::from(segments.maximum_segment_size);
        let agreed = Agreed {
            window_shift: shift.min(LARGEST_WINDOW_SHIFT),
            segment_size,
            payload: segment_size.saturating_sub(self.header.options_length()).max(1),
            selective: self.header.sack,
        };
        self.receiver = self.receiver.again(initial, next, agreed);
        self.receiver.has_offered(offered);
        if !self.passive {
            self.receiver.has_buffer();
        }
    }

    /// Open the connection; `start` is where recovery begins to count. Nothing leaves yet.
    fn establish(&mut self, now: Instant, peer_window: u64, start: Offset, out: &mut Outbox) {
        let was_early = self.is_open_early();
        self.waits_until = None;
        if was_early {
            self.sender.wait_for_handshake(false);
            self.sender.set_peer_window(peer_window);
        } else {
            self.begin_sending(peer_window, start);
        }
        let state = if self.sender.view.finishing { State::FinWait1 } else { State::Established };
        self.enter(state, out);
        self.restart_keepalive(now);
        if !was_early {
            let early = self.receiver.open(now);
            self.deliver(early, out);
        }
        if self.reads_at_once {
            self.receiver.consume_all();
        }
        self.follow_fins(now, out);
    }

    /// The sender learns what was agreed on.
    pub(super) fn begin_sending(&mut self, peer_window: u64, start: Offset) {
        if !self.header.sack {
            self.sender.do_without_sack(start);
        }
        self.sender.establish(self.segment_size_agreed, peer_window);
    }

    /// Keep what comes with the peer's SYN until the connection is open (sections 3.10.7.2 and 3.10.7.3).
    fn keep_data_with_syn(&mut self, now: Instant, segment: &Segment) {
        let opens = segment.flags.intersects(Flags::ACK);
        let arrival = self.arrival(now, segment, Offset::FIRST_BYTE);
        let keeps = match self.parameters.connection.data_with_syn {
            _ if segment.sequence_length() == 1 => false,
            DataWithSyn::Kept => true,
            DataWithSyn::KeptByOpener if !opens && !self.passive => {
                self.receiver.take_in_when_open(Arrival { fin: false, ..arrival });
                false
            }
            DataWithSyn::KeptByOpener => !self.passive,
            DataWithSyn::Dropped => self.fast_open.asked && opens,
        };
        if keeps {
            self.receiver.withhold();
            self.receiver.accept(&arrival);
        }
    }

    fn note_syn_acknowledged(&mut self, now: Instant, segment: &Segment, out: &mut Outbox) {
        if self.syn_retransmissions > 0 && !self.answers_first_syn(segment) {
            self.sender.begin_with_one_segment();
        }
        self.sender.note_syn_acknowledged(now, self.timestamp_sample(now, segment));
        let port = self.header.local.port;
        out.event(|| Event::AckReceived { port, acknowledgment: segment.acknowledgment });
    }

    pub(super) fn on_handshake_timer(&mut self, now: Instant, out: &mut Outbox) {
        let is_unanswered = self.state == State::SynSent;
        let linear = if is_unanswered { self.parameters.connection.linear_syn_timeouts } else { 0 };
        if self.has_sent_syn_enough(now, linear) {
            return self.give_up(now, out);
        }
        self.syn_retransmissions += 1;
        self.sender.note_syn_timeout(self.syn_retransmissions > linear);
        self.send_syn(now, out);
    }

    /// Whether the SYN has been sent so often, or, where some timeouts were `linear`, for as long as if none had been (Linux:
    /// tcp_write_timeout).
    fn has_sent_syn_enough(&self, now: Instant, linear: u32) -> bool {
        let parameters = &self.parameters.connection;
        let most = self.most_syn_retransmissions.unwrap_or(match self.passive {
            true => parameters.most_syn_ack_retransmissions,
            false => parameters.most_syn_retransmissions,
        });
        let longest = self.parameters.round_trip.initial_timeout * ((2u64 << most.min(32)) - 1);
        let opened = self.sender.opened_at().filter(|_| linear > 0 && self.syn_retransmissions > 0);
        self.syn_retransmissions >= most.saturating_add(linear)
            || opened.is_some_and(|at| now.saturating_since(at) >= longest)
    }

    /// Section 3.10.7.2.
    pub(super) fn on_packet_in_listen(&mut self, now: Instant, packet: &Packet, out: &mut Outbox) {
        let segment = &packet.segment;
        if segment.flags.intersects(Flags::RST) {
            return;
        }
        if segment.flags.intersects(Flags::ACK) {
            let is_answer = segment.flags.intersects(Flags::SYN);
            if !(is_answer && self.parameters.connection.listener_ignores_answers) {
                reset_for(packet, out);
            }
            return;
        }
        if segment.flags.intersects(Flags::SYN) && !self.drops(segment, SynWithFin::DroppedByListener) {
            self.header.remote.node = packet.source;
            self.header.remote.port = packet.source_port;
            self.agree(now, segment, packet.ecn);
            self.receive_from(segment.sequence, Offset::FIRST_BYTE, 0);
            let first_window = self.receiver.window().min(u64::from(u16::MAX));
            self.receiver.has_offered(first_window);
            if !self.take_data_early(now, segment, out) {
                self.keep_data_with_syn(now, segment);
                self.sender.set_peer_window(u64::from(segment.window));
            }
            self.enter(State::SynReceived, out);
            self.send_syn(now, out);
        }
    }

    /// Whether a SYN has a FIN, and such are dropped, at least here.
    fn drops(&self, segment: &Segment, least: SynWithFin) -> bool {
        segment.flags.contains(Flags::SYN | Flags::FIN) && self.parameters.connection.syn_with_fin >= least
    }

    /// Section 3.10.7.3.
    pub(super) fn on_packet_in_syn_sent(&mut self, now: Instant, packet: &Packet, out: &mut Outbox) {
        let segment = &packet.segment;
        if self.drops(segment, SynWithFin::Dropped) {
            return;
        }
        let acknowledges = segment.flags.intersects(Flags::ACK);
        let answered = self.acknowledges_syn(segment);
        if acknowledges && (answered.is_none() || self.is_echo_false(now, segment)) {
            reset_for(packet, out);
            return;
        }
        if segment.flags.intersects(Flags::RST) {
            if acknowledges {
                self.finish(CloseReason::Refused, out);
            }
            return;
        }
        if !segment.flags.intersects(Flags::SYN) {
            return;
        }
        self.agree(now, segment, packet.ecn);
        self.receive_from(segment.sequence, Offset::FIRST_BYTE, self.receiver.offered());
        self.keep_data_with_syn(now, segment);
        if acknowledges {
            self.note_syn_acknowledged(now, segment, out);
            let waits = self.fast_open.writes_soon && self.receiver.wait_for_data(now);
            if !waits {
                self.receiver.acknowledge_soon();
            }
            self.settle_data_with_syn(answered.unwrap_or(Offset::FIRST_BYTE));
            self.establish(now, u64::from(segment.window), Offset::SYN, out);
            let has_left = self.fast_open.asked && self.sender.has_unsent();
            if self.parameters.connection.acknowledges_before_data && !has_left {
                self.acknowledge_if_due(now, out);
            }
            self.pump(now, out);
            self.acknowledge_if_due(now, out);
        } else {
            self.sender.set_peer_window(u64::from(segment.window));
            self.enter(State::SynReceived, out);
            self.send_syn(now, out);
        }
    }

    /// The rest of section 3.10.7.4 that concerns SYN-RECEIVED: the acknowledgment of our SYN opens
    /// the connection. Returns whether processing continues, with the segment's timestamp and payload; only
    /// then may anything leave.
    pub(super) fn on_ack_in_syn_received(&mut self, now: Instant, packet: &Packet, out: &mut Outbox) -> bool {
        let segment = &packet.segment;
        let Some(answered) = self.acknowledges_syn(segment) else {
            reset_for(packet, out);
            return false;
        };
        self.note_syn_acknowledged(now, segment, out);
        self.header.ecn.on_handshake_end(segment);
        if self.fast_open.asked {
            self.settle_data_with_syn(answered);
        }
        let shift = if segment.flags.intersects(Flags::SYN) { 0 } else { self.peer_window_shift };
        self.establish(now, u64::from(segment.window) << shift, Offset::SYN, out);
        true
    }

    /// Whether a segment in SYN-RECEIVED is the peer's SYN again: an answer got lost, or both ends
    /// opened at once (section 3.5, figure 8).
    pub(super) fn repeats_syn(&self, segment: &Segment) -> bool {
        self.state == State::SynReceived
            && segment.flags.intersects(Flags::SYN)
            && !segment.flags.intersects(Flags::RST)
            && self.receiver.offset(segment.sequence) == Some(Offset::SYN)
    }

    /// A connection that began passively is to wait for another SYN (section 3.10.7.4, second and fourth step). The same holds
    /// when its answer was repeated often enough: Linux and FreeBSD drop only the half-open connection. If the application has
    /// closed already, the connection ends for this `reason`.
    pub(super) fn return_to_listen(&mut self, now: Instant, reason: CloseReason, out: &mut Outbox) {
        if self.sender.view.finishing {
            return self.finish(reason, out);
        }
        let config = EndpointConfig {
            local: self.header.local,
            remote: self.header.remote,
            parameters: Arc::clone(&self.parameters),
            variant: self.variant,
            handover: None,
            initial_sequence: self.next_initial_sequence(now),
        };
        let mut fresh = Endpoint::new(config);
        if !self.receiver.is_tuned() {
            fresh.set_receive_buffer(self.receiver.buffer());
        }
        let statistics = self.sender.statistics;
        let supplied = self.sender.bytes_buffered();
        self.header = fresh.header;
        self.receiver = fresh.receiver;
        self.peer_window_shift = fresh.peer_window_shift;
        self.sender = fresh.sender;
        self.sender.statistics = statistics;
        self.sender.supply(supplied);
        self.syn_retransmissions = 0;
        self.enter(State::Listen, out);
    }

    /// An initial sequence number that this endpoint has not used: by a clock that ticks every 4 us (section
    /// 3.4.1), beginning behind the number the connection was made with.
    fn next_initial_sequence(&self, now: Instant) -> SequenceNumber {
        let ticks = now.as_nanos() / INITIAL_SEQUENCE_TICK.as_nanos();
        self.first_initial_sequence + (ticks as u32).wrapping_add(1)
    }

    pub(super) fn answer_syn_again(&mut self, now: Instant, packet: &Packet, out: &mut Outbox) {
        if packet.segment.flags.intersects(Flags::ACK) {
            if self.on_ack_in_syn_received(now, packet, out) {
                self.keep_timestamp(now, &packet.segment, Offset::SYN);
                self.receiver.acknowledge_soon();
                self.pump(now, out);
                self.acknowledge_if_due(now, out);
            }
        } else {
            if !self.parameters.connection.echoes_first_syn {
                self.keep_timestamp(now, &packet.segment, Offset::SYN);
            }
            self.send_syn(now, out);
            if self.parameters.connection.repeated_syn_restarts_timer {
                self.sender.start_syn_timer(now, self.passive);
            }
        }
    }
}

/// A SYN with the options these parameters offer.
fn syn_options(segments: &SegmentParameters) -> Segment {
    Segment {
        flags: Flags::SYN,
        maximum_segment_size: segments.offers_segment_size.then_some(segments.maximum_segment_size),
        window_scale: segments.window_scale,
        sack_permitted: segments.selective_acknowledgments,
        timestamps: segments.timestamp_tick.map(|_| Default::default()),
        ..Segment::default()
    }
}
