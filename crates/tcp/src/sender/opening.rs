//! The sender while the connection opens: the SYN in its sequence space, and what the handshake settles.

use super::*;
use crate::wheel::WheelTimer;

impl Sender {
    /// The connection is open: take the peer's limits and begin with the initial window.
    pub(crate) fn establish(&mut self, segment_size: u32, peer_window: u64) {
        if self.view.segment_size != segment_size {
            self.view.segment_size = segment_size;
            if let Some(log) = &mut self.view.sent {
                log.set_segment_size(segment_size);
            }
        }
        self.initial_window = self.initial_window.min(self.view.window_of_route());
        self.set_peer_window(peer_window);
        self.window_is_from_syn = true;
        self.set_window(Window { congestion: self.initial_window, ..self.view.window });
    }

    /// The peer has no SACK: a recovery that needs it gives way to NewReno, from `start` on.
    pub(crate) fn do_without_sack(&mut self, start: Offset) {
        if self.needs_sack {
            self.recovery = crate::recovery::WITHOUT_SACK.build(&self.view.parameters, start);
            self.tracking = None;
            self.needs_sack = false;
        }
    }

    /// The handshake is left out: nothing of sequence space before `first` is ever sent.
    pub(crate) fn begin_at(&mut self, first: Offset, recovery: Box<dyn Recovery>) {
        self.view.unacknowledged = first;
        self.view.next = first;
        self.view.highest_sent = first;
        self.recovery = recovery;
        if let Some(tracking) = &mut self.tracking {
            tracking.begin_at(first);
        }
    }

    /// The SYN leaves; whether it is one that left before. When it answers the peer's SYN that came again,
    /// the timer keeps running: however often the peer repeats itself, its retransmissions end (RFC 6298 section
    /// 5.1, RFC 9293 section 3.8.3).
    pub(crate) fn note_syn(&mut self, now: Instant, answers: bool) -> bool {
        let first = self.view.highest_sent == Offset::SYN;
        self.timing = first.then_some((Offset::SYN, now));
        if first {
            self.progress_at = now;
        }
        self.view.next = self.view.next.max(Offset::FIRST_BYTE);
        self.view.highest_sent = self.view.highest_sent.max(Offset::FIRST_BYTE);
        self.statistics.segments_sent += 1;
        self.statistics.retransmissions += u64::from(!first);
        self.syn_retransmissions += u32::from(!first);
        if first || self.is_due(now) {
            self.start_syn_timer(now, answers);
        }
        !first
    }

    /// The SYN waits for its answer from `now` on.
    pub(crate) fn start_syn_timer(&mut self, now: Instant, answers: bool) {
        let tick = self.view.parameters.recovery.timer_tick;
        let timeout = if answers { self.estimator.timeout_of_answer() } else { self.estimator.timeout() };
        self.timer = WheelTimer::new(tick).set(now, timeout);
    }

    /// When the SYN left first, as long as nothing else has.
    pub(crate) fn opened_at(&self) -> Option<Instant> {
        (self.view.highest_sent == Offset::FIRST_BYTE).then_some(self.progress_at)
    }

    /// The handshake is not over although data is sent, or it is: until then its timer alone runs, and nothing but the SYN is sent again.
    pub(crate) fn wait_for_handshake(&mut self, waits: bool) {
        self.awaits_handshake = waits;
    }
    /// Of what was sent with the SYN, so much is acknowledged. Nothing else has been sent.
    pub(crate) fn skip(&mut self, offered: u64, bytes: u64) {
        if let Some(tracking) = self.tracking.as_mut().filter(|_| offered > 0) {
            tracking.offer_with_syn(Offset::FIRST_BYTE + offered);
        }
        if bytes == 0 {
            return;
        }
        let at = Offset::FIRST_BYTE + bytes;
        self.view.unacknowledged = at;
        self.view.next = at;
        self.view.highest_sent = at;
        if let Some(tracking) = &mut self.tracking {
            tracking.skip(at);
        }
    }

    /// Nothing answered the SYN in time (RFC 6298 section 5.5).
    pub(crate) fn note_syn_timeout(&mut self, doubles: bool) {
        self.statistics.timeouts += 1;
        if doubles {
            self.estimator.back_off();
        }
        if self.view.parameters.window.lost_handshake_cuts_threshold {
            self.statistics.window_cuts += 1;
            self.set_window(Window { threshold: 2.0, ..self.view.window });
        }
    }
    /// The SYN had to be sent again, and not because its answer was late (RFC 5681 section 3.1; Linux, tcp_init_transfer).
    pub(crate) fn begin_with_one_segment(&mut self) {
        if self.syn_retransmissions > self.view.parameters.window.forgiven_syn_retransmissions {
            self.initial_window = 1.0;
        }
    }

    /// The SYN is acknowledged.
    pub(crate) fn note_syn_acknowledged(&mut self, now: Instant, timestamp_sample: Option<Duration>) {
        self.view.now = now;
        self.view.unacknowledged = self.view.unacknowledged.max(Offset::FIRST_BYTE);
        self.progress_at = now;
        self.timer = NEVER;
        self.sample_round_trip(timestamp_sample);
        self.estimator.end_handshake(self.syn_retransmissions > 0);
        let round_trip = self.view.round_trip.latest;
        if let Some(tracking) = &mut self.tracking {
            tracking.end_handshake(
                now,
                Some(round_trip).filter(|sample| !sample.is_zero()),
                self.view.highest_sent,
            );
        }
    }
}
