//! A segment arrives (RFC 9293 section 3.10.7), with the checks of RFC 5961 and RFC 7323.

use super::timestamps::TimestampCheck;
use super::*;
use crate::ecn::Notice;

/// Between two challenge ACKs of a connection, at least: by the example of RFC 5961 section 7 at most ten in five seconds (Linux:
/// `tcp_invalid_ratelimit`). Several at once would be duplicate acknowledgments to the peer, which then retransmits and cuts
/// its window because a stranger has sent something.
const CHALLENGE_INTERVAL: Duration = Duration::from_millis(500);

/// Keeps challenge ACKs apart.
#[derive(Debug, Default)]
pub(super) struct ChallengeLimiter {
    last: Option<Instant>,
    pub(super) sent: u64,
}

impl ChallengeLimiter {
    fn permits(&mut self, now: Instant) -> bool {
        let permitted = self.last.is_none_or(|last| now.saturating_since(last) >= CHALLENGE_INTERVAL);
        if permitted {
            self.last = Some(now);
        }
        permitted
    }
}

impl Endpoint {
    /// A packet of this connection arrives.
    pub fn on_packet(&mut self, now: Instant, packet: &Packet, out: &mut Outbox) {
        self.segments_received += 1;
        if !self.takes_as_predicted(now, &packet.segment, out) {
            self.on_unpredicted(now, packet, out);
        }
    }

    #[inline(never)]
    fn on_unpredicted(&mut self, now: Instant, packet: &Packet, out: &mut Outbox) {
        // A timer that expires when a packet arrives is served first (the kernel: HRTIMER_SOFTIRQ, before what NET_TX_SOFTIRQ raises).
        if self.receiver.ends_compression(now) {
            self.acknowledge_if_due(now, out);
        }
        self.last_arrival = now;
        match self.state {
            State::Closed => reset_for(packet, out),
            State::Listen => self.on_packet_in_listen(now, packet, out),
            State::SynSent => self.on_packet_in_syn_sent(now, packet, out),
            _ => self.on_packet_when_synchronized(now, packet, out),
        }
    }

    /// Whether both numbers of a segment are such as the peer's can be: the sequence number in the window (RFC 9293 section 3.4), the acknowledgment as in RFC
    /// 5961 section 5.2. Before the peer is known any can be.
    pub fn takes(&self, segment: &Segment) -> bool {
        if !self.state.is_synchronized() {
            return true;
        }
        let start = self.receiver.offset(segment.sequence);
        let is_answer = segment.flags.intersects(Flags::ACK);
        self.receiver.accepts(start, segment.sequence_length())
            && (!is_answer || self.acceptable_acknowledgment(segment).is_some())
    }

    fn on_packet_when_synchronized(&mut self, now: Instant, packet: &Packet, out: &mut Outbox) {
        let segment = &packet.segment;
        if self.repeats_syn(segment) {
            return self.answer_syn_again(now, packet, out);
        }
        let start = self.receiver.offset(segment.sequence);
        if segment.flags.intersects(Flags::RST) {
            return self.on_reset(now, start, out);
        }
        match self.check_timestamps(now, segment) {
            TimestampCheck::Passed => {}
            TimestampCheck::Missing => return,
            TimestampCheck::Old if self.is_disordered_acknowledgment(segment, start) => {}
            TimestampCheck::Old => {
                self.refuse_mark(segment, MarkRefusal::OldTimestamp, out);
                return self.refuse(now, segment, start, out);
            }
        }
        if self.state == State::TimeWait && self.is_ignored_in_time_wait(segment) {
            return;
        }
        if !self.receiver.accepts(start, segment.sequence_length()) {
            return self.on_unacceptable(now, segment, start, out);
        }
        if segment.flags.intersects(Flags::SYN) {
            return self.on_syn_in_window(now, out);
        }
        if !segment.flags.intersects(Flags::ACK) {
            return;
        }
        if self.state == State::TimeWait && !self.repeats_nothing(segment, start) {
            return self.refuse(now, segment, start, out);
        }
        if self.is_for_nobody(segment, start) {
            reset_for(packet, out);
            return self.finish(CloseReason::Aborted, out);
        }
        let opens = self.state == State::SynReceived;
        if opens && !self.on_ack_in_syn_received(now, packet, out) {
            return;
        }
        if self.header.ecn.on_packet(packet.ecn, segment) {
            self.receiver.acknowledge_at_once();
        }
        self.on_acceptable(now, packet, start.unwrap_or_default(), opens, out);
    }

