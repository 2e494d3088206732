//! What a middlebox may take in: nothing of it is lost when it is written again.

use crate::generate;
use proptest::prelude::*;
use seamline_wire::codec::{
    Checksum, DecodeError, Headers, IpHeader, Layer, decode, decode_complete, ecn_of, encode_around,
    encode_to_vec, with_ecn,
};
use seamline_wire::{Ecn, Flags, Packet, Segment, SequenceNumber, TransportPort};
use std::net::{Ipv4Addr, Ipv6Addr};

const PAYLOAD: &[u8] = b"moving";

fn headers(version: u8, flags: Flags) -> Headers {
    let six = |last| Ipv6Addr::new(0xfd00, 0, 0, 0, 0, 0, 0, last);
    Headers {
        ip: match version {
            4 => IpHeader::v4(Ipv4Addr::new(10, 0, 0, 1), Ipv4Addr::new(10, 0, 0, 2)),
            _ => IpHeader::v6(six(1), six(2)),
        },
        source_port: TransportPort(1),
        destination_port: TransportPort(2),
        segment: Segment {
            sequence: SequenceNumber(3),
            length: PAYLOAD.len() as u32,
            flags,
            ..Segment::default()
        },
    }
}

/// A packet with these TCP options, of whole words, and right checksums.
pub(crate) fn with_options(version: u8, flags: Flags, options: &[u8]) -> Vec<u8> {
    let mut packet = encode_to_vec(&headers(version, flags), PAYLOAD).expect("a small packet");
    let ip = if version == 4 { 20 } else { 40 };
    packet.splice(ip + 20..ip + 20, options.iter().copied());
    packet[ip + 12] = ((20 + options.len()) as u8 / 4) << 4;
    packet[if version == 4 { 3 } else { 5 }] += options.len() as u8;
    mend_checksums(&mut packet);
    packet
}

fn mend_checksums(packet: &mut [u8]) {
    let is_four = packet[0] >> 4 == 4;
    let (ip, addresses) = if is_four {
        (usize::from(packet[0] & 15) * 4, 12..20)
    } else {
        (packet.len() - tcp_length(packet), 8..40)
    };
    if is_four {
        packet[10..12].fill(0);
        let sum = Checksum::new().over(&packet[..ip]).field();
        packet[10..12].copy_from_slice(&sum.to_be_bytes());
    }
    packet[ip + 16..ip + 18].fill(0);
    let length = (packet.len() - ip) as u32;
    let pseudo = Checksum::new().over(&packet[addresses]).over(&[0, 6]).over(&length.to_be_bytes());
    let sum = pseudo.over(&packet[ip..]).field();
    packet[ip + 16..ip + 18].copy_from_slice(&sum.to_be_bytes());
}

/// Of an IPv6 packet with one extension header of eight bytes, or none.
fn tcp_length(packet: &[u8]) -> usize {
    packet.len() - if packet[6] == 6 { 40 } else { 48 }
}

#[test]
fn what_hosts_send_is_complete() {
    let syn = [2, 4, 5, 180, 1, 3, 3, 7, 4, 2, 8, 10, 0, 0, 0, 9, 0, 0, 0, 0];
    let as_windows_does = [2, 4, 5, 180, 1, 3, 3, 8, 1, 1, 4, 2];
    let with_end_of_list = [2, 4, 5, 180, 4, 2, 0, 0];
    for version in [4, 6] {
        for options in [&syn[..], &as_windows_does, &with_end_of_list, &[]] {
            let packet = with_options(version, Flags::SYN, options);
            assert!(decode_complete(&packet).is_ok(), "{options:?}");
            assert_eq!(decode_complete(&packet), decode(&packet));
        }
    }
}

