//! What a sender counts.

/// Counters of a sender.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SenderStatistics {
    /// Segments with payload, SYN or FIN sent, retransmissions included.
    pub segments_sent: u64,
    /// Of those, how many began below what had already been sent.
    pub retransmissions: u64,
    /// Expiries of the retransmission timer.
    pub timeouts: u64,
    /// Times that recovery began without a timeout.
    pub recoveries: u64,
    /// Window cuts requested from congestion control.
    pub window_cuts: u64,
    /// Times that a recovery turned out to have been spurious, and its cut was taken back (of Linux's counters the sum of TCPFullUndo,
    /// TCPPartialUndo, TCPDSACKUndo and TCPLossUndo).
    pub undone_cuts: u64,
    /// Window probes sent.
    pub window_probes: u64,
    /// Tail loss probes sent (RFC 8985 section 7).
    pub tail_loss_probes: u64,
    /// Segments that the peer has reported as duplicates (RFC 2883).
    pub duplicates_reported: u64,
}
