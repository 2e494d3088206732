//! Agents on real packets: those that hold more than a segment can say never reach them, and all that agents forward comes out
//! byte by byte as it came in.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use seamline_agent::{
    Agent, Kind, ObtcpParameters, Parameters, Role, Side, SnoopParameters, WIRED, WIRELESS,
};
use seamline_wire::codec::{Checksum, Headers, IpHeader, decode_complete, encode_to_vec};
use seamline_wire::{
    Flags, Input, Instant, NodeId, Outbox, Packet, Port, SackBlock, Segment, SequenceNumber, Timestamps,
    TransportPort,
};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// An agent between two interfaces.
struct Middlebox {
    agent: Box<dyn Agent>,
    out: Outbox,
    /// By node number.
    addresses: Vec<IpAddr>,
}

impl Middlebox {
    fn new(kind: &Kind, role: Role) -> Self {
        let obtcp = ObtcpParameters { role, ..ObtcpParameters::default() };
        // What it writes in acknowledgments is another matter.
        let snoop = SnoopParameters { explicit_loss_notification: false, ..SnoopParameters::default() };
        let agent = kind.build(&Parameters { obtcp, snoop, ..Parameters::default() });
        Middlebox { agent, out: Outbox::new(), addresses: Vec::new() }
    }

    fn node(&mut self, address: IpAddr) -> NodeId {
        let known = self.addresses.iter().position(|known| *known == address);
        NodeId(known.unwrap_or_else(|| {
            self.addresses.push(address);
            self.addresses.len() - 1
        }) as u32)
    }

    fn packet(&mut self, headers: &Headers, length: usize) -> Packet {
        Packet {
            source: self.node(headers.ip.source()),
            destination: self.node(headers.ip.destination()),
            source_port: headers.source_port,
            destination_port: headers.destination_port,
            wire_bytes: length as u32,
            segment: headers.segment,
            ..Packet::default()
        }
    }

    /// A packet comes in; what goes out.
    fn pass(&mut self, from: Port, bytes: &[u8]) -> Vec<(Port, Vec<u8>)> {
        let Ok(decoded) = decode_complete(bytes) else {
            return vec![(Side::of(from).onwards(), bytes.to_vec())];
        };
        let packet = self.packet(&decoded.headers, bytes.len());
        let segment = packet.segment;
        self.agent.step(Instant::ZERO, Input::Packet(from, Box::new(packet.clone())), &mut self.out);
        let sent: Vec<_> = self.out.packets.drain(..).collect();
        let came_in = |it: &Packet| {
            it.is_segment()
                && (it.segment.sequence, it.segment.length) == (segment.sequence, segment.length)
                && it.source == packet.source
        };
        // What the agent says by itself has bytes of its own.
        let goes_on = sent.into_iter().filter(|(_, it)| came_in(it));
        let bytes_of = |it: &Packet| match *it == packet {
            true => bytes.to_vec(),
            false => {
                let headers = Headers { segment: it.segment, ..decoded.headers };
                encode_to_vec(&headers, decoded.payload).expect("as long as what came")
            }
        };
        goes_on.map(|(port, it)| (port, bytes_of(&it))).collect()
    }
}

/// Every kind of agent that meets real packets, in all its roles.
fn middleboxes() -> impl Iterator<Item = (&'static str, Middlebox)> {
    seamline_agent::ALL.iter().filter(|kind| kind.runs_on_real_hosts).flat_map(|kind| {
        let roles: &[Role] = match kind.name {
            "obtcp" => &[Role::BaseStation, Role::MobileRouter],
            _ => &[Role::BaseStation],
        };
        roles.iter().map(|role| (kind.name, Middlebox::new(kind, *role)))
    })
}

/// Of the fixed host, and of the mobile host.
fn ip(version: u8, from: Port) -> IpHeader {
    let [fixed, mobile] = [1, 2].map(|last| Ipv4Addr::new(192, 0, 2, last));
    let six = |address: Ipv4Addr| Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, address.octets()[3].into());
    let [source, destination] = if from == WIRED { [fixed, mobile] } else { [mobile, fixed] };
    match version {
        4 => IpHeader::v4(source, destination),
        _ => IpHeader::v6(six(source), six(destination)),
    }
}

