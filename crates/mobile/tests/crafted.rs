//! What is learned of connections from their packets, and the packets that are made from it: bytes in, bytes out.

use seamline_mobile::connections::{CAPTURED, Connection, Connections, Key};
use seamline_mobile::craft;
use seamline_wire::codec::{Checksum, Headers, IpHeader, TrafficClass, decode, encode_to_vec};
use seamline_wire::{
    Duration, Flags, Instant, Mark, SackBlock, Segment, SequenceNumber, Timestamps, TransportPort,
};
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};

const HOST: Ipv4Addr = Ipv4Addr::new(192, 0, 2, 1);
const SERVER: Ipv4Addr = Ipv4Addr::new(198, 51, 100, 7);
const WWAN: u32 = 3;

fn v4() -> IpHeader {
    IpHeader::v4(HOST, SERVER)
}

fn v6() -> IpHeader {
    let address = |last: u16| Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, last);
    IpHeader::v6(address(1), address(2))
}

/// A segment of an established connection with all that one usually carries.
fn segment(sequence: u32, length: u32, acknowledgment: u32) -> Segment {
    Segment {
        sequence: SequenceNumber(sequence),
        acknowledgment: SequenceNumber(acknowledgment),
        length,
        window: 501,
        flags: Flags::ACK,
        timestamps: Some(Timestamps { value: sequence.wrapping_add(7000), echo: 90 }),
        ..Segment::default()
    }
}

fn headers(ip: IpHeader, segment: Segment) -> Headers {
    Headers { ip, source_port: TransportPort(40_000), destination_port: TransportPort(443), segment }
}

fn bytes(headers: &Headers) -> Vec<u8> {
    encode_to_vec(headers, &vec![0x55; headers.segment.length as usize]).unwrap()
}

fn connections() -> Connections {
    Connections::new(100, Duration::from_secs(60))
}

/// What is known after these packets have left, one a second.
fn after(ip: IpHeader, segments: &[Segment]) -> Option<Connection> {
    let mut all = connections();
    let mut now = Instant::ZERO;
    for segment in segments {
        let mut packet = bytes(&headers(ip, *segment));
        packet.truncate(CAPTURED);
        all.sent(now, WWAN, &packet, |_, _| false, |_| true).unwrap();
        now += Duration::from_secs(1);
    }
    all.all.values().copied().next()
}

/// The acknowledgment that is sent for a connection, as its receiver reads it: its checksums are right.
fn acknowledgment(connection: &Connection, mark: Option<Mark>) -> Headers {
    let packet = craft::acknowledgment(connection, mark).unwrap();
    let decoded = decode(&packet).unwrap();
    assert_eq!(decoded.payload.len(), 0);
    decoded.headers
}

#[test]
fn the_last_acknowledgment_is_repeated_with_the_highest_number_sent() {
    for ip in [v4(), v6()] {
        let known =
            after(ip, &[segment(1000, 500, 77), segment(1500, 0, 177), segment(1500, 60_000, 277)]).unwrap();
        let repeated = acknowledgment(&known, None);
        let expected = Segment { flags: Flags::ACK, ..segment(1500, 0, 277) };
        assert_eq!(repeated, headers(ip, Segment { sequence: SequenceNumber(61_500), ..expected }));
    }
}

#[test]
fn a_retransmission_lowers_nothing_and_says_where_it_began() {
    let known = after(v4(), &[segment(1000, 3000, 77), segment(1000, 1000, 177)]).unwrap();
    assert_eq!((known.next, known.retransmitted), (SequenceNumber(4000), Some(SequenceNumber(1000))));
    assert_eq!(acknowledgment(&known, None).segment.acknowledgment, SequenceNumber(177));
}

#[test]
fn a_packet_overtaken_in_the_hosts_queue_takes_nothing_back() {
    let known = after(v4(), &[segment(1000, 0, 177), segment(1000, 0, 77)]).unwrap();
    assert_eq!(known.last.segment.acknowledgment, SequenceNumber(177));
    assert_eq!(known.seen, Instant::from_secs(1));
}

#[test]
fn a_fin_counts_one_and_is_not_repeated() {
    let fin = Segment { flags: Flags::ACK | Flags::FIN, ..segment(1000, 10, 77) };
    let repeated = acknowledgment(&after(v4(), &[fin]).unwrap(), None).segment;
    assert_eq!((repeated.sequence, repeated.flags), (SequenceNumber(1011), Flags::ACK));
}

#[test]
fn numbers_may_wrap() {
    let known = after(v6(), &[segment(u32::MAX - 99, 100, u32::MAX), segment(0, 50, 5)]).unwrap();
    let repeated = acknowledgment(&known, None).segment;
    assert_eq!((repeated.sequence, repeated.acknowledgment), (SequenceNumber(50), SequenceNumber(5)));
}

