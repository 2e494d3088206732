//! One IP packet inside another: IPv4 in IPv4 (RFC 2003), either in IPv6 (RFC 2473).

use super::Checksums;
use super::error::{DecodeError, EncodeError};
use super::ip::{IpHeader, IpVersion};
use super::ipv4::Ipv4Header;
use super::ipv6::Ipv6Header;

/// The protocol number of IPv4 in IP.
const IPV4: u8 = 4;
/// The next-header number of IPv6 in IP.
const IPV6: u8 = 41;

/// Write the outer header of a tunnel to the front of `out`, for an inner packet of `inner_length` bytes and
/// the same version of IP, and return its length.
///
/// # Errors
/// When the packet is too long for IP or `out` is too small.
pub fn encode_tunnel(outer: &IpHeader, inner_length: usize, out: &mut [u8]) -> Result<usize, EncodeError> {
    encode_tunnel_around(outer, outer.version(), inner_length, out)
}

/// [`encode_tunnel`] for an inner packet of either version.
///
/// # Errors
/// When the packet is too long for IP or `out` is too small.
pub fn encode_tunnel_around(
    outer: &IpHeader,
    inner: IpVersion,
    inner_length: usize,
    out: &mut [u8],
) -> Result<usize, EncodeError> {
    let protocol = match inner {
        IpVersion::V4 => IPV4,
        IpVersion::V6 => IPV6,
    };
    let length = outer.version().header_length();
    let place = out.get_mut(..length).ok_or(EncodeError::BufferTooSmall { needed: length })?;
    match outer {
        IpHeader::V4(header) => place.copy_from_slice(&header.write(protocol, inner_length)?),
        IpHeader::V6(header) => place.copy_from_slice(&header.write(protocol, inner_length)?),
    }
    Ok(length)
}

/// Take the outer header off a packet: that header and the packet inside. `None` when there is no packet of
/// the same version of IP inside.
///
/// # Errors
/// What is wrong with the outer header.
pub fn strip_tunnel(packet: &[u8]) -> Result<Option<(IpHeader, &[u8])>, DecodeError> {
    match IpVersion::of(packet)? {
        IpVersion::V4 => {
            let (header, protocol, inner) = Ipv4Header::read_any(packet, Checksums::Verify)?;
            Ok((protocol == IPV4).then_some((IpHeader::V4(header), inner)))
        }
        IpVersion::V6 => match Ipv6Header::read_fixed(packet)? {
            (header, IPV6, inner) => Ok(Some((IpHeader::V6(header), inner))),
            _ => Ok(None),
        },
    }
}
