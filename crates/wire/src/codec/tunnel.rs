//! One IP packet inside another: IPv4 in IPv4 (RFC 2003), either in IPv6 (RFC 2473).

use super::Checksums;
use super::error::{DecodeError, EncodeError};
use super::ip::{IpHeader, IpVersion};

/// The number of a packet of IP as the payload of another.
const fn protocol_of(inner: IpVersion) -> u8 {
    match inner {
        IpVersion::V4 => 4,
        IpVersion::V6 => 41,
    }
}

/// Write the outer header of a tunnel to the front of `out`, for an inner packet of this version of IP and `inner_length` bytes, and
/// return its length.
///
/// # Errors
/// When the packet is too long for IP or `out` is too small.
pub fn encode_tunnel(
    outer: &IpHeader,
    inner: IpVersion,
    inner_length: usize,
    out: &mut [u8],
) -> Result<usize, EncodeError> {
    let length = outer.version().header_length();
    let place = out.get_mut(..length).ok_or(EncodeError::BufferTooSmall { needed: length })?;
    outer.write(protocol_of(inner), inner_length, place)?;
    Ok(length)
}

/// Take the outer header off a packet: that header and the packet inside. `None` when there is no packet of
/// the same version of IP inside.
///
/// # Errors
/// What is wrong with the outer header.
pub fn strip_tunnel(packet: &[u8]) -> Result<Option<(IpHeader, &[u8])>, DecodeError> {
    let (header, protocol, inner) = IpHeader::read(packet, Checksums::Verify)?;
    Ok((protocol == protocol_of(header.version())).then_some((header, inner)))
}
