//! Whether it would pay to freeze senders before an outage: to close the receive window so early that they stop by themselves
//! (Goff, Moronski, Phatak and Gupta, Freeze-TCP, IEEE INFOCOM 2000).
//!
//! If the closed window reaches a sender only while its data is being lost, its retransmission timer expires during the zero window,
//! and its slow-start threshold ends at two segments: measured on Linux, such a flow had 31 % of the link's rate over the next five
//! seconds, while one frozen in time had 97 %. So a late freeze is worse than none.

use seamline_wire::Duration;

/// Whether to freeze.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Freeze {
    /// What is under way arrives, and its sender has stopped, before the link is lost.
    Helps {
        /// How long before the loss the window has to be closed: the loaded round-trip time and the margin.
        needed: Duration,
    },
    /// The notice does not say when the link will be lost.
    LeadUnknown,
    /// No connection over the link has measured a round trip.
    RoundTripUnknown,
    /// It would do harm: the lead would have to be longer than this.
    TooLate {
        /// The loaded round-trip time and the margin.
        needed: Duration,
    },
}

impl Freeze {
    /// The decision for the log. `is_wanted`: the policy is to freeze.
    pub(crate) fn label(self, is_wanted: bool) -> &'static str {
        match self {
            Freeze::Helps { .. } if is_wanted => "helps",
            Freeze::Helps { .. } => "would help",
            Freeze::LeadUnknown => "lead unknown",
            Freeze::RoundTripUnknown => "round trip unknown",
            Freeze::TooLate { .. } => "too late",
        }
    }
}

/// Decide by the `lead` before the loss of a link, the round-trip time over it with the queues as they are now, and a `margin` for the
/// error of both.
pub fn decide(lead: Option<Duration>, loaded_round_trip: Option<Duration>, margin: Duration) -> Freeze {
    let Some(lead) = lead else { return Freeze::LeadUnknown };
    let Some(round_trip) = loaded_round_trip else { return Freeze::RoundTripUnknown };
    let needed = round_trip + margin;
    if lead > needed { Freeze::Helps { needed } } else { Freeze::TooLate { needed } }
}
