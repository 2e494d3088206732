//! etherparse, somebody else's decoder, as a judge of ours.

use etherparse::checksum::Sum16BitWords;
use etherparse::{NetSlice, SlicedPacket, TcpOptionElement, TcpSlice, TransportSlice};
use seamline_wire::codec::{
    Checksums, DecodeError, Decoded, Headers, IpHeader, Ipv4Header, Ipv6Header, TrafficClass, decode,
    decode_with, encode_to_vec, fit_sack_blocks,
};
use seamline_wire::{Flags, SackBlock, Segment, SequenceNumber, Timestamps, TransportPort};

/// A packet as etherparse reads it. It knows no marks.
pub(crate) struct Judged {
    pub(crate) headers: Headers,
    pub(crate) payload: Vec<u8>,
    /// Whether it finds both checksums right.
    pub(crate) ipv4_checksum: bool,
    pub(crate) tcp_checksum: bool,
}

/// Why etherparse reads no TCP segment.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Refused {
    NotIp,
    NotTcp,
    Options,
}

/// Everything that must hold for any bytes at all; returns what our decoder reported, for statistics.
pub(crate) fn check(bytes: &[u8]) -> Result<Headers, DecodeError> {
    let lenient = decode_with(bytes, Checksums::Ignore);
    let strict = decode(bytes);
    let theirs = judge(bytes);
    match (&lenient, &theirs) {
        (Ok(ours), Ok(theirs)) => check_agreement(ours, theirs, strict.err()),
        (Ok(ours), Err(reason)) => panic!("only we read {ours:?}; etherparse: {reason:?}"),
        (Err(reason), Ok(theirs)) => {
            assert!(may_refuse_alone(bytes, *reason), "{reason}, but etherparse reads {:?}", theirs.headers);
        }
        (Err(_), Err(_)) => {}
    }
    match (strict, lenient) {
        (Ok(strict), lenient) => assert_eq!(Ok(strict), lenient),
        (Err(DecodeError::Ipv4Checksum | DecodeError::TcpChecksum), _) => {}
        (Err(strict), lenient) => assert_eq!(Err(strict), lenient),
    }
    if let Ok(ours) = &lenient {
        check_stability(ours);
    }
    lenient.map(|decoded| decoded.headers)
}

fn check_agreement(ours: &Decoded<'_>, theirs: &Judged, strict: Option<DecodeError>) {
    let unmarked = Headers { segment: Segment { mark: None, ..ours.headers.segment }, ..ours.headers };
    assert_eq!(unmarked, theirs.headers);
    assert_eq!(ours.payload, theirs.payload);
    let damage = match (theirs.ipv4_checksum, theirs.tcp_checksum) {
        (false, _) => Some(DecodeError::Ipv4Checksum),
        (true, false) => Some(DecodeError::TcpChecksum),
        (true, true) => None,
    };
    assert_eq!(strict, damage, "the two do not agree on the checksums");
}

/// What was read and fits can be written, and is then read as the same.
fn check_stability(read: &Decoded<'_>) {
    let mut headers = read.headers;
    fit_sack_blocks(&mut headers.segment);
    let Ok(written) = encode_to_vec(&headers, read.payload) else {
        // Repacked options may be longer than the original ones, which matters at the very top.
        assert!(read.payload.len() + headers.length() > usize::from(u16::MAX));
        return;
    };
    assert_eq!(decode(&written), Ok(Decoded { headers, payload: read.payload }));
    let again = decode(&written).map(|decoded| encode_to_vec(&decoded.headers, decoded.payload));
    assert_eq!(again, Ok(Ok(written)));
}

/// Where ours is deliberately stricter.
fn may_refuse_alone(bytes: &[u8], reason: DecodeError) -> bool {
    const AUTHENTICATION_HEADER: u8 = 51;
    let ipv6 = bytes.first().is_some_and(|byte| byte >> 4 == 6);
    match reason {
        // It takes in an IPv6 fragment header that says "not a fragment" (RFC 6946), and a routing
        // header that is not yet used up; and looks into authenticated packets.
        DecodeError::Fragment | DecodeError::SegmentsLeft => ipv6,
        DecodeError::NotTcp(protocol) => protocol == AUTHENTICATION_HEADER,
        // It takes payload length zero for "whatever is there".
        DecodeError::Jumbogram | DecodeError::Truncated(_) => ipv6 && bytes.get(4..6) == Some(&[0, 0]),
        _ => false,
    }
}

