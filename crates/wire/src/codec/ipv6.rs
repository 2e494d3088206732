//! The IPv6 header and the way through its extension headers (RFC 8200 sections 3 and 4).

use super::DEFAULT_HOP_LIMIT;
use super::error::{DecodeError, EncodeError, Layer};
use super::ip::{TCP, TrafficClass};
use std::net::Ipv6Addr;

const HOP_BY_HOP: u8 = 0;
pub(super) const ROUTING: u8 = 43;
const FRAGMENT: u8 = 44;
pub(super) const DESTINATION_OPTIONS: u8 = 60;

/// The fields of an IPv6 header that are not computed. Extension headers are skipped when a packet is
/// read and never written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ipv6Header {
    /// Source address.
    pub source: Ipv6Addr,
    /// Destination address.
    pub destination: Ipv6Addr,
    /// Differentiated services code point and ECN.
    pub traffic_class: TrafficClass,
    /// Flow label; its low 20 bits are written (RFC 6437).
    pub flow_label: u32,
    /// Hops left.
    pub hop_limit: u8,
}

impl Ipv6Header {
    /// Bytes of the fixed header.
    pub const LENGTH: usize = 40;
    /// The bits that a flow label may have.
    pub const FLOW_LABEL_MASK: u32 = 0x000f_ffff;

    /// A header with hop limit 64 (RFC 1700), everything else zero.
    pub const fn new(source: Ipv6Addr, destination: Ipv6Addr) -> Self {
        Ipv6Header {
            source,
            destination,
            traffic_class: TrafficClass(0),
            flow_label: 0,
            hop_limit: DEFAULT_HOP_LIMIT,
        }
    }

    /// The header as bytes, in front of `payload_length` bytes of this protocol.
    pub(super) fn write(
        &self,
        next_header: u8,
        payload_length: usize,
    ) -> Result<[u8; Self::LENGTH], EncodeError> {
        let length =
            u16::try_from(payload_length).map_err(|_| EncodeError::TooLong { length: payload_length })?;
        let first =
            6 << 28 | u32::from(self.traffic_class.0) << 20 | (self.flow_label & Self::FLOW_LABEL_MASK);
        let mut bytes = [0; Self::LENGTH];
        bytes[0..4].copy_from_slice(&first.to_be_bytes());
        bytes[4..6].copy_from_slice(&length.to_be_bytes());
        bytes[6] = next_header;
        bytes[7] = self.hop_limit;
        bytes[8..24].copy_from_slice(&self.source.octets());
        bytes[24..40].copy_from_slice(&self.destination.octets());
        Ok(bytes)
    }

    /// The fixed header, the number of what follows it and its bytes. Bytes beyond the payload length are the link
    /// layer's padding.
    pub(super) fn read(packet: &[u8]) -> Result<(Self, u8, &[u8]), DecodeError> {
        let Some((fixed, rest)) = packet.split_first_chunk::<{ Self::LENGTH }>() else {
            return Err(DecodeError::Truncated(Layer::Ipv6));
        };
        let payload_length = usize::from(u16::from_be_bytes([fixed[4], fixed[5]]));
        if payload_length == 0 && fixed[6] == HOP_BY_HOP {
            return Err(DecodeError::Jumbogram);
        }
        let payload = rest.get(..payload_length).ok_or(DecodeError::Truncated(Layer::Ipv6))?;
        Ok((Self::from_fixed(fixed), fixed[6], payload))
    }

    pub(super) fn from_fixed(fixed: &[u8; Self::LENGTH]) -> Self {
        let mut source = [0; 16];
        let mut destination = [0; 16];
        source.copy_from_slice(&fixed[8..24]);
        destination.copy_from_slice(&fixed[24..40]);
        let first = u32::from_be_bytes([fixed[0], fixed[1], fixed[2], fixed[3]]);
        Ipv6Header {
            source: source.into(),
            destination: destination.into(),
            traffic_class: TrafficClass((first >> 20) as u8),
            flow_label: first & Self::FLOW_LABEL_MASK,
            hop_limit: fixed[7],
        }
    }
}

/// What follows the extension headers, if it is TCP. A hop-by-hop header may stand only first
/// (RFC 8200 section 4.1).
pub(super) fn skip_extensions(first: u8, mut payload: &[u8]) -> Result<&[u8], DecodeError> {
    let mut next = first;
    let mut at_start = true;
    loop {
        match next {
            TCP => return Ok(payload),
            FRAGMENT => return Err(DecodeError::Fragment),
            HOP_BY_HOP if at_start => {}
            ROUTING | DESTINATION_OPTIONS => {}
            other => return Err(DecodeError::NotTcp(other)),
        }
        let &[following, units, _, segments_left, ..] = payload else {
            return Err(DecodeError::Truncated(Layer::Ipv6Extension));
        };
        if next == ROUTING && segments_left != 0 {
            return Err(DecodeError::SegmentsLeft);
        }
        let length = (usize::from(units) + 1) * 8;
        payload = payload.get(length..).ok_or(DecodeError::Truncated(Layer::Ipv6Extension))?;
        next = following;
        at_start = false;
    }
}