    /// What the network and the peer say about congestion (RFC 3168 section 6.1).
    fn note_congestion(&mut self, now: Instant, packet: &Packet, out: &mut Outbox) {
        let segment = &packet.segment;
        if segment.length == 0 {
            return;
        }
        if self.header.ecn.take_announcement(segment) {
            self.receiver.acknowledge_at_once();
        }
        // What has come so far is acknowledged with the state so far, what comes now at once with the new one (RFC 8257 section 3.2).
        let changes = self.header.ecn.changes(packet.ecn);
        if changes && self.receiver.delays() {
            self.send_bare_ack(now, out);
        }
        if self.header.ecn.on_data(packet.ecn) == Notice::Soon {
            self.receiver.note_mark();
        }
        if changes {
            self.receiver.acknowledge_at_once();
        }
    }

    fn is_ignored_in_time_wait(&self, segment: &Segment) -> bool {
        let needs = self.parameters.connection.time_wait_needs_acknowledgments;
        needs && !segment.flags.intersects(Flags::ACK | Flags::SYN)
    }

    /// Whether a segment in TIME-WAIT is a mere acknowledgment of everything; the peer may miss an acknowledgment behind any other.
    fn repeats_nothing(&self, segment: &Segment, start: Option<Offset>) -> bool {
        segment.sequence_length() == 0 && start == Some(self.receiver.next())
    }

    /// The acknowledgment is looked at before the payload is taken (RFC 5961 section 5), the payload
    /// is taken before anything is sent, so that what is sent acknowledges it. When it `opens` the
    /// connection, what has waited for that leaves after the payload is taken.
    fn on_acceptable(&mut self, now: Instant, packet: &Packet, start: Offset, opens: bool, out: &mut Outbox) {
        let segment = &packet.segment;
        let Some(acknowledged) = self.acceptable_acknowledgment(segment) else {
            self.refuse_mark(segment, MarkRefusal::ImplausibleAcknowledgment, out);
            if !self.is_ignored_for_acknowledgment(segment) {
                self.challenge(now, out);
            }
            return;
        };
        self.note_acceptable(now, segment, start);
        let is_tuned = self.receiver.is_tuned();
        let clock = self.header.timestamps.as_ref().filter(|_| is_tuned && !opens);
        if let (Some(times), Some(clock)) = (segment.timestamps, clock) {
            self.receiver.measure_by_echo(times.echo, clock.since(now, times.echo), segment.length);
        }
        let mut delivered = 0;
        if segment.sequence_length() > 0 && self.state.receives() {
            delivered = self.take_payload(now, packet, start, out);
            if self.expected_mark(segment).is_none() && segment.length > 0 {
                self.happened(now, HandoverEvent::Data, out);
            }
        }
        if opens {
            self.pump(now, out);
        }
        if acknowledged >= self.sender.view.unacknowledged && self.state != State::TimeWait {
            self.take_acknowledgment(now, segment, start, acknowledged, out);
        } else {
            self.refuse_mark(segment, MarkRefusal::OldAcknowledgment, out);
            self.take_old_acknowledgment(now, segment, acknowledged, out);
        }
        self.follow_fins(now, out);
        self.acknowledge_if_due(now, out);
        if delivered > 0 && self.reads_at_once && (self.receiver.adapts() || is_tuned) {
            self.consume(now, u64::MAX, out);
        }
    }

    /// An acceptable segment with an acceptable acknowledgment has come.
    pub(super) fn note_acceptable(&mut self, now: Instant, segment: &Segment, start: Offset) {
        self.network_error = None;
        self.keep_timestamp(now, segment, start);
        self.restart_keepalive(now);
    }

    /// SND.WL1 and SND.WL2.
    pub(super) fn note_window_update(&mut self, start: Offset, acknowledged: Offset) {
        let (sequence, acknowledgment) = self.last_window_update;
        self.last_window_update = (sequence.max(start), acknowledgment.max(acknowledged));
    }

    fn is_ignored_for_acknowledgment(&self, segment: &Segment) -> bool {
        let at = self.sender.offset(segment.acknowledgment);
        let is_unsent = at.is_some_and(|at| at > self.sender.view.highest_sent);
        is_unsent && self.parameters.connection.ignores_acknowledgments_of_unsent
    }

