//! Packets made from what is known of a connection. IP headers and checksums are complete.

use crate::connections::Connection;
use seamline_wire::codec::{Checksum, EncodeError, Headers, IpHeader, IpVersion, encode_to_vec};
use seamline_wire::{Flags, Mark, Segment, SequenceNumber};
use std::net::{Ipv4Addr, Ipv6Addr};

/// Bytes of an ICMP message before what it quotes.
const ICMP_HEADER: usize = 8;
/// Hops left of a message (RFC 1700).
const HOP_LIMIT: u8 = 64;

/// The last acknowledgment of a connection once more, without payload: what it acknowledged, its window, its SACK blocks as far as they fit
/// next to the mark, and its timestamps as they were last sent, which RFC 7323 section 5 accepts as long as nothing newer has arrived.
/// Its sequence number is the highest that was sent, as in the kernel's own.
///
/// # Errors
/// None that could be expected: it is shorter than any limit.
pub fn acknowledgment(connection: &Connection, mark: Option<Mark>) -> Result<Vec<u8>, EncodeError> {
    let last = &connection.last.segment;
    // ECE echoes until it is answered, and CWR answers with one segment of data (RFC 3168 section 6.1); with Accurate ECN both belong to a
    // counter (RFC 9768).
    let counter = if connection.accurate_ecn.is_some() { Flags::CWR.0 } else { 0 };
    let kept = last.flags.0 & (Flags::ECE.0 | counter);
    let segment = Segment {
        sequence: connection.next,
        acknowledgment: last.acknowledgment,
        window: last.window,
        flags: Flags(Flags::ACK.0 | kept),
        timestamps: last.timestamps,
        sack: connection.sack_blocks(),
        mark,
        ..Segment::default()
    };
    let ip = without_ecn(connection.last.ip);
    let mut packet = encode_to_vec(&Headers { ip, segment, ..connection.last }, &[])?;
    if connection.accurate_ecn == Some(true) {
        set_accurate_ecn_bit(&mut packet, connection.last.ip.version());
    }
    Ok(packet)
}

/// A segment without data must not say that routers may mark it (RFC 3168 section 6.1.4).
fn without_ecn(mut ip: IpHeader) -> IpHeader {
    let class = match &mut ip {
        IpHeader::V4(header) => &mut header.traffic_class,
        IpHeader::V6(header) => &mut header.traffic_class,
    };
    *class = class.without_ecn();
    ip
}

/// Set the bit before the flags, and update the checksum (RFC 1624).
fn set_accurate_ecn_bit(packet: &mut [u8], version: IpVersion) {
    let tcp = version.header_length();
    packet[tcp + 12] |= 1;
    let old = u16::from_be_bytes([packet[tcp + 16], packet[tcp + 17]]);
    let (sum, carry) = (!old).overflowing_add(0x0100);
    let field = !(sum + u16::from(carry));
    packet[tcp + 16..tcp + 18].copy_from_slice(&field.to_be_bytes());
}

/// A message from this host to itself that a packet of the connection could not be delivered: host unreachable (RFC 792), or no route to
/// the destination (RFC 4443 section 3.1). It quotes a segment that begins at `unacknowledged`; where that is SND.UNA, a TCP by RFC 6069
/// undoes one doubling of its retransmission timer.
///
/// # Errors
/// None that could be expected: it is shorter than any limit.
pub fn unreachable(connection: &Connection, unacknowledged: SequenceNumber) -> Result<Vec<u8>, EncodeError> {
    let Headers { ip, source_port, destination_port, .. } = connection.last;
    let quoted = Headers { ip, source_port, destination_port, segment: bare(unacknowledged) };
    let here = match ip {
        IpHeader::V4(header) => IpHeader::v4(header.source, header.source),
        IpHeader::V6(header) => IpHeader::v6(header.source, header.source),
    };
    message(&here, &quoted)
}

/// The same message to the other end: its packets could not be delivered here. It quotes the segment that this host expects next, which
/// is the other end's SND.UNA once the last acknowledgment has arrived.
///
/// # Errors
/// None that could be expected: it is shorter than any limit.
pub fn disruption(connection: &Connection) -> Result<Vec<u8>, EncodeError> {
    let Headers { ip, source_port, destination_port, segment } = connection.last;
    let theirs = match ip {
        IpHeader::V4(header) => IpHeader::v4(header.destination, header.source),
        IpHeader::V6(header) => IpHeader::v6(header.destination, header.source),
    };
    let quoted = Headers {
        ip: theirs,
        source_port: destination_port,
        destination_port: source_port,
        segment: bare(segment.acknowledgment),
    };
    message(&ip, &quoted)
}

/// As much of a segment as a message has to quote.
fn bare(sequence: SequenceNumber) -> Segment {
    Segment { sequence, flags: Flags::ACK, ..Segment::default() }
}

/// A message between two addresses.
fn message(between: &IpHeader, quoted: &Headers) -> Result<Vec<u8>, EncodeError> {
    let quoted = encode_to_vec(quoted, &[])?;
    Ok(match between {
        IpHeader::V4(header) => unreachable_v4(header.source, header.destination, &quoted),
        IpHeader::V6(header) => unreachable_v6(header.source, header.destination, &quoted),
    })
}

fn unreachable_v4(from: Ipv4Addr, to: Ipv4Addr, quoted: &[u8]) -> Vec<u8> {
    const HOST_UNREACHABLE: [u8; ICMP_HEADER] = [3, 1, 0, 0, 0, 0, 0, 0];
    const ICMP: u8 = 1;
    let length = (20 + ICMP_HEADER + quoted.len()) as u16;
    let mut ip = [0; 20];
    ip[0] = 0x45;
    ip[2..4].copy_from_slice(&length.to_be_bytes());
    ip[8..10].copy_from_slice(&[HOP_LIMIT, ICMP]);
    ip[12..16].copy_from_slice(&from.octets());
    ip[16..20].copy_from_slice(&to.octets());
    let sum = Checksum::new().over(&ip);
    ip[10..12].copy_from_slice(&sum.field().to_be_bytes());
    with_checksum(&ip, Checksum::new(), HOST_UNREACHABLE, quoted)
}

fn unreachable_v6(from: Ipv6Addr, to: Ipv6Addr, quoted: &[u8]) -> Vec<u8> {
    const NO_ROUTE: [u8; ICMP_HEADER] = [1, 0, 0, 0, 0, 0, 0, 0];
    const ICMPV6: u8 = 58;
    let length = (ICMP_HEADER + quoted.len()) as u16;
    let mut ip = [0; 40];
    ip[0] = 0x60;
    ip[4..6].copy_from_slice(&length.to_be_bytes());
    ip[6..8].copy_from_slice(&[ICMPV6, HOP_LIMIT]);
    ip[8..24].copy_from_slice(&from.octets());
    ip[24..40].copy_from_slice(&to.octets());
    // The pseudo header of RFC 8200 section 8.1.
    let pseudo = Checksum::new().over(&ip[8..40]).over(&u32::from(length).to_be_bytes()).over(&[0, ICMPV6]);
    with_checksum(&ip, pseudo, NO_ROUTE, quoted)
}

fn with_checksum(ip: &[u8], pseudo: Checksum, mut header: [u8; ICMP_HEADER], quoted: &[u8]) -> Vec<u8> {
    let sum = pseudo.over(&header).over(quoted);
    header[2..4].copy_from_slice(&sum.field().to_be_bytes());
    [ip, &header, quoted].concat()
}
