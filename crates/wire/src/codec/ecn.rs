//! The ECN field of packets as bytes, whatever they hold.

use super::ip::{IpVersion, TrafficClass};
use super::ipv4::Ipv4Header;
use super::{Checksum, DecodeError};
use crate::ecn::Ecn;

/// The ECN field of the IP header at the front of `packet`.
///
/// # Errors
/// [`DecodeError::Version`] and [`DecodeError::Truncated`] where there is no such header.
pub fn ecn_of(packet: &[u8]) -> Result<Ecn, DecodeError> {
    Ok(traffic_class(IpVersion::of(packet)?, packet).ecn())
}

/// The packet with this ECN field: `packet` itself where it has it, otherwise a copy in `out`, whose earlier content is lost. The header
/// checksum of IPv4 is that of the changed header; those of transport protocols do not cover the field.
///
/// # Errors
/// Those of [`ecn_of`].
pub fn with_ecn<'a>(packet: &'a [u8], ecn: Ecn, out: &'a mut Vec<u8>) -> Result<&'a [u8], DecodeError> {
    let version = IpVersion::of(packet)?;
    let class = traffic_class(version, packet).with_ecn(ecn).0;
    if packet.len() < version.header_length() || class == traffic_class(version, packet).0 {
        return Ok(packet);
    }
    out.clear();
    out.extend_from_slice(packet);
    match version {
        IpVersion::V4 => {
            out[1] = class;
            let length = (usize::from(out[0] & 0xf) * 4).clamp(Ipv4Header::LENGTH, out.len());
            out[10..12].fill(0);
            let checksum = Checksum::new().over(&out[..length]).field();
            out[10..12].copy_from_slice(&checksum.to_be_bytes());
        }
        IpVersion::V6 => {
            out[0] = out[0] & 0xf0 | class >> 4;
            out[1] = out[1] & 0x0f | class << 4;
        }
    }
    Ok(out)
}

/// Zero where the packet ends before it.
fn traffic_class(version: IpVersion, packet: &[u8]) -> TrafficClass {
    let second = packet.get(1).copied().unwrap_or(0);
    TrafficClass(match version {
        IpVersion::V4 => second,
        IpVersion::V6 => packet[0] << 4 | second >> 4,
    })
}