fn bytes_of(version: u8, from: Port, mut segment: Segment, payload: &[u8]) -> Vec<u8> {
    segment.length = payload.len() as u32;
    let ports = [TransportPort(80), TransportPort(5000)];
    let [source_port, destination_port] = if from == WIRED { ports } else { [ports[1], ports[0]] };
    let headers = Headers { ip: ip(version, from), source_port, destination_port, segment };
    encode_to_vec(&headers, payload).expect("a small packet")
}

fn segment(sequence: u32, acknowledgment: u32) -> Segment {
    let (sequence, acknowledgment) = (SequenceNumber(sequence), SequenceNumber(acknowledgment));
    Segment { sequence, acknowledgment, flags: Flags::ACK, window: 500, ..Segment::default() }
}

/// A packet of this protocol, whatever is in it.
fn other(version: u8, from: Port, protocol: u8, body: &[u8]) -> Vec<u8> {
    let mut packet = bytes_of(version, from, segment(1, 1), &[0; 8]);
    if version == 4 {
        packet.truncate(20);
        packet[9] = protocol;
    } else {
        packet.truncate(40);
        packet[6] = protocol;
    }
    packet.extend(body);
    fix_header(packet)
}

/// Length and header checksum.
fn fix_header(mut packet: Vec<u8>) -> Vec<u8> {
    let length = packet.len() as u16;
    if packet[0] >> 4 == 4 {
        packet[2..4].copy_from_slice(&length.to_be_bytes());
        packet[10..12].fill(0);
        let header = usize::from(packet[0] & 15) * 4;
        let sum = Checksum::new().over(&packet[..header]).field();
        packet[10..12].copy_from_slice(&sum.to_be_bytes());
    } else {
        packet[4..6].copy_from_slice(&(length - 40).to_be_bytes());
    }
    packet
}

/// What is no whole, plain segment: fragments, other protocols, tunnels, headers with more in them.
fn opaque(from: Port) -> Vec<(&'static str, Vec<u8>)> {
    let plain = |version| bytes_of(version, from, segment(1001, 7), b"payload.");
    let fragment = |bits: [u8; 2]| {
        let mut packet = plain(4);
        packet[6..8].copy_from_slice(&bits);
        fix_header(packet)
    };
    let with_option = |option: &[u8]| {
        let mut packet = plain(4);
        packet.splice(40..40, option.iter().copied());
        packet[32] = (5 + option.len() as u8 / 4) << 4;
        let mut packet = fix_header(packet);
        packet[36..38].fill(0);
        let pseudo = Checksum::new().over(&packet[12..20]).over(&[0, 6]);
        let sum = pseudo.over(&((packet.len() - 20) as u32).to_be_bytes()).over(&packet[20..]).field();
        packet[36..38].copy_from_slice(&sum.to_be_bytes());
        packet
    };
    let extended = |kind: u8, header: [u8; 8]| {
        let mut packet = plain(6);
        packet[6] = kind;
        packet.splice(40..40, header);
        fix_header(packet)
    };
    let damaged = |at: usize| {
        let mut packet = plain(4);
        packet[at] ^= 4;
        packet
    };
    vec![
        ("the first fragment", fragment([0x20, 0])),
        ("a fragment in the middle", fragment([0x20, 1])),
        ("the last fragment", fragment([0, 1])),
        ("a fragment of IPv6", extended(44, [6, 0, 0, 1, 0, 0, 0, 9])),
        ("ESP", other(4, from, 50, &[9; 60])),
        ("ESP in IPv6", other(6, from, 50, &[9; 60])),
        ("AH", other(4, from, 51, &[6; 60])),
        ("UDP", other(4, from, 17, &[0, 80, 0, 90, 0, 12, 0, 0, 1, 2, 3, 4])),
        ("ICMP", other(4, from, 1, &[8; 12])),
        ("IP in IP", other(4, from, 4, &plain(4))),
        ("IPv4 in IPv6", other(6, from, 4, &plain(4))),
        ("a hop-by-hop header", extended(0, [6, 0, 1, 4, 0, 0, 0, 0])),
        ("a routing header", extended(43, [6, 0, 2, 1, 0, 0, 0, 0])),
        ("a destination option", extended(60, [6, 0, 1, 4, 0, 0, 0, 0])),
        ("an option that nobody knows", with_option(&[99, 4, 1, 2])),
        ("MPTCP", with_option(&[30, 4, 0x20, 0])),
        ("TCP-AO", with_option(&[29, 8, 1, 1, 1, 2, 3, 4])),
        ("a damaged payload", damaged(44)),
        ("a damaged number", damaged(25)),
        ("too few bytes", plain(4)[..30].to_vec()),
        ("no bytes", Vec::new()),
        ("no IP", vec![0x15; 60]),
    ]
}

