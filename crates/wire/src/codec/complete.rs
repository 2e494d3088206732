//! Packets of which nothing is lost when they are decoded and encoded again.

use super::error::{DecodeError, Layer};
use super::ip::{IpHeader, TCP};
use super::{Decoded, TCP_HEADER_LENGTH, decode, options};

/// A version 4 and a header of five words: no options.
const IPV4_WITHOUT_OPTIONS: u8 = 0x45;
/// The reserved bit next to DF and MF (RFC 791 section 3.1).
const IPV4_RESERVED: u8 = 0x80;

/// The bits of a TCP header between its length and its flags.
const RESERVED_BITS: u8 = 0x0e;

/// [`decode`], but only of what [`super::Headers`] can hold in full. A middlebox that takes part in connections takes in no
/// other packet: it passes the others on, byte by byte, because a re-encoded packet would lack something that its ends may rely on.
///
/// What comes back may stand in another order: options and their padding are written as Linux does.
///
/// # Errors
/// Those of [`decode`], and [`DecodeError::LeftOut`] for IPv4 options, IPv6 extension headers, reserved bits, an urgent pointer,
/// and TCP options that a [`crate::Segment`] has no field for, comes with twice, or does not count where they stand.
pub fn decode_complete(packet: &[u8]) -> Result<Decoded<'_>, DecodeError> {
    let decoded = decode(packet)?;
    match left_out(packet, &decoded) {
        Some(layer) => Err(DecodeError::LeftOut(layer)),
        None => Ok(decoded),
    }
}

/// The first layer that says more than was taken in of a packet that has been decoded.
fn left_out(packet: &[u8], decoded: &Decoded<'_>) -> Option<Layer> {
    let is_plain = match decoded.headers.ip {
        IpHeader::V4(_) => packet[0] == IPV4_WITHOUT_OPTIONS && packet[6] & IPV4_RESERVED == 0,
        IpHeader::V6(_) => packet[6] == TCP,
    };
    if !is_plain {
        return Some(match decoded.headers.ip {
            IpHeader::V4(_) => Layer::Ipv4,
            IpHeader::V6(_) => Layer::Ipv6Extension,
        });
    }
    let tcp = &packet[decoded.headers.ip.version().header_length()..];
    let (words, reserved) = (usize::from(tcp[12] >> 4), tcp[12] & RESERVED_BITS);
    let has_urgent_pointer = tcp[18..TCP_HEADER_LENGTH] != [0, 0];
    let options = &tcp[TCP_HEADER_LENGTH..4 * words];
    let is_complete =
        reserved == 0 && !has_urgent_pointer && options::are_complete(options, &decoded.headers.segment);
    (!is_complete).then_some(Layer::Tcp)
}