#[test]
fn what_would_be_lost_is_refused() {
    let unknown: [(&str, Flags, &[u8]); 10] = [
        ("a kind that nobody knows", Flags::ACK, &[99, 4, 7, 7]),
        (
            "MD5 signature, RFC 2385",
            Flags::ACK,
            &[19, 18, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 1, 1],
        ),
        ("TCP-AO, RFC 5925", Flags::ACK, &[29, 4, 1, 1]),
        ("MPTCP, RFC 8684", Flags::SYN, &[30, 4, 0x01, 0x81]),
        ("Fast Open, RFC 7413", Flags::SYN, &[34, 2, 1, 1]),
        ("another experiment", Flags::ACK, &[254, 4, 0xf9, 0x89]),
        ("a size that does not count", Flags::ACK, &[2, 4, 5, 180]),
        ("an option twice", Flags::SYN, &[2, 4, 5, 180, 2, 4, 5, 181]),
        ("too large a shift", Flags::SYN, &[1, 3, 3, 15]),
        ("something behind the end of the list", Flags::ACK, &[0, 1, 0, 0]),
    ];
    for version in [4, 6] {
        for (name, flags, options) in unknown {
            let packet = with_options(version, flags, options);
            assert!(decode(&packet).is_ok(), "{name}");
            assert_eq!(decode_complete(&packet), Err(DecodeError::LeftOut(Layer::Tcp)), "{name}");
        }
    }
    for (name, at, to) in [("reserved bits", 32, 0x52), ("an urgent pointer", 39, 1)] {
        let mut packet = with_options(4, Flags::ACK, &[]);
        packet[at] = to;
        mend_checksums(&mut packet);
        assert!(decode(&packet).is_ok(), "{name}");
        assert_eq!(decode_complete(&packet), Err(DecodeError::LeftOut(Layer::Tcp)), "{name}");
    }
    let mut reserved = with_options(4, Flags::ACK, &[]);
    reserved[6] |= 0x80;
    mend_checksums(&mut reserved);
    assert_eq!(decode_complete(&reserved), Err(DecodeError::LeftOut(Layer::Ipv4)));
    let mut router_alert = with_options(4, Flags::ACK, &[]);
    router_alert[0] = 0x46;
    router_alert[3] += 4;
    router_alert.splice(20..20, [148, 4, 0, 0]);
    mend_checksums(&mut router_alert);
    assert!(decode(&router_alert).is_ok());
    assert_eq!(decode_complete(&router_alert), Err(DecodeError::LeftOut(Layer::Ipv4)));
    for kind in [0, 43, 60] {
        let mut extended = with_options(6, Flags::ACK, &[]);
        extended[6] = kind;
        extended[5] += 8;
        extended.splice(40..40, [6, 0, 1, 0, 0, 0, 0, 0]);
        mend_checksums(&mut extended);
        assert!(decode(&extended).is_ok(), "{kind}");
        assert_eq!(decode_complete(&extended), Err(DecodeError::LeftOut(Layer::Ipv6Extension)), "{kind}");
    }
}

