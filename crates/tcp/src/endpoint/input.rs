//! A segment arrives (RFC 9293 section 3.10.7), with the checks of RFC 5961 and RFC 7323.

use super::{CloseReason, Endpoint, State};
use crate::emit::reset_for;
use crate::offset::Offset;
use crate::sender::{Acknowledgment, Exit};
use seamline_wire::{Duration, Event, Flags, Instant, Outbox, Packet, Segment};

/// TS.Recent older than this is not trusted (RFC 7323 section 5.5).
const TIMESTAMP_OUTDATED_AFTER: Duration = Duration::from_secs(24 * 24 * 3600);

/// At most so many challenge ACKs a second (RFC 5961 section 7).
#[derive(Debug)]
pub(super) struct ChallengeLimiter {
    per_second: u32,
    second_began: Instant,
    in_second: u32,
    sent: u64,
}

impl ChallengeLimiter {
    pub(super) fn new(per_second: u32) -> Self {
        ChallengeLimiter { per_second, second_began: Instant::ZERO, in_second: 0, sent: 0 }
    }
    pub(super) fn sent(&self) -> u64 {
        self.sent
    }
    fn permits(&mut self, now: Instant) -> bool {
        if now.saturating_since(self.second_began) >= Duration::from_secs(1) {
            self.second_began = now;
            self.in_second = 0;
        }
        let permitted = self.in_second < self.per_second;
        if permitted {
            self.in_second += 1;
            self.sent += 1;
        }
        permitted
    }
}

impl Endpoint {
    /// A packet of this connection arrives.
    pub fn on_packet(&mut self, now: Instant, packet: &Packet, out: &mut Outbox) {
        self.segments_received += 1;
        match self.state {
            State::Closed => reset_for(packet, out),
            State::Listen => self.on_packet_in_listen(now, packet, out),
            State::SynSent => self.on_packet_in_syn_sent(now, packet, out),
            _ => self.on_packet_when_synchronized(now, packet, out),
        }
    }

    fn on_packet_when_synchronized(&mut self, now: Instant, packet: &Packet, out: &mut Outbox) {
        let segment = &packet.segment;
        if self.repeats_syn(segment) {
            return self.answer_syn_again(now, packet, out);
        }
        let start = self.receiver.offset(segment.sequence);
        let reset = segment.flags.intersects(Flags::RST);
        if !reset && !self.timestamps_pass(now, segment, start) {
            return self.refuse(now, segment, out);
        }
        if !self.receiver.accepts(start, segment.sequence_length()) {
            if !reset {
                self.refuse(now, segment, out);
            }
            return;
        }
        if reset {
            return self.on_reset(now, segment, out);
        }
        if segment.flags.intersects(Flags::SYN) {
            return self.challenge(now, out);
        }
        if !segment.flags.intersects(Flags::ACK) {
            return;
        }
        if self.state == State::SynReceived && !self.on_ack_in_syn_received(now, packet, out) {
            return;
        }
        self.on_acceptable(now, segment, start.unwrap_or_default(), out);
    }

    /// The acknowledgment is looked at before the payload is taken (RFC 5961 section 5), the payload
    /// is taken before anything is sent, so that what is sent acknowledges it.
    fn on_acceptable(&mut self, now: Instant, segment: &Segment, start: Offset, out: &mut Outbox) {
        let Some(acknowledged) = self.acceptable_acknowledgment(segment) else {
            return self.challenge(now, out);
        };
        self.restart_keepalive(now);
        if segment.sequence_length() > 0 && self.state.receives() {
            self.take_payload(now, segment, start, out);
        }
        if acknowledged >= self.sender.view.unacknowledged && self.state != State::TimeWait {
            self.take_acknowledgment(now, segment, start, acknowledged, out);
        }
        self.follow_fins(now, out);
        self.acknowledge_if_due(now, out);
    }

