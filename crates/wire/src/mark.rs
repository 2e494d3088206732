//! What one end, or an agent in the network, tells a TCP sender by a mark in a segment.

/// A mark on a segment. On the wire it is a TCP experimental option (RFC 6994) with one subtype per
/// mark; in the simulator it travels in [`crate::Segment`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Mark {
    /// "I have moved": Explicit Handover Notification (paper E, section 3).
    Handover,
    /// "I will hand off": the IWH bit of Mobility-Vegas (paper V, section 4).
    WillHandover,
}
