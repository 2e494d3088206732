//! Bursts that the host holds until its device has them. While it handles a packet or a timer it sends some bursts only; then the
//! application has its turn, and then it goes on (Linux: TCP small queues, `tcp_small_queue_check` and `tcp_tsq_write`).

use super::buffer::BOOKKEEPING;
use super::writing::BURST_SHIFT;
use super::*;

/// Most bytes of a connection that the host holds (`tcp_limit_output_bytes`).
const MOST: u64 = 1 << 20;

/// What one connection has there.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct HostQueue {
    /// Memory of it.
    bytes: u64,
    /// The application sends: each burst is gone before the next one.
    is_empty_at_once: bool,
    /// Something waits for it to become empty.
    waits: bool,
}

impl HostQueue {
    pub(super) fn let_application_send(&mut self, sends: bool) {
        self.bytes = 0;
        self.is_empty_at_once = sends;
    }
    fn add(&mut self, segments: u64, bytes: u64) {
        if !self.is_empty_at_once {
            self.bytes += segments * BOOKKEEPING + bytes;
        }
    }
}

impl Run<'_, '_> {
    /// A burst of so many bytes has left; so many segments had before it.
    pub(super) fn note_burst(&mut self, bytes: u64, segments_before: u64) {
        self.t.pacing.note_sent(self.t.exact_now, bytes, self.t.segments_sent);
        self.t.host_queue.add(self.t.segments_sent - segments_before, bytes);
    }
    /// Whether a burst of so many bytes waits for others to leave first; with `more`, twice as many may be there.
    pub(super) fn host_holds(&mut self, bytes: u64, more: bool) -> bool {
        let rate = self.t.pacing.rate() >> BURST_SHIFT;
        let limit = (2 * (BOOKKEEPING + bytes)).max(rate).min(MOST) << u32::from(more);
        let holds =
            self.t.buffer.is_some() && self.t.host_queue.bytes >= limit && !self.t.queue.is_one_burst();
        self.t.host_queue.waits |= holds;
        holds
    }
    /// The device has everything: send what waits for that.
    pub(super) fn end_input(&mut self) {
        while std::mem::take(&mut self.t.host_queue).waits {
            self.go_on();
        }
    }
    /// Send again what is lost, and then what is new.
    pub(super) fn go_on(&mut self) {
        self.resend_lost();
        self.write();
    }
}
