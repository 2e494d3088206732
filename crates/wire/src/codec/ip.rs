//! What the two versions of IP have in common.

use super::Checksums;
use super::checksum::Checksum;
use super::error::{DecodeError, EncodeError, Layer};
use super::ipv4::Ipv4Header;
use super::ipv6::Ipv6Header;
use crate::ecn::Ecn;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The protocol number of TCP.
pub(super) const TCP: u8 = 6;
/// The protocol number of UDP.
pub(super) const UDP: u8 = 17;

/// A version of the Internet Protocol.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum IpVersion {
    /// IPv4 (RFC 791).
    #[default]
    V4,
    /// IPv6 (RFC 8200).
    V6,
}

impl IpVersion {
    /// That of a packet, by its first bits.
    ///
    /// # Errors
    /// [`DecodeError::Version`] for another one, [`DecodeError::Truncated`] for nothing at all.
    pub fn of(packet: &[u8]) -> Result<Self, DecodeError> {
        match packet.first().map(|byte| byte >> 4) {
            Some(4) => Ok(IpVersion::V4),
            Some(6) => Ok(IpVersion::V6),
            Some(version) => Err(DecodeError::Version(version)),
            None => Err(DecodeError::Truncated(Layer::Ipv4)),
        }
    }

    /// Bytes of the fixed header.
    pub const fn header_length(self) -> usize {
        match self {
            IpVersion::V4 => Ipv4Header::LENGTH,
            IpVersion::V6 => Ipv6Header::LENGTH,
        }
    }
}

/// The byte that holds the differentiated services code point, in its high six bits, and ECN, in the two below: the IPv4 type of
/// service, the IPv6 traffic class (RFC 2474 section 3, RFC 3168 section 5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct TrafficClass(pub u8);

impl TrafficClass {
    /// The same code point, Not ECN-Capable Transport (RFC 3168 section 5).
    #[must_use]
    pub const fn without_ecn(self) -> Self {
        self.with_ecn(Ecn::NotEct)
    }
    /// The same code point with another ECN field.
    #[must_use]
    pub const fn with_ecn(self, ecn: Ecn) -> Self {
        TrafficClass(self.0 & !0b11 | ecn.bits())
    }
    /// The ECN field.
    pub const fn ecn(self) -> Ecn {
        Ecn::from_bits(self.0)
    }
}

/// The IP header of a packet, without what is computed (lengths, checksum) and without what is
/// skipped (IPv4 options, IPv6 extension headers).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IpHeader {
    /// IPv4.
    V4(Ipv4Header),
    /// IPv6.
    V6(Ipv6Header),
}

impl IpHeader {
    /// The header of an unfragmented IPv4 packet with TTL 64 and everything else zero.
    pub fn v4(source: Ipv4Addr, destination: Ipv4Addr) -> Self {
        IpHeader::V4(Ipv4Header::new(source, destination))
    }
    /// The header of an IPv6 packet with hop limit 64 and everything else zero.
    pub fn v6(source: Ipv6Addr, destination: Ipv6Addr) -> Self {
        IpHeader::V6(Ipv6Header::new(source, destination))
    }
    /// The version.
    pub const fn version(&self) -> IpVersion {
        match self {
            IpHeader::V4(_) => IpVersion::V4,
            IpHeader::V6(_) => IpVersion::V6,
        }
    }
    /// The source address.
    pub const fn source(&self) -> IpAddr {
        match self {
            IpHeader::V4(header) => IpAddr::V4(header.source),
            IpHeader::V6(header) => IpAddr::V6(header.source),
        }
    }
    /// The destination address.
    pub const fn destination(&self) -> IpAddr {
        match self {
            IpHeader::V4(header) => IpAddr::V4(header.destination),
            IpHeader::V6(header) => IpAddr::V6(header.destination),
        }
    }
    /// Code point and ECN.
    pub const fn traffic_class(&self) -> TrafficClass {
        match self {
            IpHeader::V4(header) => header.traffic_class,
            IpHeader::V6(header) => header.traffic_class,
        }
    }
    /// The same header with another ECN field.
    #[must_use]
    pub const fn with_ecn(mut self, ecn: Ecn) -> Self {
        let class = match &mut self {
            IpHeader::V4(header) => &mut header.traffic_class,
            IpHeader::V6(header) => &mut header.traffic_class,
        };
        *class = class.with_ecn(ecn);
        self
    }
    /// The header at the front of `packet`, the protocol behind it and its bytes.
    pub(super) fn read(packet: &[u8], checksums: Checksums) -> Result<(Self, u8, &[u8]), DecodeError> {
        Ok(match IpVersion::of(packet)? {
            IpVersion::V4 => {
                let (header, protocol, body) = Ipv4Header::read(packet, checksums)?;
                (IpHeader::V4(header), protocol, body)
            }
            IpVersion::V6 => {
                let (header, protocol, body) = Ipv6Header::read(packet)?;
                (IpHeader::V6(header), protocol, body)
            }
        })
    }
    /// Write the header into `place`, which has its length, in front of `length` bytes of this protocol.
    pub(super) fn write(&self, protocol: u8, length: usize, place: &mut [u8]) -> Result<(), EncodeError> {
        match self {
            IpHeader::V4(header) => place.copy_from_slice(&header.write(protocol, length)?),
            IpHeader::V6(header) => place.copy_from_slice(&header.write(protocol, length)?),
        }
        Ok(())
    }
    /// The sum of the pseudo header that the checksums of TCP and UDP cover, for `length` bytes of them
    /// (RFC 9293 section 3.1, RFC 768, RFC 8200 section 8.1).
    pub(super) fn pseudo_header(&self, protocol: u8, length: usize) -> Checksum {
        let sum = Checksum::new().over(&[0, protocol]).over(&(length as u32).to_be_bytes());
        match self {
            IpHeader::V4(header) => sum.over(&header.source.octets()).over(&header.destination.octets()),
            IpHeader::V6(header) => sum.over(&header.source.octets()).over(&header.destination.octets()),
        }
    }
}
