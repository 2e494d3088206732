//! A connection: the endpoint, and what its socket knows beyond it.

use crate::cookies::CookieOption;
use crate::errno::Errno;
use crate::errors::ErrorQueue;
use crate::socket::IpOptions;
use seamline_tcp::{CloseReason, Endpoint, State};
use seamline_wire::Instant;
use std::net::SocketAddrV4;

/// A connection.
#[derive(Debug)]
pub(crate) struct Connection {
    /// The endpoint under test.
    pub(crate) endpoint: Endpoint,
    /// This end.
    pub(crate) local: SocketAddrV4,
    /// The other end.
    pub(crate) remote: SocketAddrV4,
    /// What the IP header of its packets has.
    pub(crate) ip: IpOptions,
    /// Whether a descriptor stands for it.
    pub(crate) accepted: bool,
    /// Whether a call has returned the error that ended it.
    pub(crate) error_reported: bool,
    /// Whether the application reads no more.
    pub(crate) shut_read: bool,
    /// Whether the application writes no more.
    pub(crate) shut_write: bool,
    /// The MSS that our SYN offers, in bytes.
    pub(crate) offered_segment_size: u16,
    /// Type and code of the last ICMP message about it.
    pub(crate) icmp: Option<(u8, u8)>,
    /// The cookie option of the next SYN that is sent, and of the first one that was.
    pub(crate) next_option: Option<CookieOption>,
    pub(crate) sent_option: Option<CookieOption>,
    /// Payload bytes taken from the application so far.
    pub(crate) taken: u64,
    /// What MSG_ERRQUEUE reads.
    pub(crate) errors: ErrorQueue,
    /// When payload was last sent.
    pub(crate) data_sent_at: Instant,
    /// When payload was last received.
    pub(crate) data_received_at: Instant,
}

impl Connection {
    /// The error that ended it, if any.
    pub(crate) fn error(&self) -> Option<Errno> {
        match self.endpoint.close_reason()? {
            CloseReason::Reset => Some(Errno(libc::ECONNRESET)),
            CloseReason::Refused => Some(Errno(libc::ECONNREFUSED)),
            CloseReason::TimedOut => Some(Errno(libc::ETIMEDOUT)),
            CloseReason::Unreachable => Some(self.icmp.map_or(Errno(libc::EHOSTUNREACH), errno_of)),
            CloseReason::Finished if self.endpoint.was_reset() => Some(Errno(libc::ECONNRESET)),
            CloseReason::Finished | CloseReason::Aborted => None,
        }
    }
    /// That error, the first time that it is asked for.
    pub(crate) fn take_error(&mut self) -> Option<Errno> {
        let error = self.error().filter(|_| !self.error_reported)?;
        self.error_reported = true;
        Some(error)
    }
    /// Whether the handshake is not over.
    pub(crate) fn is_opening(&self) -> bool {
        let opens = matches!(self.endpoint.state(), State::Listen | State::SynSent | State::SynReceived);
        opens && !self.endpoint.is_open_early()
    }
    /// Whether nothing more can be read.
    pub(crate) fn is_at_end(&self) -> bool {
        self.endpoint.peer_has_closed() || self.shut_read || self.endpoint.state() == State::Closed
    }
    /// Whether `accept` can return it.
    pub(crate) fn waits_to_be_accepted(&self) -> bool {
        !self.accepted && !self.is_opening()
    }
}

/// The error number of an ICMP message (Linux: icmp_err_convert).
fn errno_of((kind, code): (u8, u8)) -> Errno {
    Errno(match (kind, code) {
        (3, 0 | 6 | 9 | 11) => libc::ENETUNREACH,
        (3, 2) => libc::ENOPROTOOPT,
        (3, 3) => libc::ECONNREFUSED,
        (3, 4) => libc::EMSGSIZE,
        (3, 5) => libc::EOPNOTSUPP,
        (3, 7) => libc::EHOSTDOWN,
        (3, 8) => libc::ENONET,
        (12, _) => libc::EPROTO,
        _ => libc::EHOSTUNREACH,
    })
}
