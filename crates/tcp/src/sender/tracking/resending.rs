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

    /// Send again what is lost, leftmost first, as far as the window goes.
    pub(super) fn resend_lost(&mut self) {
        let first = self.t.queue.first_id();
        let mut restarts_timer = false;
        while let Some(id) = self.t.queue.next_to_resend() {
            if self.t.pacing.holds(self.t.exact_now) || self.t.queue.in_flight() >= self.window() {
                break;
            }
            if !self.resend(id, true) {
                break;
            }
            if self.is_reducing() {
                self.t.reduction.out += 1;
            }
            restarts_timer |= id == first && self.t.timer.purpose() != Some(Purpose::Reordering);
        }
        if restarts_timer {
            self.arm(Purpose::Retransmission, self.t.timeout.current());
        }
    }

    /// A segment that leaves alone is separated from those that it left with before (`tcp_fragment`).
    fn separate(&mut self, id: Id, counted: bool) {
        let alone = !counted || self.t.queue.in_flight() + 1 >= self.window();
        let pieces = self.t.queue.separate(id, alone);
        if let Some(buffer) = &mut self.t.buffer {
            buffer.count_pieces(pieces);
        }
    }
    /// Send a segment again; a probe does not count as a retransmission under way. Returns whether it left.
    pub(super) fn resend(&mut self, id: Id, counted: bool) -> bool {
        let record = *self.t.queue.get(id);
        let edge = self.unacknowledged() + self.s.view.peer_window;
        let fits = record.end <= edge || record.start == self.unacknowledged();
        if self.s.is_frozen() || !fits {
            return false;
        }
        let now = self.now();
        let joined = self.t.last_resent.replace((id + 1, now)) == Some((id, now));
        let ends_burst = joined && record.ends_burst && !self.t.queue.ends_burst_before(id);
        self.s.put(record.start, record.end, record.pushes || ends_burst, self.exit);
        self.t.pacing.note_sent(self.t.exact_now, record.end - record.start, self.t.segments_sent);
        self.separate(id, counted);
        self.t.segments_sent += 1;
        let in_flight = self.t.queue.in_flight() + u32::from(counted);
        let snapshot = self.t.delivery.snapshot(now, false, in_flight);
        self.t.queue.note_resent(id, self.t.exact_now, snapshot, counted);
        if counted {
            let clock = self.exit.header.timestamps.map_or(0, |clock| clock.value(now));
            self.t.undo.first_resent.get_or_insert(clock);
            self.t.undo.unreported = Some(self.t.undo.unreported.unwrap_or(0) + 1);
        }
        true
    }
}