    /// SND.UNA - MAX.SND.WND <= SEG.ACK <= what has been sent (RFC 5961 section 5.2).
    fn acceptable_acknowledgment(&self, segment: &Segment) -> Option<Offset> {
        let view = &self.sender.view;
        let offset = self.sender.offset(segment.acknowledgment)?;
        let oldest = view.unacknowledged.0.saturating_sub(view.largest_peer_window);
        (offset.0 >= oldest && offset <= view.highest_sent).then_some(offset)
    }

    fn take_payload(&mut self, now: Instant, segment: &Segment, start: Offset, out: &mut Outbox) {
        let fin = segment.flags.intersects(Flags::FIN);
        let received = self.receiver.accept(now, start, segment.length, fin);
        self.bytes_delivered += received.delivered;
        self.duplicate_segments_received += u64::from(segment.length > 0 && received.new == 0);
        if self.reads_at_once {
            self.receiver.consume_all();
        }
        if received.delivered > 0 {
            let port = self.header.local.port;
            out.event(|| Event::Delivered { port, bytes: received.delivered as u32 });
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
        let newest = (start, acknowledged) >= self.last_window_update;
        let window = newest.then(|| u64::from(segment.window) << self.agreed.peer_window_shift);
        if newest {
            self.last_window_update = (start, acknowledged);
        }
        let ack = Acknowledgment {
            offset: acknowledged,
            window,
            bare: segment.sequence_length() == 0,
            timestamp_sample: self.timestamp_sample(now, segment),
        };
        let Endpoint { sender, receiver, header, .. } = self;
        sender.on_ack(now, &ack, segment, &mut Exit { header, receiver, out });
    }

    /// RFC 5961 section 3.2.
    fn on_reset(&mut self, now: Instant, segment: &Segment, out: &mut Outbox) {
        if self.receiver.offset(segment.sequence) != Some(self.receiver.next()) {
            self.challenge(now, out);
        } else if self.state == State::SynReceived && !self.passive {
            self.finish(CloseReason::Refused, out);
        } else {
            self.finish(CloseReason::Reset, out);
        }
    }

    /// Answer what is not acceptable with an acknowledgment (RFC 9293 section 3.10.7.4, first step).
    fn refuse(&mut self, now: Instant, segment: &Segment, out: &mut Outbox) {
        if self.state == State::TimeWait && segment.flags.intersects(Flags::FIN) {
            self.begin_time_wait(now, out);
        }
        if segment.flags.intersects(Flags::SYN) {
            return self.challenge(now, out);
        }
        self.duplicate_segments_received += u64::from(segment.length > 0);
        self.send_bare_ack(now, out);
    }

    /// A challenge ACK, within its rate (RFC 5961 sections 3, 4, 5 and 7).
    fn challenge(&mut self, now: Instant, out: &mut Outbox) {
        if self.challenge.permits(now) {
            self.send_bare_ack(now, out);
        }
    }

    /// Protection against wrapped sequence numbers (RFC 7323 sections 4.3 and 5.3), and keeping
    /// TS.Recent.
    fn timestamps_pass(&mut self, now: Instant, segment: &Segment, start: Option<Offset>) -> bool {
        let last_acknowledged = self.receiver.last_acknowledged();
        let Some(clock) = &mut self.header.timestamps else { return true };
        let Some(timestamps) = segment.timestamps else { return false };
        let older = (timestamps.value.wrapping_sub(clock.recent) as i32) < 0;
        let outdated = now.saturating_since(clock.recent_since) > TIMESTAMP_OUTDATED_AFTER;
        if older && !outdated {
            return false;
        }
        if start.is_some_and(|start| start <= last_acknowledged) {
            clock.recent = timestamps.value;
            clock.recent_since = now;
        }
        true
    }

    pub(super) fn timestamp_sample(&self, now: Instant, segment: &Segment) -> Option<Duration> {
        let clock = self.header.timestamps.as_ref()?;
        let echo = segment.timestamps?.echo;
        (echo != 0).then(|| clock.since(now, echo).max(clock.tick))
    }
}
