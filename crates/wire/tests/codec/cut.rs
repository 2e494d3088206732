//! Packets of which only the beginning is there.

use crate::generate;
use proptest::prelude::*;
use seamline_wire::codec::{DecodeError, Headers, Layer, decode_beginning, encode_to_vec};

fn packet(numbers: Vec<u64>, length: usize) -> (Headers, Vec<u8>) {
    let mut numbers = numbers.into_iter();
    let mut draw = |below: u64| numbers.next().unwrap_or(0) % below;
    let headers = generate::headers(&mut draw, length);
    let bytes = encode_to_vec(&headers, &vec![7; length]).expect("representable");
    (headers, bytes)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn headers_are_whole_wherever_the_payload_is_cut(
        numbers in prop::collection::vec(any::<u64>(), 0..60), length in 0..3000_usize, kept in any::<prop::sample::Index>(),
    ) {
        let (headers, mut bytes) = packet(numbers, length);
        bytes.truncate(headers.length() + kept.index(length + 1));
        // What the network card would fill in later.
        bytes[headers.ip.version().header_length() + 16] ^= 0xff;
        prop_assert_eq!(decode_beginning(&bytes), Ok(headers));
    }

    #[test]
    fn a_cut_within_the_headers_is_an_error(
        numbers in prop::collection::vec(any::<u64>(), 0..60), kept in any::<prop::sample::Index>(),
    ) {
        let (headers, mut bytes) = packet(numbers, 100);
        bytes.truncate(kept.index(headers.length()));
        prop_assert!(decode_beginning(&bytes).is_err());
    }

    #[test]
    fn any_bytes_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = decode_beginning(&bytes);
    }
}

/// Linux leaves the length field of a packet that will be cut into segments at zero when it has more than 65535 bytes.
#[test]
fn a_length_that_the_field_cannot_say_is_truncated() {
    let (headers, mut bytes) = packet(vec![0], 1000);
    bytes[2..4].fill(0);
    assert_eq!(headers.ip.version().header_length(), 20, "the first number chooses IPv4");
    assert_eq!(decode_beginning(&bytes[..128]), Err(DecodeError::Truncated(Layer::Ipv4)));
}
