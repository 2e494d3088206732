//! What is sent, and what is noted of it.

use super::*;
use seamline_wire::Flags;

impl Sender {
    pub(super) fn send(&mut self, most: u32, exit: &mut Exit<'_>) {
        let mut sent = 0;
        while sent < most && !self.is_frozen() {
            let Some(at) = self.recovery.next(&self.view) else { break };
            let length = self.transmit(at, exit);
            if length == 0 {
                break;
            }
            self.view.next = self.view.next.max(at + u64::from(length));
            sent += 1;
        }
        let view = &mut self.view;
        let size = u64::from(view.segment_size);
        let other_limits = view.peer_window.min(u64::from(view.window_limit).saturating_mul(size));
        let remaining = view.available.saturating_since(view.next);
        let nagle_holds = view.nagle && !view.finishing && remaining < size;
        view.congestion_limited = remaining > 0
            && !nagle_holds
            && (view.unacknowledged + other_limits).saturating_since(view.next) >= size;
        self.validate_window(sent > 0);
    }

    /// RFC 3042: one new segment, beyond the window by the duplicates received.
    pub(super) fn limited_transmit(&mut self, duplicates: u32, exit: &mut Exit<'_>) {
        let view = &self.view;
        let segments = (view.window.congestion as u64).saturating_add(u64::from(duplicates));
        let window = segments.min(u64::from(view.window_limit)).saturating_mul(u64::from(view.segment_size));
        if view.permits(window) {
            let length = self.transmit(view.next, exit);
            self.view.next += u64::from(length);
        }
    }

    /// Send the segment that begins at `at`. Returns its length in sequence space, zero when there is
    /// nothing to send there.
    pub(super) fn transmit(&mut self, at: Offset, exit: &mut Exit<'_>) -> u32 {
        if self.is_frozen() {
            return 0;
        }
        let length =
            self.view.length_at(at).min(self.data_end.saturating_since(at).min(u64::from(u32::MAX)) as u32);
        let length = length.min(exit.header.longest_payload());
        let data_end = at + u64::from(length);
        let fin = self.view.finishing && data_end == self.data_end;
        if length == 0 && !fin {
            return 0;
        }
        let sequence_length = length + u32::from(fin);
        let retransmission = self.note_transmission(at, at + u64::from(sequence_length));
        if retransmission {
            self.note_sent_again(at, at + u64::from(sequence_length), exit);
        }
        self.emit(at, length, Flags::ACK, fin, retransmission, exit);
        sequence_length
    }

    fn note_transmission(&mut self, at: Offset, end: Offset) -> bool {
        let now = self.view.now;
        let retransmission = at < self.view.highest_sent;
        self.statistics.segments_sent += 1;
        self.statistics.retransmissions += u64::from(retransmission);
        self.recovery.note_sent(end - at);
        if retransmission && self.acts_on_losses() {
            self.notified.note_sent_again(at, now);
        }
        if let Some(log) = &mut self.view.sent {
            log.record(now, at, end);
        }
        if end > self.view.highest_sent && self.timing.is_none() {
            self.timing = Some((at.max(self.view.highest_sent), now));
        }
        if self.view.outstanding() == 0 {
            self.progress_at = now;
            self.timer = now + self.estimator.timeout();
        } else if self.timer == NEVER {
            self.timer = now + self.estimator.timeout();
        }
        self.view.highest_sent = self.view.highest_sent.max(end);
        self.last_sent = now;
        retransmission
    }
}
