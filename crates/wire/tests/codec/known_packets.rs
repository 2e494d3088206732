//! Packets known from elsewhere: recorded from Linux 6.18 between two network namespaces (checksum
//! offload off, 20 % of the data packets dropped), and the worked example of RFC 1071.

use seamline_wire::codec::{Checksum, DecodeError, Decoded, Headers, IpHeader, decode, encode_to_vec};
use seamline_wire::{Flags, SackBlock, Segment, SequenceNumber, Timestamps, TransportPort};

fn bytes(hex: &str) -> Vec<u8> {
    let (pairs, []) = hex.as_bytes().as_chunks::<2>() else { panic!("an odd number of digits") };
    let digits = |pair: &[u8; 2]| std::str::from_utf8(pair).expect("ASCII").to_owned();
    pairs.iter().map(|pair| u8::from_str_radix(&digits(pair), 16).expect("hexadecimal")).collect()
}

fn read(hex: &str) -> Headers {
    let packet = bytes(hex);
    let Decoded { headers, payload } = decode(&packet).expect("a sound packet");
    assert_eq!(payload, b"");
    assert_eq!(encode_to_vec(&headers, payload), Ok(packet), "written differently than by Linux");
    headers
}

const SYN: &str = "4500003cd2f240004006e3c5c0000201c0000202d896138901c1fa4100000000a002faf02cab0000\
                   020405b40402080a71174323000000000103030a";
const SYN_WITHOUT_TIMESTAMPS: &str = "45000034cdd040004006e8efc0000201c0000202edd01389a861aa51000000008002faf09c0c0000\
     020405b4010104020103030a";
const SYN_OVER_IPV6: &str = "600c1a5c0028064020010db800000000000000000000000120010db8000000000000000000000002\
                             d7b813891915253a00000000a002fd206ff80000020405a00402080adc75797c000000000103030a";
const ACK: &str = "45000034d2f340004006e3ccc0000201c0000202d896138901c1fa421aad57698010003f41340000\
                   0101080a711743232d2575ac";
const FIN: &str = "45000034d32b40004006e394c0000201c0000202d896138901c2f4421aad57698011003f47300000\
                   0101080a711743242d2575ad";
const ONE_SACK_BLOCK: &str = "45000040abf7400040060abdc0000202c00002011389d8961aad576901c20592b0100049d4d20000\
     0101080a2d2575ac711743230101050a01c210e201c2168a";
const THREE_SACK_BLOCKS: &str = "45000050ac0e400040060a96c0000202c00002011389d8961aad576901c26012f0100041214e0000\
     0101080a2d2575ad711743230101051a01c29e4a01c2b4ea01c276b201c298a201c265ba01c2710a";
const FOUR_SACK_BLOCKS: &str = "4500004c6e82400040064826c0000202c00002011389edd06bb4906ca861b006e010004c700a0000\
     01010522a861b5baa861bb6ea861e35aa861fa2aa861d23ea861dda6a861c122a861cc8a";
const TWO_SACK_BLOCKS_OVER_IPV6: &str = "600ee2b80034064020010db800000000000000000000000220010db8000000000000000000000001\
     1389d7b8eb57777519152acfd010004a967c00000101080afb97f2c7dc75797c010105121915411f\
     191546b31915306319153b8b";

#[test]
fn rfc_1071_example() {
    let words = [0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7];
    assert_eq!(Checksum::new().over(&words).field(), !0xddf2);
    assert!(Checksum::new().over(&words).over(&(!0xddf2_u16).to_be_bytes()).is_valid());
    // The same in two parts, and with the byte-wise padding of section 4.1.
    assert_eq!(Checksum::new().over(&words[..2]).over(&words[2..]).field(), !0xddf2);
    assert_eq!(
        Checksum::new().over(&words[..7]).field(),
        Checksum::new().over(&[0, 1, 0xf2, 3, 0xf4, 0xf5, 0xf6, 0]).field()
    );
    assert_eq!(Checksum::new().field(), 0xffff);
}

