//! What is known of packets that the lab only carries: nothing of the packet that was in the same box before.
#![cfg(target_os = "linux")]

use etherparse::{IpFragOffset, IpNumber, Ipv4Header, PacketBuilder};
use seamline_lab::edge::{addresses, take_in};
use seamline_wire::{NodeId, Packet, Segment, TransportPort};
use std::net::IpAddr;

fn ends() -> ([u8; 4], [u8; 4]) {
    let of = |node| match addresses(NodeId(node)) {
        [IpAddr::V4(address), _] => address.octets(),
        _ => unreachable!("the first one is of IPv4"),
    };
    (of(1), of(2))
}

fn ends6() -> ([u8; 16], [u8; 16]) {
    let of = |node| match addresses(NodeId(node)) {
        [_, IpAddr::V6(address)] => address.octets(),
        _ => unreachable!("the second one is of IPv6"),
    };
    (of(1), of(2))
}

fn tcp(payload: &[u8]) -> Vec<u8> {
    let (from, to) = ends();
    let mut bytes = Vec::new();
    PacketBuilder::ipv4(from, to, 64).tcp(80, 4000, 1000, 500).ack(77).write(&mut bytes, payload).unwrap();
    bytes
}

/// Read into a box that had a segment of 1000 bytes before.
fn read_after_segment(bytes: &[u8]) -> Packet {
    let mut packet = Packet::default();
    assert!(take_in(&tcp(&[0; 1000]), &mut packet) && packet.is_segment());
    assert_eq!((packet.segment.length, packet.source_port), (1000, TransportPort(80)));
    assert!(take_in(bytes, &mut packet));
    assert!(!packet.is_segment() && packet.bytes().is_some_and(|kept| **kept == *bytes));
    packet
}

/// Ports and payload; the rest of the segment is empty.
fn known(bytes: &[u8]) -> ([u16; 2], u32) {
    let packet = read_after_segment(bytes);
    assert_eq!(packet.segment, Segment { length: packet.segment.length, ..Segment::default() });
    assert_eq!((packet.source, packet.destination), (NodeId(1), NodeId(2)));
    assert_eq!(packet.wire_bytes as usize, bytes.len());
    assert_eq!(packet.has_payload(), packet.segment.length > 0);
    ([packet.source_port.0, packet.destination_port.0], packet.segment.length)
}

#[test]
fn datagrams_have_their_ports_and_their_payload() {
    let (from, to) = ends();
    let mut bytes = Vec::new();
    PacketBuilder::ipv4(from, to, 64).udp(53, 9).write(&mut bytes, &[0; 30]).unwrap();
    assert_eq!(known(&bytes), ([53, 9], 30));
    let (from, to) = ends6();
    let mut bytes = Vec::new();
    PacketBuilder::ipv6(from, to, 64).udp(53, 9).write(&mut bytes, &[]).unwrap();
    assert_eq!(known(&bytes), ([53, 9], 0), "an empty datagram has none");
}

#[test]
fn messages_of_control_have_neither() {
    let (from, to) = ends();
    let mut bytes = Vec::new();
    PacketBuilder::ipv4(from, to, 64).icmpv4_echo_request(1, 2).write(&mut bytes, &[0; 56]).unwrap();
    assert_eq!(known(&bytes), ([0, 0], 0));
    let (from, to) = ends6();
    let mut bytes = Vec::new();
    PacketBuilder::ipv6(from, to, 64).icmpv6_echo_request(1, 2).write(&mut bytes, &[0; 56]).unwrap();
    assert_eq!(known(&bytes), ([0, 0], 0));
}

#[test]
fn segments_that_the_fields_cannot_hold_have_what_is_behind_their_options() {
    let mut bytes = tcp(&[0; 100]);
    // The urgent flag and pointer have no field, and the checksum is wrong by them.
    bytes[20 + 13] |= 0x20;
    assert_eq!(known(&bytes), ([80, 4000], 100));
}

#[test]
fn fragments_but_the_first_have_no_ports_and_are_payload() {
    let (from, to) = ends();
    let mut header = Ipv4Header::new(40, 64, IpNumber::UDP, from, to).unwrap();
    header.fragment_offset = IpFragOffset::try_new(100).unwrap();
    let mut bytes = header.to_bytes().to_vec();
    bytes.extend([1; 40]);
    assert_eq!(known(&bytes), ([0, 0], 40));
}

#[test]
fn bytes_that_end_too_soon_are_read_without_a_panic() {
    let whole = tcp(&[0; 10]);
    for length in 20..whole.len() {
        let packet = read_after_segment(&whole[..length]);
        assert!(packet.segment.length as usize <= length);
    }
}
