//! What the signals of this node say about its own attachment to the network, put together.

use super::*;

/// What has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// The link is expected to go.
    WillLeave,
    /// The node is not reachable.
    Left,
    /// What is addressed to this node finds it at a new place.
    Arrived {
        /// It could not be reached meanwhile, so that what was under way is lost.
        was_away: bool,
    },
    /// What was expected has not come.
    Stayed,
}

/// Whether this node has a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// It has, and no notice says that it will go down.
    Attached,
    /// The link is still there; it was a false alarm if it is at this time.
    Warned(Instant),
    /// Not reachable, and believed to be so until this time.
    Away(Instant),
}

impl State {
    /// Until when the state is believed.
    pub(super) fn ends_at(self) -> Option<Instant> {
        match self {
            State::Attached => None,
            State::Warned(until) | State::Away(until) => Some(until),
        }
    }
}

/// This node's own attachment.
#[derive(Debug)]
pub(super) struct Attachment {
    /// A loss of the link that has not come so long after its predicted time was a false alarm.
    timeout: Duration,
    /// A disconnection lasts at most so long; then the news of its end must have been lost.
    longest_disconnection: Duration,
    state: State,
}

impl Attachment {
    pub(super) fn new(timeout: Duration, longest_disconnection: Duration) -> Self {
        Attachment { timeout, longest_disconnection, state: State::Attached }
    }
    /// Whether a link is up, and no notice says that it will go down.
    pub(super) fn is_settled(&self) -> bool {
        self.state == State::Attached
    }
    /// Whether this node cannot be reached.
    pub(super) fn is_away(&self) -> bool {
        matches!(self.state, State::Away(_))
    }
    pub(super) fn wake_at(&self) -> Option<Instant> {
        self.state.ends_at()
    }
    /// What changes by this.
    pub(super) fn on(&mut self, happened: HandoverEvent, now: Instant) -> Option<Change> {
        match happened {
            HandoverEvent::Below(Signal::LinkGoingDown { within }) => self.warn(now + within),
            HandoverEvent::Below(Signal::LinkDown) => self.leave(now),
            arrived if arrived.is_arrival() => {
                // A link that comes up was down, also when the news of that got lost.
                let was_away = self.is_away() || arrived.is_move();
                self.state = State::Attached;
                Some(Change::Arrived { was_away })
            }
            // It is elsewhere, and not registered there yet, whether or not it was reported down.
            HandoverEvent::Below(Signal::MovementDetected) => self.leave(now),
            HandoverEvent::Wake => self.expire(now),
            _ => None,
        }
    }
    fn warn(&mut self, expected: Instant) -> Option<Change> {
        let before = self.state;
        if !matches!(before, State::Away(_)) {
            self.state = State::Warned(expected + self.timeout);
        }
        (before == State::Attached).then_some(Change::WillLeave)
    }
    fn leave(&mut self, now: Instant) -> Option<Change> {
        let was_there = !matches!(self.state, State::Away(_));
        self.state = State::Away(now + self.longest_disconnection);
        was_there.then_some(Change::Left)
    }
    fn expire(&mut self, now: Instant) -> Option<Change> {
        let change = match self.state {
            State::Warned(until) if until <= now => Change::Stayed,
            State::Away(until) if until <= now => Change::Arrived { was_away: true },
            _ => return None,
        };
        self.state = State::Attached;
        Some(change)
    }
}