    /// SND.UNA - MAX.SND.WND <= SEG.ACK <= what has been sent (RFC 5961 section 5.2).
    pub(super) fn acceptable_acknowledgment(&self, segment: &Segment) -> Option<Offset> {
        let view = &self.sender.view;
        let offset = self.sender.offset(segment.acknowledgment)?;
        let oldest = view.unacknowledged.0.saturating_sub(view.largest_peer_window);
        (offset.0 >= oldest && offset <= view.highest_sent).then_some(offset)
    }

    /// Returns how many bytes have become readable.
    fn take_payload(&mut self, now: Instant, packet: &Packet, start: Offset, out: &mut Outbox) -> u64 {
        self.note_congestion(now, packet, out);
        let segment = &packet.segment;
        let reports_before = self.receiver.must_report_before(start, segment.length);
        if reports_before {
            self.send_bare_ack(now, out);
        }
        let arrival = self.arrival(now, segment, start);
        let received = self.receiver.accept(&arrival);
        if reports_before {
            self.receiver.owe_nothing();
        }
        let duplicate = segment.length > 0 && received.new == 0 && !received.refused;
        self.duplicate_segments_received += u64::from(duplicate);
        if self.reads_at_once && !self.receiver.is_tuned() {
            self.receiver.consume_all();
        }
        self.deliver(received.delivered, out);
        received.delivered
    }

    pub(super) fn arrival(&self, now: Instant, segment: &Segment, start: Offset) -> Arrival {
        let (fin, push) = (segment.flags.intersects(Flags::FIN), segment.flags.intersects(Flags::PSH));
        Arrival { now, start, length: segment.length, fin, push, timing: self.timing() }
    }

    /// So many bytes have become readable.
    pub(super) fn deliver(&mut self, bytes: u64, out: &mut Outbox) {
        self.bytes_delivered += bytes;
        if bytes > 0 {
            let port = self.header.local.port;
            out.event(|| Event::Delivered { port, bytes: bytes as u32 });
        }
    }

    fn take_acknowledgment(
        &mut self,
        now: Instant,
        segment: &Segment,
        start: Offset,
        acknowledged: Offset,
        out: &mut Outbox,
    ) {
        // SND.WL1 and SND.WL2; but what acknowledges more than anything before it was sent after it, even
        // when it is a retransmission. Were its window ignored, the right edge would move by itself.
        let advances = acknowledged > self.sender.view.unacknowledged;
        let is_newer = start > self.last_window_update.0;
        let newest = advances || (start, acknowledged) >= self.last_window_update;
        let window = newest.then(|| u64::from(segment.window) << self.peer_window_shift);
        if newest {
            self.note_window_update(start, acknowledged);
        }
        let expected = self.expected_mark(segment);
        let mark = self.accepted_mark(now, expected, segment, out);
        let notifies = mark.is_some_and(|mark| self.decides_on(mark));
        // Were it one duplicate of many, refusing marks would open another way to cause what they ask for.
        let is_refused = mark.is_none() && expected.is_some();
        let ack = Acknowledgment {
            offset: acknowledged,
            window,
            newer: is_newer,
            bare: segment.sequence_length() == 0 && !notifies && !is_refused,
            // What a notification acknowledges had waited for the move to end.
            timestamp_sample: self.timestamp_sample(now, segment).filter(|_| !notifies),
        };
        let Endpoint { sender, receiver, header, .. } = self;
        let exit = &mut Exit { header, receiver, out };
        if notifies {
            sender.on_notification(now, &ack, segment, exit);
        } else {
            sender.on_ack(now, &ack, segment, exit);
        }
        if advances && !notifies {
            self.happened(now, HandoverEvent::Progress { mark: expected }, out);
        }
        if let Some(mark) = mark {
            self.on_mark(now, mark, segment, out);
        }
    }

    /// Acknowledgments may overtake one another: what an old one reports by SACK still counts.
    fn take_old_acknowledgment(
        &mut self,
        now: Instant,
        segment: &Segment,
        acknowledged: Offset,
        out: &mut Outbox,
    ) {
        let ack = Acknowledgment {
            offset: acknowledged,
            window: None,
            newer: false,
            bare: false,
            timestamp_sample: None,
        };
        let Endpoint { sender, receiver, header, .. } = self;
        sender.on_old_ack(now, &ack, segment, &mut Exit { header, receiver, out });
    }