/// Read a packet with etherparse.
pub(crate) fn judge(bytes: &[u8]) -> Result<Judged, Refused> {
    let packet = SlicedPacket::from_ip(bytes).map_err(|_| Refused::NotIp)?;
    let Some(TransportSlice::Tcp(tcp)) = &packet.transport else {
        return Err(Refused::NotTcp);
    };
    let (ip, ipv4_checksum, tcp_checksum) = match &packet.net {
        Some(NetSlice::Ipv4(net)) => {
            let header = net.header();
            let sum = Sum16BitWords::new().add_slice(header.slice()).ones_complement();
            let tcp_sum = tcp.calc_checksum_ipv4(header.source(), header.destination());
            (IpHeader::V4(ipv4_header(&header)), sum == 0, same_sum(tcp_sum.ok(), tcp))
        }
        Some(NetSlice::Ipv6(net)) => {
            let header = net.header();
            let tcp_sum = tcp.calc_checksum_ipv6(header.source(), header.destination());
            (IpHeader::V6(ipv6_header(&header)), true, same_sum(tcp_sum.ok(), tcp))
        }
        _ => return Err(Refused::NotIp),
    };
    let headers = Headers {
        ip,
        source_port: TransportPort(tcp.source_port()),
        destination_port: TransportPort(tcp.destination_port()),
        segment: segment(tcp)?,
    };
    Ok(Judged { headers, payload: tcp.payload().to_vec(), ipv4_checksum, tcp_checksum })
}

/// Zero and all ones are the same number in one's complement (RFC 1071 section 2).
fn same_sum(expected: Option<u16>, tcp: &TcpSlice<'_>) -> bool {
    let canonical = |sum: u16| if sum == u16::MAX { 0 } else { sum };
    expected.map(canonical) == Some(canonical(tcp.checksum()))
}

fn ipv4_header(header: &etherparse::Ipv4HeaderSlice<'_>) -> Ipv4Header {
    Ipv4Header {
        source: header.source_addr(),
        destination: header.destination_addr(),
        traffic_class: TrafficClass(header.dcp().value() << 2 | header.ecn().value()),
        identification: header.identification(),
        dont_fragment: header.dont_fragment(),
        time_to_live: header.ttl(),
    }
}

fn ipv6_header(header: &etherparse::Ipv6HeaderSlice<'_>) -> Ipv6Header {
    Ipv6Header {
        source: header.source_addr(),
        destination: header.destination_addr(),
        traffic_class: TrafficClass(header.traffic_class()),
        flow_label: header.flow_label().value(),
        hop_limit: header.hop_limit(),
    }
}

fn segment(tcp: &TcpSlice<'_>) -> Result<Segment, Refused> {
    let bits = [
        (tcp.fin(), Flags::FIN),
        (tcp.syn(), Flags::SYN),
        (tcp.rst(), Flags::RST),
        (tcp.psh(), Flags::PSH),
        (tcp.ack(), Flags::ACK),
        (tcp.urg(), Flags::URG),
        (tcp.ece(), Flags::ECE),
        (tcp.cwr(), Flags::CWR),
        (tcp.ns(), Flags::AE),
    ];
    let flags = bits.into_iter().filter(|(set, _)| *set).fold(Flags(0), |all, (_, bit)| all | bit);
    let mut segment = Segment {
        sequence: SequenceNumber(tcp.sequence_number()),
        acknowledgment: SequenceNumber(tcp.acknowledgment_number()),
        length: tcp.payload().len() as u32,
        window: tcp.window_size(),
        flags,
        ..Segment::default()
    };
    let options = blank_unknown_options(tcp.options()).ok_or(Refused::Options)?;
    for option in etherparse::TcpOptionsIterator::from_slice(&options) {
        take_in(option.map_err(|_| Refused::Options)?, &mut segment);
    }
    Ok(segment)
}

fn take_in(option: TcpOptionElement, segment: &mut Segment) {
    let syn = segment.flags.contains(Flags::SYN);
    match option {
        TcpOptionElement::Noop => {}
        TcpOptionElement::MaximumSegmentSize(size) => segment.maximum_segment_size = syn.then_some(size),
        TcpOptionElement::WindowScale(shift) => segment.window_scale = syn.then_some(shift.min(14)),
        TcpOptionElement::SelectiveAcknowledgementPermitted => segment.sack_permitted = syn,
        TcpOptionElement::SelectiveAcknowledgement(first, more) => {
            let blocks = std::iter::once(first).chain(more.into_iter().flatten());
            segment.sack = blocks
                .map(|(left, right)| SackBlock { left: SequenceNumber(left), right: SequenceNumber(right) })
                .collect();
        }
        TcpOptionElement::Timestamp(value, echo) => segment.timestamps = Some(Timestamps { value, echo }),
    }
}

/// etherparse stops at an option that it does not know, so these become NOPs before it sees them;
/// `None` when the length of one is illegal.
fn blank_unknown_options(options: &[u8]) -> Option<Vec<u8>> {
    let mut blanked = options.to_vec();
    let mut at = 0;
    while let Some(&kind) = options.get(at) {
        let length = match kind {
            0 => break,
            1 => 1,
            _ => usize::from(*options.get(at + 1)?),
        };
        if kind > 1 && length < 2 || at + length > options.len() {
            return None;
        }
        if !matches!(kind, 1..=5 | 8) {
            blanked[at..at + length].fill(1);
        }
        at += length;
    }
    Some(blanked)
}
