//! Closing, aborting, giving up and keeping alive (RFC 9293 sections 3.6, 3.8.3 and 3.8.4).

use super::*;

impl Endpoint {
    /// The application has no more to send: a FIN follows what it has supplied (section 3.10.4). It still reads, as after
    /// `shutdown` of a socket; [`Endpoint::close_both_ways`] is for one that does not.
    pub fn close(&mut self, now: Instant, out: &mut Outbox) {
        match self.state {
            State::Listen | State::SynSent => self.finish(CloseReason::Finished, out),
            State::SynReceived => {
                self.sender.finish();
                self.pump(now, out);
            }
            State::Established | State::CloseWait => {
                self.sender.finish();
                let next = if self.state == State::Established { State::FinWait1 } else { State::LastAck };
                self.enter(next, out);
                self.pump(now, out);
            }
            _ => {}
        }
    }

    /// The application is gone, as after `close` of a socket: it has no more to send, and reads nothing more. What it has not read is
    /// lost, which the peer learns by a reset (RFC 2525 section 2.17), and so it does when more data comes (section 3.6.1). A peer
    /// that does not close in its turn is given up after [`orphan_wait`](crate::parameters::ConnectionParameters::orphan_wait).
    pub fn close_both_ways(&mut self, now: Instant, out: &mut Outbox) {
        let is_open = self.state.is_synchronized() || self.is_open_early();
        if is_open && self.receiver.readable() > 0 {
            return self.abort(now, out);
        }
        self.orphaned = true;
        self.close(now, out);
        self.limit_orphan_wait(now);
    }

    /// A connection without an application does not wait for ever for the peer's FIN.
    fn limit_orphan_wait(&mut self, now: Instant) {
        if self.orphaned && self.state == State::FinWait2 && self.waits_until.is_none() {
            self.waits_until = self.parameters.connection.orphan_wait.map(|wait| now + wait);
        }
    }

    /// Whether a segment brings data that no application is there to read.
    pub(super) fn is_for_nobody(&self, segment: &Segment, start: Option<Offset>) -> bool {
        let end = start.map(|start| start + u64::from(segment.length));
        self.orphaned
            && self.state.receives()
            && end.is_some_and(|end| end > self.receiver.next())
            && self.acceptable_acknowledgment(segment).is_some()
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

    /// The peer has not answered for as long as the user timeout, or to as many segments as are sent (section 3.8.3).
    pub(super) fn give_up(&mut self, now: Instant, out: &mut Outbox) {
        if self.state == State::SynReceived && self.passive && !self.is_open_early() {
            return self.return_to_listen(now, CloseReason::TimedOut, out);
        }
        if self.state.is_synchronized() {
            self.send_reset(now, out);
        }
        self.finish(CloseReason::TimedOut, out);
    }

    pub(super) fn finish(&mut self, reason: CloseReason, out: &mut Outbox) {
        self.close_reason = Some(reason);
        self.sender.stop_timer();
        self.receiver.acknowledged();
        self.receiver.forget_duplicates();
        self.waits_until = None;
        self.keepalive_at = None;
        self.enter(State::Closed, out);
    }

    /// After everything a segment did: our FIN may be acknowledged, the peer's may have arrived.
    pub(super) fn follow_fins(&mut self, now: Instant, out: &mut Outbox) {
        let received = self.receiver.is_finished();
        if self.state == State::Established && !received {
            return;
        }
        let acknowledged = self.sender.all_acknowledged();
        if received && matches!(self.state, State::FinWait1 | State::FinWait2) {
            self.receiver.acknowledge_fin();
        }
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
        self.limit_orphan_wait(now);
    }

    /// Whether an acknowledgment is to have our FIN, which the peer has not acknowledged.
    pub(super) fn repeats_fin(&self) -> bool {
        let view = &self.sender.view;
        self.state == State::Closing
            && self.parameters.connection.repeats_fin_when_closing
            && view.highest_sent == view.available
    }

    pub(super) fn begin_time_wait(&mut self, now: Instant, out: &mut Outbox) {
        self.sender.stop_timer();
        self.keepalive_at = None;
        self.waits_until = Some(now + self.time_wait(now));
        self.enter(State::TimeWait, out);
    }

    /// Anything from the peer shows that it is alive.
    pub(super) fn restart_keepalive(&mut self, now: Instant) {
        self.keepalives_unanswered = 0;
        let keepalive = self.keepalive.filter(|_| self.state != State::TimeWait);
        self.keepalive_at = keepalive.map(|keepalive| now + keepalive.idle);
    }

    pub(super) fn on_keepalive_timer(&mut self, now: Instant, out: &mut Outbox) {
        let Some(keepalive) = self.keepalive else {
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
