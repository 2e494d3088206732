//! The mobile node extension of Omae, Ikeda, Inoue, Okajima and Umeda ("Mobile node extension employing buffering function to improve
//! handoff performance", WPMC 2002; as paper mobility-vegas-2020, section 3, describes it): before its handoff the mover keeps its
//! acknowledgments back, so that the sender's window runs empty and nothing is under way when the link goes; after the handoff
//! it sends all of them, and the sender resumes with its window.
//!
//! The pre-buffer time, in which acknowledgments are kept back before the link goes, should be longer than the round-trip time;
//! with the handoff it should be shorter than the sender's timeout. In the paper the mover itself begins its layer 2 handoff
//! when the time is over. Here the handoff comes when it comes, so the time begins so long before the predicted handoff, or with the
//! notice of it if that is later.

use super::attachment::State;
use super::*;

pub(super) static SCHEME: Scheme = Scheme {
    name: "ack-buffering",
    summary: "the mobile host keeps its acknowledgments back before the handover, and sends all of them after it",
    cite: "Omae et al., WPMC 2002",
    traits: Traits { needs_prediction: true, robust_to_long_disconnection: false, ..END_TO_END },
    installed: Installed::MobileEnd,
    refuses: &[],
    build: &|parameters| {
        let parameters = parameters.handover.ack_buffering.clone();
        Box::new(AckBuffering { parameters, hold_at: None, state: State::Attached })
    },
};

parameters! {
    /// What of the scheme can be set.
    pub struct AckBufferingParameters {
        /// How long before the predicted handoff acknowledgments are kept back. The source gives bounds, no value: longer than a
        /// round-trip time, and with the handoff shorter than a retransmission timeout.
        pub pre_buffer: Duration = Duration::from_millis(200),
        /// A handoff that has not come so long after its predicted time was a false alarm.
        pub timeout: Duration = Duration::from_secs(1),
        /// A handoff lasts at most so long; then the news of its end must have been lost.
        pub longest_disconnection: Duration = Duration::from_secs(30),
    }
}

#[derive(Debug)]
struct AckBuffering {
    parameters: AckBufferingParameters,
    /// When the pre-buffer time begins.
    hold_at: Option<Instant>,
    state: State,
}

impl AckBuffering {
    fn warn(&mut self, within: Duration, view: &View, actions: &mut Actions) {
        if matches!(self.state, State::Away(_)) {
            return;
        }
        let begins = view.now + (within - self.parameters.pre_buffer.min(within));
        self.state = State::Warned(view.now + within + self.parameters.timeout);
        self.hold_at = Some(begins);
        self.hold_if_due(view, actions);
    }
    fn hold_if_due(&mut self, view: &View, actions: &mut Actions) {
        if self.hold_at.is_some_and(|at| at <= view.now) {
            self.hold_at = None;
            actions.push(Action::HoldAcknowledgments);
        }
    }
    fn end(&mut self, actions: &mut Actions) {
        self.hold_at = None;
        self.state = State::Attached;
        actions.push(Action::ReleaseAcknowledgments(Release::All));
    }
}

impl Handover for AckBuffering {
    fn on(&mut self, happened: HandoverEvent, view: &View, actions: &mut Actions) {
        match happened {
            HandoverEvent::Below(Signal::LinkGoingDown { within }) => self.warn(within, view, actions),
            HandoverEvent::Below(Signal::LinkDown) => {
                self.state = State::Away(view.now + self.parameters.longest_disconnection);
            }
            arrived if arrived.is_arrival() && self.state != State::Attached => self.end(actions),
            HandoverEvent::Wake if self.state.ends_at().is_some_and(|until| until <= view.now) => {
                self.end(actions);
            }
            HandoverEvent::Wake => self.hold_if_due(view, actions),
            _ => {}
        }
    }
    /// The peer hears acknowledgments, and nothing else.
    fn acts_on(&self, _mark: Mark) -> bool {
        false
    }
    fn wake_at(&self) -> Option<Instant> {
        self.hold_at.into_iter().chain(self.state.ends_at()).min()
    }
}
