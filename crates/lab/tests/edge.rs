//! What endpoints and the emulated network take in of packets that hold more than a segment's fields.
#![cfg(target_os = "linux")]

use etherparse::{PacketBuilder, TcpOptionElement};
use seamline_lab::edge;
use seamline_wire::codec::{IpVersion, ecn_of};
use seamline_wire::{Ecn, Extra, Flags, NodeId, Packet};
use std::net::{IpAddr, Ipv4Addr};

fn v4(node: u32) -> [u8; 4] {
    match edge::addresses(NodeId(node))[0] {
        IpAddr::V4(address) => address.octets(),
        IpAddr::V6(_) => Ipv4Addr::UNSPECIFIED.octets(),
    }
}

/// A SYN as Linux sends it with TCP Fast Open: after the usual options a request for a cookie (kind 34, RFC 7413).
fn syn_with_request_for_cookie() -> Vec<u8> {
    let usual =
        [TcpOptionElement::MaximumSegmentSize(1460), TcpOptionElement::SelectiveAcknowledgementPermitted];
    let mut plain = Vec::new();
    let builder = PacketBuilder::ipv4(v4(1), v4(2), 64).tcp(4000, 5000, 77, 1000).syn();
    builder.options(&usual).unwrap().write(&mut plain, b"ab").unwrap();
    let mut raw = plain[40..46].to_vec();
    raw.extend([34, 2]);
    let mut packet = Vec::new();
    let builder = PacketBuilder::ipv4(v4(1), v4(2), 64).tcp(4000, 5000, 77, 1000).syn();
    builder.options_raw(&raw).unwrap().write(&mut packet, b"ab").unwrap();
    packet
}

#[test]
fn an_endpoint_skips_options_that_it_does_not_know() {
    let bytes = syn_with_request_for_cookie();
    let mut packet =
        Packet { extra: Some(Box::new(Extra::Foreign([0].as_slice().into()))), ..Packet::default() };
    let payload = edge::receive(&bytes, &mut packet).expect("a SYN");
    assert_eq!((payload, packet.segment.flags), (&b"ab"[..], Flags::SYN));
    assert_eq!((packet.source, packet.destination), (NodeId(1), NodeId(2)));
    assert_eq!((packet.segment.maximum_segment_size, packet.segment.sack_permitted), (Some(1460), true));
    assert!(packet.is_bare_segment() && packet.wire_bytes as usize == bytes.len());
}

/// Such a SYN must not be encoded again on its way.
#[test]
fn the_network_carries_them_as_they_are() {
    let bytes = syn_with_request_for_cookie();
    let mut packet = Packet::default();
    assert!(edge::take_in(&bytes, &mut packet));
    assert!(matches!(packet.extra.as_deref(), Some(Extra::Foreign(carried)) if **carried == *bytes));
    let mut out = Vec::new();
    assert_eq!(edge::bytes_of(&packet, &mut out).unwrap(), bytes);
}

/// A packet of another protocol that a queue has marked leaves with the mark, and one of an endpoint with its ECN field.
#[test]
fn the_ecn_field_is_carried() {
    let mut bytes = Vec::new();
    PacketBuilder::ipv4(v4(1), v4(2), 64).udp(4000, 5000).write(&mut bytes, b"ab").unwrap();
    let mut packet = Packet::default();
    for (bits, ecn) in [(0b00, Ecn::NotEct), (0b10, Ecn::Ect0), (0b01, Ecn::Ect1)] {
        let coming = seamline_wire::codec::with_ecn(&bytes, ecn, &mut Vec::new()).unwrap().to_vec();
        assert_eq!(coming[1] & 0b11, bits);
        assert!(edge::take_in(&coming, &mut packet));
        assert_eq!(packet.ecn, ecn);
        let is_marked = packet.ecn.mark();
        let mut out = Vec::new();
        let leaving = edge::bytes_of(&packet, &mut out).unwrap();
        assert_eq!(ecn_of(leaving), Ok(if is_marked { Ecn::Ce } else { Ecn::NotEct }));
        assert!(etherparse::SlicedPacket::from_ip(leaving).is_ok() && leaving[20..] == coming[20..]);
    }
    assert_eq!(edge::headers(&packet, IpVersion::V6).ip.traffic_class().ecn(), Ecn::Ce);
}

#[test]
fn an_endpoint_takes_in_no_damaged_or_strange_packet() {
    let mut damaged = syn_with_request_for_cookie();
    *damaged.last_mut().unwrap() ^= 1;
    let mut stranger = Vec::new();
    let builder = PacketBuilder::ipv4([192, 0, 2, 1], v4(2), 64).tcp(4000, 5000, 77, 1000).syn();
    builder.write(&mut stranger, &[]).unwrap();
    let mut datagram = Vec::new();
    PacketBuilder::ipv4(v4(1), v4(2), 64).udp(1, 2).write(&mut datagram, b"x").unwrap();
    for bytes in [damaged, stranger, datagram, vec![0x45; 10], Vec::new()] {
        assert_eq!(edge::receive(&bytes, &mut Packet::default()), None, "{bytes:02x?}");
    }
}
