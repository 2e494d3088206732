//! Messages between agents as bytes, in UDP behind IPv4 or IPv6.
//!
//! ```text
//! +---------------------+------+-------+-------------+------------+--------------------------+
//! | experiment id 5EA1  | kind | count | mobile port | fixed port | count times (first, end) |
//! +---------------------+------+-------+-------------+------------+--------------------------+
//! ```

use super::ip::{IpHeader, IpVersion, UDP};
use super::message::{UDP_HEADER, finish_datagram};
use super::{Checksums, DecodeError, EncodeError, MARK_EXPERIMENT_ID};
use crate::control::{MissingBytes, RecoveryMessage, SequenceRange, SequenceRanges};
use crate::packet::TransportPort;
use crate::sequence::SequenceNumber;
use std::fmt;

/// The UDP port at both ends: RFC3692-style experiment 1 (RFC 4727). Only agents on the path listen there.
pub const RECOVERY_PORT: TransportPort = TransportPort(1021);

const FIXED_LENGTH: usize = 8;
const RANGE_LENGTH: usize = 8;
const REQUEST: u8 = 1;
const LOST_BY_CONGESTION: u8 = 2;

/// Why bytes are not a message between agents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MessageError {
    /// The IP header is wrong.
    Ip(DecodeError),
    /// Sound as far as looked at, but another kind of packet.
    Other,
    /// It ends before it is complete.
    Truncated,
    /// The checksum of UDP is wrong.
    Checksum,
}

impl fmt::Display for MessageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MessageError::Ip(error) => error.fmt(f),
            MessageError::Other => f.write_str("not a message between agents"),
            MessageError::Truncated => f.write_str("the message is cut short"),
            MessageError::Checksum => f.write_str("the checksum of the message is wrong"),
        }
    }
}
impl std::error::Error for MessageError {}

/// Write a message to the front of `out` and return the length of its packet.
///
/// # Errors
/// When `out` is too small.
pub fn encode(ip: &IpHeader, message: &RecoveryMessage, out: &mut [u8]) -> Result<usize, EncodeError> {
    let header = ip.version().header_length();
    let length = UDP_HEADER + message.length();
    let needed = header + length;
    let place = out.get_mut(..needed).ok_or(EncodeError::BufferTooSmall { needed })?;
    let (ip_place, datagram) = place.split_at_mut(header);
    write(message, &mut datagram[UDP_HEADER..]);
    finish_datagram(ip, RECOVERY_PORT, RECOVERY_PORT, datagram);
    ip.write(UDP, length, ip_place)?;
    Ok(needed)
}

fn write(message: &RecoveryMessage, body: &mut [u8]) {
    body[0..2].copy_from_slice(&MARK_EXPERIMENT_ID.to_be_bytes());
    body[2] = match message.about {
        MissingBytes::Request => REQUEST,
        MissingBytes::LostByCongestion => LOST_BY_CONGESTION,
    };
    body[3] = message.ranges.as_slice().len() as u8;
    body[4..6].copy_from_slice(&message.mobile_port.0.to_be_bytes());
    body[6..8].copy_from_slice(&message.fixed_port.0.to_be_bytes());
    let places = body[FIXED_LENGTH..].chunks_exact_mut(RANGE_LENGTH);
    for (range, place) in message.ranges.as_slice().iter().zip(places) {
        place[..4].copy_from_slice(&range.first.0.to_be_bytes());
        place[4..].copy_from_slice(&range.end.0.to_be_bytes());
    }
}

/// Read a packet that holds a message between agents. Never panics, never allocates.
///
/// # Errors
/// The first thing found wrong, from the outermost header inwards.
pub fn decode(packet: &[u8]) -> Result<(IpHeader, RecoveryMessage), MessageError> {
    let (ip, protocol, body) = IpHeader::read(packet, Checksums::Verify).map_err(MessageError::Ip)?;
    if protocol != UDP {
        return Err(MessageError::Other);
    }
    let header = body.first_chunk::<UDP_HEADER>().ok_or(MessageError::Truncated)?;
    if [half(header, 0), half(header, 2)] != [RECOVERY_PORT.0; 2] {
        return Err(MessageError::Other);
    }
    let datagram = body.get(..usize::from(half(header, 4))).ok_or(MessageError::Truncated)?;
    let message = datagram.get(UDP_HEADER..).ok_or(MessageError::Truncated)?;
    let is_unprotected = half(header, 6) == 0 && ip.version() == IpVersion::V4;
    if !is_unprotected && !ip.pseudo_header(UDP, datagram.len()).over(datagram).is_valid() {
        return Err(MessageError::Checksum);
    }
    Ok((ip, read(message)?))
}

fn read(body: &[u8]) -> Result<RecoveryMessage, MessageError> {
    let fixed = body.first_chunk::<FIXED_LENGTH>().ok_or(MessageError::Truncated)?;
    if half(fixed, 0) != MARK_EXPERIMENT_ID {
        return Err(MessageError::Other);
    }
    let about = match fixed[2] {
        REQUEST => MissingBytes::Request,
        LOST_BY_CONGESTION => MissingBytes::LostByCongestion,
        _ => return Err(MessageError::Other),
    };
    let count = usize::from(fixed[3]);
    if count > SequenceRanges::MAX {
        return Err(MessageError::Other);
    }
    let given = body[FIXED_LENGTH..].get(..count * RANGE_LENGTH).ok_or(MessageError::Truncated)?;
    let mut list = [SequenceRange::default(); SequenceRanges::MAX];
    for (range, bytes) in list.iter_mut().zip(given.as_chunks::<4>().0.as_chunks::<2>().0) {
        let [first, end] = bytes.map(|number| SequenceNumber(u32::from_be_bytes(number)));
        *range = SequenceRange { first, end };
    }
    let [mobile_port, fixed_port] = [half(fixed, 4), half(fixed, 6)].map(TransportPort);
    Ok(RecoveryMessage { about, mobile_port, fixed_port, ranges: SequenceRanges::of(&list[..count]) })
}

fn half(bytes: &[u8; 8], at: usize) -> u16 {
    u16::from_be_bytes([bytes[at], bytes[at + 1]])
}
