//! The states of a connection (RFC 9293 section 3.3.2).

/// A connection's state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum State {
    /// No connection.
    Closed,
    /// Waiting for a SYN.
    Listen,
    /// SYN sent.
    SynSent,
    /// SYN received and answered.
    SynReceived,
    /// Open.
    Established,
    /// We have closed; the FIN is not acknowledged.
    FinWait1,
    /// Our FIN is acknowledged; the peer may still send.
    FinWait2,
    /// The peer has closed; we may still send.
    CloseWait,
    /// Both have closed at once; our FIN is not acknowledged.
    Closing,
    /// Both have closed, the peer first; our FIN is not acknowledged.
    LastAck,
    /// Waiting until old segments have died out.
    TimeWait,
}

impl State {
    /// The name in RFC 9293.
    pub fn name(self) -> &'static str {
        match self {
            State::Closed => "CLOSED",
            State::Listen => "LISTEN",
            State::SynSent => "SYN-SENT",
            State::SynReceived => "SYN-RECEIVED",
            State::Established => "ESTABLISHED",
            State::FinWait1 => "FIN-WAIT-1",
            State::FinWait2 => "FIN-WAIT-2",
            State::CloseWait => "CLOSE-WAIT",
            State::Closing => "CLOSING",
            State::LastAck => "LAST-ACK",
            State::TimeWait => "TIME-WAIT",
        }
    }
    /// Whether the application may supply data.
    pub fn may_send(self) -> bool {
        matches!(self, State::Established | State::CloseWait)
    }
    /// Whether data and FIN leave.
    pub(crate) fn transmits(self) -> bool {
        use State::*;
        matches!(self, Established | CloseWait | FinWait1 | Closing | LastAck)
    }
    /// Whether the peer may still send data.
    pub(crate) fn receives(self) -> bool {
        matches!(self, State::Established | State::FinWait1 | State::FinWait2)
    }
    /// Whether both ends have closed.
    pub(crate) fn is_closed_by_both(self) -> bool {
        matches!(self, State::Closing | State::LastAck | State::TimeWait)
    }
    pub(crate) fn is_handshaking(self) -> bool {
        matches!(self, State::SynSent | State::SynReceived)
    }
    pub(crate) fn is_opening(self) -> bool {
        matches!(self, State::Closed | State::Listen | State::SynSent | State::SynReceived)
    }
    /// Whether both ends know each other's sequence numbers.
    pub fn is_synchronized(self) -> bool {
        !self.is_opening()
    }
}

/// Why a connection ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CloseReason {
    /// Both ends closed.
    Finished,
    /// The peer reset it.
    Reset,
    /// The peer refused it.
    Refused,
    /// The application aborted it, or was gone when data came.
    Aborted,
    /// The network reported that the peer cannot be reached.
    Unreachable,
    /// Nothing came back in time.
    TimedOut,
}
