//! Control messages and tunnels as bytes: against etherparse, Wireshark and their own reader.

mod common;

use common::tshark;
use etherparse::{NetSlice, SlicedPacket, TransportSlice};
use proptest::prelude::*;
use seamline_wire::capture::{Capture, CaptureOptions, SnapLength, ipv4_address};
use seamline_wire::codec::message::{
    MAX_MESSAGE_LENGTH, Message, MessageError, REGISTRATION_PORT, decode, encode,
};
use seamline_wire::codec::{IpHeader, IpVersion, encode_tunnel, strip_tunnel};
use seamline_wire::control::{
    AgentAdvertisement, AgentFlags, Identification, RegistrationFlags, RegistrationReply,
    RegistrationRequest, ReplyCode,
};
use seamline_wire::{Aside, Control, Flags, Instant, NodeId, Packet, Segment, TransportPort, Tunnel};
use std::net::Ipv4Addr;

const MOBILE: NodeId = NodeId(5);
const HOME_AGENT: NodeId = NodeId(2);
const FOREIGN_AGENT: NodeId = NodeId(3);
const CORRESPONDENT: NodeId = NodeId(1);

fn advertisement() -> Control {
    Control::AgentAdvertisement(AgentAdvertisement {
        agent: FOREIGN_AGENT,
        lifetime_s: 3,
        sequence: 7,
        registration_lifetime_s: 1800,
        flags: AgentFlags::FOREIGN_AGENT | AgentFlags::REGISTRATION_REQUIRED,
        care_of_address: Some(FOREIGN_AGENT),
    })
}

fn request() -> Control {
    Control::RegistrationRequest(RegistrationRequest {
        flags: RegistrationFlags::default(),
        lifetime_s: 1800,
        home_address: MOBILE,
        home_agent: HOME_AGENT,
        care_of_address: FOREIGN_AGENT,
        identification: Identification(0x0000_0005_8000_0000),
    })
}

fn reply() -> Control {
    Control::RegistrationReply(RegistrationReply {
        code: ReplyCode::IDENTIFICATION_MISMATCH,
        lifetime_s: 60,
        home_address: MOBILE,
        home_agent: HOME_AGENT,
        identification: Identification(0x0000_0006_8000_0000),
    })
}

fn packet(source: NodeId, destination: NodeId, control: Control) -> Packet {
    let in_udp = matches!(control, Control::RegistrationRequest(_) | Control::RegistrationReply(_));
    let port = if in_udp { REGISTRATION_PORT } else { TransportPort(0) };
    Packet {
        source,
        destination,
        source_port: port,
        destination_port: port,
        wire_bytes: control.wire_bytes(),
        aside: Aside::control(control),
        ..Packet::default()
    }
}

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

fn data() -> Packet {
    Packet {
        source: CORRESPONDENT,
        destination: MOBILE,
        source_port: TransportPort(35001),
        destination_port: TransportPort(5001),
        wire_bytes: 1000,
        segment: Segment { length: 960, flags: Flags::ACK, ..Segment::default() },
        ..Packet::default()
    }
}

