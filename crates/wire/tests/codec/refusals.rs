//! What is refused, and by which name: each case is a sound packet with one thing changed.

use seamline_wire::codec::{
    Checksum, Checksums, DecodeError, EncodeError, Headers, IpHeader, Layer, MAX_HEADER_LENGTH, decode,
    decode_with, encode, encode_headers, encode_to_vec,
};
use seamline_wire::{Flags, Mark, Segment, SequenceNumber, TransportPort};
use std::net::{Ipv4Addr, Ipv6Addr};

const PAYLOAD: &[u8] = b"moving";
/// Bytes of a TCP header without options.
const TCP: usize = 20;

fn headers(ip: IpHeader) -> Headers {
    Headers {
        ip,
        source_port: TransportPort(1),
        destination_port: TransportPort(2),
        segment: Segment {
            sequence: SequenceNumber(3),
            length: PAYLOAD.len() as u32,
            flags: Flags::ACK,
            ..Segment::default()
        },
    }
}

fn ipv4() -> Vec<u8> {
    let ip = IpHeader::v4(Ipv4Addr::new(10, 0, 0, 1), Ipv4Addr::new(10, 0, 0, 2));
    encode_to_vec(&headers(ip), PAYLOAD).expect("a small packet")
}

fn ipv6() -> Vec<u8> {
    let address = |last| Ipv6Addr::new(0xfd00, 0, 0, 0, 0, 0, 0, last);
    encode_to_vec(&headers(IpHeader::v6(address(1), address(2))), PAYLOAD).expect("a small packet")
}

/// What decoding says when the bytes at `at` are replaced and the IPv4 checksum is put right again.
fn changed(mut packet: Vec<u8>, at: usize, to: &[u8]) -> Result<(), DecodeError> {
    packet[at..at + to.len()].copy_from_slice(to);
    if packet[0] >> 4 == 4 {
        packet[10..12].fill(0);
        let sum = Checksum::new().over(&packet[..20]).field();
        packet[10..12].copy_from_slice(&sum.to_be_bytes());
    }
    decode(&packet).map(|_| ())
}

/// The IPv6 packet with an extension header of `kind` before the segment.
fn extended(kind: u8, header: [u8; 8]) -> Vec<u8> {
    let mut packet = ipv6();
    packet[6] = kind;
    packet[5] += 8;
    packet.splice(40..40, header);
    packet
}

/// The IPv4 packet with these options instead of none, checksums not maintained.
fn with_options(flags: Flags, options: &[u8]) -> Result<Segment, DecodeError> {
    let mut packet = ipv4();
    packet[3] += options.len() as u8;
    packet[20 + 12] = ((20 + options.len()) as u8 / 4) << 4;
    packet[20 + 13] = flags.0 as u8;
    packet.splice(40..40, options.iter().copied());
    decode_with(&packet, Checksums::Ignore).map(|decoded| decoded.headers.segment)
}

#[test]
fn the_packets_are_sound_before_they_are_changed() {
    for packet in [ipv4(), ipv6()] {
        assert_eq!(decode(&packet).map(|decoded| decoded.payload), Ok(PAYLOAD));
    }
}

#[test]
fn every_truncation_is_named() {
    for (packet, ip, ip_layer) in [(ipv4(), 20, Layer::Ipv4), (ipv6(), 40, Layer::Ipv6)] {
        for length in 1..packet.len() {
            assert_eq!(decode(&packet[..length]), Err(DecodeError::Truncated(ip_layer)), "{length}");
        }
        // The same when the length field says so.
        for length in 0..TCP {
            let field = if ip == 20 { ip + length } else { length } as u16;
            let at = if ip == 20 { 2 } else { 4 };
            let cut = changed(packet.clone(), at, &field.to_be_bytes());
            assert_eq!(cut, Err(DecodeError::Truncated(Layer::Tcp)), "{length}");
        }
    }
    assert!(decode(&[]).is_err());
    assert_eq!(changed(ipv4(), 2, &[0, 19]), Err(DecodeError::Truncated(Layer::Ipv4)));
}

#[test]
fn ip_headers() {
    assert_eq!(changed(ipv4(), 0, &[0x55]), Err(DecodeError::Version(5)));
    assert_eq!(changed(ipv4(), 0, &[0x44]), Err(DecodeError::HeaderLength(Layer::Ipv4)));
    assert_eq!(changed(ipv4(), 9, &[17]), Err(DecodeError::NotTcp(17)));
    assert_eq!(changed(ipv6(), 6, &[17]), Err(DecodeError::NotTcp(17)));
    let mut damaged = ipv4();
    damaged[8] -= 1;
    assert_eq!(decode(&damaged), Err(DecodeError::Ipv4Checksum));
    assert!(decode_with(&damaged, Checksums::Ignore).is_ok());
}