fn option() -> impl Strategy<Value = Vec<u8>> {
    let of = |kind: u8, body: usize| {
        prop::collection::vec(any::<u8>(), body)
            .prop_map(move |body| [&[kind, body.len() as u8 + 2], &body[..]].concat())
    };
    prop_oneof![
        3 => Just(vec![1]),
        2 => of(2, 2),
        2 => (0u8..16).prop_map(|shift| vec![3, 3, shift]),
        2 => Just(vec![4, 2]),
        2 => (1usize..5).prop_flat_map(move |blocks| of(5, 8 * blocks)),
        3 => of(8, 8),
        1 => Just(vec![254, 5, 0x5e, 0xa1, 1]),
        1 => Just(vec![254, 8, 0x5e, 0xa1, 6, 0, 0, 0]),
        1 => (9usize..120, 0usize..6).prop_flat_map(move |(kind, body)| of(kind as u8, body)),
        1 => Just(vec![0]),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    /// What we write ourselves comes back byte by byte.
    #[test]
    fn our_own_packets_are_complete(numbers in prop::collection::vec(any::<u64>(), 0..120)) {
        let mut numbers = numbers.into_iter();
        let mut draw = |below: u64| numbers.next().unwrap_or(0) % below;
        let length = draw(60) as usize;
        let headers = generate::headers(&mut draw, length);
        let payload = generate::bytes(&mut draw, length);
        let packet = encode_to_vec(&headers, &payload).expect("representable");
        let decoded = decode_complete(&packet);
        prop_assert!(decoded.is_ok(), "{decoded:?}");
        let again = encode_to_vec(&decoded.expect("just looked").headers, &payload).expect("representable");
        prop_assert_eq!(again, packet);
    }

    /// Whatever options there are in whatever order: if they are taken in, each that is written is one of them, and none is lost.
    #[test]
    fn no_option_is_lost(options in prop::collection::vec(option(), 0..8), syn in any::<bool>()) {
        let mut bytes = options.concat();
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        prop_assume!(bytes.len() <= 40);
        let packet = with_options(4, if syn { Flags::SYN } else { Flags::ACK }, &bytes);
        if let Ok(decoded) = decode_complete(&packet) {
            let again = encode_to_vec(&decoded.headers, PAYLOAD).expect("it came so");
            prop_assert_eq!(sorted(&again), sorted(&packet));
        }
    }
}

/// The options of an IPv4 packet up to the end of the list, without padding, in order.
fn sorted(packet: &[u8]) -> Vec<Vec<u8>> {
    let end = 20 + usize::from(packet[32] >> 4) * 4;
    let mut rest = &packet[40..end];
    let mut all = Vec::new();
    while let Some(kind) = rest.first().filter(|kind| **kind != 0) {
        let length = if *kind == 1 { 1 } else { usize::from(rest[1]) };
        if *kind != 1 {
            all.push(rest[..length].to_vec());
        }
        rest = &rest[length..];
    }
    all.sort();
    all
}

/// The ECN field is changed in the header and its checksum, and nowhere else (RFC 3168 section 5).
#[test]
fn the_ecn_field_of_any_packet_can_be_changed() {
    for version in [4, 6] {
        let packet = with_options(version, Flags::ACK, &[]);
        let before = decode_complete(&packet).unwrap();
        let Headers { source_port, destination_port, segment, .. } = before.headers;
        assert_eq!(ecn_of(&packet), Ok(Ecn::NotEct));
        for ecn in [Ecn::NotEct, Ecn::Ect0, Ecn::Ect1, Ecn::Ce] {
            let mut room = Vec::new();
            let changed = with_ecn(&packet, ecn, &mut room).unwrap();
            assert_eq!(ecn_of(changed), Ok(ecn));
            let after = decode_complete(changed).expect("sound checksums");
            assert_eq!(after.headers, Headers { ip: before.headers.ip.with_ecn(ecn), ..before.headers });
            assert_eq!(after.payload, before.payload);
            let fields = Packet { source_port, destination_port, segment, ecn, ..Packet::default() };
            assert_eq!(encode_around(&fields, &packet, &mut Vec::new()).unwrap(), changed);
        }
    }
    assert_eq!(ecn_of(&[0x20]), Err(DecodeError::Version(2)));
    assert_eq!(with_ecn(&[0x45], Ecn::Ce, &mut Vec::new()), Ok(&[0x45][..]), "too short to have a field");
}

/// AE, which stands before the eight flags of old (RFC 9768), is taken in and written.
#[test]
fn accurate_ecn_is_complete() {
    let flags = Flags::AE | Flags::ECE | Flags::CWR | Flags::SYN;
    let packet = encode_to_vec(&headers(4, flags), PAYLOAD).expect("a small packet");
    assert_eq!(decode_complete(&packet).map(|decoded| decoded.headers.segment.flags), Ok(flags));
    assert_eq!(packet[32], 0x51);
}