#[test]
fn handshakes_and_resets_are_no_connections() {
    let syn = Segment { flags: Flags::SYN | Flags::ACK, ..segment(0, 0, 1) };
    let reset = Segment { flags: Flags::RST | Flags::ACK, ..segment(1, 0, 1) };
    assert_eq!(after(v4(), &[syn]), None);
    assert_eq!(after(v4(), &[segment(1, 10, 1), reset]), None);
    let again = after(v4(), &[segment(9_000_000, 0, 1), syn, segment(1, 0, 2)]).unwrap();
    assert_eq!(again.next, SequenceNumber(1), "numbers of an earlier connection between the same ports");
}

/// Packets have gone unseen: the SYN of a connection between the same ports may have been among them.
#[test]
fn after_a_gap_the_newest_packet_alone_is_believed() {
    let (mut all, now) = (connections(), Instant::ZERO);
    let mut send = |segment, is_doubtful| {
        all.sent(now, WWAN, &bytes(&headers(v4(), segment)), |_, _| false, |_| true).unwrap();
        let (_, known) = all.all.iter_mut().next().unwrap();
        known.is_doubtful = is_doubtful;
        (known.next.0, known.last.segment.acknowledgment.0)
    };
    assert_eq!(send(segment(9_000_000, 100, 8_000_000), true), (9_000_100, 8_000_000));
    assert_eq!(send(segment(1000, 10, 77), false), (1010, 77));
    assert_eq!(send(segment(900, 10, 70), false), (1010, 77), "an old one again");
}

#[test]
fn marks_go_before_sack_blocks_that_do_not_fit_beside_them() {
    let block = |left: u32| SackBlock { left: SequenceNumber(left), right: SequenceNumber(left + 10) };
    let full =
        Segment { sack: [block(500), block(400), block(300)].into_iter().collect(), ..segment(1, 0, 100) };
    let known = after(v4(), &[full]).unwrap();
    let plain = acknowledgment(&known, None).segment;
    assert_eq!((plain.sack, plain.mark), (full.sack, None));
    let marked = acknowledgment(&known, Some(Mark::Handover)).segment;
    assert_eq!(marked.mark, Some(Mark::Handover));
    assert_eq!(marked.sack, [block(500), block(400)].into_iter().collect(), "the newest stay");
    assert_eq!(marked.timestamps, full.timestamps);
}

#[test]
fn a_report_of_a_duplicate_is_not_made_twice() {
    let block =
        |left: u32, right: u32| SackBlock { left: SequenceNumber(left), right: SequenceNumber(right) };
    let repeated = |blocks: &[SackBlock]| {
        let sack = blocks.iter().copied().collect();
        acknowledgment(&after(v4(), &[Segment { sack, ..segment(1, 0, 100) }]).unwrap(), None).segment.sack
    };
    let missing = block(300, 400);
    // RFC 2883 section 4: below the acknowledgment, or within the second block.
    assert_eq!(repeated(&[block(50, 60), missing]), [missing].into_iter().collect());
    assert_eq!(repeated(&[block(310, 320), missing]), [missing].into_iter().collect());
    assert_eq!(repeated(&[missing, block(500, 600)]).len(), 2);
}

#[test]
fn congestion_bits_are_repeated() {
    let echo = Segment { flags: Flags::ACK | Flags::ECE, ..segment(1, 0, 2) };
    assert_eq!(acknowledgment(&after(v4(), &[echo]).unwrap(), None).segment.flags, echo.flags);
    // CWR answers an echo once, with data; that a segment may be marked is for data to say, too.
    let answer = Segment { flags: Flags::ACK | Flags::CWR, ..segment(1, 1, 2) };
    for mut ip in [v4(), v6()] {
        let class = match &mut ip {
            IpHeader::V4(header) => &mut header.traffic_class,
            IpHeader::V6(header) => &mut header.traffic_class,
        };
        *class = TrafficClass(10 << 2 | 0b10);
        let repeated = acknowledgment(&after(ip, &[answer]).unwrap(), None);
        assert_eq!(repeated.segment.flags, Flags::ACK);
        assert_eq!(repeated.ip.traffic_class(), TrafficClass(10 << 2));
    }
    // The bit next to CWR belongs to the counter of Accurate ECN; the codec does not read it.
    let mut packet = bytes(&headers(v4(), echo));
    packet[20 + 12] |= 1;
    let mut all = connections();
    all.sent(Instant::ZERO, WWAN, &packet, |_, _| false, |_| true).unwrap();
    let (_, known) = all.all.iter().next().unwrap();
    let repeated = craft::acknowledgment(known, None).unwrap();
    assert_eq!(repeated[20 + 12] & 0x0f, 1);
    assert!(decode(&repeated).is_ok(), "its checksum is right");
    // Once it was seen, CWR belongs to it, too, and a packet without the bit says that it is 0.
    all.sent(Instant::ZERO, WWAN, &bytes(&headers(v4(), answer)), |_, _| false, |_| true).unwrap();
    let (_, known) = all.all.iter().next().unwrap();
    assert_eq!(known.accurate_ecn, Some(false));
    assert_eq!(acknowledgment(known, None).segment.flags, answer.flags);
}

