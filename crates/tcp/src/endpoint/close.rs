//! Closing, aborting, giving up and keeping alive (RFC 9293 sections 3.6, 3.8.3 and 3.8.4).

use super::*;

impl Endpoint {
    /// The application has no more to send: a FIN follows what it has supplied (section 3.10.4).
    pub fn close(&mut self, now: Instant, out: &mut Outbox) {
        match self.state {
            State::Listen | State::SynSent => self.finish(CloseReason::Finished, out),
            State::SynReceived => self.sender.finish(),
            State::Established | State::CloseWait => {
                self.sender.finish();
                let next = if self.state == State::Established { State::FinWait1 } else { State::LastAck };
                self.enter(next, out);
                self.pump(now, out);
            }
            _ => {}
        }
    }

    /// The application wants the connection gone: the peer gets a reset, unless it is not there yet or
    /// both have closed (section 3.10.5).
    pub fn abort(&mut self, now: Instant, out: &mut Outbox) {
        let has_peer = self.state.is_synchronized() || self.state == State::SynReceived;
        if has_peer && !self.state.is_closed_by_both() {
            self.send_reset(now, out);
        }
        if self.state != State::Closed {
            self.finish(CloseReason::Aborted, out);
        }
    }

    fn send_reset(&mut self, now: Instant, out: &mut Outbox) {
        let sequence = self.sequence_to_stand_at();
        let segment = Segment { sequence, flags: Flags::RST | Flags::ACK, ..Segment::default() };
        self.header.send(now, segment, &mut self.receiver, out);
    }

    /// The user timeout has passed (section 3.8.3).
    pub(super) fn give_up(&mut self, now: Instant, out: &mut Outbox) {
        if self.state.is_synchronized() {
            self.send_reset(now, out);
        }
        self.finish(CloseReason::TimedOut, out);
    }

    pub(super) fn finish(&mut self, reason: CloseReason, out: &mut Outbox) {
        self.close_reason = Some(reason);
        self.sender.stop_timer();
        self.receiver.acknowledged();
        self.time_wait_until = None;
        self.keepalive_at = None;
        self.enter(State::Closed, out);
    }

    /// After everything a segment did: our FIN may be acknowledged, the peer's may have arrived.
    pub(super) fn follow_fins(&mut self, now: Instant, out: &mut Outbox) {
        let (acknowledged, received) = (self.sender.all_acknowledged(), self.receiver.is_finished());
        match self.state {
            State::Established if received => self.enter(State::CloseWait, out),
            State::FinWait1 if acknowledged && received => self.begin_time_wait(now, out),
            State::FinWait1 if acknowledged => self.enter(State::FinWait2, out),
            State::FinWait1 if received => self.enter(State::Closing, out),
            State::FinWait2 if received => self.begin_time_wait(now, out),
            State::Closing if acknowledged => self.begin_time_wait(now, out),
            State::LastAck if acknowledged => self.finish(CloseReason::Finished, out),
            _ => {}
        }
    }

    pub(super) fn begin_time_wait(&mut self, now: Instant, out: &mut Outbox) {
        self.sender.stop_timer();
        self.keepalive_at = None;
        self.time_wait_until = Some(now + self.parameters.connection.time_wait);
        self.enter(State::TimeWait, out);
    }

    /// Anything from the peer shows that it is alive.
    pub(super) fn restart_keepalive(&mut self, now: Instant) {
        self.keepalives_unanswered = 0;
        let keepalive = self.parameters.connection.keepalive.filter(|_| self.state != State::TimeWait);
        self.keepalive_at = keepalive.map(|keepalive| now + keepalive.idle);
    }

    pub(super) fn on_keepalive_timer(&mut self, now: Instant, out: &mut Outbox) {
        let Some(keepalive) = self.parameters.connection.keepalive else {
            self.keepalive_at = None;
            return;
        };
        if self.sender.view.outstanding() > 0 {
            // The retransmission timer finds out (MUST-26: no keep-alives while data is outstanding).
            return self.restart_keepalive(now);
        }
        if self.keepalives_unanswered >= keepalive.probes {
            self.give_up(now, out);
            return;
        }
        self.keepalives_unanswered += 1;
        self.keepalive_at = Some(now + keepalive.interval.max(Duration::from_nanos(1)));
        let sequence = self.sequence_to_stand_at() - 1;
        let segment = Segment { sequence, flags: Flags::ACK, ..Segment::default() };
        self.header.send(now, segment, &mut self.receiver, out);
    }
}