#[test]
fn fragments() {
    assert_eq!(changed(ipv4(), 6, &[0x20, 0]), Err(DecodeError::Fragment), "first: more fragments");
    assert_eq!(changed(ipv4(), 6, &[0, 1]), Err(DecodeError::Fragment), "last: an offset");
    assert_eq!(changed(ipv4(), 6, &[0, 0]), Ok(()), "may be fragmented, but is not");
    assert_eq!(decode(&extended(44, [6, 0, 0, 1, 0, 0, 0, 9])), Err(DecodeError::Fragment));
}

#[test]
fn ipv6_extension_headers() {
    for (name, kind) in [("hop-by-hop", 0), ("routing", 43), ("destination options", 60)] {
        let packet = extended(kind, [6, 0, 1, 0, 0, 0, 0, 0]);
        assert_eq!(decode(&packet).map(|decoded| decoded.payload), Ok(PAYLOAD), "{name}");
    }
    assert_eq!(decode(&extended(43, [6, 0, 2, 1, 0, 0, 0, 0])), Err(DecodeError::SegmentsLeft));
    assert_eq!(decode(&extended(51, [6, 0, 0, 0, 0, 0, 0, 0])), Err(DecodeError::NotTcp(51)));
    let too_long = extended(60, [6, 9, 1, 0, 0, 0, 0, 0]);
    assert_eq!(decode(&too_long), Err(DecodeError::Truncated(Layer::Ipv6Extension)));
    let second = extended(60, [0, 0, 1, 0, 0, 0, 0, 0]);
    assert_eq!(decode(&second), Err(DecodeError::NotTcp(0)), "hop-by-hop only directly after the header");
}

#[test]
fn jumbograms() {
    let mut packet = extended(0, [6, 0, 0xc2, 4, 0, 1, 0, 0]);
    packet[4..6].fill(0);
    assert_eq!(decode(&packet), Err(DecodeError::Jumbogram));
}

#[test]
fn tcp_headers() {
    let mut packet = ipv4();
    packet[32] = 4 << 4;
    let lenient = |packet: &[u8]| decode_with(packet, Checksums::Ignore).map(|_| ());
    assert_eq!(lenient(&packet), Err(DecodeError::HeaderLength(Layer::Tcp)));
    packet[32] = 7 << 4;
    assert_eq!(lenient(&packet), Err(DecodeError::Truncated(Layer::Tcp)));
    packet[32] = 5 << 4 | 0x0e;
    assert_eq!(lenient(&packet), Ok(()), "reserved bits are ignored");
    let mut damaged = ipv6();
    damaged[8] ^= 1;
    assert_eq!(decode(&damaged), Err(DecodeError::TcpChecksum), "the pseudo header is covered");
}

#[test]
fn option_lengths() {
    let illegal = |kind, length| Err(DecodeError::OptionLength { kind, length });
    assert_eq!(with_options(Flags::ACK, &[99, 0, 0, 0]), illegal(99, 0));
    assert_eq!(with_options(Flags::ACK, &[99, 1, 0, 0]), illegal(99, 1));
    assert_eq!(with_options(Flags::ACK, &[99, 5, 0, 0]), illegal(99, 5));
    assert_eq!(with_options(Flags::ACK, &[1, 1, 1, 99]), illegal(99, 0));
    assert_eq!(with_options(Flags::SYN, &[2, 3, 0, 1]), illegal(2, 3));
    assert_eq!(with_options(Flags::SYN, &[3, 4, 0, 1]), illegal(3, 4));
    assert_eq!(with_options(Flags::SYN, &[4, 3, 0, 1]), illegal(4, 3));
    assert_eq!(with_options(Flags::ACK, &[8, 8, 0, 0, 0, 0, 0, 0]), illegal(8, 8));
    assert_eq!(with_options(Flags::ACK, &[5, 2, 1, 1]), illegal(5, 2));
    assert_eq!(with_options(Flags::ACK, &[5, 8, 0, 0, 0, 0, 0, 0]), illegal(5, 8));
    assert_eq!(with_options(Flags::ACK, &[254, 1, 0, 0]), illegal(254, 1));
}

