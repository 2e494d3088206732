//! What the network reports by ICMP (RFC 9293 section 3.9.2.2).

use super::*;
use crate::parameters::ErrorsEndingHandshakes;

/// What an ICMP message says about a segment of this end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NetworkError {
    /// Something that may pass: no route to network or host, source route failed, time exceeded, a problem with a parameter. Such
    /// errors are soft (RFC 9293 section 3.9.2.2, MUST-56).
    Unreachable,
    /// The packet lived too long on its way (RFC 792: time to live exceeded in transit).
    Expired,
    /// A filter forbids the way (codes 9, 10 and 13 of destination unreachable, RFC 1812 section 5.2.7.1).
    Prohibited,
    /// Protocol or port unreachable: hard errors (SHLD-25).
    Refused,
    /// The packet is too big for a link and must not be fragmented (RFC 1191).
    TooBig {
        /// Bytes of a packet that fit; zero from routers that do not say.
        next_hop_mtu: u32,
    },
}

impl NetworkError {
    /// What an ICMP message over IPv4 with this type and code says (RFC 792, RFC 1812 section 5.2.7), with the MTU of RFC 1191 as far
    /// as it has one; `None` for what says nothing of a connection, such as a redirect or a source quench (RFC 6633).
    pub fn of_icmp_v4(kind: u8, code: u8, next_hop_mtu: u16) -> Option<NetworkError> {
        const UNREACHABLE: u8 = 3;
        const TIME_EXCEEDED: u8 = 11;
        const PARAMETER_PROBLEM: u8 = 12;
        match (kind, code) {
            (UNREACHABLE, 2 | 3) => Some(NetworkError::Refused),
            (UNREACHABLE, 4) => Some(NetworkError::TooBig { next_hop_mtu: next_hop_mtu.into() }),
            (UNREACHABLE, 9 | 10 | 13) => Some(NetworkError::Prohibited),
            (TIME_EXCEEDED, 0) => Some(NetworkError::Expired),
            (UNREACHABLE | TIME_EXCEEDED | PARAMETER_PROBLEM, _) => Some(NetworkError::Unreachable),
            _ => None,
        }
    }
}

const IPV4_AND_TCP_HEADERS: u32 = 40;
/// Smaller packets are not for the asking, as in Linux (`ip_rt_min_pmtu`): a stranger's message would multiply the work of both ends.
const LEAST_MTU: u32 = 552;
/// Sizes that links have (RFC 1191, table 7-1), to try when a router does not say.
const PLATEAUS: [u32; 7] = [32_000, 17_914, 8166, 4352, 2002, 1492, 1006];

impl Endpoint {
    /// An ICMP message quotes a segment of this end that began at `sequence`. A stranger's guess that quotes nothing outstanding is
    /// ignored (RFC 5927 section 4.1). A hard error ends a connection that is not open yet; an open one only takes note, as the peer
    /// has answered before (RFC 5927 section 5.2).
    pub fn on_icmp(&mut self, now: Instant, sequence: SequenceNumber, error: NetworkError, out: &mut Outbox) {
        if !self.is_outstanding(sequence) {
            return;
        }
        match error {
            NetworkError::TooBig { next_hop_mtu } => self.lower_segment_size(now, next_hop_mtu, out),
            _ if self.ends_by(error) => self.finish(self.reason_of(error), out),
            _ => {
                self.network_error = Some(error);
                if error == NetworkError::Unreachable {
                    self.happened(now, HandoverEvent::Unreachable, out);
                }
            }
        }
    }

    /// What ICMP has reported since the peer was last heard of, if that did not end the connection: a reason to name when it does end.
    pub fn network_error(&self) -> Option<NetworkError> {
        self.network_error
    }

    fn is_outstanding(&self, sequence: SequenceNumber) -> bool {
        let view = &self.sender.view;
        let sends = self.state != State::Closed && self.state != State::TimeWait;
        let at = self.sender.offset(sequence).filter(|_| sends);
        at.is_some_and(|at| at >= view.unacknowledged && at < view.highest_sent)
    }

    fn ends_by(&self, error: NetworkError) -> bool {
        let needed = match error {
            NetworkError::Refused => ErrorsEndingHandshakes::Hard,
            NetworkError::Prohibited | NetworkError::Expired => ErrorsEndingHandshakes::Prohibitions,
            NetworkError::Unreachable => ErrorsEndingHandshakes::Soft,
            NetworkError::TooBig { .. } => return false,
        };
        self.state.is_handshaking() && self.parameters.connection.errors_ending_handshakes >= needed
    }

    /// Where every error ends a handshake, what forbids the way is one of those that may pass.
    fn reason_of(&self, error: NetworkError) -> CloseReason {
        let all_end_it = self.parameters.connection.errors_ending_handshakes == ErrorsEndingHandshakes::Soft;
        match error {
            NetworkError::Refused => CloseReason::Refused,
            NetworkError::Prohibited if !all_end_it => CloseReason::Refused,
            _ => CloseReason::Unreachable,
        }
    }

    /// What is outstanding and larger is lost: it leaves again, in smaller segments (RFC 1191 section 6.5).
    fn lower_segment_size(&mut self, now: Instant, next_hop_mtu: u32, out: &mut Outbox) {
        let before = self.header.largest_segment + IPV4_AND_TCP_HEADERS;
        let guess = PLATEAUS.into_iter().find(|size| *size < before).unwrap_or(LEAST_MTU);
        let mtu = if next_hop_mtu == 0 { guess } else { next_hop_mtu.max(LEAST_MTU) };
        if mtu >= before || !self.state.is_synchronized() {
            return;
        }
        self.header.largest_segment = mtu - IPV4_AND_TCP_HEADERS;
        self.segment_size_agreed = self.header.largest_segment - self.header.options_length();
        self.sender.view.segment_size = self.segment_size_agreed;
        self.resume(now, out);
    }
}
