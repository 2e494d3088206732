//! Control messages as bytes: against their layouts, drawn by hand, and etherparse.

mod samples;

use etherparse::{NetSlice, SlicedPacket, TransportSlice};
use samples::all;
use seamline_wire::Packet;
use seamline_wire::codec::{EncodeError, IpVersion, message::encode};

fn bytes(packet: &Packet) -> Vec<u8> {
    let mut bytes = [0xff; 96];
    let control = packet.control().expect("a control message");
    let length = encode(packet, control, IpVersion::V4, &mut bytes).expect("room for any message");
    bytes[..length].to_vec()
}

#[test]
fn a_message_has_the_stated_length_and_needs_as_much_room() {
    for packet in all() {
        let length = packet.wire_bytes as usize;
        assert_eq!(bytes(&packet).len(), length);
        let control = packet.control().expect("a control message");
        let too_short = encode(&packet, control, IpVersion::V4, &mut vec![0; length - 1]);
        assert_eq!(too_short, Err(EncodeError::BufferTooSmall { needed: length }));
    }
}

/// The layouts of RFC 1256 section 3, RFC 5944 sections 2.1.1, 3.3 and 3.4, by hand: what follows the checksum of ICMP, or the header
/// of UDP.
#[test]
fn messages_stand_as_the_rfcs_draw_them() {
    let [
        advertisement,
        solicitation,
        request,
        reply,
        unreachable,
        proxy_solicitation,
        proxy_advertisement,
        handoff_request,
        handoff_reply,
    ] = all().map(|packet| bytes(&packet));
    // RFC 4881 sections 4.5, 4.6 and 9.
    for (written, kind, code) in [(handoff_request, 16, 0), (handoff_reply, 17, 1)] {
        let first = [kind, 0x40, 0, code];
        let expected = [
            first.as_slice(),
            &[0, 10, 0, 0],
            &[10, 0, 0, 5],
            &[0; 4],
            &[0, 0, 0, 5, 0x80, 0, 0, 0],
            &[138, 7, 3, 2, 0, 0, 0, 0, 5],
        ];
        assert_eq!(written[28..], expected.concat());
    }
    // RFC 4881 section 9: the same with the address of the access point.
    let access_point = [140, 7, 3, 2, 1, 0, 0, 0, 6];
    assert_eq!(proxy_solicitation[20..22], [10, 0]);
    assert_eq!(proxy_solicitation[24..], [[0; 4].as_slice(), &access_point].concat());
    assert_eq!(proxy_advertisement[24..], [&advertisement[24..], &access_point].concat());
    assert_eq!(solicitation[20..22], [10, 0]);
    assert_eq!(solicitation[24..], [0; 4]);
    assert_eq!(advertisement[20..22], [9, 0]);
    let addresses = [[1, 2, 0, 3].as_slice(), &[10, 0, 0, 3], &[0; 4]].concat();
    let extension = [[16, 10, 0, 7].as_slice(), &[0x07, 0x08, 0x90, 0], &[10, 0, 0, 3]].concat();
    assert_eq!(advertisement[24..], [addresses, extension].concat());
    let expected = [
        [1, 0x80, 0x07, 0x08].as_slice(),
        &[10, 0, 0, 5],
        &[10, 0, 0, 2],
        &[10, 0, 0, 3],
        &[0, 0, 0, 5, 0x80, 0, 0, 0],
    ];
    assert_eq!(request[28..], expected.concat());
    let expected = [[3, 133, 0, 60].as_slice(), &[10, 0, 0, 5], &[10, 0, 0, 2], &[0, 0, 0, 6, 0x80, 0, 0, 0]];
    assert_eq!(reply[28..], expected.concat());
    // RFC 792: a host is unreachable; the header of the datagram, with its length, and its first eight bytes.
    assert_eq!((unreachable[8], &unreachable[20..22]), (64, [3, 1].as_slice()));
    assert_eq!(unreachable[24..32], [0, 0, 0, 0, 0x45, 0, 0x03, 0xe8]);
    assert_eq!(unreachable[40..48], [10, 0, 0, 2, 10, 0, 0, 5]);
    assert_eq!(unreachable[48..], [0x88, 0xb9, 0x13, 0x89, 1, 2, 3, 4]);
}

#[test]
fn etherparse_finds_sound_headers_and_checksums() {
    for packet in all() {
        let written = bytes(&packet);
        let parsed = SlicedPacket::from_ip(&written).expect("a sound packet");
        let Some(NetSlice::Ipv4(ip)) = &parsed.net else { panic!("not IPv4") };
        let header = ip.header().to_header();
        assert_eq!(header.calc_header_checksum(), header.header_checksum);
        match &parsed.transport {
            Some(TransportSlice::Udp(udp)) => {
                assert_eq!((udp.source_port(), udp.destination_port()), (434, 434));
                let mut parsed_header = udp.to_header();
                let sum = parsed_header.checksum;
                parsed_header.checksum = 0;
                let right = parsed_header.calc_checksum_ipv4(&header, udp.payload()).expect("short");
                assert_eq!(right, sum);
            }
            Some(TransportSlice::Icmpv4(icmp)) => {
                let right = icmp.icmp_type().calc_checksum(icmp.payload());
                assert_eq!(right, icmp.checksum());
            }
            other => panic!("{other:?}"),
        }
    }
}
