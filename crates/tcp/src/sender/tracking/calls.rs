//! What the endpoint asks of a sender that tracks its segments.

use super::*;
use crate::handover::Action;
use crate::sender::Acknowledgment;
use seamline_wire::{Event, Flags, Segment};

impl Sender {
    /// An acknowledgment at or beyond SND.UNA.
    pub(in crate::sender) fn on_ack_tracked(
        &mut self,
        now: Instant,
        ack: &Acknowledgment,
        segment: &Segment,
        exit: &mut Exit<'_>,
    ) {
        if self.learns_nothing(ack, segment, exit) {
            self.view.now = now;
            return;
        }
        // Data of the peer acknowledges this host's again and again; only a sender with data has something to say.
        let was_idle = self.view.outstanding() == 0 && !self.has_unsent();
        self.run_tracking(now, exit, |run| {
            run.on_ack(ack, segment);
            run.write();
        });
        if !was_idle {
            self.note_ack(segment, exit);
        }
    }
    /// Whether an acknowledgment with data tells a sender that has none of its own nothing new.
    fn learns_nothing(&self, ack: &Acknowledgment, segment: &Segment, exit: &Exit<'_>) -> bool {
        self.data_end == Offset::FIRST_BYTE
            && self.tracking.as_ref().is_some_and(|tracking| tracking.waits_for_nothing())
            && !self.view.finishing
            && self.view.outstanding() == 0
            && ack.offset == self.view.unacknowledged
            && ack.window.is_none_or(|window| window == self.view.peer_window)
            && segment.length > 0
            && segment.sack.is_empty()
            && !exit.header.ecn.agreed
    }
    /// An acknowledgment older than SND.UNA, which may still report what has arrived.
    pub(crate) fn on_old_ack(
        &mut self,
        now: Instant,
        ack: &Acknowledgment,
        segment: &Segment,
        exit: &mut Exit<'_>,
    ) {
        self.run_tracking(now, exit, |run| {
            run.on_old_ack(ack, segment);
            run.write();
        });
    }
    pub(in crate::sender) fn pump_tracked(&mut self, now: Instant, exit: &mut Exit<'_>) {
        self.run_tracking(now, exit, |run| run.pump());
        self.note_state(exit);
    }
    pub(in crate::sender) fn on_timer_tracked(&mut self, now: Instant, exit: &mut Exit<'_>) {
        self.run_tracking(now, exit, |run| run.on_timer());
        self.note_state(exit);
    }
    pub(in crate::sender) fn act_tracked(&mut self, now: Instant, action: Action, exit: &mut Exit<'_>) {
        self.run_tracking(now, exit, |run| run.act(action));
        self.note_state(exit);
    }
    pub(in crate::sender) fn resume_tracked(&mut self, now: Instant, exit: &mut Exit<'_>) {
        self.run_tracking(now, exit, |run| run.resume());
        self.note_state(exit);
    }
    pub(in crate::sender) fn ask_again_tracked(&mut self, now: Instant, exit: &mut Exit<'_>) {
        self.run_tracking(now, exit, |run| run.ask_again());
        self.note_state(exit);
    }

    /// A segment from `start` to `end`, a FIN included, leaves.
    pub(super) fn put(&mut self, start: Offset, end: Offset, pushes: bool, exit: &mut Exit<'_>) {
        let fin = end > self.data_end;
        let length = (end.min(self.data_end) - start) as u32;
        let retransmission = start < self.view.highest_sent;
        self.statistics.segments_sent += 1;
        self.statistics.retransmissions += u64::from(retransmission);
        if self.view.outstanding() == 0 {
            self.progress_at = self.view.now;
        }
        self.view.highest_sent = self.view.highest_sent.max(end);
        self.last_sent = self.view.now;
        let push = if pushes { Flags::PSH } else { Flags::ACK };
        self.emit(start, length, push, fin, retransmission, exit);
    }
    /// A segment without data below the window, which the peer answers (`tcp_xmit_probe_skb`).
    pub(super) fn send_probe(&mut self, exit: &mut Exit<'_>) {
        let sequence = self.view.unacknowledged.sequence(self.initial) - 1;
        let segment = Segment { sequence, flags: Flags::ACK, ..Segment::default() };
        exit.header.send(self.view.now, segment, exit.receiver, exit.out);
    }
    /// Send `length` bytes from `start` on, with `more` flags than a segment there has.
    pub(in crate::sender) fn emit(
        &mut self,
        start: Offset,
        length: u32,
        more: Flags,
        fin: bool,
        retransmission: bool,
        exit: &mut Exit<'_>,
    ) {
        let mut flags = Flags::ACK | more;
        if length > 0 && start + u64::from(length) == self.data_end {
            flags = flags | Flags::PSH;
        }
        if fin {
            flags = flags | Flags::FIN;
        }
        let sequence = start.sequence(self.initial);
        let port = exit.header.local.port;
        let sequence_length = length + u32::from(fin);
        exit.out.event(|| Event::SegmentSent { port, sequence, length: sequence_length, retransmission });
        let segment = Segment { sequence, length, flags, ..Segment::default() };
        exit.header.ecn.carries_new_data = !retransmission;
        exit.header.send(self.view.now, segment, exit.receiver, exit.out);
    }
}

impl Tracking {
    /// The handshake gave this round-trip time, if it gave one; the SYN counts as the first segment delivered.
    pub(in crate::sender) fn end_handshake(
        &mut self,
        now: Instant,
        round_trip: Option<Duration>,
        next: Offset,
    ) {
        self.delivery.delivered = 1;
        match round_trip {
            Some(sample) => {
                self.timeout.sample(sample, Offset::FIRST_BYTE, next);
                self.minimum_round_trip.take(now, sample);
            }
            None => self.timeout.begin_without_sample(),
        }
        if !self.queue.is_empty() {
            self.timer.arm(timer::Purpose::Retransmission, now, self.timeout.current());
        }
    }
    /// What ends at `end` was sent with the SYN, and perhaps lost.
    pub(in crate::sender) fn offer_with_syn(&mut self, end: Offset) {
        self.sent_with_syn = end;
    }
    /// What ends at `end` was sent with the SYN.
    pub(in crate::sender) fn skip(&mut self, end: Offset) {
        self.high = end;
        self.use_of_window = UseOfWindow::new(end);
        if let Some(buffer) = &mut self.buffer {
            buffer.skip(end);
        }
    }
    /// Nothing of sequence space before `first` is ever sent.
    pub(in crate::sender) fn begin_at(&mut self, first: Offset) {
        self.high = first;
        self.use_of_window = UseOfWindow::new(first);
        self.delivery.delivered = 1;
    }
    pub(in crate::sender) fn stop_timer(&mut self) {
        self.timer.stop();
        self.pacing.stop_waiting();
    }
    /// The application supplies nothing beyond `end`.
    pub(in crate::sender) fn cut_supply(&mut self, end: Offset) {
        self.supplied = self.supplied.min(end);
        if let Some(buffer) = &mut self.buffer {
            buffer.cut(end);
        }
    }
    /// Whether the timer means that nothing comes back any more.
    pub(in crate::sender) fn has_lost_its_clock(&self) -> bool {
        self.timer.purpose() == Some(timer::Purpose::Retransmission)
    }
    /// Segments wait for their time.
    pub(in crate::sender) fn pace(&mut self) {
        self.pacing.waits = true;
    }
}
