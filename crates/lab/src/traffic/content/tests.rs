use super::{Content, Mismatch};
use crate::clock;

const CONTENT: Content = Content::new(1, 7);

/// The bytes at an offset, one at a time.
fn slowly(offset: u64, length: usize) -> Vec<u8> {
    (0..length as u64)
        .map(|index| CONTENT.word((offset + index) / 8)[((offset + index) % 8) as usize])
        .collect()
}

#[test]
fn any_piece_is_the_same_piece_of_the_whole() {
    for offset in [0, 1, 5, 7, 8, 9, 4095, (1 << 40) + 3] {
        for length in [0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 4096, 9001] {
            let mut bytes = vec![0; length];
            CONTENT.fill(offset, &mut bytes);
            assert_eq!(bytes, slowly(offset, length), "{length} bytes at {offset}");
            assert_eq!(CONTENT.check(offset, &bytes), Ok(()));
        }
    }
}

#[test]
fn every_damaged_byte_is_found_where_it_is() {
    let mut bytes = slowly(3, 9000);
    for index in (0..9000).step_by(37) {
        bytes[index] ^= 1;
        assert_eq!(CONTENT.check(3, &bytes), Err(Mismatch { offset: 3 + index as u64 }));
        bytes[index] ^= 1;
    }
}

#[test]
fn lost_doubled_moved_and_foreign_bytes_are_found() {
    let bytes = slowly(0, 4000);
    let lost = [&bytes[..1000], &bytes[1001..]].concat();
    let doubled = [&bytes[..1000], &bytes[999..]].concat();
    let segment_lost = [&bytes[..1448], &bytes[2896..]].concat();
    for (damaged, from) in [(lost, 1000), (doubled, 1000), (segment_lost, 1448)] {
        let found = CONTENT.check(0, &damaged).unwrap_err().offset;
        assert!((from..from + 4).contains(&found), "{found} instead of {from}");
    }
    for other in [Content::new(1, 8), Content::new(2, 7), Content::new(7, 1)] {
        assert!(other.check(0, &bytes[..8]).is_err());
    }
}

#[test]
fn filling_and_checking_are_cheap() {
    let mut bytes = vec![0; 1 << 20];
    let rate = |started: seamline_wire::Instant| {
        (64u64 << 20) as f64 / clock::monotonic().saturating_since(started).as_nanos() as f64
    };
    // The best of several: other processes share the machine.
    let (mut fill, mut check) = (0f64, 0f64);
    for _ in 0..5 {
        let started = clock::monotonic();
        (0..64).for_each(|block| CONTENT.fill(block << 20, std::hint::black_box(&mut bytes)));
        fill = fill.max(rate(started));
        let started = clock::monotonic();
        (0..64).for_each(|_| assert_eq!(CONTENT.check(63 << 20, std::hint::black_box(&bytes)), Ok(())));
        check = check.max(rate(started));
    }
    println!("fill {fill:.1} GB/s, check {check:.1} GB/s");
    assert!(fill > 1.0 && check > 0.7, "fill {fill:.1} GB/s, check {check:.1} GB/s");
}
