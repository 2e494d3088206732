//! Freeze-TCP (Goff, Moronski, Phatak and Gupta, "Freeze-TCP: a true end-to-end TCP enhancement mechanism for
//! mobile environments", IEEE INFOCOM 2000): before a disconnection that it sees coming, the mover offers a window
//! of zero, so that the sender goes to persist mode with its congestion window untouched; after it, three
//! acknowledgments offer the window again. The sender need not know the scheme.
//!
//! With timestamps (da Costa and Sirisena, "Freeze TCP with timestamps for fast packet loss recovery after disconnections", SPECTS 2002,
//! which paper ehn-2004 cites) the mover also keeps the disconnection out of the sender's round-trip samples, and so out of its
//! timeout: what was under way when the link went, and arrives or is acknowledged after it, would be taken for a path of that delay,
//! and what was lost meanwhile would wait for the timeout that follows from it. The public abstract says that the receiver estimates
//! the duration from timestamps. How is ours: the timestamp that would arrive as the link comes back is the last one that came, and
//! the time since; what was sent earlier echoes that one.

use super::attachment::State;
use super::*;

pub(super) static SCHEME: Scheme = Scheme {
    name: "freeze",
    summary: "a zero window before the disconnection, and three acknowledgments that open the window after it",
    cite: "Goff et al., IEEE INFOCOM 2000",
    traits: Traits { needs_prediction: true, ..END_TO_END },
    installed: Installed::MobileEnd,
    refuses: &[],
    build: &|parameters| Box::new(Freeze::new(parameters, false)),
};

pub(super) static TIMESTAMPS: Scheme = Scheme {
    name: "freeze-timestamps",
    summary: "Freeze-TCP whose mobile host keeps the disconnection out of the timestamps that it echoes",
    cite: "da Costa and Sirisena, SPECTS 2002",
    build: &|parameters| Box::new(Freeze::new(parameters, true)),
    ..SCHEME
};

parameters! {
    /// What of the scheme can be set.
    pub struct FreezeParameters {
        /// How many acknowledgments are sent after the reconnection.
        pub acknowledgments: u32 = 3,
        /// A disconnection that has not come so long after its predicted time was a false alarm: the window
        /// is opened again.
        pub timeout: Duration = Duration::from_secs(1),
        /// A disconnection lasts at most so long; then the news of its end must have been lost.
        pub longest_disconnection: Duration = Duration::from_secs(30),
    }
}

#[derive(Debug)]
struct Freeze {
    parameters: FreezeParameters,
    /// The disconnection is kept out of the timestamps.
    advances_echo: bool,
    state: State,
}

impl Freeze {
    fn new(parameters: &Parameters, advances_echo: bool) -> Self {
        Freeze { parameters: parameters.handover.freeze.clone(), advances_echo, state: State::Attached }
    }
    fn warn(&mut self, within: Duration, view: &View, actions: &mut Actions) {
        if self.state == State::Attached {
            actions.extend([Action::CloseWindow, Action::Acknowledge { times: 1, mark: None }]);
        }
        if !matches!(self.state, State::Away(_)) {
            self.state = State::Warned(view.now + within + self.parameters.timeout);
        }
    }
    fn reconnect(&mut self, times: u32, view: &View, actions: &mut Actions) {
        if self.advances_echo {
            actions.push(Action::AdvanceEcho);
        }
        self.open(times, actions);
        if view.outstanding() > 0 {
            actions.push(Action::GoBack);
        }
    }
    fn open(&mut self, times: u32, actions: &mut Actions) {
        self.state = State::Attached;
        actions.extend([Action::Thaw, Action::OpenWindow, Action::Acknowledge { times, mark: None }]);
    }
    fn on_wake(&mut self, view: &View, actions: &mut Actions) {
        match self.state {
            State::Warned(until) if until <= view.now => self.open(1, actions),
            State::Away(until) if until <= view.now => self.reconnect(1, view, actions),
            _ => {}
        }
    }
}

impl Handover for Freeze {
    fn on(&mut self, happened: HandoverEvent, view: &View, actions: &mut Actions) {
        match happened {
            HandoverEvent::Below(Signal::LinkGoingDown { within }) => self.warn(within, view, actions),
            HandoverEvent::Below(Signal::LinkDown) => {
                self.state = State::Away(view.now + self.parameters.longest_disconnection);
                actions.push(Action::Freeze);
            }
            moved if moved.is_move() => {
                self.reconnect(self.parameters.acknowledgments, view, actions);
            }
            HandoverEvent::Wake => self.on_wake(view, actions),
            _ => {}
        }
    }
    /// It informs the peer by its window, and marks nothing.
    fn acts_on(&self, _mark: Mark) -> bool {
        false
    }
    fn wake_at(&self) -> Option<Instant> {
        self.state.ends_at()
    }
}
