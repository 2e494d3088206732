//! The IPv4 header (RFC 791 section 3.1).

use super::checksum::Checksum;
use super::error::{DecodeError, EncodeError, Layer};
use super::ip::TrafficClass;
use super::{Checksums, DEFAULT_HOP_LIMIT};
use std::net::Ipv4Addr;

const DONT_FRAGMENT: u16 = 0x4000;
const MORE_FRAGMENTS: u16 = 0x2000;
const FRAGMENT_OFFSET: u16 = 0x1fff;

/// The fields of an IPv4 header that are not computed. Options are skipped when a packet is read and
/// never written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ipv4Header {
    /// Source address.
    pub source: Ipv4Addr,
    /// Destination address.
    pub destination: Ipv4Addr,
    /// Differentiated services code point and ECN.
    pub traffic_class: TrafficClass,
    /// Identification; without meaning while the packet may not be fragmented (RFC 6864 section 4).
    pub identification: u16,
    /// The DF bit.
    pub dont_fragment: bool,
    /// Hops left.
    pub time_to_live: u8,
}

impl Ipv4Header {
    /// Bytes of the header without options.
    pub const LENGTH: usize = 20;

    /// A header with DF set and TTL 64 (RFC 1700), everything else zero.
    pub const fn new(source: Ipv4Addr, destination: Ipv4Addr) -> Self {
        Ipv4Header {
            source,
            destination,
            traffic_class: TrafficClass(0),
            identification: 0,
            dont_fragment: true,
            time_to_live: DEFAULT_HOP_LIMIT,
        }
    }

    /// The header as bytes, in front of `payload_length` bytes of this protocol.
    pub(super) fn write(
        &self,
        protocol: u8,
        payload_length: usize,
    ) -> Result<[u8; Self::LENGTH], EncodeError> {
        let length = Self::LENGTH + payload_length;
        let total_length = u16::try_from(length).map_err(|_| EncodeError::TooLong { length })?;
        let fragment = if self.dont_fragment { DONT_FRAGMENT } else { 0 };
        let mut bytes = [0; Self::LENGTH];
        bytes[0] = 0x45;
        bytes[1] = self.traffic_class.0;
        bytes[2..4].copy_from_slice(&total_length.to_be_bytes());
        bytes[4..6].copy_from_slice(&self.identification.to_be_bytes());
        bytes[6..8].copy_from_slice(&fragment.to_be_bytes());
        bytes[8] = self.time_to_live;
        bytes[9] = protocol;
        bytes[12..16].copy_from_slice(&self.source.octets());
        bytes[16..20].copy_from_slice(&self.destination.octets());
        let checksum = Checksum::new().over(&bytes).field();
        bytes[10..12].copy_from_slice(&checksum.to_be_bytes());
        Ok(bytes)
    }

    /// The header at the front of `packet`, the protocol behind it and its bytes. Bytes beyond the total
    /// length are the link layer's padding.
    pub(super) fn read(packet: &[u8], checksums: Checksums) -> Result<(Self, u8, &[u8]), DecodeError> {
        let Some(fixed) = packet.first_chunk::<{ Self::LENGTH }>() else {
            return Err(DecodeError::Truncated(Layer::Ipv4));
        };
        let header_length = usize::from(fixed[0] & 0x0f) * 4;
        if header_length < Self::LENGTH {
            return Err(DecodeError::HeaderLength(Layer::Ipv4));
        }
        let header = packet.get(..header_length).ok_or(DecodeError::Truncated(Layer::Ipv4))?;
        if checksums == Checksums::Verify && !Checksum::new().over(header).is_valid() {
            return Err(DecodeError::Ipv4Checksum);
        }
        let total_length = usize::from(u16::from_be_bytes([fixed[2], fixed[3]]));
        let segment = packet.get(header_length..total_length).ok_or(DecodeError::Truncated(Layer::Ipv4))?;
        let fragment = u16::from_be_bytes([fixed[6], fixed[7]]);
        if fragment & (MORE_FRAGMENTS | FRAGMENT_OFFSET) != 0 {
            return Err(DecodeError::Fragment);
        }
        Ok((Self::from_fixed(fixed, fragment), fixed[9], segment))
    }

    fn from_fixed(fixed: &[u8; Self::LENGTH], fragment: u16) -> Self {
        Ipv4Header {
            source: Ipv4Addr::new(fixed[12], fixed[13], fixed[14], fixed[15]),
            destination: Ipv4Addr::new(fixed[16], fixed[17], fixed[18], fixed[19]),
            traffic_class: TrafficClass(fixed[1]),
            identification: u16::from_be_bytes([fixed[4], fixed[5]]),
            dont_fragment: fragment & DONT_FRAGMENT != 0,
            time_to_live: fixed[8],
        }
    }
}
