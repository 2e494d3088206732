//! Captured control messages and tunnels, as their own reader and Wireshark read them.

#[path = "../../../wire/tests/messages/samples.rs"]
mod samples;

use crate::common::tshark;
use samples::{FOREIGN_AGENT, HOME_AGENT, MOBILE, all};
use seamline_capture::{Capture, CaptureOptions, SnapLength};
use seamline_wire::codec::{IpHeader, IpVersion, strip_tunnel};
use seamline_wire::{Flags, Instant, NodeId, Packet, Segment, TransportPort, Tunnel};

fn data() -> Packet {
    Packet {
        source: NodeId(1),
        destination: MOBILE,
        source_port: TransportPort(35001),
        destination_port: TransportPort(5001),
        wire_bytes: 1000,
        segment: Segment { length: 960, flags: Flags::ACK, ..Segment::default() },
        ..Packet::default()
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
    let file = capture(IpVersion::V4, SnapLength::Headers, &all()[2..4]);
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
fn wireshark_reads_what_an_error_quotes() {
    let file = capture(IpVersion::V4, SnapLength::Headers, &all()[4..5]);
    let fields = [
        "icmp.type",
        "icmp.code",
        "icmp.checksum.status",
        "ip.src",
        "ip.dst",
        "ip.len",
        "ip.ttl",
        "tcp.srcport",
        "tcp.dstport",
        "_ws.malformed",
    ];
    let Some(lines) = tshark(&file, &fields) else { return };
    let ends = "10.0.0.3,10.0.0.2|10.0.0.2,10.0.0.5";
    assert_eq!(lines, [format!("3|1|1|{ends}|56,1000|64,64|35001|5001|")]);
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
