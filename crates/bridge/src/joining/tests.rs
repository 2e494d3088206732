use super::*;
use seamline_wire::codec::Checksum;
use seamline_wire::codec::{IpHeader, encode_to_vec};
use seamline_wire::{Flags, Segment, SequenceNumber, Timestamps, TransportPort};

const LINK: [u8; 14] = [2, 2, 2, 2, 2, 2, 4, 4, 4, 4, 4, 4, 8, 0];

fn ip(version: u8) -> IpHeader {
    match version {
        4 => IpHeader::v4([192, 0, 2, 1].into(), [192, 0, 2, 2].into()),
        _ => IpHeader::v6([1; 16].into(), [2; 16].into()),
    }
}

/// A frame with this payload, whose numbers are those of the one with this number of a run that begins near the end of the sequence space.
fn frame(version: u8, number: u16, flags: Flags, payload: &[u8]) -> Vec<u8> {
    let segment = Segment {
        flags: Flags::ACK | flags,
        sequence: SequenceNumber(u32::MAX - 1499) + u32::from(number) * 1000,
        acknowledgment: SequenceNumber(7),
        window: 500,
        timestamps: Some(Timestamps { value: 1, echo: 2 }),
        length: payload.len() as u32,
        ..Segment::default()
    };
    let ports = [TransportPort(7), TransportPort(8)];
    let headers = seamline_wire::codec::Headers {
        ip: ip(version),
        source_port: ports[0],
        destination_port: ports[1],
        segment,
    };
    let mut packet = encode_to_vec(&headers, payload).unwrap();
    let mut link = LINK;
    match version {
        4 => identify(&mut packet, u16::MAX.wrapping_add(number)),
        _ => link[12..].copy_from_slice(&[0x86, 0xdd]),
    }
    [&link[..], &packet].concat()
}

fn identify(packet: &mut [u8], identification: u16) {
    put(packet, 4, identification);
    put(packet, 10, 0);
    let sum = Checksum::new().over(&packet[..20]).field();
    put(packet, 10, sum);
}

fn joined(frames: &[Vec<u8>]) -> usize {
    let mut run = Run::begun(Medium::Ethernet, &frames[0]).unwrap();
    frames[1..].iter().take_while(|frame| run.take(frame)).count() + 1
}

/// With a short one at the end, and with one that is to be read at once, or ends the data.
#[test]
fn what_is_joined_is_cut_into_the_same_bytes() {
    for version in [4, 6] {
        for last in [Flags::PSH, Flags::PSH | Flags::FIN, Flags::ACK] {
            let payload: Vec<u8> = (0..1000).map(|byte| byte as u8).collect();
            let mut frames: Vec<_> =
                (0..4).map(|number| frame(version, number, Flags::ACK, &payload)).collect();
            frames.push(frame(version, 4, last, &payload[..333]));
            let mut run = Run::begun(Medium::Ethernet, &frames[0]).unwrap();
            assert!(frames[1..].iter().all(|frame| run.take(frame)) && run.count == 5);
            let head = run.head();
            let whole: Vec<u8> = frames.iter().fold(head.as_slice().to_vec(), |mut all, frame| {
                all.extend_from_slice(run.payload_of(frame));
                all
            });
            let (mut out, mut places) = (Vec::new(), Vec::new());
            assert!(head.offloads.cut(Medium::Ethernet, &whole, &[], &mut out, &mut places));
            let cut: Vec<&[u8]> = places.iter().map(|place| &out[place.clone()]).collect();
            assert_eq!(cut, frames);
            // The header of the whole is right, too: a host may take it in as it is.
            let ip = &whole[14..];
            assert!(version == 6 || Checksum::new().over(&ip[..20]).is_valid());
        }
    }
}

/// Each has another value in one byte, or goes on elsewhere.
#[test]
fn what_would_not_be_the_same_leaves_alone() {
    let payload = [7; 1000];
    for version in [4, 6] {
        let first = frame(version, 0, Flags::ACK, &payload);
        let next = frame(version, 1, Flags::ACK, &payload);
        assert_eq!(joined(&[first.clone(), next.clone()]), 2);
        let headers = Headers::of(Medium::Ethernet, &next).unwrap();
        let may_differ = |at: usize| match version {
            // What the kernel computes for each: checksums.
            4 => (24..26).contains(&at) || (headers.tcp + 16..headers.tcp + 18).contains(&at),
            _ => (headers.tcp + 16..headers.tcp + 18).contains(&at),
        };
        for at in (0..headers.end).filter(|at| !may_differ(*at)) {
            for bit in 0..8 {
                let mut other = next.clone();
                other[at] ^= 1 << bit;
                let is_end = at == headers.tcp + FLAGS && FIN_AND_PSH & 1 << bit != 0;
                let frames = [first.clone(), other];
                assert_eq!(joined(&frames), if is_end { 2 } else { 1 }, "IPv{version}: byte {at}, bit {bit}");
            }
        }
        assert_eq!(joined(&[first.clone(), frame(version, 2, Flags::ACK, &payload)]), 1, "a gap");
        assert_eq!(joined(&[first.clone(), frame(version, 1, Flags::ACK, &[7; 1001])]), 1, "it is longer");
        assert_eq!(joined(&[first.clone(), frame(version, 1, Flags::ACK, &[])]), 1, "it has no payload");
        assert_eq!(joined(&[first.clone(), [&next[..], &[0]].concat()]), 1, "something is behind it");
        for flags in [Flags::PSH, Flags::FIN] {
            assert_eq!(joined(&[frame(version, 0, flags, &payload), next.clone()]), 1, "{flags:?}");
        }
        for flags in [Flags::SYN, Flags::RST, Flags::CWR] {
            assert!(Run::begun(Medium::Ethernet, &frame(version, 0, flags, &payload)).is_none(), "{flags:?}");
        }
        let short = frame(version, 1, Flags::ACK, &payload[..500]);
        assert_eq!(joined(&[first.clone(), short, frame(version, 2, Flags::ACK, &payload)]), 2);
    }
    let fragment = {
        let mut frame = frame(4, 0, Flags::ACK, &payload);
        frame[20] = 0x20;
        frame
    };
    assert!(Run::begun(Medium::Ethernet, &fragment).is_none());
    assert!(Run::begun(Medium::Ethernet, &[0; 60]).is_none());
}

#[test]
fn a_joined_packet_is_no_longer_than_a_packet_of_ip_can_be() {
    let frames: Vec<_> = (0..70).map(|number| frame(4, number, Flags::ACK, &[7; 1000])).collect();
    assert_eq!(joined(&frames), 64, "as many segments as fit into one call");
}
