//! A segment that came in as bytes, and may have been changed since: bytes again, with the payload that it came with.

use super::{Checksums, EncodeError, Headers, MAX_HEADER_LENGTH, decode_with, encode};
use crate::packet::Packet;

/// The bytes of a packet that came in as `came_in`: the same ones where neither its ports nor its segment nor its ECN field were changed,
/// otherwise its fields re-encoded around its payload. `out` takes the re-encoded packets; its earlier content is lost. Addresses stay those
/// of `came_in`.
///
/// # Errors
/// When the fields ask for another payload than came in, or for more than a packet of IP holds; [`EncodeError::PayloadLength`], too, when what
/// came in is no segment.
pub fn encode_around<'a>(
    packet: &Packet,
    came_in: &'a [u8],
    out: &'a mut Vec<u8>,
) -> Result<&'a [u8], EncodeError> {
    let Ok(before) = decode_with(came_in, Checksums::Ignore) else {
        return Err(EncodeError::PayloadLength { segment: packet.segment.length, payload: 0 });
    };
    let headers = Headers {
        ip: before.headers.ip.with_ecn(packet.ecn),
        source_port: packet.source_port,
        destination_port: packet.destination_port,
        segment: packet.segment,
    };
    if headers == before.headers {
        return Ok(came_in);
    }
    out.resize(MAX_HEADER_LENGTH + before.payload.len(), 0);
    let length = encode(&headers, before.payload, out)?;
    Ok(&out[..length])
}