/// Next to a connection that the agent knows, and a SYN that it might split.
#[test]
fn what_is_opaque_never_reaches_an_agent() {
    for (name, mut middlebox) in middleboxes() {
        let known = [
            (WIRED, bytes_of(4, WIRED, segment(1, 7), &[5; 1000])),
            (WIRELESS, bytes_of(4, WIRELESS, segment(7, 1001), &[])),
        ];
        for (from, bytes) in known {
            assert_eq!(middlebox.pass(from, &bytes).len(), 1, "{name}");
        }
        for (from, onwards) in [(WIRED, WIRELESS), (WIRELESS, WIRED)] {
            for (what, bytes) in opaque(from) {
                let before = middlebox.agent.counters();
                assert_eq!(middlebox.pass(from, &bytes), [(onwards, bytes)], "{name}: {what}");
                assert_eq!(middlebox.agent.counters(), before, "{name}: {what}");
            }
        }
    }
}

/// A SYN with an option that the agent does not know passes, and is not split.
#[test]
fn a_syn_with_an_unknown_option_passes() {
    let mut syn = segment(100, 0);
    syn.flags = Flags::SYN;
    let mut bytes = bytes_of(4, WIRED, syn, &[]);
    bytes.extend([30, 4, 0, 0x81]);
    bytes[32] = 6 << 4;
    let mut bytes = fix_header(bytes);
    bytes[36..38].fill(0);
    let pseudo = Checksum::new().over(&bytes[12..20]).over(&[0, 6, 0, 0, 0, 24]);
    let sum = pseudo.over(&bytes[20..]).field();
    bytes[36..38].copy_from_slice(&sum.to_be_bytes());
    for (name, mut middlebox) in middleboxes() {
        assert_eq!(middlebox.pass(WIRED, &bytes), [(WIRELESS, bytes.clone())], "{name}");
        let counters = middlebox.agent.counters();
        assert_eq!((counters.packets, counters.split), (0, 0), "{name}");
    }
}

fn any_segment() -> impl Strategy<Value = Segment> {
    let number = || any::<u32>().prop_map(SequenceNumber);
    let times = prop::option::of((any::<u32>(), any::<u32>()));
    let blocks = prop::collection::vec((number(), number()), 0..4);
    let flags = prop_oneof![Just(Flags::ACK), Just(Flags::ACK | Flags::PSH), Just(Flags::ACK | Flags::FIN)];
    (number(), number(), any::<u16>(), flags, times, blocks).prop_map(
        |(sequence, acknowledgment, window, flags, times, blocks)| Segment {
            sequence,
            acknowledgment,
            window,
            flags,
            timestamps: times.map(|(value, echo)| Timestamps { value, echo }),
            sack: blocks.into_iter().map(|(left, right)| SackBlock { left, right }).collect(),
            ..Segment::default()
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 1000,
        rng_seed: RngSeed::Fixed(11),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// Segments of a connection whose beginning nobody has seen, in both versions of IP and with all options that are known, go on as
    /// they are, or, a duplicate acknowledgment, not at all.
    #[test]
    fn what_goes_on_is_what_came(
        segments in prop::collection::vec((any::<bool>(), any_segment(), 0usize..60), 1..20),
        version in prop_oneof![Just(4u8), Just(6u8)],
    ) {
        for (name, mut middlebox) in middleboxes() {
            for (is_down, segment, length) in &segments {
                let (from, onwards) = if *is_down { (WIRED, WIRELESS) } else { (WIRELESS, WIRED) };
                let mut segment = *segment;
                seamline_wire::codec::fit_sack_blocks(&mut segment);
                let bytes = bytes_of(version, from, segment, &vec![7; *length]);
                let passed = middlebox.pass(from, &bytes);
                let onwards: Vec<_> = passed.into_iter().filter(|(port, _)| *port == onwards).collect();
                prop_assert!(onwards.iter().all(|(_, sent)| *sent == bytes), "{name}: {onwards:?}");
                prop_assert!(*length == 0 || onwards.len() == 1, "{name}: data stays here");
            }
        }
    }
}
