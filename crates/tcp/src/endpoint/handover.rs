//! What layers below and marks tell, passed on to the handover scheme, and what the scheme wants, done.

use super::{Endpoint, State};
use crate::emit::{Header, TimestampClock};
use crate::handover::{Action, Actions, Handover, Happened, Release, Scheme};
use crate::parameters::Parameters;
use crate::sender::Exit;
use seamline_wire::{Duration, Event, Flags, Instant, Mark, Outbox, Segment, Signal};

/// A scheme at work.
#[derive(Debug)]
pub(super) struct Mover {
    scheme: Box<dyn Handover>,
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
        self.happened(now, Happened::Below(signal), out);
    }

    /// Whether the scheme here decides what becomes of this segment's acknowledgment.
    pub(super) fn is_notified_by(&self, segment: &Segment) -> bool {
        let decided =
            |mover: &Mover| handover_mark(segment).is_some_and(|mark| mover.scheme.decides_on(mark));
        self.mover.as_ref().is_some_and(decided)
    }

    /// When the scheme wants to be woken; only an open connection has something to do then.
    pub(super) fn mover_wake_at(&self) -> Option<Instant> {
        self.mover.as_ref().filter(|_| self.heeds_moves())?.scheme.wake_at()
    }
    pub(super) fn heeds_moves(&self) -> bool {
        self.state.is_synchronized() && self.state != State::TimeWait
    }

    pub(super) fn on_mover_timer(&mut self, now: Instant, out: &mut Outbox) {
        if self.mover_wake_at().is_some_and(|at| at <= now) {
            self.happened(now, Happened::Wake, out);
        }
    }

    /// The acknowledgment of a segment has been taken in: a mark on it is for the scheme, if there is one, which may let
    /// go what [`crate::sender::Sender::on_notification`] held.
    pub(super) fn on_mark(&mut self, now: Instant, segment: &Segment, out: &mut Outbox) {
        if let Some(mark) = handover_mark(segment).filter(|_| self.mover.is_some()) {
            let one_way_delay = one_way_delay(&self.header, now, segment);
            let payload = segment.length > 0;
            self.happened(now, Happened::Marked { mark, payload, one_way_delay }, out);
            self.pump(now, out);
        }
    }

    /// Data arrives that has all arrived before: a peer back from a handoff goes back further than it must. What it has
    /// announced before one is out of date by now.
    pub(super) fn on_data_again(&mut self, now: Instant, segment: &Segment, out: &mut Outbox) {
        let happened = match handover_mark(segment) {
            _ if segment.length == 0 => return,
            Some(Mark::WillHandover) => return,
            Some(mark) => Happened::Marked { mark, payload: true, one_way_delay: None },
            None => Happened::Data,
        };
        self.happened(now, happened, out);
    }

    /// Tell the scheme, if there is one and the connection is open, and do what it wants.
    pub(super) fn happened(&mut self, now: Instant, happened: Happened, out: &mut Outbox) {
        let open = self.heeds_moves();
        let Some(mover) = self.mover.as_mut().filter(|_| open) else { return };
        self.sender.view.now = now;
        mover.scheme.on(happened, &self.sender.view, &mut mover.actions);
        if mover.actions.as_slice().is_empty() {
            return;
        }
        let mut actions = std::mem::take(&mut mover.actions);
        for action in actions.as_slice() {
            self.act(now, *action, out);
        }
        actions.clear();
        if let Some(mover) = &mut self.mover {
            mover.actions = actions;
        }
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

    fn send_ack_with(&mut self, now: Instant, mark: Option<Mark>, out: &mut Outbox) {
        let sequence = self.sequence_to_stand_at();
        let segment = Segment { sequence, flags: Flags::ACK, mark, ..Segment::default() };
        self.header.send(now, segment, &mut self.receiver, out);
    }
}

/// The mark of a segment, unless it tells of losses: that is no news of a move.
pub(super) fn handover_mark(segment: &Segment) -> Option<Mark> {
    segment.mark.filter(|mark| mark.losses().is_none())
}

fn one_way_delay(header: &Header, now: Instant, segment: &Segment) -> Option<Duration> {
    let clock: &TimestampClock = header.timestamps.as_ref()?;
    Some(clock.since(now, segment.timestamps?.value).max(clock.tick))
}
