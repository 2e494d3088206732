//! Captures, as a third-party reader and Wireshark see them.

use crate::common::tshark;
use pcap_file::DataLink;
use pcap_file::pcapng::PcapNgReader;
use pcap_file::pcapng::blocks::Block;
use pcap_file::pcapng::blocks::enhanced_packet::{EnhancedPacketBlock, EnhancedPacketOption};
use pcap_file::pcapng::blocks::interface_description::{
    InterfaceDescriptionBlock, InterfaceDescriptionOption, InterfaceTsResolution,
};
use pcap_file::pcapng::blocks::opt_common::CommonOption;
use pcap_file::pcapng::blocks::section_header::SectionHeaderOption;
use seamline_capture::{Capture, CaptureOptions, SnapLength};
use seamline_wire::codec::{IpVersion, decode, header_length, ipv4_address, ipv6_address};
use seamline_wire::{
    Flags, Instant, Mark, NodeId, Packet, SackBlock, Segment, SequenceNumber, Timestamps, TransportPort,
};
use std::io;
use std::net::{Ipv4Addr, Ipv6Addr};

fn packet(version: IpVersion, segment: Segment) -> Packet {
    Packet {
        source: NodeId(0x0102_0304),
        destination: NodeId(5),
        source_port: TransportPort(49152),
        destination_port: TransportPort(80),
        wire_bytes: header_length(version, &segment) as u32 + segment.length,
        segment,
        ..Packet::default()
    }
}

fn syn() -> Segment {
    Segment {
        sequence: SequenceNumber(1000),
        window: 65535,
        flags: Flags::SYN,
        window_scale: Some(7),
        maximum_segment_size: Some(1460),
        sack_permitted: true,
        timestamps: Some(Timestamps { value: 11, echo: 0 }),
        ..Segment::default()
    }
}

fn data() -> Segment {
    Segment {
        sequence: SequenceNumber(1001),
        acknowledgment: SequenceNumber(2001),
        length: 999,
        window: 512,
        flags: Flags::ACK | Flags::PSH,
        ..Segment::default()
    }
}

fn marked_ack() -> Segment {
    let blocks = [(1000, 2000), (3000, 4000), (5000, 6000)];
    let block = |(left, right)| SackBlock { left: SequenceNumber(left), right: SequenceNumber(right) };
    Segment {
        sequence: SequenceNumber(1001),
        acknowledgment: SequenceNumber(500),
        window: 512,
        flags: Flags::ACK,
        timestamps: Some(Timestamps { value: 12, echo: 13 }),
        mark: Some(Mark::Handover),
        sack: blocks.map(block).into_iter().collect(),
        ..Segment::default()
    }
}

/// A capture of one packet of each kind, at two elements.
fn sample(snap_length: SnapLength, ip_version: IpVersion) -> Vec<u8> {
    let provenance = "scenario walk.toml, seed 7\nsecond line".to_owned();
    let options = CaptureOptions { provenance, snap_length, ip_version };
    let mut capture = Capture::new(Vec::new(), &options).expect("a vector takes everything");
    let air = capture.interface("air/down").expect("a name");
    let wire = capture.interface("backbone").expect("a name");
    let mut write = |interface, nanos, segment, remark| {
        let packet = packet(ip_version, segment);
        capture.packet(interface, Instant::from_nanos(nanos), &packet, remark).expect("a sound packet");
    };
    write(air, 0, syn(), None);
    write(wire, 1_000_000_001, data(), Some("dropped: queue overflow"));
    write(air, 123_456_789_012_345_678, marked_ack(), Some("handover notice"));
    capture.finish()
}

struct ReadBack {
    section_comments: Vec<String>,
    interfaces: Vec<InterfaceDescriptionBlock<'static>>,
    packets: Vec<EnhancedPacketBlock<'static>>,
}

fn read_back(file: &[u8]) -> ReadBack {
    let mut reader = PcapNgReader::new(file).expect("a section header");
    let section_comments = reader.section().options.iter().filter_map(|option| match option {
        SectionHeaderOption::Common(CommonOption::Comment(text)) => Some(text.to_string()),
        _ => None,
    });
    let section_comments = section_comments.collect();
    let mut packets = Vec::new();
    while let Some(block) = reader.next_block() {
        if let Block::EnhancedPacket(packet) = block.expect("a sound block").0 {
            packets.push(packet.into_owned());
        }
    }
    ReadBack { section_comments, interfaces: reader.interfaces().to_vec(), packets }
}