fn all() -> [Packet; 4] {
    [
        packet(FOREIGN_AGENT, NodeId::ALL_SYSTEMS, advertisement()),
        packet(MOBILE, NodeId::ALL_ROUTERS, Control::AgentSolicitation),
        packet(MOBILE, FOREIGN_AGENT, request()),
        packet(HOME_AGENT, FOREIGN_AGENT, reply()),
    ]
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

#[test]
fn tunnels_go_around_whole_packets() {
    for version in [IpVersion::V4, IpVersion::V6] {
        let mut data = data();
        assert!(data.encapsulate(Tunnel { entry: HOME_AGENT, exit: FOREIGN_AGENT }));
        assert!(data.encapsulate(Tunnel { entry: NodeId(8), exit: NodeId(9) }));
        let file = capture(version, SnapLength::Bytes(u32::MAX), &[data]);
        let packet = first_packet(&file);
        let (outer, middle) = strip_tunnel(&packet).expect("sound").expect("a tunnel");
        let (inner, bare) = strip_tunnel(middle).expect("sound").expect("a tunnel");
        assert_eq!(strip_tunnel(bare), Ok(None));
        let node = |address: std::net::IpAddr| match address {
            std::net::IpAddr::V4(address) => u32::from(address.octets()[3]),
            std::net::IpAddr::V6(address) => u32::from(address.octets()[15]),
        };
        let ends = |header: &IpHeader| (node(header.source()), node(header.destination()));
        assert_eq!((ends(&outer), ends(&inner)), ((8, 9), (2, 3)));
        let decoded = seamline_wire::codec::decode(bare).expect("sound, checksums included");
        assert_eq!(ends(&decoded.headers.ip), (1, 5));
        assert_eq!(decoded.payload.len(), 960);
    }
}

fn capture(ip_version: IpVersion, snap_length: SnapLength, packets: &[Packet]) -> Vec<u8> {
    let options = CaptureOptions { ip_version, snap_length, ..CaptureOptions::default() };
    let mut capture = Capture::new(Vec::new(), &options).expect("a vector takes everything");
    let air = capture.interface("air").expect("a name");
    for packet in packets {
        capture.packet(air, Instant::ZERO, packet, None).expect("a sound packet");
    }
    capture.finish()
}

fn first_packet(file: &[u8]) -> Vec<u8> {
    use pcap_file::pcapng::{PcapNgReader, blocks::Block};
    let mut reader = PcapNgReader::new(file).expect("a capture");
    while let Some(block) = reader.next_block() {
        if let Block::EnhancedPacket(packet) = block.expect("a sound block").0 {
            return packet.data.into_owned();
        }
    }
    panic!("no packet");
}

#[test]
fn wireshark_reads_registrations() {
    let file = capture(IpVersion::V4, SnapLength::Headers, &all()[2..]);
    let fields = [
        "mip.type",
        "mip.life",
        "mip.homeaddr",
        "mip.haaddr",
        "mip.coa",
        "mip.code",
        "udp.checksum.status",
        "_ws.malformed",
    ];
    let Some(lines) = tshark(&file, &fields) else { return };
    assert_eq!(lines, ["1|1800|10.0.0.5|10.0.0.2|10.0.0.3||1|", "3|60|10.0.0.5|10.0.0.2||133|1|"]);
}

#[test]
fn wireshark_reads_agent_discovery() {
    let file = capture(IpVersion::V4, SnapLength::Headers, &all()[..2]);
    let fields = [
        "ip.ttl",
        "ip.dst",
        "icmp.type",
        "icmp.lifetime",
        "icmp.mip.seq",
        "icmp.mip.life",
        "icmp.mip.f",
        "icmp.mip.h",
        "icmp.mip.coa",
        "icmp.checksum.status",
        "_ws.malformed",
    ];
    let Some(lines) = tshark(&file, &fields) else { return };
    let lines: Vec<String> =
        lines.iter().map(|line| line.replace("True", "1").replace("False", "0")).collect();
    assert_eq!(lines, ["1|224.0.0.1|9|3|7|1800|1|0|10.0.0.3|1|", "1|224.0.0.2|10|||||||1|"]);
}

#[test]
fn wireshark_sees_through_tunnels() {
    let mut data = data();
    assert!(data.encapsulate(Tunnel { entry: HOME_AGENT, exit: FOREIGN_AGENT }));
    let file = capture(IpVersion::V4, SnapLength::Headers, &[data]);
    let fields = ["frame.len", "ip.proto", "ip.src", "ip.dst", "ip.len", "tcp.dstport", "_ws.malformed"];
    let Some(lines) = tshark(&file, &fields) else { return };
    assert_eq!(lines, ["1020|4,6|10.0.0.2,10.0.0.1|10.0.0.3,10.0.0.5|1020,1000|5001|"]);
}
