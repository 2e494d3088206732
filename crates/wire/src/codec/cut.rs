//! Packets of which only the beginning was captured.

use super::ip::IpVersion;
use super::{Checksums, DecodeError, Headers, Layer, MAX_HEADER_LENGTH, decode_with};

/// The longest beginning that is looked at: the longest IPv4 header, which is longer than that of IPv6, and the longest TCP
/// header, rounded up; also the room for what extension headers precede TCP.
const LONGEST: usize = 160;
const _: () = assert!(LONGEST >= MAX_HEADER_LENGTH + 40);

/// The headers of a packet of which `captured` is the beginning: all headers, and as much of the payload as there happens to be.
/// [`crate::Segment::length`] is that of the whole packet, by the length field of its IP header. Checksums are not verified:
/// that of TCP covers what is missing, and a host sees its own packets before its network card fills it in.
///
/// # Errors
/// Those of [`super::decode`], but for checksums. A packet longer than its length field can say (a total length of zero in IPv4)
/// is [`DecodeError::Truncated`].
pub fn decode_beginning(captured: &[u8]) -> Result<Headers, DecodeError> {
    let (place, fixed, layer) = match IpVersion::of(captured)? {
        IpVersion::V4 => (2, 0, Layer::Ipv4),
        IpVersion::V6 => (4, IpVersion::V6.header_length(), Layer::Ipv6),
    };
    let mut bytes = [0; LONGEST];
    let front = &captured[..captured.len().min(LONGEST)];
    let bytes = &mut bytes[..front.len()];
    bytes.copy_from_slice(front);
    let there = bytes.len().checked_sub(fixed).ok_or(DecodeError::Truncated(layer))?;
    let field = bytes.get_mut(place..place + 2).ok_or(DecodeError::Truncated(layer))?;
    let stated = usize::from(u16::from_be_bytes([field[0], field[1]]));
    let kept = stated.min(there);
    field.copy_from_slice(&(kept as u16).to_be_bytes());
    let mut headers = decode_with(bytes, Checksums::Ignore)?.headers;
    headers.segment.length += (stated - kept) as u32;
    Ok(headers)
}
