//! The home address of a mobile node in an extension header of IPv6, when it is not among the addresses of the IPv6 header:
//! the Home Address option (RFC 6275 section 6.3) and the routing header of type 2 (section 6.4).

use super::address::ipv6_address;
use super::error::EncodeError;
use super::ipv6::{DESTINATION_OPTIONS, Ipv6Header, ROUTING};
use super::message6::PAD_N;
use crate::packet::Tunnel;
use std::net::Ipv6Addr;

const HOME_ADDRESS_OPTION: u8 = 201;
const ADDRESS_LENGTH: u8 = 16;
/// Bytes of either extension header.
pub(super) const EXTENSION_LENGTH: usize = Tunnel::HOME_ADDRESS_BYTES as usize;

/// Write a Destination Options header with a Home Address option, and return its number.
pub(super) fn write_option(next_header: u8, home: Ipv6Addr, extension: &mut [u8]) -> u8 {
    extension[..4].copy_from_slice(&[next_header, 2, PAD_N, 2]);
    extension[4..6].fill(0);
    extension[6..8].copy_from_slice(&[HOME_ADDRESS_OPTION, ADDRESS_LENGTH]);
    extension[8..].copy_from_slice(&home.octets());
    DESTINATION_OPTIONS
}

/// Write a routing header of type 2, and return its number.
pub(super) fn write_routing_header(next_header: u8, home: Ipv6Addr, extension: &mut [u8]) -> u8 {
    const TYPE_2: u8 = 2;
    const SEGMENTS_LEFT: u8 = 1;
    extension[..4].copy_from_slice(&[next_header, 2, TYPE_2, SEGMENTS_LEFT]);
    extension[4..8].fill(0);
    extension[8..].copy_from_slice(&home.octets());
    ROUTING
}

/// Put these addresses into the IPv6 header of a packet of `length` bytes, of which at least the headers stand at
/// `out[24..]`, and keep the address that is replaced in an extension header: a new destination in a routing header, a
/// new source in a Home Address option. The packet then begins at `out[0]` and is as many bytes longer as this returns.
///
/// Checksums stay good: the home address counts in them (RFC 6275 section 11.3.1, RFC 8200 section 8.1).
///
/// # Errors
/// When `out` is too small, or the packet becomes too long for IP.
pub fn encode_home_address(tunnel: Tunnel, length: usize, out: &mut [u8]) -> Result<usize, EncodeError> {
    let own = out.get(EXTENSION_LENGTH..).and_then(|own| own.first_chunk::<{ Ipv6Header::LENGTH }>());
    let own = own.ok_or(EncodeError::BufferTooSmall { needed: EXTENSION_LENGTH + length })?;
    let (next_header, own) = (own[6], Ipv6Header::from_fixed(own));
    let replaced =
        Ipv6Header { source: ipv6_address(tunnel.entry), destination: ipv6_address(tunnel.exit), ..own };
    let extension = &mut out[Ipv6Header::LENGTH..][..EXTENSION_LENGTH];
    let first = match replaced.destination == own.destination {
        true => write_option(next_header, own.source, extension),
        false => write_routing_header(next_header, own.destination, extension),
    };
    let header = replaced.write(first, EXTENSION_LENGTH + length - Ipv6Header::LENGTH)?;
    out[..Ipv6Header::LENGTH].copy_from_slice(&header);
    Ok(EXTENSION_LENGTH)
}