#[test]
fn as_many_are_known_as_allowed_and_the_longest_silent_go_first() {
    let mut all = Connections::new(3, Duration::from_secs(60));
    for port in 0..5 {
        let sent = Headers { source_port: TransportPort(port), ..headers(v4(), segment(1, 0, 1)) };
        all.sent(Instant::from_secs(u64::from(port)), WWAN, &bytes(&sent), |_, _| false, |_| true).unwrap();
    }
    let ports: Vec<u16> = all.all.keys().map(|key| key.local.port()).collect();
    assert_eq!(ports, [2, 3, 4]);
    all.forget(Instant::from_secs(63));
    assert_eq!(all.all.len(), 2, "the one of second 2 has been silent for 61 s");
}

/// The figure that the documentation gives.
#[test]
fn a_connection_takes_less_than_400_bytes() {
    let size = size_of::<(Key, Connection)>();
    println!("{size} bytes");
    assert!((150..400).contains(&size), "{size}");
}

#[test]
fn a_message_quotes_the_segment_from_this_host_to_itself() {
    let known = after(v4(), &[segment(1000, 3000, 77)]).unwrap();
    let packet = craft::unreachable(&known, SequenceNumber(1000)).unwrap();
    assert!(Checksum::new().over(&packet[..20]).is_valid() && Checksum::new().over(&packet[20..]).is_valid());
    assert_eq!((packet[9], &packet[12..16], &packet[16..20]), (1, &HOST.octets()[..], &HOST.octets()[..]));
    assert_eq!(packet[20..22], [3, 1], "destination unreachable, host unreachable (RFC 792)");
    let quoted = decode(&packet[28..]).unwrap().headers;
    assert_eq!((quoted.ip.source(), quoted.ip.destination()), (HOST.into(), SERVER.into()));
    assert_eq!((quoted.source_port, quoted.segment.sequence), (TransportPort(40_000), SequenceNumber(1000)));
}

#[test]
fn a_message_of_ipv6_says_no_route() {
    let known = after(v6(), &[segment(1000, 3000, 77)]).unwrap();
    let packet = craft::unreachable(&known, SequenceNumber(1000)).unwrap();
    let length = (packet.len() - 40) as u32;
    // RFC 8200 section 8.1.
    let pseudo = Checksum::new().over(&packet[8..40]).over(&length.to_be_bytes()).over(&[0, 0, 0, 58]);
    assert!(pseudo.over(&packet[40..]).is_valid());
    assert_eq!(
        (packet[6], &packet[40..42]),
        (58, &[1, 0][..]),
        "no route to destination (RFC 4443 section 3.1)"
    );
    assert_eq!(packet[8..24], packet[24..40]);
    let quoted = decode(&packet[48..]).unwrap().headers;
    assert_eq!((quoted.ip, quoted.segment.sequence), (v6(), SequenceNumber(1000)));
    assert_eq!(SocketAddr::new(quoted.ip.destination(), 443).to_string(), "[2001:db8::2]:443");
}

#[test]
fn a_message_to_the_other_end_quotes_its_segment() {
    for (ip, header) in [(v4(), 20), (v6(), 40)] {
        let known = after(ip, &[segment(1000, 3000, 77)]).unwrap();
        let packet = craft::disruption(&known).unwrap();
        let quoted = decode(&packet[header + 8..]).unwrap().headers;
        assert_eq!((quoted.ip.source(), quoted.ip.destination()), (ip.destination(), ip.source()));
        assert_eq!(
            (quoted.source_port, quoted.destination_port),
            (TransportPort(443), TransportPort(40_000))
        );
        assert_eq!(quoted.segment.sequence, SequenceNumber(77), "what this host expects next");
        let sum = match header {
            20 => Checksum::new(),
            _ => {
                let length = (packet.len() - header) as u32;
                Checksum::new().over(&packet[8..40]).over(&length.to_be_bytes()).over(&[0, 0, 0, 58])
            }
        };
        assert!(sum.over(&packet[header..]).is_valid());
    }
}
