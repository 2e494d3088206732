//! Which lost segments are sent again, and when.

use super::alert::Resend;
use super::queue::Id;
use super::timer::Purpose;
use super::*;

impl Run<'_, '_> {
    /// What an acknowledgment has made necessary (`tcp_xmit_recovery`), and then new data.
    pub(super) fn resend_after(&mut self, resend: Option<Resend>) {
        match resend {
            None => return,
            Some(Resend::New) => {
                self.write();
                if self.s.view.highest_sent > self.t.high {
                    return;
                }
                self.t.undo.forward = false;
            }
            Some(Resend::Lost) => {}
        }
        self.resend_lost();
    }

    /// Send again what is lost, leftmost first, as far as the window goes. What left together leaves together again
    /// (`tcp_xmit_retransmit_queue`).
    pub(super) fn resend_lost(&mut self) {
        let first = self.t.queue.first_id();
        let mut restarts_timer = false;
        while let Some(id) = self.t.queue.next_to_resend() {
            let room = self.window().saturating_sub(self.t.queue.in_flight());
            if room == 0 || self.t.pacing.holds(self.t.exact_now) {
                break;
            }
            let most = u64::from(room).min(self.largest_burst());
            let last = self.t.queue.last_of_burst(id, most, self.peer_edge());
            let bytes = self.t.queue.get(last).end - self.t.queue.get(id).start;
            if self.host_holds(bytes, true) || !self.resend_burst(id, last, true) {
                break;
            }
            if self.is_reducing() {
                self.t.reduction.out += last + 1 - id;
            }
            restarts_timer |= id == first && self.t.timer.purpose() != Some(Purpose::Reordering);
        }
        if restarts_timer {
            self.arm(Purpose::Retransmission, self.t.timeout.current());
        }
    }

    fn peer_edge(&self) -> Offset {
        self.unacknowledged() + self.s.view.peer_window
    }
    /// Send a segment again; a probe does not count as a retransmission under way. Returns whether it left.
    pub(super) fn resend(&mut self, id: Id, counted: bool) -> bool {
        self.resend_burst(id, id, counted)
    }
    /// Send segments again that left together. Returns whether they left (`__tcp_retransmit_skb`).
    fn resend_burst(&mut self, first: Id, last: Id, counted: bool) -> bool {
        let record = self.t.queue.get(first);
        let start = record.start;
        let fits = record.end <= self.peer_edge() || start == self.unacknowledged();
        if self.s.is_frozen() || !fits {
            return false;
        }
        let segments_before = self.t.segments_sent;
        for id in first..=last {
            self.put_again(id, id == last && last > first, counted);
        }
        let bytes = self.t.queue.get(last).end - start;
        self.note_burst(bytes, segments_before);
        // A part that leaves alone is separated from the rest (`tcp_fragment`).
        let pieces = self.t.queue.separate(first, last);
        if let Some(buffer) = &mut self.t.buffer {
            buffer.count_pieces(pieces);
        }
        true
    }
    fn put_again(&mut self, id: Id, ends_burst: bool, counted: bool) {
        let record = *self.t.queue.get(id);
        let now = self.now();
        self.s.put(record.start, record.end, record.pushes || ends_burst, self.exit);
        self.t.segments_sent += 1;
        let in_flight = self.t.queue.in_flight() + u32::from(counted);
        let snapshot = self.t.delivery.snapshot(now, false, in_flight);
        self.t.queue.note_resent(id, self.t.exact_now, snapshot, counted);
        if counted {
            let clock = self.exit.header.timestamps.map_or(0, |clock| clock.value(now));
            self.t.undo.first_resent.get_or_insert(clock);
            self.t.undo.unreported = Some(self.t.undo.unreported.unwrap_or(0) + 1);
        }
    }
}
