//! Frames as hosts send them, and engines of every kind.
#![allow(dead_code, reason = "each test uses its part of this")]

pub(crate) mod kinds;

#[allow(unused_imports, reason = "each test uses its part of this")]
pub(crate) use kinds::KINDS;

use seamline_agent::{Limits, Parameters, Side};
use seamline_bridge::{Engine, Outgoing, Settings};
use seamline_wire::codec::{Checksum, Headers, IpHeader, encode_to_vec};
use seamline_wire::{Flags, Instant, Segment, SequenceNumber, TransportPort};
use std::net::{Ipv4Addr, Ipv6Addr};

pub(crate) fn settings(kind: &str, limits: Limits) -> Settings {
    kinds::settings(kind, Parameters { limits, ..Parameters::default() })
}

pub(crate) fn engine(kind: &str) -> Engine {
    Engine::new(settings(kind, Limits::default()))
}

/// One end of a connection: number, and port.
pub(crate) type End = (u32, u16);

/// The IP header of a packet between two ends.
pub(crate) fn ip(version: u8, source: End, destination: End) -> IpHeader {
    let four = |end: End| Ipv4Addr::from(0x0a00_0000 + end.0);
    let six = |end: End| Ipv6Addr::from((0x2001_0db8_u128 << 96) + u128::from(end.0));
    match version {
        4 => IpHeader::v4(four(source), four(destination)),
        _ => IpHeader::v6(six(source), six(destination)),
    }
}

/// An IP packet.
pub(crate) fn packet(
    version: u8,
    [source, destination]: [End; 2],
    segment: Segment,
    payload: &[u8],
) -> Vec<u8> {
    let headers = Headers {
        ip: ip(version, source, destination),
        source_port: TransportPort(source.1),
        destination_port: TransportPort(destination.1),
        segment: Segment { length: payload.len() as u32, ..segment },
    };
    encode_to_vec(&headers, payload).expect("a small packet")
}

/// In Ethernet, tagged or not, towards the wireless side or from there.
pub(crate) fn ethernet(from: Side, vlan: Option<u16>, packet: &[u8]) -> Vec<u8> {
    let hosts = [[2, 0, 0, 0, 0, 1], [2, 0, 0, 0, 0, 2]];
    let [source, destination] = if from == Side::Wired { hosts } else { [hosts[1], hosts[0]] };
    let mut frame = [destination, source].concat();
    if let Some(vlan) = vlan {
        frame.extend([0x81, 0]);
        frame.extend(vlan.to_be_bytes());
    }
    frame.extend(if packet.first().is_some_and(|byte| byte >> 4 == 6) { [0x86, 0xdd] } else { [8, 0] });
    frame.extend(packet);
    frame
}

pub(crate) fn segment(flags: Flags, sequence: u32, acknowledgment: u32) -> Segment {
    let (sequence, acknowledgment) = (SequenceNumber(sequence), SequenceNumber(acknowledgment));
    Segment { sequence, acknowledgment, flags, window: 500, ..Segment::default() }
}

/// What comes out when a frame comes in.
pub(crate) fn pass(engine: &mut Engine, now: Instant, from: Side, frame: &[u8]) -> Vec<(Side, Vec<u8>)> {
    let mut sent = Outgoing::new();
    engine.pass(now, from, frame, &mut sent);
    sent.iter().map(|(towards, bytes)| (towards, bytes.to_vec())).collect()
}

/// With an option that nobody knows, right behind the header of TCP.
pub(crate) fn with_unknown_option(packet: &[u8]) -> Option<Vec<u8>> {
    const OPTION: [u8; 4] = [99, 4, 1, 2];
    let is_six = packet[0] >> 4 == 6;
    let tcp = if is_six { 40 } else { 20 };
    let words = packet[tcp + 12] >> 4;
    if words == 15 {
        return None;
    }
    let mut packet = packet.to_vec();
    packet.splice(tcp + 20..tcp + 20, OPTION);
    packet[tcp + 12] = (words + 1) << 4;
    fix_header(&mut packet);
    packet[tcp + 16..tcp + 18].fill(0);
    let addresses = if is_six { 8..40 } else { 12..20 };
    let length = (packet.len() - tcp) as u32;
    let pseudo = Checksum::new().over(&packet[addresses]).over(&[0, 6]).over(&length.to_be_bytes());
    let sum = pseudo.over(&packet[tcp..]).field();
    packet[tcp + 16..tcp + 18].copy_from_slice(&sum.to_be_bytes());
    Some(packet)
}

/// Length, and the checksum of the IP header.
pub(crate) fn fix_header(packet: &mut [u8]) {
    let length = packet.len() as u16;
    if packet[0] >> 4 == 6 {
        packet[4..6].copy_from_slice(&(length - 40).to_be_bytes());
        return;
    }
    packet[2..4].copy_from_slice(&length.to_be_bytes());
    packet[10..12].fill(0);
    let sum = Checksum::new().over(&packet[..20]).field();
    packet[10..12].copy_from_slice(&sum.to_be_bytes());
}

/// Two fragments of an IPv4 packet (RFC 791 section 3.2), the first one with so many bytes behind its header.
pub(crate) fn fragments(packet: &[u8], identification: u16, first: usize) -> [Vec<u8>; 2] {
    let first = first & !7;
    let piece = |range: std::ops::Range<usize>, field: u16| {
        let mut piece = packet[..20].to_vec();
        piece.extend(&packet[20..][range]);
        piece[4..6].copy_from_slice(&identification.to_be_bytes());
        piece[6..8].copy_from_slice(&field.to_be_bytes());
        fix_header(&mut piece);
        piece
    };
    [piece(0..first, 0x2000), piece(first..packet.len() - 20, first as u16 / 8)]
}