#[test]
fn linux_syn() {
    let headers = read(SYN);
    let expected = Segment {
        sequence: SequenceNumber(0x01c1_fa41),
        window: 64240,
        flags: Flags::SYN,
        window_scale: Some(10),
        maximum_segment_size: Some(1460),
        sack_permitted: true,
        timestamps: Some(Timestamps { value: 0x7117_4323, echo: 0 }),
        ..Segment::default()
    };
    assert_eq!(headers.segment, expected);
    assert_eq!((headers.source_port, headers.destination_port), (TransportPort(55446), TransportPort(5001)));
    let IpHeader::V4(ip) = headers.ip else { panic!("an IPv4 packet") };
    assert_eq!((ip.source, ip.destination), ([192, 0, 2, 1].into(), [192, 0, 2, 2].into()));
    assert_eq!((ip.identification, ip.dont_fragment, ip.time_to_live), (0xd2f2, true, 64));

    let bare = Segment { timestamps: None, sequence: SequenceNumber(0xa861_aa51), ..expected };
    assert_eq!(read(SYN_WITHOUT_TIMESTAMPS).segment, bare);
}

#[test]
fn linux_syn_over_ipv6() {
    let headers = read(SYN_OVER_IPV6);
    assert_eq!(headers.segment.maximum_segment_size, Some(1440));
    let IpHeader::V6(ip) = headers.ip else { panic!("an IPv6 packet") };
    assert_eq!(ip.source, "2001:db8::1".parse::<std::net::Ipv6Addr>().expect("an address"));
    assert_eq!((ip.flow_label, ip.hop_limit, ip.traffic_class.0), (0xc1a5c, 64, 0));
}

#[test]
fn linux_ack_and_fin() {
    assert_eq!(read(ACK).segment.flags, Flags::ACK);
    let fin = read(FIN).segment;
    assert_eq!(fin.flags, Flags::FIN | Flags::ACK);
    assert_eq!(fin.timestamps, Some(Timestamps { value: 0x7117_4324, echo: 0x2d25_75ad }));
    assert_eq!(fin.window, 63);
}

#[test]
fn linux_sack_blocks() {
    assert_eq!(read(ONE_SACK_BLOCK).segment.sack.len(), 1);
    assert_eq!(read(THREE_SACK_BLOCKS).segment.sack.len(), 3);
    assert_eq!(read(TWO_SACK_BLOCKS_OVER_IPV6).segment.sack.len(), 2);
    let block = |left, right| SackBlock { left: SequenceNumber(left), right: SequenceNumber(right) };
    let expected = [
        block(0xa861_b5ba, 0xa861_bb6e),
        block(0xa861_e35a, 0xa861_fa2a),
        block(0xa861_d23e, 0xa861_dda6),
        block(0xa861_c122, 0xa861_cc8a),
    ];
    assert_eq!(read(FOUR_SACK_BLOCKS).segment.sack.as_slice(), expected);
}

#[test]
fn link_padding_is_ignored() {
    let mut padded = bytes(ACK);
    padded.extend([0; 6]);
    assert_eq!(decode(&padded).map(|decoded| decoded.headers), Ok(read(ACK)));
    let mut padded = bytes(SYN_OVER_IPV6);
    padded.extend([0xff; 3]);
    assert_eq!(decode(&padded).map(|decoded| decoded.headers), Ok(read(SYN_OVER_IPV6)));
}

#[test]
fn every_flipped_bit_of_a_segment_is_noticed() {
    for packet in [SYN, FOUR_SACK_BLOCKS, SYN_OVER_IPV6] {
        let sound = bytes(packet);
        let ip_header = if sound[0] == 0x45 { 20 } else { 40 };
        for bit in ip_header * 8..sound.len() * 8 {
            let mut damaged = sound.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(decode(&damaged), Err(DecodeError::TcpChecksum), "bit {bit}");
        }
        for bit in 8..ip_header * 8 {
            let mut damaged = sound.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            // Flow label, traffic class and hop limit of IPv6 are covered by no checksum.
            let uncovered = ip_header == 40 && (bit < 32 || (56..64).contains(&bit));
            assert_eq!(decode(&damaged).is_ok(), uncovered, "bit {bit}");
        }
    }
}
