//! Marks: what one end, or an agent in the network, reports to a TCP sender in a segment.

use crate::losses::Losses;
use std::num::NonZeroU32;

/// A mark on a segment. On the wire it is a TCP experimental option (RFC 6994) with one subtype per
/// mark; in the simulator it travels in [`crate::Segment`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Mark {
    /// "I have moved": Explicit Handover Notification (ehn-2004, section 3).
    Handover,
    /// "I will hand off": the IWH bit of Mobility-Vegas (mobility-vegas-2020, section 4).
    WillHandover,
    /// "I will not": what [`Mark::WillHandover`] has announced does not come.
    HandoverCancelled,
    /// "I can be reached over another link" (the restart of paper cross-layer-handover, section V.C, where the mover receives).
    NewLink {
        /// What the link holds, in bytes, if its end knows: rate times round-trip time.
        bandwidth_delay_product: Option<NonZeroU32>,
    },
    /// "I can be reached over another link, and could be reached all the time": nothing of what was under way is lost, and
    /// what [`Mark::WillHandover`] has announced is over (RFC 3753, section 3.1: make-before-break).
    MadeBeforeBreak {
        /// What the link holds, as in [`Mark::NewLink`].
        bandwidth_delay_product: Option<NonZeroU32>,
    },
    /// Losses, each with its cause, in an acknowledgment: explicit loss notification (eln-ack, section III; Balakrishnan and
    /// Katz, IEEE GLOBECOM 1998). The receiver lists congestion as the cause; an agent that knows better corrects it.
    Losses(Losses),
    /// On a SYN: which connection of its host this is, for TCP for Transactions (RFC 1644).
    ConnectionCount(ConnectionCount),
}

/// The CC options of TCP for Transactions (RFC 1644 section 3.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ConnectionCount {
    /// CC: connections of this host have been accepted with lower counts.
    Count(u32),
    /// CC.NEW: forget what is known of the counts of this host.
    New(u32),
    /// CC in the answer to a SYN. What CC.ECHO would repeat is not here: the acknowledgment number tells which SYN is answered.
    Answer(u32),
}

impl Mark {
    /// The losses, if it lists any.
    pub fn losses(self) -> Option<Losses> {
        if let Mark::Losses(losses) = self { Some(losses) } else { None }
    }
}
