//! The sender while the connection opens: the SYN in its sequence space, and what the handshake settles.

use super::*;

impl Sender {
    /// The connection is open: take the peer's limits and begin with the initial window.
    pub(crate) fn establish(&mut self, segment_size: u32, peer_window: u64) {
        if self.view.segment_size != segment_size {
            self.view.segment_size = segment_size;
            if let Some(log) = &mut self.view.sent {
                log.set_segment_size(segment_size);
            }
        }
        let allowed = self.view.parameters.window.initial_bytes / f64::from(segment_size);
        self.initial_window = self.initial_window.min(allowed.max(2.0));
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
    pub(crate) fn note_syn(&mut self, now: Instant) -> bool {
        let first = self.view.highest_sent == Offset::SYN;
        self.timing = first.then_some((Offset::SYN, now));
        if first {
            self.progress_at = now;
        }
        self.view.next = self.view.next.max(Offset::FIRST_BYTE);
        self.view.highest_sent = self.view.highest_sent.max(Offset::FIRST_BYTE);
        self.statistics.segments_sent += 1;
        self.statistics.retransmissions += u64::from(!first);
        if first || self.is_due(now) {
            self.timer = now + self.estimator.timeout();
        }
        !first
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

    /// Nothing answered the SYN in time (RFC 6298 section 5.5; RFC 5681 section 3.1).
    pub(crate) fn note_syn_timeout(&mut self) {
        self.statistics.timeouts += 1;
        self.estimator.back_off();
        self.initial_window = 1.0;
        if self.view.parameters.window.lost_handshake_cuts_threshold {
            self.statistics.window_cuts += 1;
            self.set_window(Window { threshold: 2.0, ..self.view.window });
        }
    }

    /// The SYN is acknowledged.
    pub(crate) fn note_syn_acknowledged(&mut self, now: Instant, timestamp_sample: Option<Duration>) {
        self.view.now = now;
        self.view.unacknowledged = self.view.unacknowledged.max(Offset::FIRST_BYTE);
        self.progress_at = now;
        self.timer = NEVER;
        self.sample_round_trip(timestamp_sample);
        self.estimator.end_handshake();
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
