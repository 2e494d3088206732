//! IPv4 and IPv6 packets with a TCP segment as bytes, exactly as they stand on the wire. [`message`] has
//! the control messages, [`recovery`] those between agents, [`encode_tunnel`] and [`strip_tunnel`] the headers of tunnels.
//!
//! [`decode`] takes any bytes, never panics and never allocates; what it cannot take in it names
//! ([`DecodeError`]), so that a middlebox can let it pass. [`encode`] writes what a Linux sender would:
//! the same options in the same order with the same padding, plus [`crate::Mark`]s as experimental
//! options. Not carried over: IPv4 options, IPv6 extension headers, TCP options that [`Segment`] has no
//! field for, and the urgent pointer (whose use RFC 6093 advises against); they are skipped when read
//! and absent, or zero, when written. A forwarder accepts only packets without these ([`decode_complete`]).
//!
//! ```
//! use seamline_wire::codec::{Headers, IpHeader, decode, encode_to_vec};
//! use seamline_wire::{Flags, Segment, TransportPort};
//!
//! let headers = Headers {
//!     ip: IpHeader::v4([192, 0, 2, 1].into(), [192, 0, 2, 2].into()),
//!     source_port: TransportPort(49152),
//!     destination_port: TransportPort(80),
//!     segment: Segment { flags: Flags::ACK, length: 5, ..Segment::default() },
//! };
//! let packet = encode_to_vec(&headers, b"hello")?;
//! let decoded = decode(&packet)?;
//! assert_eq!((decoded.headers, decoded.payload), (headers, &b"hello"[..]));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod address;
mod around;
mod checksum;
mod complete;
mod cut;
mod ecn;
mod error;
mod fast_handover;
mod home_address;
mod ip;
mod ipv4;
mod ipv6;
mod mark;
pub mod message;
mod message6;
mod options;
pub mod recovery;
mod tcp;
mod tunnel;

pub use address::{ip_header, ipv4_address, ipv6_address};
pub use around::encode_around;
pub use checksum::Checksum;
pub use complete::decode_complete;
pub use cut::decode_beginning;
pub use ecn::{ecn_of, with_ecn};
pub use error::{DecodeError, EncodeError, Layer};
pub use home_address::encode_home_address;
pub use ip::{IpHeader, IpVersion, TrafficClass};
pub use ipv4::Ipv4Header;
pub use ipv6::Ipv6Header;
pub use mark::{MARK_EXPERIMENT_ID, MARK_OPTION_KIND};
pub use options::{MAX_WINDOW_SHIFT, OPTION_SPACE, fit_sack_blocks, options_length};
pub use tcp::TCP_HEADER_LENGTH;
pub use tunnel::{encode_tunnel, strip_tunnel};

use crate::packet::TransportPort;
use crate::segment::Segment;
use ip::TCP;
use options::OptionBytes;

/// Bytes that suffice for the headers of any packet that is written.
pub const MAX_HEADER_LENGTH: usize = Ipv6Header::LENGTH + TCP_HEADER_LENGTH + OPTION_SPACE;

/// Time to live and hop limit of new packets, as RFC 1700 recommends.
const DEFAULT_HOP_LIMIT: u8 = 64;

/// Everything of a packet but its payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Headers {
    /// The IP header.
    pub ip: IpHeader,
    /// The sender's port.
    pub source_port: TransportPort,
    /// The receiver's port.
    pub destination_port: TransportPort,
    /// The TCP segment.
    pub segment: Segment,
}

impl Headers {
    /// Bytes of the IP and TCP headers as they are written.
    pub fn length(&self) -> usize {
        header_length(self.ip.version(), &self.segment)
    }
}

/// Bytes of the IP and TCP headers, options included, that a segment is written with.
#[inline]
pub fn header_length(version: IpVersion, segment: &Segment) -> usize {
    version.header_length() + TCP_HEADER_LENGTH + options_length(segment)
}

/// A packet taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decoded<'a> {
    /// Its headers.
    pub headers: Headers,
    /// Its payload: [`Segment::length`] bytes.
    pub payload: &'a [u8],
}

/// Whether checksums are verified when a packet is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Checksums {
    /// A wrong one is an error.
    Verify,
    /// They are not looked at: a capture on the sending host sees packets before the network card
    /// fills them in.
    Ignore,
}

