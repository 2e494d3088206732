//! Why a packet could not be read or written.

use std::fmt;

/// A layer of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Layer {
    /// The fixed IPv4 header and its options (RFC 791).
    Ipv4,
    /// The fixed IPv6 header (RFC 8200 section 3).
    Ipv6,
    /// An IPv6 extension header (RFC 8200 section 4).
    Ipv6Extension,
    /// The TCP header and its options (RFC 9293 section 3.1).
    Tcp,
}

/// Why bytes are not a whole IP packet with a TCP segment that can be taken in. A middlebox lets pass
/// what it cannot read; an end host drops it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DecodeError {
    /// The packet ends, or its own length field says that it ends, within this layer; or a payload
    /// that the length field announces is not all there.
    Truncated(Layer),
    /// The version is neither 4 nor 6.
    Version(u8),
    /// A header length field (IHL or data offset) below the fixed header's five words.
    HeaderLength(Layer),
    /// The IPv4 header checksum is wrong.
    Ipv4Checksum,
    /// The TCP checksum is wrong.
    TcpChecksum,
    /// A fragment: the segment is complete only after reassembly, which is not done here. Any IPv6
    /// packet with a fragment header counts.
    Fragment,
    /// An IPv6 jumbogram (RFC 2675): payload length zero and a hop-by-hop header.
    Jumbogram,
    /// An IPv6 routing header with segments left: the address in the fixed header is not the final
    /// destination, so this node only forwards (RFC 8200 section 4.4).
    SegmentsLeft,
    /// Something else than TCP: the protocol or next-header number.
    NotTcp(u8),
    /// This layer holds something that would be lost: [`super::decode_complete`] refuses it.
    LeftOut(Layer),
    /// A TCP option whose length field is below two, runs past the header or is not one that the
    /// option's own RFC allows (RFC 9293 section 3.1, MUST-7).
    OptionLength {
        /// The option's kind.
        kind: u8,
        /// Its length field; zero, too, when the header ends before it.
        length: u8,
    },
}

impl fmt::Display for Layer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Layer::Ipv4 => "IPv4 header",
            Layer::Ipv6 => "IPv6 header",
            Layer::Ipv6Extension => "IPv6 extension header",
            Layer::Tcp => "TCP header",
        })
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DecodeError::Truncated(layer) => write!(f, "the packet is cut short at the {layer}"),
            DecodeError::Version(version) => write!(f, "IP version {version}, expected 4 or 6"),
            DecodeError::HeaderLength(layer) => write!(f, "the length field of the {layer} is below 5 words"),
            DecodeError::Ipv4Checksum => f.write_str("the IPv4 header checksum is wrong"),
            DecodeError::TcpChecksum => f.write_str("the TCP checksum is wrong"),
            DecodeError::Fragment => f.write_str("the packet is a fragment"),
            DecodeError::Jumbogram => f.write_str("IPv6 jumbograms are not supported"),
            DecodeError::SegmentsLeft => f.write_str("the IPv6 routing header has segments left"),
            DecodeError::NotTcp(protocol) => write!(f, "protocol {protocol}, expected 6 (TCP)"),
            DecodeError::LeftOut(layer) => write!(f, "the {layer} holds more than is taken in"),
            DecodeError::OptionLength { kind, length } => {
                write!(f, "TCP option {kind} has the illegal length {length}")
            }
        }
    }
}
impl std::error::Error for DecodeError {}

/// Why headers could not be put into bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EncodeError {
    /// The packet would be longer than the 16-bit length field of its IP header can say.
    TooLong {
        /// What the field would have to hold.
        length: usize,
    },
    /// The payload given is not as long as the segment says.
    PayloadLength {
        /// [`crate::Segment::length`].
        segment: u32,
        /// Bytes given.
        payload: usize,
    },
    /// The buffer is too small.
    BufferTooSmall {
        /// Bytes needed.
        needed: usize,
    },
}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EncodeError::TooLong { length } => {
                write!(f, "an IP packet cannot state a length of {length} bytes, at most 65535")
            }
            EncodeError::PayloadLength { segment, payload } => {
                write!(f, "the segment says {segment} bytes of payload, {payload} were given")
            }
            EncodeError::BufferTooSmall { needed } => {
                write!(f, "the buffer is too small, {needed} bytes needed")
            }
        }
    }
}
impl std::error::Error for EncodeError {}
