//! TCP-R and TCP-MD (Kwon, Park and Cho, "An efficient TCP mechanism for Mobile IP handoffs", IEICE Transactions on Communications
//! E85-B(4), 2002, and IEEE TENCON 2001; paper mobility-vegas-2020, section 3, cites them). TCP-R, *registration*, freezes the source while
//! the mover registers with Mobile IP, so that nothing is sent to its old place and no timeout follows another. TCP-MD, *movement
//! detection*, learns of the handoff earlier than Mobile IP does. Only the mover changes.
//!
//! Only the abstract is public. How the source is frozen and released is therefore as in Freeze-TCP, which needs nothing of the source
//! either: a window of zero, and three acknowledgments that offer it again. TCP-R closes the window when Mobile IP detects the movement
//! and asks for registration, and opens it when the reply comes. TCP-MD closes it at the first news of the link layer, that the link
//! will be lost or that there is another, which is before Mobile IP hears an advertisement; it opens it at the same time. A mover that
//! is a source itself freezes in the same way.
//!
//! Without a mobility protocol nothing is registered. Then TCP-R has nothing to do, and TCP-MD is Freeze-TCP.

use super::attachment::State;
use super::*;

pub(super) static TCP_R: Scheme = Scheme {
    name: "tcp-r",
    summary: "a zero window while Mobile IP registers, and three acknowledgments that open the window after it",
    cite: "Kwon, Park and Cho, IEICE Trans. Commun. E85-B(4), 2002",
    traits: Traits { robust_to_long_disconnection: false, ..END_TO_END },
    installed: Installed::MobileEnd,
    refuses: &[],
    build: &|parameters| Box::new(Closing::new(&parameters.handover.tcp_r, false)),
};

pub(super) static TCP_MD: Scheme = Scheme {
    name: "tcp-md",
    summary: "a zero window from the link layer's first news of a move until Mobile IP has registered",
    cite: "Kwon, Park and Cho, IEICE Trans. Commun. E85-B(4), 2002",
    traits: END_TO_END,
    build: &|parameters| Box::new(Closing::new(&parameters.handover.tcp_md, true)),
    ..TCP_R
};

#[derive(Debug)]
struct Closing {
    parameters: FreezeParameters,
    /// The link layer's news counts.
    is_early: bool,
    /// Away while the window is closed for a move that is under way, warned while it is for one that is predicted.
    state: State,
}

impl Closing {
    fn new(parameters: &FreezeParameters, is_early: bool) -> Self {
        Closing { parameters: parameters.clone(), is_early, state: State::Attached }
    }
    /// Say it again when the move is certain: what was said before may have been lost with the old link.
    fn close(&mut self, state: State, actions: &mut Actions) {
        self.state = state;
        actions.extend([Action::CloseWindow, Action::Acknowledge { times: 1, mark: None }, Action::Freeze]);
    }
    fn away(&self, now: Instant) -> State {
        State::Away(now + self.parameters.longest_disconnection)
    }
    fn open(&mut self, times: u32, view: &View, actions: &mut Actions) {
        let was_away = matches!(self.state, State::Away(_));
        self.state = State::Attached;
        actions.extend([Action::Thaw, Action::OpenWindow, Action::Acknowledge { times, mark: None }]);
        if was_away && view.outstanding() > 0 {
            actions.push(Action::GoBack);
        }
    }
    fn on_early(&mut self, signal: Signal, view: &View, actions: &mut Actions) {
        match (signal, self.state) {
            (Signal::LinkGoingDown { within }, State::Attached | State::Warned(_)) => {
                self.close(State::Warned(view.now + within + self.parameters.timeout), actions);
            }
            // Nothing passes: it is said when there is a link again.
            (Signal::LinkDown, _) => {
                self.state = self.away(view.now);
                actions.extend([Action::CloseWindow, Action::Freeze]);
            }
            (Signal::LinkParametersReport { .. }, _) => self.close(self.away(view.now), actions),
            _ => {}
        }
    }
}

impl Handover for Closing {
    fn on(&mut self, happened: HandoverEvent, view: &View, actions: &mut Actions) {
        match happened {
            HandoverEvent::Below(Signal::MovementDetected) => self.close(self.away(view.now), actions),
            arrived if arrived.is_arrival() && self.state != State::Attached => {
                self.open(self.parameters.acknowledgments, view, actions);
            }
            HandoverEvent::Below(signal) if self.is_early => self.on_early(signal, view, actions),
            HandoverEvent::Wake if self.wake_at().is_some_and(|at| at <= view.now) => {
                self.open(1, view, actions);
            }
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
