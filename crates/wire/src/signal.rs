//! What one layer may signal to another on the same node. The far end learns only from packets.

use crate::time::Duration;
use crate::units::Rate;

/// A link event, named after the media-independent handover services of IEEE 802.21-2008 (section 6.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Signal {
    /// The link is expected to be lost after this long (Link_Going_Down). The prediction may be wrong.
    LinkGoingDown {
        /// Predicted time until the link is lost.
        within: Duration,
    },
    /// The link has been lost (Link_Down).
    LinkDown,
    /// A link is usable (Link_Up). What is not known of it is `None`.
    LinkUp {
        /// Rate of the new link.
        rate: Option<Rate>,
        /// Round-trip time expected over the new link.
        round_trip_time: Option<Duration>,
    },
    /// Another link has taken the place of one that still carries packets (Link_Handover_Complete): what is addressed to this
    /// node could reach it all the time. RFC 3753, section 3.1, calls such a handover make-before-break.
    LinkHandoverComplete,
    /// What is known of a link that is up ([`Signal::LinkUp`]) while a mobility protocol finds out whether this node can
    /// be reached over it (Link_Parameters_Report). Alone it does not announce a move.
    LinkParametersReport {
        /// Rate of the new link.
        rate: Option<Rate>,
        /// Round-trip time expected over the new link.
        round_trip_time: Option<Duration>,
    },
    /// The network layer has found out that it is attached elsewhere (movement detection, RFC 3753
    /// section 3.1): packets can leave, but what is addressed to this node may still go to its old place, where no
    /// link is any more.
    MovementDetected,
    /// A mobility anchor (home agent, mobility anchor point) has confirmed the new place (RFC 5944
    /// section 1.1): from now on what is addressed to this node comes here.
    Registered,
}