    /// RFC 5961 section 3.2.
    fn on_reset(&mut self, now: Instant, start: Option<Offset>, out: &mut Outbox) {
        if !self.receiver.contains(start) {
            return;
        }
        if start != Some(self.receiver.next()) {
            return self.challenge(now, out);
        }
        self.was_reset = self.state.is_synchronized() && self.state != State::TimeWait;
        match self.state {
            State::SynReceived if self.is_open_early() => self.finish(CloseReason::Reset, out),
            State::SynReceived if self.passive => self.return_to_listen(now, CloseReason::Reset, out),
            State::SynReceived => self.finish(CloseReason::Refused, out),
            state if state.is_closed_by_both() => self.finish(CloseReason::Finished, out),
            _ => self.finish(CloseReason::Reset, out),
        }
    }

    /// RFC 9293 section 3.10.7.4, fourth step; RFC 5961 section 4.2.
    fn on_syn_in_window(&mut self, now: Instant, out: &mut Outbox) {
        if self.state == State::SynReceived && self.passive {
            self.return_to_listen(now, CloseReason::Reset, out);
        } else {
            self.challenge(now, out);
        }
    }

    /// RFC 9293 section 3.10.7.4, first step. With a closed window nothing that occupies sequence space is
    /// acceptable, but its acknowledgment and window still count (MUST-66): both ends may be probing
    /// each other.
    fn on_unacceptable(&mut self, now: Instant, segment: &Segment, start: Option<Offset>, out: &mut Outbox) {
        let next = self.receiver.next();
        let probes = start == Some(next) && !segment.flags.intersects(Flags::SYN);
        let acknowledged = self.acceptable_acknowledgment(segment);
        let (Some(acknowledged), true) = (acknowledged, probes && segment.flags.intersects(Flags::ACK))
        else {
            if start.is_some_and(|start| start <= next) && self.is_plausible(segment, start) {
                self.on_data_again(now, segment, acknowledged, out);
            } else {
                self.refuse_mark(segment, MarkRefusal::OutOfWindow, out);
            }
            return self.refuse(now, segment, start, out);
        };
        self.restart_keepalive(now);
        if segment.length > 0 {
            self.receiver.note_trouble();
        }
        self.receiver.acknowledge_soon();
        let is_news = acknowledged >= self.sender.view.unacknowledged;
        if is_news && self.state.is_synchronized() && self.state != State::TimeWait {
            self.take_acknowledgment(now, segment, next, acknowledged, out);
            self.follow_fins(now, out);
        }
        self.acknowledge_if_due(now, out);
    }

    /// Answer what is not acceptable with an acknowledgment (RFC 9293 section 3.10.7.4, first step): at once where it
    /// may be the peer's, and at the rate of challenge ACKs where its origin is unknown.
    fn refuse(&mut self, now: Instant, segment: &Segment, start: Option<Offset>, out: &mut Outbox) {
        if self.state == State::TimeWait && segment.flags.intersects(Flags::FIN) {
            self.begin_time_wait(now, out);
        }
        if segment.flags.intersects(Flags::SYN) {
            return self.challenge(now, out);
        }
        let next = self.receiver.next();
        let is_old = start.is_none_or(|start| start + u64::from(segment.length) <= next);
        self.duplicate_segments_received += u64::from(segment.length > 0 && is_old);
        let is_limited = self.parameters.connection.limits_answers && segment.sequence_length() == 0;
        if is_limited && !self.challenge.permits(now) {
            return;
        }
        if is_limited || self.is_plausible(segment, start) {
            if let Some(start) = start.filter(|_| is_old && segment.length > 0) {
                let end = start + u64::from(segment.length);
                // The kernel asks whether a segment is acceptable by what it has acknowledged (tcp_sequence).
                match end < self.receiver.last_acknowledged() {
                    true => self.receiver.hurry(),
                    false => self.receiver.note_trouble(),
                }
                self.receiver.note_duplicate(start, end);
            }
            self.send_bare_ack(now, out);
        } else {
            self.challenge(now, out);
        }
    }

    /// A challenge ACK, within its rate (RFC 5961 sections 3, 4, 5 and 7).
    fn challenge(&mut self, now: Instant, out: &mut Outbox) {
        if self.challenge.permits(now) {
            self.challenge.sent += 1;
            self.send_bare_ack(now, out);
        }
    }
}
