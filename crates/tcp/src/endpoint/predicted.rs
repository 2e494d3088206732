//! Header prediction (Jacobson, "4BSD header prediction", Computer Communication Review 20, 1990; Linux: tcp_rcv_established). Most segments
//! are the next data in order, while there is nothing to send, or acknowledge new data and carry none. They take a short way,
//! which does what the long one does with them.

use super::timestamps::TimestampCheck;
use super::*;

impl Endpoint {
    /// Take a segment in, if it is as expected. Returns whether it was; if not, nothing has happened.
    #[inline]
    pub(super) fn takes_as_predicted(&mut self, now: Instant, segment: &Segment, out: &mut Outbox) -> bool {
        let is_plain = self.state == State::Established
            && segment.is_plain()
            && segment.sequence == self.receiver.acknowledgment()
            && self.mover.is_none()
            && !self.header.ecn.is_used()
            && self.receiver.is_simple(now);
        if !is_plain || self.check_timestamps(now, segment) != TimestampCheck::Passed {
            return false;
        }
        let Some(acknowledged) = self.sender.offset(segment.acknowledgment) else { return false };
        let window = u64::from(segment.window) << self.peer_window_shift;
        if !self.sender.predicts(acknowledged, window) {
            return false;
        }
        match (segment.length, acknowledged > self.sender.view.unacknowledged) {
            (0, true) => self.take_predicted_acknowledgment(now, acknowledged, segment, out),
            (1.., false) if self.receiver.has_room(segment.length) && !self.sender.has_unsent() => {
                self.take_predicted_data(now, acknowledged, segment, out);
            }
            _ => return false,
        }
        true
    }

    fn note_predicted(&mut self, now: Instant, acknowledged: Offset, segment: &Segment) {
        let start = self.receiver.next();
        self.network_error = None;
        self.keep_timestamp(now, segment, start);
        self.restart_keepalive(now);
        let (sequence, acknowledgment) = self.last_window_update;
        self.last_window_update = (sequence.max(start), acknowledgment.max(acknowledged));
    }

    fn take_predicted_data(
        &mut self,
        now: Instant,
        acknowledged: Offset,
        segment: &Segment,
        out: &mut Outbox,
    ) {
        self.note_predicted(now, acknowledged, segment);
        self.sender.view.now = now;
        self.receiver.take_next(now, segment.length, self.reads_at_once);
        self.deliver(u64::from(segment.length), out);
        if self.receiver.must_acknowledge() {
            let segment = self.acknowledgment();
            self.header.acknowledge(now, segment, &mut self.receiver, out);
        }
    }

    fn take_predicted_acknowledgment(
        &mut self,
        now: Instant,
        acknowledged: Offset,
        segment: &Segment,
        out: &mut Outbox,
    ) {
        self.note_predicted(now, acknowledged, segment);
        let timestamp_sample = self.timestamp_sample(now, segment);
        let Endpoint { sender, receiver, header, .. } = self;
        let exit = &mut Exit { header, receiver, out };
        sender.on_predicted_ack(now, acknowledged, timestamp_sample, segment, exit);
    }
}
