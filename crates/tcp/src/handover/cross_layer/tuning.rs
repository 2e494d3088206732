//! What the tuning layers report of their layers, and what they can change in them.

use crate::handover::{Action, Actions};
use crate::view::Window;
use std::num::NonZeroU32;

/// What has happened to one of the layers, without its details.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Event {
    /// One end changes its access router, or is just about to: what is sent now may not arrive.
    ChangeBegins,
    /// It is reachable over another link.
    ChangeEnds {
        /// The bandwidth-delay product of that link in bytes, if it is known.
        product: Option<NonZeroU32>,
        /// It could not be reached meanwhile, so that what was under way is lost.
        was_away: bool,
    },
    /// The change does not come, or is over without news.
    ChangeCancelled,
    /// The retransmission timer is about to cut the window.
    Timeout,
    /// Something new has been acknowledged.
    Progress,
}

/// Whether data flows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flow {
    Running,
    Frozen,
}

/// What is asked of the transport layer; `None` and `false` leave it as it is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Tunings {
    /// Stop sending and timers, or continue.
    pub(super) flow: Option<Flow>,
    /// Forget sRTT and the timeout derived from it.
    pub(super) forget_round_trip: bool,
    /// Congestion window in segments.
    pub(super) congestion: Option<f64>,
    /// Slow start threshold in segments.
    pub(super) threshold: Option<f64>,
    /// What is outstanding was lost: begin again from the first unacknowledged byte.
    pub(super) go_back: bool,
}

impl Tunings {
    /// Both, and of two values of the same quantity the more cautious one: the smaller window, the smaller threshold,
    /// the flow frozen.
    pub(super) fn and(self, other: Tunings) -> Tunings {
        let smaller = |a: Option<f64>, b: Option<f64>| match (a, b) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (one, another) => one.or(another),
        };
        let frozen = [self.flow, other.flow].contains(&Some(Flow::Frozen));
        Tunings {
            flow: if frozen { Some(Flow::Frozen) } else { self.flow.or(other.flow) },
            forget_round_trip: self.forget_round_trip || other.forget_round_trip,
            congestion: smaller(self.congestion, other.congestion),
            threshold: smaller(self.threshold, other.threshold),
            go_back: self.go_back || other.go_back,
        }
    }

    /// The transport tuning layer: carried out in an order in which nothing is sent before all is set.
    pub(super) fn apply_all(self, window: Window, actions: &mut Actions) {
        if self.flow == Some(Flow::Frozen) {
            actions.push(Action::Freeze);
        }
        if self.forget_round_trip {
            actions.push(Action::ForgetRoundTrip);
        }
        let wanted = Window {
            congestion: self.congestion.unwrap_or(window.congestion),
            threshold: self.threshold.unwrap_or(window.threshold),
        };
        if wanted != window {
            actions.push(Action::SetWindow(wanted));
        }
        if self.go_back {
            actions.push(Action::GoBack);
        }
        if self.flow == Some(Flow::Running) {
            actions.push(Action::Thaw);
        }
    }
}