#[test]
fn the_file_says_where_it_comes_from_and_what_was_observed() {
    let read = read_back(&sample(SnapLength::Headers, IpVersion::V4));
    assert_eq!(read.section_comments, ["scenario walk.toml, seed 7\nsecond line"]);
    let expected = |name: &'static str| InterfaceDescriptionBlock {
        linktype: DataLink::RAW,
        snaplen: 180,
        options: vec![
            InterfaceDescriptionOption::IfName(name.into()),
            InterfaceDescriptionOption::IfTsResol(InterfaceTsResolution::NANO),
        ],
    };
    assert_eq!(read.interfaces, [expected("air/down"), expected("backbone")]);
}

#[test]
fn packets_keep_time_place_length_and_remark() {
    let read = read_back(&sample(SnapLength::Headers, IpVersion::V4));
    let times: Vec<u128> = read.packets.iter().map(|packet| packet.timestamp.as_nanos()).collect();
    assert_eq!(times, [0, 1_000_000_001, 123_456_789_012_345_678]);
    let places: Vec<u32> = read.packets.iter().map(|packet| packet.interface_id).collect();
    assert_eq!(places, [0, 1, 0]);
    let lengths: Vec<(usize, u32)> =
        read.packets.iter().map(|packet| (packet.data.len(), packet.original_len)).collect();
    assert_eq!(lengths, [(60, 60), (40, 1039), (76, 76)]);
    let remark = |text: &'static str| vec![EnhancedPacketOption::Common(CommonOption::Comment(text.into()))];
    assert_eq!(read.packets[0].options, []);
    assert_eq!(read.packets[1].options, remark("dropped: queue overflow"));
    assert_eq!(read.packets[2].options, remark("handover notice"));
}

#[test]
fn whole_packets_can_be_decoded() {
    for version in [IpVersion::V4, IpVersion::V6] {
        let read = read_back(&sample(SnapLength::Bytes(65535), version));
        for (packet, sent) in read.packets.iter().zip([syn(), data(), marked_ack()]) {
            let decoded = decode(&packet.data).expect("sound, checksums included");
            assert_eq!(packet.data.len(), packet.original_len as usize);
            assert_eq!(decoded.headers.segment.mark, sent.mark);
            assert_eq!(decoded.payload, vec![0; sent.length as usize]);
            let (source, destination) = match version {
                IpVersion::V4 => (Ipv4Addr::new(10, 2, 3, 4).into(), Ipv4Addr::new(10, 0, 0, 5).into()),
                IpVersion::V6 => (
                    Ipv6Addr::new(0xfd00, 0, 0, 0, 0, 0, 0x0102, 0x0304).into(),
                    Ipv6Addr::new(0xfd00, 0, 0, 0, 0, 0, 0, 5).into(),
                ),
            };
            assert_eq!(
                (decoded.headers.ip.source(), decoded.headers.ip.destination()),
                (source, destination)
            );
        }
    }
    assert_eq!(ipv4_address(NodeId::ALL_SYSTEMS), Ipv4Addr::new(224, 0, 0, 1));
    assert_eq!(ipv4_address(NodeId(0x00ff_ffff)), Ipv4Addr::new(10, 255, 255, 255));
    assert_eq!(ipv6_address(NodeId(u32::MAX - 2)).segments()[5..], [0, 0xffff, 0xfffd]);
}

#[test]
fn snap_lengths_cut_and_never_lengthen() {
    for (snap, expected) in [(20, [20, 20, 20]), (61, [60, 61, 61]), (1039, [60, 1039, 76])] {
        let read = read_back(&sample(SnapLength::Bytes(snap), IpVersion::V4));
        let captured: Vec<usize> = read.packets.iter().map(|packet| packet.data.len()).collect();
        assert_eq!(captured, expected, "snap length {snap}");
    }
}

#[test]
fn the_length_on_the_wire_is_never_below_what_the_headers_say() {
    let options = CaptureOptions { snap_length: SnapLength::Bytes(65535), ..CaptureOptions::default() };
    let mut capture = Capture::new(Vec::new(), &options).expect("a vector takes everything");
    let air = capture.interface("air").expect("a name");
    for wire_bytes in [0, 1039, 1500] {
        let packet = Packet { wire_bytes, ..packet(IpVersion::V4, data()) };
        capture.packet(air, Instant::ZERO, &packet, None).expect("a sound packet");
    }
    let read = read_back(&capture.finish());
    let lengths: Vec<u32> = read.packets.iter().map(|packet| packet.original_len).collect();
    assert_eq!(lengths, [1039, 1039, 1500]);
    assert!(read.packets.iter().all(|packet| decode(&packet.data).is_ok()));
}