/// Take apart an IPv4 or IPv6 packet that holds a TCP segment, and verify its checksums. Bytes beyond
/// the length that the IP header states are ignored.
///
/// # Errors
/// The first thing found wrong, from the outermost header inwards.
pub fn decode(packet: &[u8]) -> Result<Decoded<'_>, DecodeError> {
    decode_with(packet, Checksums::Verify)
}

/// [`decode`], with or without verifying checksums.
///
/// # Errors
/// The first thing found wrong, from the outermost header inwards.
pub fn decode_with(packet: &[u8], checksums: Checksums) -> Result<Decoded<'_>, DecodeError> {
    let (ip, protocol, body) = IpHeader::read(packet, checksums)?;
    let bytes = match ip.version() {
        IpVersion::V4 if protocol != TCP => return Err(DecodeError::NotTcp(protocol)),
        IpVersion::V4 => body,
        IpVersion::V6 => ipv6::skip_extensions(protocol, body)?,
    };
    if bytes.len() < TCP_HEADER_LENGTH {
        return Err(DecodeError::Truncated(Layer::Tcp));
    }
    if checksums == Checksums::Verify && !ip.pseudo_header(TCP, bytes.len()).over(bytes).is_valid() {
        return Err(DecodeError::TcpChecksum);
    }
    let tcp::ReadSegment { source_port, destination_port, segment, payload } = tcp::read(bytes)?;
    Ok(Decoded { headers: Headers { ip, source_port, destination_port, segment }, payload })
}

/// Write a packet to the front of `out` and return its length. SACK blocks that do not fit into the
/// option space are left out ([`fit_sack_blocks`]).
///
/// # Errors
/// When the payload is not [`Segment::length`] bytes long, the packet is too long for IP, or `out` is
/// too small.
pub fn encode(headers: &Headers, payload: &[u8], out: &mut [u8]) -> Result<usize, EncodeError> {
    if headers.segment.length as usize != payload.len() {
        return Err(EncodeError::PayloadLength { segment: headers.segment.length, payload: payload.len() });
    }
    let needed = headers.length() + payload.len();
    let front = write_headers(headers, Checksum::new().over(payload), out, needed)?;
    out[front..needed].copy_from_slice(payload);
    Ok(needed)
}

/// [`encode`] into a vector of its own.
///
/// # Errors
/// As for [`encode`], but the buffer always suffices.
pub fn encode_to_vec(headers: &Headers, payload: &[u8]) -> Result<Vec<u8>, EncodeError> {
    let mut out = vec![0; headers.length() + payload.len()];
    encode(headers, payload, &mut out)?;
    Ok(out)
}

/// Write only the headers of a packet whose payload is all zeros, and return their length; the
/// checksum is right for the whole packet. [`MAX_HEADER_LENGTH`] bytes suffice.
///
/// # Errors
/// When the packet is too long for IP or `out` is too small.
pub fn encode_headers(headers: &Headers, out: &mut [u8]) -> Result<usize, EncodeError> {
    write_headers(headers, Checksum::new(), out, headers.length())
}

/// Write the headers of a packet with the given sum over its payload into `out`, which must have
/// `needed` bytes.
fn write_headers(
    headers: &Headers,
    payload_sum: Checksum,
    out: &mut [u8],
    needed: usize,
) -> Result<usize, EncodeError> {
    let place = out.get_mut(..needed).ok_or(EncodeError::BufferTooSmall { needed })?;
    let options = OptionBytes::of(&headers.segment);
    let options = options.as_slice();
    let segment = &headers.segment;
    let tcp_length = TCP_HEADER_LENGTH + options.len() + segment.length as usize;

    let (ip_place, rest) = place.split_at_mut(headers.ip.version().header_length());
    headers.ip.write(TCP, tcp_length, ip_place)?;
    let mut tcp = tcp::write(headers.source_port, headers.destination_port, segment, options.len());
    let sum = headers.ip.pseudo_header(TCP, tcp_length).over(&tcp).over(options).combine(payload_sum);
    tcp[tcp::CHECKSUM].copy_from_slice(&sum.field().to_be_bytes());
    let (tcp_place, rest) = rest.split_at_mut(TCP_HEADER_LENGTH);
    tcp_place.copy_from_slice(&tcp);
    rest[..options.len()].copy_from_slice(options);
    Ok(headers.length())
}
