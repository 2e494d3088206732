//! Any headers: what is written is read as the same, by us and by etherparse; then the same after
//! damage that the fuzzer chooses.

#![no_main]

#[path = "../../crates/wire/tests/codec/generate.rs"]
mod generate;
#[path = "../../crates/wire/tests/codec/mutate.rs"]
mod mutate;
#[path = "../../crates/wire/tests/codec/oracle.rs"]
mod oracle;

use libfuzzer_sys::arbitrary::Unstructured;
use libfuzzer_sys::fuzz_target;
use seamline_wire::Segment;
use seamline_wire::codec::{Decoded, Headers, decode, encode_to_vec};

fuzz_target!(|bytes: &[u8]| {
    let mut source = Unstructured::new(bytes);
    let draw = &mut |below: u64| source.int_in_range(0..=below - 1).unwrap_or(0);
    let length = draw(64) as usize;
    let headers = generate::headers(draw, length);
    let payload = generate::bytes(draw, length);

    let mut packet = encode_to_vec(&headers, &payload).expect("representable");
    assert_eq!(decode(&packet), Ok(Decoded { headers, payload: &payload }));
    let judged = oracle::judge(&packet).expect("etherparse reads it, too");
    assert!(judged.ipv4_checksum && judged.tcp_checksum);
    let unmarked = Headers { segment: Segment { mark: None, ..headers.segment }, ..headers };
    assert_eq!((judged.headers, judged.payload), (unmarked, payload));

    for _ in 0..draw(3) {
        mutate::insert_extension(draw, &mut packet);
    }
    mutate::mutate(draw, &mut packet);
    let _ = oracle::check(&packet);
});
