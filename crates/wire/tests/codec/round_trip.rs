//! Everything that can be represented survives being written and read, and a third-party decoder
//! reads the same.

use crate::{generate, oracle};
use etherparse::{PacketBuilder, TcpOptionElement};
use proptest::prelude::*;
use seamline_wire::codec::{Decoded, Headers, IpHeader, decode, encode, encode_headers, encode_to_vec};
use seamline_wire::{Flags, SackBlock, Segment, SequenceNumber, Timestamps, TransportPort};

/// Headers and payload made from a list of numbers; shorter lists with smaller numbers make plainer
/// packets, which is how failures shrink.
fn packets() -> impl Strategy<Value = (Headers, Vec<u8>)> {
    prop::collection::vec(any::<u64>(), 0..120).prop_map(|numbers| {
        let mut numbers = numbers.into_iter();
        let mut draw = |below: u64| numbers.next().unwrap_or(0) % below;
        let length = draw(60) as usize;
        let headers = generate::headers(&mut draw, length);
        (headers, generate::bytes(&mut draw, length))
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_is_read((headers, payload) in packets()) {
        let packet = encode_to_vec(&headers, &payload).expect("representable");
        prop_assert_eq!(packet.len(), headers.length() + payload.len());
        prop_assert_eq!(decode(&packet), Ok(Decoded { headers, payload: &payload }));
    }

    #[test]
    fn etherparse_reads_what_we_write((headers, payload) in packets()) {
        let packet = encode_to_vec(&headers, &payload).expect("representable");
        let judged = oracle::judge(&packet).expect("a TCP packet");
        let unmarked = Segment { mark: None, ..headers.segment };
        prop_assert_eq!(judged.headers, Headers { segment: unmarked, ..headers });
        prop_assert_eq!(judged.payload, payload);
        prop_assert!(judged.ipv4_checksum && judged.tcp_checksum);
    }

    #[test]
    fn we_read_what_etherparse_writes((headers, payload) in packets()) {
        let (packet, sent) = built_by_etherparse(headers, &payload);
        prop_assert_eq!(decode(&packet), Ok(Decoded { headers: sent, payload: &payload }));
    }

    #[test]
    fn headers_alone_are_those_of_a_payload_of_zeros((headers, payload) in packets()) {
        let mut alone = [0xff; seamline_wire::codec::MAX_HEADER_LENGTH];
        let length = encode_headers(&headers, &mut alone).expect("representable");
        let mut whole = vec![0xff; 200];
        encode(&headers, &vec![0; payload.len()], &mut whole).expect("representable");
        prop_assert_eq!(length, headers.length());
        prop_assert_eq!(&alone[..length], &whole[..length]);
        prop_assert!(alone[length..].iter().all(|byte| *byte == 0xff), "wrote behind the headers");
    }
}

/// The packet that etherparse makes of these headers, and the headers without what its builder cannot
/// express: marks, and the differentiated services field of a packet it builds.
fn built_by_etherparse(headers: Headers, payload: &[u8]) -> (Vec<u8>, Headers) {
    let segment = Segment { mark: None, ..headers.segment };
    let ip = match headers.ip {
        IpHeader::V4(ip) => etherparse::IpHeaders::Ipv4(
            etherparse::Ipv4Header {
                identification: ip.identification,
                dont_fragment: ip.dont_fragment,
                time_to_live: ip.time_to_live,
                dscp: etherparse::IpDscp::try_new(ip.traffic_class.0 >> 2).expect("six bits"),
                ecn: etherparse::IpEcn::try_new(ip.traffic_class.0 & 0b11).expect("two bits"),
                source: ip.source.octets(),
                destination: ip.destination.octets(),
                ..etherparse::Ipv4Header::default()
            },
            etherparse::Ipv4Extensions::default(),
        ),
        IpHeader::V6(ip) => etherparse::IpHeaders::Ipv6(
            etherparse::Ipv6Header {
                traffic_class: ip.traffic_class.0,
                flow_label: ip.flow_label.try_into().expect("20 bits"),
                hop_limit: ip.hop_limit,
                source: ip.source.octets(),
                destination: ip.destination.octets(),
                ..etherparse::Ipv6Header::default()
            },
            etherparse::Ipv6Extensions::default(),
        ),
    };
    let mut packet = Vec::new();
    PacketBuilder::ip(ip)
        .tcp_header(tcp_header(&headers, &segment))
        .write(&mut packet, payload)
        .expect("a packet that etherparse can write");
    (packet, Headers { segment, ..headers })
}

fn tcp_header(headers: &Headers, segment: &Segment) -> etherparse::TcpHeader {
    let TransportPort(source) = headers.source_port;
    let TransportPort(destination) = headers.destination_port;
    let mut tcp = etherparse::TcpHeader::new(source, destination, segment.sequence.0, segment.window);
    tcp.acknowledgment_number = segment.acknowledgment.0;
    tcp.fin = segment.flags.contains(Flags::FIN);
    tcp.syn = segment.flags.contains(Flags::SYN);
    tcp.rst = segment.flags.contains(Flags::RST);
    tcp.psh = segment.flags.contains(Flags::PSH);
    tcp.ack = segment.flags.contains(Flags::ACK);
    tcp.urg = segment.flags.contains(Flags::URG);
    tcp.ece = segment.flags.contains(Flags::ECE);
    tcp.cwr = segment.flags.contains(Flags::CWR);
    tcp.ns = segment.flags.contains(Flags::AE);
    tcp.set_options(&elements(segment)).expect("options that fit without padding");
    tcp
}

/// The options in an order of its own, unpadded.
fn elements(segment: &Segment) -> Vec<TcpOptionElement> {
    let pair = |block: &SackBlock| {
        let (SequenceNumber(left), SequenceNumber(right)) = (block.left, block.right);
        (left, right)
    };
    let mut elements = Vec::new();
    if let [first, more @ ..] = segment.sack.as_slice() {
        let mut rest = more.iter().map(pair);
        let rest = std::array::from_fn(|_| rest.next());
        elements.push(TcpOptionElement::SelectiveAcknowledgement(pair(first), rest));
    }
    elements.extend(segment.window_scale.map(TcpOptionElement::WindowScale));
    elements.extend(segment.maximum_segment_size.map(TcpOptionElement::MaximumSegmentSize));
    if let Some(Timestamps { value, echo }) = segment.timestamps {
        elements.push(TcpOptionElement::Timestamp(value, echo));
    }
    if segment.sack_permitted {
        elements.push(TcpOptionElement::SelectiveAcknowledgementPermitted);
    }
    elements
}
