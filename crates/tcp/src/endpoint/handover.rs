//! Passes signals from layers below and marks to the handover scheme, and carries out what the scheme asks for.

use super::*;

/// A scheme at work.
#[derive(Debug)]
pub(super) struct Mover {
    pub(super) scheme: Box<dyn Handover>,
    actions: Actions,
}

impl Mover {
    pub(super) fn new(scheme: &Scheme, parameters: &Parameters) -> Self {
        Mover { scheme: (scheme.build)(parameters), actions: Actions::default() }
    }
}

impl Endpoint {
    /// Another layer of this node has news (IEEE 802.21 link events, and what the network layer adds).
    pub fn on_signal(&mut self, now: Instant, signal: Signal, out: &mut Outbox) {
        self.happened(now, HandoverEvent::Below(signal), out);
    }

    /// Whether the scheme here decides what becomes of the acknowledgment of a segment with this mark.
    pub(super) fn decides_on(&self, mark: Mark) -> bool {
        self.mover.as_ref().is_some_and(|mover| mover.scheme.decides_on(mark))
    }

    /// When the scheme wants to be woken; only an open connection has something to do then.
    pub(super) fn mover_wake_at(&self) -> Option<Instant> {
        self.mover.as_ref().filter(|_| self.acts_on_moves())?.scheme.wake_at()
    }
    pub(super) fn acts_on_moves(&self) -> bool {
        self.state.is_synchronized() && self.state != State::TimeWait
    }

    pub(super) fn on_mover_timer(&mut self, now: Instant, out: &mut Outbox) {
        if self.mover_wake_at().is_some_and(|at| at <= now) {
            self.happened(now, HandoverEvent::Wake, out);
        }
    }

    /// The acknowledgment of a segment has been taken in: an accepted mark on it goes to the scheme, which may let
    /// go what [`crate::sender::Sender::on_notification`] held.
    pub(super) fn on_mark(&mut self, now: Instant, mark: Mark, segment: &Segment, out: &mut Outbox) {
        let one_way_delay = one_way_delay(&self.header, now, segment);
        self.report_mark(now, mark, segment, one_way_delay, out);
        self.pump(now, out);
    }
    fn report_mark(
        &mut self,
        now: Instant,
        mark: Mark,
        segment: &Segment,
        one_way_delay: Option<Duration>,
        out: &mut Outbox,
    ) {
        let payload = segment.length > 0;
        let was_held = self.is_held();
        let changes = self.happened(now, HandoverEvent::Marked { mark, payload, one_way_delay }, out);
        self.note_accepted(now, mark, was_held, changes);
    }

    /// Data arrives that has all arrived before: a peer back from a handoff goes back further than it must. What it has
    /// announced before one is out of date by now, and so is what acknowledges less than is acknowledged.
    pub(super) fn on_data_again(
        &mut self,
        now: Instant,
        segment: &Segment,
        acknowledged: Option<Offset>,
        out: &mut Outbox,
    ) {
        let is_recent = acknowledged.is_some_and(|it| it >= self.sender.view.unacknowledged);
        let expected = self.expected_mark(segment);
        match expected {
            _ if segment.length == 0 => {}
            None => {
                self.happened(now, HandoverEvent::Data, out);
            }
            Some(mark) if mark == Mark::WillHandover || !is_recent => {
                self.refuse_mark(segment, MarkRefusal::OldAcknowledgment, out);
            }
            Some(_) => {
                if let Some(mark) = self.accepted_mark(now, expected, segment, out) {
                    self.report_mark(now, mark, segment, None, out);
                }
            }
        }
    }

    /// Notify the scheme, if there is one and the connection is open, and do what it wants. Returns whether that changes
    /// what is sent or when.
    pub(super) fn happened(&mut self, now: Instant, happened: HandoverEvent, out: &mut Outbox) -> bool {
        let open = self.acts_on_moves();
        let Some(mover) = self.mover.as_mut().filter(|_| open) else { return false };
        self.sender.view.now = now;
        mover.scheme.on(happened, &self.sender.view, &mut mover.actions);
        if mover.actions.as_slice().is_empty() {
            return false;
        }
        let mut actions = std::mem::take(&mut mover.actions);
        let changes = actions.as_slice().iter().any(|action| action.changes_sending());
        for action in actions.as_slice() {
            self.act(now, *action, out);
        }
        actions.clear();
        if let Some(mover) = &mut self.mover {
            mover.actions = actions;
        }
        changes
    }

    fn act(&mut self, now: Instant, action: Action, out: &mut Outbox) {
        let port = self.header.local.port;
        out.event(|| Event::HandoverAction { port, action: action.name() });
        match action {
            Action::Acknowledge { times, mark } => {
                for _ in 0..times {
                    self.send_ack_with(now, mark, out);
                }
            }
            Action::Mark { mark, segments } => self.header.marking.begin(mark, segments),
            Action::CloseWindow => self.receiver.close_window(),
            Action::OpenWindow => self.receiver.open_window(),
            Action::AdvanceEcho => {
                if let Some(clock) = &mut self.header.timestamps {
                    clock.advance_echo(now);
                }
            }
            Action::HoldAcknowledgments => self.header.held.hold(),
            Action::ReleaseAcknowledgments(which) => self.release_acknowledgments(now, which, out),
            _ => {
                let Endpoint { sender, receiver, header, .. } = self;
                sender.act(now, action, &mut Exit { header, receiver, out });
            }
        }
    }

    pub(super) fn release_acknowledgments(&mut self, now: Instant, which: Release, out: &mut Outbox) {
        if self.header.held.is_holding() {
            let held = self.header.held.release();
            let left_out = match which {
                Release::All => 0,
                Release::Last => held.len().saturating_sub(1),
            };
            for segment in held.into_iter().skip(left_out) {
                self.header.send_bare(now, segment, out);
            }
            self.receiver.acknowledge_soon();
        }
    }

    pub(super) fn send_ack_with(&mut self, now: Instant, mark: Option<Mark>, out: &mut Outbox) {
        let sequence = self.sequence_to_stand_at();
        let segment = Segment { sequence, flags: Flags::ACK, mark, ..Segment::default() };
        self.header.send(now, segment, &mut self.receiver, out);
    }
}

/// A segment that was on its way for longer says nothing about a path: half of the round trip that TCP reckons with before it
/// knows any (RFC 6298 section 2.1). A timestamp is whatever its sender writes, and a window may be derived from it.
const LONGEST_ONE_WAY_DELAY: Duration = Duration::from_millis(500);

/// How long a segment was on its way by its timestamp, if that can be.
fn one_way_delay(header: &Header, now: Instant, segment: &Segment) -> Option<Duration> {
    let clock: &TimestampClock = header.timestamps.as_ref()?;
    let delay = clock.since(now, segment.timestamps?.value).max(clock.tick);
    (delay <= LONGEST_ONE_WAY_DELAY).then_some(delay)
}