#[test]
fn long_texts_are_split_or_cut_between_characters() {
    let line = "ä".repeat(20_000) + "\n";
    let provenance = line.repeat(4) + &"ö".repeat(40_000);
    let options = CaptureOptions { provenance: provenance.clone(), ..CaptureOptions::default() };
    let mut capture = Capture::new(Vec::new(), &options).expect("long comments are allowed");
    let air = capture.interface(&"é".repeat(40_000)).expect("long names are cut");
    let ack = packet(IpVersion::V4, marked_ack());
    capture.packet(air, Instant::ZERO, &ack, Some(&provenance)).expect("long remarks are cut");
    let read = read_back(&capture.finish());
    assert_eq!(read.section_comments.concat(), provenance);
    assert_eq!(read.section_comments.len(), 6);
    assert!(read.section_comments[..4].iter().all(|text| *text == line), "broken at the ends of lines");
    assert_eq!(read.packets.len(), 1);
}

#[test]
fn what_cannot_be_captured_is_an_error() {
    let options = CaptureOptions::default();
    let mut capture = Capture::new(Vec::new(), &options).expect("a vector takes everything");
    let mut other = Capture::new(Vec::new(), &options).expect("a vector takes everything");
    let air = capture.interface("air").expect("a name");
    let huge = packet(IpVersion::V4, Segment { length: 65_496, ..Segment::default() });
    let error = capture.packet(air, Instant::ZERO, &huge, None).expect_err("65536 bytes");
    assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
    let ack = packet(IpVersion::V4, marked_ack());
    let error = other.packet(air, Instant::ZERO, &ack, None).expect_err("not its interface");
    assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
    capture.packet(air, Instant::ZERO, &ack, None).expect("an error leaves the capture usable");
    assert_eq!(read_back(&capture.finish()).packets.len(), 1);
}

#[test]
fn the_same_packets_give_the_same_bytes_on_every_machine() {
    let file = sample(SnapLength::Headers, IpVersion::V6);
    assert_eq!(file, sample(SnapLength::Headers, IpVersion::V6));
    assert_eq!(file[8..12], 0x1a2b_3c4d_u32.to_le_bytes(), "little-endian, whatever the machine");
}

#[test]
fn wireshark_reads_times_places_and_remarks() {
    let file = sample(SnapLength::Headers, IpVersion::V4);
    let fields = ["frame.time_epoch", "frame.interface_name", "frame.len", "frame.cap_len", "frame.comment"];
    let Some(lines) = tshark(&file, &fields) else { return };
    let expected = [
        "0.000000000|air/down|60|60|",
        "1.000000001|backbone|1039|40|dropped: queue overflow",
        "123456789.012345678|air/down|76|76|handover notice",
    ];
    assert_eq!(lines, expected);
}

#[test]
fn wireshark_finds_nothing_wrong() {
    const GOOD: &str = "1";
    for version in [IpVersion::V4, IpVersion::V6] {
        for snap_length in [SnapLength::Headers, SnapLength::Bytes(u32::MAX)] {
            let file = sample(snap_length, version);
            let fields = ["ip.checksum.status", "tcp.checksum.status", "tcp.len", "_ws.malformed"];
            let Some(lines) = tshark(&file, &fields) else { return };
            // What is cut short cannot be checked ("2", unverified).
            let cut = if snap_length == SnapLength::Headers { "2" } else { GOOD };
            let ip = if version == IpVersion::V4 { GOOD } else { "" };
            let line = |tcp, length| format!("{ip}|{tcp}|{length}|");
            assert_eq!(lines, [line(GOOD, 0), line(cut, 999), line(GOOD, 0)], "{version:?} {snap_length:?}");
        }
    }
}

#[test]
fn wireshark_decodes_the_options() {
    let file = sample(SnapLength::Headers, IpVersion::V6);
    let fields = [
        "tcp.options.mss_val",
        "tcp.options.wscale.shift",
        "tcp.options.sack_perm",
        "tcp.options.timestamp.tsval",
        "tcp.options.timestamp.tsecr",
        "tcp.options.experimental.exid",
        "tcp.options.experimental.data",
        "tcp.options.sack_le",
        "tcp.options.sack_re",
    ];
    let Some(lines) = tshark(&file, &fields) else { return };
    // How bytes are separated depends on the version of tshark.
    let lines: Vec<String> = lines.iter().map(|line| line.replace(':', "")).collect();
    let expected = ["1460|7|0402|11|0||||", "||||||||", "|||12|13|0x5ea1|01|1000,3000|2000,4000"];
    assert_eq!(lines, expected);
}
