//! The TCP header (RFC 9293 section 3.1).

use super::error::{DecodeError, Layer};
use super::options;
use crate::packet::TransportPort;
use crate::segment::{Flags, Segment};
use crate::sequence::SequenceNumber;

/// Bytes of the TCP header without options.
pub const TCP_HEADER_LENGTH: usize = 20;

/// The flags in the word that they share with the length of the header.
const FLAGS: u16 = 0x1ff;
/// Where the checksum stands in the header.
pub(super) const CHECKSUM: std::ops::Range<usize> = 16..18;

/// The fixed header as bytes, with the checksum still zero, in front of `options_length` bytes.
/// Reserved bits and the urgent pointer are zero; the lowest bit before the flags is [`Flags::AE`].
pub(super) fn write(
    source: TransportPort,
    destination: TransportPort,
    segment: &Segment,
    options_length: usize,
) -> [u8; TCP_HEADER_LENGTH] {
    let words = (TCP_HEADER_LENGTH + options_length) / 4;
    let mut bytes = [0; TCP_HEADER_LENGTH];
    bytes[0..2].copy_from_slice(&source.0.to_be_bytes());
    bytes[2..4].copy_from_slice(&destination.0.to_be_bytes());
    bytes[4..8].copy_from_slice(&segment.sequence.0.to_be_bytes());
    bytes[8..12].copy_from_slice(&segment.acknowledgment.0.to_be_bytes());
    let flags = (words as u16) << 12 | segment.flags.0 & FLAGS;
    bytes[12..14].copy_from_slice(&flags.to_be_bytes());
    bytes[14..16].copy_from_slice(&segment.window.to_be_bytes());
    bytes
}

/// What a TCP segment holds.
pub(super) struct ReadSegment<'a> {
    pub(super) source_port: TransportPort,
    pub(super) destination_port: TransportPort,
    pub(super) segment: Segment,
    pub(super) payload: &'a [u8],
}

/// The segment that fills `bytes`; its checksum is the caller's to verify, who knows the addresses.
/// The reserved bits are ignored.
pub(super) fn read(bytes: &[u8]) -> Result<ReadSegment<'_>, DecodeError> {
    let Some(fixed) = bytes.first_chunk::<TCP_HEADER_LENGTH>() else {
        return Err(DecodeError::Truncated(Layer::Tcp));
    };
    let header_length = usize::from(fixed[12] >> 4) * 4;
    if header_length < TCP_HEADER_LENGTH {
        return Err(DecodeError::HeaderLength(Layer::Tcp));
    }
    let (header, payload) =
        bytes.split_at_checked(header_length).ok_or(DecodeError::Truncated(Layer::Tcp))?;
    let mut segment = Segment {
        sequence: SequenceNumber(u32::from_be_bytes([fixed[4], fixed[5], fixed[6], fixed[7]])),
        acknowledgment: SequenceNumber(u32::from_be_bytes([fixed[8], fixed[9], fixed[10], fixed[11]])),
        length: payload.len() as u32,
        window: u16::from_be_bytes([fixed[14], fixed[15]]),
        flags: Flags(u16::from_be_bytes([fixed[12], fixed[13]]) & FLAGS),
        ..Segment::default()
    };
    options::read(&header[TCP_HEADER_LENGTH..], &mut segment)?;
    Ok(ReadSegment {
        source_port: TransportPort(u16::from_be_bytes([fixed[0], fixed[1]])),
        destination_port: TransportPort(u16::from_be_bytes([fixed[2], fixed[3]])),
        segment,
        payload,
    })
}
