//! Explicit Handover Notification (ehn-2004: Izumikawa, Yamaguchi and Katto, "An efficient TCP with explicit
//! handover notification for mobile networks", IEEE WCNC 2004, section 3).
//!
//! The end that has moved sends its last acknowledgment again with the handover mark. The sender then knows
//! that what is missing was lost to the move: it goes back to the first unacknowledged byte without cutting its
//! window, and when its timer had already expired, it takes back the cut.

use super::*;

pub(super) static SCHEME: Scheme = Scheme {
    name: "ehn",
    summary: "the mobile host marks a repeated acknowledgment; the sender goes back to the first missing segment and keeps its window",
    cite: "Izumikawa, Yamaguchi and Katto, IEEE WCNC 2004",
    traits: END_TO_END,
    installed: Installed::BothEnds,
    refuses: &[],
    build: &|parameters| Box::new(Ehn { parameters: parameters.handover.ehn.clone(), before_timeout: None }),
};

/// The window with which a sender continues (ehn-2004, section 4.2 B).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResumeWith {
    /// The window from before the move.
    PreviousWindow,
    /// One segment.
    SlowStart,
    /// The window that the congestion control derives from the round-trip time of the new path, which is
    /// taken as twice the one-way delay of the notification.
    AdjustedWindow,
}

parameters! {
    /// What of the scheme can be set.
    pub struct EhnParameters {
        /// The window with which the sender continues.
        pub resume_with: ResumeWith = ResumeWith::PreviousWindow,
    }
}

#[derive(Debug)]
struct Ehn {
    parameters: EhnParameters,
    /// The window from before the first of the timeouts since the last progress.
    before_timeout: Option<Window>,
}

impl Ehn {
    /// What is outstanding was lost to the move.
    fn resume(&mut self, round_trip_time: Option<Duration>, actions: &mut Actions) {
        if let Some(previous) = self.before_timeout.take() {
            actions.push(Action::SetWindow(previous));
        }
        match (self.parameters.resume_with, round_trip_time) {
            (ResumeWith::SlowStart, _) => actions.push(Action::SlowStart),
            (ResumeWith::AdjustedWindow, Some(round_trip_time)) => {
                actions.push(Action::RenewPath { round_trip_time: Some(round_trip_time) });
            }
            (ResumeWith::PreviousWindow | ResumeWith::AdjustedWindow, _) => {}
        }
        actions.push(Action::GoBack);
    }
}

impl Handover for Ehn {
    fn on(&mut self, happened: HandoverEvent, view: &View, actions: &mut Actions) {
        match happened {
            moved if moved.is_move() => {
                actions.push(Action::Acknowledge { times: 1, mark: Some(Mark::Handover) });
                // The mover may be a sender itself; then it needs no notification to know.
                if view.outstanding() > 0 {
                    self.resume(None, actions);
                }
            }
            HandoverEvent::Marked { mark: Mark::Handover, one_way_delay, .. } => {
                self.resume(one_way_delay.map(|delay| delay * 2), actions);
            }
            HandoverEvent::Timeout => {
                self.before_timeout.get_or_insert(view.window);
            }
            HandoverEvent::Progress { .. } => self.before_timeout = None,
            _ => {}
        }
    }
    fn acts_on(&self, mark: Mark) -> bool {
        mark == Mark::Handover
    }
}