#[test]
fn options_that_are_skipped() {
    let plain = with_options(Flags::ACK, &[]).expect("no options");
    assert_eq!(with_options(Flags::ACK, &[99, 4, 7, 7]), Ok(plain), "unknown");
    assert_eq!(with_options(Flags::ACK, &[99, 2, 1, 0]), Ok(plain), "unknown, without data");
    assert_eq!(with_options(Flags::ACK, &[0, 99, 0, 0]), Ok(plain), "behind the end of the list");
    let elsewhere = with_options(Flags::ACK, &[2, 4, 5, 180, 3, 3, 7, 4, 2, 1, 1, 1]);
    assert_eq!(elsewhere, Ok(plain), "only a SYN negotiates");
    for foreign in
        [[254, 4, 0xf9, 0x89, 1, 1, 1, 0], [253, 5, 0x5e, 0xa1, 1, 1, 1, 0], [254, 3, 0, 1, 1, 1, 1, 1]]
    {
        assert_eq!(with_options(Flags::ACK, &foreign), Ok(plain), "another experiment");
    }
    for unknown in [
        [254, 5, 0x5e, 0xa1, 200, 1, 1, 1],
        [254, 6, 0x5e, 0xa1, 1, 0, 1, 1],
        [254, 4, 0x5e, 0xa1, 1, 1, 1, 1],
    ] {
        assert_eq!(with_options(Flags::ACK, &unknown), Ok(plain), "a mark we do not know");
    }
}

#[test]
fn of_repeated_options_the_last_counts() {
    let segment = with_options(Flags::SYN, &[3, 3, 1, 3, 3, 2, 1, 1]).expect("legal options");
    assert_eq!(segment.window_scale, Some(2));
    let marks = [254, 5, 0x5e, 0xa1, 1, 254, 5, 0x5e, 0xa1, 2, 1, 1];
    assert_eq!(with_options(Flags::ACK, &marks).map(|segment| segment.mark), Ok(Some(Mark::WillHandover)));
    let mark_and_stranger = [254, 5, 0x5e, 0xa1, 1, 254, 6, 0xf9, 0x89, 0, 0, 1];
    let segment = with_options(Flags::ACK, &mark_and_stranger);
    assert_eq!(segment.map(|segment| segment.mark), Ok(Some(Mark::Handover)), "not touched by others");
}

#[test]
fn too_large_a_shift_counts_as_fourteen() {
    for (sent, used) in [(0, 0), (13, 13), (14, 14), (15, 14), (255, 14)] {
        let segment = with_options(Flags::SYN, &[3, 3, sent, 1]).expect("a legal option");
        assert_eq!(segment.window_scale, Some(used));
        let ip = IpHeader::v4(Ipv4Addr::LOCALHOST, Ipv4Addr::LOCALHOST);
        let segment = Segment { window_scale: Some(sent), flags: Flags::SYN, ..Segment::default() };
        let packet = encode_to_vec(&Headers { segment, ..headers(ip) }, &[]).expect("a small packet");
        assert_eq!(packet[40..], [1, 3, 3, used], "never more is sent, either");
    }
}

#[test]
fn what_cannot_be_written() {
    let ip = IpHeader::v4(Ipv4Addr::LOCALHOST, Ipv4Addr::LOCALHOST);
    let six = IpHeader::v6(Ipv6Addr::LOCALHOST, Ipv6Addr::LOCALHOST);
    let longest = |ip, length| {
        let segment = Segment { length, ..Segment::default() };
        encode_headers(&Headers { segment, ..headers(ip) }, &mut [0; MAX_HEADER_LENGTH])
    };
    assert_eq!(longest(ip, 65535 - 40), Ok(40));
    assert_eq!(longest(ip, 65535 - 39), Err(EncodeError::TooLong { length: 65536 }));
    assert_eq!(longest(six, 65535 - 20), Ok(60));
    assert_eq!(longest(six, 65535 - 19), Err(EncodeError::TooLong { length: 65536 }));

    let mut small = [0; 45];
    assert_eq!(encode(&headers(ip), PAYLOAD, &mut small), Err(EncodeError::BufferTooSmall { needed: 46 }));
    let short = encode(&headers(ip), &PAYLOAD[1..], &mut small);
    assert_eq!(short, Err(EncodeError::PayloadLength { segment: 6, payload: 5 }));
    assert_eq!(
        encode_headers(&headers(ip), &mut small[..39]),
        Err(EncodeError::BufferTooSmall { needed: 40 })
    );
}
