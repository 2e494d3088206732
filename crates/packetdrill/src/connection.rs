//! A connection: the endpoint, and what its socket knows beyond it.

use crate::errno::Errno;
use seamline_tcp::{CloseReason, Endpoint, State};
use seamline_wire::{Instant, Segment};
use std::net::SocketAddrV4;

/// Options that one end offers in its SYN, or that both have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Offer {
    /// Timestamps.
    pub(crate) timestamps: bool,
    /// SACK.
    pub(crate) sack: bool,
    /// Window scaling.
    pub(crate) window_scale: bool,
}

impl Offer {
    /// What a SYN offers.
    pub(crate) fn of(syn: &Segment) -> Offer {
        Offer {
            timestamps: syn.timestamps.is_some(),
            sack: syn.sack_permitted,
            window_scale: syn.window_scale.is_some(),
        }
    }
    /// What both have.
    pub(crate) fn and(self, other: Offer) -> Offer {
        Offer {
            timestamps: self.timestamps && other.timestamps,
            sack: self.sack && other.sack,
            window_scale: self.window_scale && other.window_scale,
        }
    }
}

/// A connection.
#[derive(Debug)]
pub(crate) struct Connection {
    /// The endpoint under test.
    pub(crate) endpoint: Endpoint,
    /// This end.
    pub(crate) local: SocketAddrV4,
    /// The other end.
    pub(crate) remote: SocketAddrV4,
    /// Whether a descriptor stands for it.
    pub(crate) accepted: bool,
    /// Whether a call has returned the error that ended it.
    pub(crate) error_reported: bool,
    /// Whether the application reads no more.
    pub(crate) shut_read: bool,
    /// Whether the application writes no more.
    pub(crate) shut_write: bool,
    /// The options offered by us, later those that both have.
    pub(crate) options: Offer,
    /// The MSS that our SYN offers, in bytes.
    pub(crate) offered_segment_size: u16,
    /// Payload of the peer's largest segment so far, in bytes.
    pub(crate) largest_received: u32,
    /// Type and code of the last ICMP message about it.
    pub(crate) icmp: Option<(u8, u8)>,
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
        matches!(self.endpoint.state(), State::Listen | State::SynSent | State::SynReceived)
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
