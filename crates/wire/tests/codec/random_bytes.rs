//! Bounded fuzzing with fixed seeds, for machines without a fuzzer: whatever the bytes, decoding does
//! not panic, agrees with etherparse, and what was read survives being written and read again.
//! `SEAMLINE_FUZZ_ITERATIONS` sets the number of packets per test, `SEAMLINE_FUZZ_SEED` the seed.

use crate::{generate, mutate, oracle};
use seamline_wire::codec::encode_to_vec;
use seamline_wire::random::Stream;

fn from_environment(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| text.parse().expect("a whole number"))
}

fn iterations() -> u64 {
    from_environment("SEAMLINE_FUZZ_ITERATIONS", 100_000)
}

fn stream(name: &str) -> Stream {
    Stream::new(from_environment("SEAMLINE_FUZZ_SEED", 1), name)
}

#[test]
fn random_bytes_never_panic() {
    let mut stream = stream("codec/random bytes");
    for _ in 0..iterations() {
        let length = stream.below(121) as usize;
        let mut bytes = generate::bytes(&mut |n| stream.below(n), length);
        // Most random bytes are of no IP version; these two are.
        if let Some(first) = bytes.first_mut() {
            *first = if stream.chance(0.5) { 0x45 } else { 0x60 };
        }
        let _ = oracle::check(&bytes);
    }
}

#[test]
fn damaged_packets_never_panic() {
    let mut stream = stream("codec/damaged packets");
    let draw = &mut |n| stream.below(n);
    let mut read = 0;
    for _ in 0..iterations() {
        let length = draw(40) as usize;
        let payload = generate::bytes(draw, length);
        let headers = generate::headers(draw, length);
        let mut packet = encode_to_vec(&headers, &payload).expect("representable");
        (0..draw(3)).for_each(|_| mutate::insert_extension(draw, &mut packet));
        mutate::mutate(draw, &mut packet);
        read += u64::from(oracle::check(&packet).is_ok());
    }
    // Were nearly all refused at the door, or hardly any damaged, nothing would have been tested.
    let share = read as f64 / iterations() as f64;
    assert!((0.2..0.8).contains(&share), "{share} of the damaged packets could be read");
}
