//! Control messages as bytes: against etherparse and their own reader.

mod samples;

use etherparse::{NetSlice, SlicedPacket, TransportSlice};
use proptest::prelude::*;
use samples::all;
use seamline_wire::Packet;
use seamline_wire::codec::message::{MAX_MESSAGE_LENGTH, Message, MessageError, decode, encode};
use seamline_wire::codec::{IpHeader, encode_tunnel, ipv4_address};
use std::net::Ipv4Addr;

fn message(packet: &Packet) -> Message {
    Message {
        source: ipv4_address(packet.source),
        destination: ipv4_address(packet.destination),
        source_port: packet.source_port,
        destination_port: packet.destination_port,
        control: packet.control().expect("a control message").map(ipv4_address),
    }
}

fn bytes(message: &Message) -> Vec<u8> {
    let mut bytes = [0xff; MAX_MESSAGE_LENGTH];
    let length = encode(message, &mut bytes).expect("room for any message");
    bytes[..length].to_vec()
}

#[test]
fn what_is_written_is_read_again_and_has_the_stated_length() {
    for packet in all() {
        let message = message(&packet);
        let written = bytes(&message);
        assert_eq!(written.len(), packet.wire_bytes as usize);
        assert_eq!(decode(&written), Ok(message));
    }
}

/// The layout of RFC 5944 section 3.3, by hand.
#[test]
fn a_registration_request_stands_as_the_rfc_draws_it() {
    let written = bytes(&message(&all()[2]));
    let expected = [
        [1, 0, 0x07, 0x08].as_slice(),
        &[10, 0, 0, 5],
        &[10, 0, 0, 2],
        &[10, 0, 0, 3],
        &[0, 0, 0, 5, 0x80, 0, 0, 0],
    ]
    .concat();
    assert_eq!(written[28..], expected);
}

#[test]
fn etherparse_finds_sound_headers_and_checksums() {
    for packet in all() {
        let written = bytes(&message(&packet));
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

#[test]
fn damage_is_noticed_and_strangers_are_told_apart() {
    for packet in all() {
        let written = bytes(&message(&packet));
        for place in 0..written.len() {
            let mut damaged = written.clone();
            damaged[place] ^= 0x10;
            assert!(decode(&damaged).is_err(), "byte {place} of {packet:?}");
        }
        (0..written.len()).for_each(|length| assert!(decode(&written[..length]).is_err()));
    }
    let mut echo = [0; 28];
    encode(&message(&all()[1]), &mut echo).expect("room");
    echo[20] = 8;
    echo[22..24].copy_from_slice(&(!0x0800_u16).to_be_bytes());
    assert_eq!(decode(&echo), Err(MessageError::Other), "an ICMP echo");
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(mut junk in proptest::collection::vec(any::<u8>(), 0..120), udp: bool) {
        if junk.len() >= 20 {
            // Good enough a header to get inside.
            let ip = seamline_wire::codec::Ipv4Header::new(Ipv4Addr::LOCALHOST, Ipv4Addr::LOCALHOST);
            let length = junk.len();
            encode_tunnel(&IpHeader::V4(ip), length - 20, &mut junk).expect("short");
            junk[9] = if udp { 17 } else { 1 };
            let sum = u16::from_be_bytes([junk[10], junk[11]]).wrapping_add(4).wrapping_sub(u16::from(junk[9]));
            junk[10..12].copy_from_slice(&sum.to_be_bytes());
        }
        let _ = decode(&junk);
    }
}
