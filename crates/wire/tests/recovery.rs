//! Messages between agents as bytes: against etherparse and their own reader.

use etherparse::{NetSlice, SlicedPacket, TransportSlice};
use proptest::prelude::*;
use seamline_wire::codec::IpHeader;
use seamline_wire::codec::recovery::{MessageError, decode, encode};
use seamline_wire::control::{MissingBytes, RecoveryMessage, SequenceRange, SequenceRanges};
use seamline_wire::{Control, SequenceNumber, TransportPort};

fn message(about: MissingBytes, numbers: &[u32]) -> RecoveryMessage {
    let ranges: Vec<SequenceRange> = numbers
        .iter()
        .map(|first| SequenceRange {
            first: SequenceNumber(*first),
            end: SequenceNumber(first.wrapping_add(1000)),
        })
        .collect();
    RecoveryMessage {
        about,
        mobile_port: TransportPort(5001),
        fixed_port: TransportPort(80),
        ranges: SequenceRanges::of(&ranges),
    }
}

fn headers() -> [IpHeader; 2] {
    let (mobile, fixed) = ([0x2001_u16, 0xdb8, 0, 0, 0, 0, 0, 2], [0x2001_u16, 0xdb8, 0, 0, 0, 0, 0, 1]);
    [IpHeader::v4([192, 0, 2, 2].into(), [192, 0, 2, 1].into()), IpHeader::v6(mobile.into(), fixed.into())]
}

fn bytes(ip: &IpHeader, message: &RecoveryMessage) -> Vec<u8> {
    let mut out = [0xff; 96];
    let length = encode(ip, message, &mut out).expect("room for any message");
    out[..length].to_vec()
}

/// Experiment 5EA1, kind 1, two ranges, ports 5001 and 80, and the ranges, one of which wraps.
#[test]
fn a_snack_stands_as_it_is_drawn() {
    let [v4, _] = headers();
    let written = bytes(&v4, &message(MissingBytes::Request, &[0x0001_0000, u32::MAX - 9]));
    let expected = [
        [0x5e, 0xa1, 1, 2, 0x13, 0x89, 0, 80].as_slice(),
        &[0, 1, 0, 0, 0, 1, 0x03, 0xe8],
        &[0xff, 0xff, 0xff, 0xf6, 0, 0, 0x03, 0xde],
    ];
    assert_eq!(written[28..], expected.concat());
}

#[test]
fn what_is_written_is_sound_and_read_again() {
    for ip in headers() {
        for about in [MissingBytes::Request, MissingBytes::LostByCongestion] {
            for numbers in [&[][..], &[7], &[1, 2, 3, 4, 5, 6, 7]] {
                let message = message(about, numbers);
                let written = bytes(&ip, &message);
                assert_eq!(decode(&written), Ok((ip, message)));
                let parsed = SlicedPacket::from_ip(&written).expect("a sound packet");
                let Some(TransportSlice::Udp(udp)) = &parsed.transport else { panic!("not UDP") };
                assert_eq!((udp.source_port(), udp.destination_port()), (1021, 1021));
                let mut header = udp.to_header();
                let sum = std::mem::take(&mut header.checksum);
                let right = match &parsed.net {
                    Some(NetSlice::Ipv4(ip)) => {
                        header.calc_checksum_ipv4(&ip.header().to_header(), udp.payload())
                    }
                    Some(NetSlice::Ipv6(ip)) => {
                        header.calc_checksum_ipv6(&ip.header().to_header(), udp.payload())
                    }
                    other => panic!("{other:?}"),
                };
                assert_eq!(right, Ok(sum));
            }
        }
    }
    let most = message(MissingBytes::Request, &[1; 9]);
    assert_eq!(most.ranges.as_slice().len(), SequenceRanges::MAX);
    assert_eq!(Control::Recovery(most).wire_bytes() as usize, bytes(&headers()[0], &most).len());
}

#[test]
fn damage_is_noticed_and_strangers_are_distinguished() {
    for ip in headers() {
        let written = bytes(&ip, &message(MissingBytes::Request, &[1, 5001]));
        let header = ip.version().header_length();
        for place in header..written.len() {
            let mut damaged = written.clone();
            damaged[place] ^= 0x10;
            assert!(decode(&damaged).is_err(), "byte {place}");
        }
        (0..written.len()).for_each(|length| assert!(decode(&written[..length]).is_err()));
        let mut tcp = written.clone();
        tcp[if header == 20 { 9 } else { 6 }] = 6;
        assert!(decode(&tcp).is_err());
    }
    assert!(matches!(decode(&[]), Err(MessageError::Ip(_))));
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(junk in proptest::collection::vec(any::<u8>(), 0..120), at in 0usize..80) {
        let _ = decode(&junk);
        let mut sound = bytes(&headers()[0], &message(MissingBytes::Request, &[1, 2]));
        let place = at % sound.len();
        sound.splice(place.., junk);
        let _ = decode(&sound);
    }
}
