//! A socket: one end of a connection, with the bytes that have arrived for its program.

use crate::options::Tcp;
use crate::pipe::Way;
use seamline_tcp::endpoint::NetworkError;
use seamline_tcp::{Address, CloseReason, Endpoint, EndpointConfig, State};
use seamline_wire::SequenceNumber;
use std::collections::VecDeque;
use std::io;

/// One end of a connection.
#[derive(Debug)]
pub(crate) struct Socket {
    pub(crate) endpoint: Endpoint,
    pub(crate) arrived: VecDeque<u8>,
    /// The port whose listener has made it, until a program accepts it.
    pub(crate) unaccepted: Option<u16>,
    /// Whether no program holds it.
    pub(crate) dropped: bool,
    /// What its program last knew: what [`Socket::signature`] was.
    pub(crate) known: (u64, bool),
}

impl Socket {
    pub(crate) fn new(tcp: &Tcp, local: Address, remote: Address, initial_sequence: SequenceNumber) -> Self {
        let config = EndpointConfig {
            local,
            remote,
            parameters: tcp.parameters.clone(),
            variant: tcp.variant,
            handover: tcp.handover,
            initial_sequence,
        };
        let endpoint = Endpoint::new(config);
        Socket { endpoint, arrived: VecDeque::new(), unaccepted: None, dropped: false, known: (0, true) }
    }

    /// What it sends by.
    pub(crate) fn outward(&self) -> Way {
        (self.endpoint.local(), self.endpoint.remote())
    }
    /// What it receives by.
    pub(crate) fn inward(&self) -> Way {
        (self.endpoint.remote(), self.endpoint.local())
    }
    /// Whether the handshake is under way.
    pub(crate) fn is_opening(&self) -> bool {
        matches!(self.endpoint.state(), State::Listen | State::SynSent | State::SynReceived)
    }
    /// What changes when there is something for its program.
    pub(crate) fn signature(&self) -> (u64, bool) {
        (self.endpoint.edges(), self.is_opening())
    }

    /// Why the connection ended, if it did not end well.
    pub(crate) fn error(&self) -> Option<io::Error> {
        let (kind, why) = match self.endpoint.close_reason()? {
            CloseReason::Refused => (io::ErrorKind::ConnectionRefused, "nobody listens there"),
            CloseReason::Reset => (io::ErrorKind::ConnectionReset, "the other end reset the connection"),
            CloseReason::TimedOut => (io::ErrorKind::TimedOut, "nothing came back in time"),
            CloseReason::Unreachable => (io::ErrorKind::HostUnreachable, "the network has no way there"),
            CloseReason::Aborted => (io::ErrorKind::ConnectionAborted, "this end aborted the connection"),
            CloseReason::Finished if self.endpoint.was_reset() => {
                (io::ErrorKind::ConnectionReset, "the other end reset the connection")
            }
            CloseReason::Finished => return None,
        };
        let why = match self.endpoint.network_error() {
            Some(NetworkError::Unreachable) => "the network has no way there",
            _ => why,
        };
        Some(io::Error::new(kind, why))
    }
}
