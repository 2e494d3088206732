//! Lines against the standard library's formatting.

use super::{Line, OVERHANG, Text};
use proptest::prelude::*;

fn line(lay: impl FnOnce(&mut Line<'_>)) -> String {
    let mut bytes = [b'?'; 512];
    let mut line = Line::new(&mut bytes);
    lay(&mut line);
    let length = line.len();
    String::from_utf8(bytes[..length].to_vec()).expect("digits and names")
}

#[test]
fn every_number_of_four_digits_and_every_length() {
    for number in (0..20_000).chain((0..20).flat_map(|digits| {
        let power = 10_u64.pow(digits);
        [power - 1, power, power + 1]
    })) {
        assert_eq!(line(|line| line.number(number)), number.to_string());
        let high = number % 10_000 * 10_000;
        assert_eq!(line(|line| line.number(high)), high.to_string());
        assert_eq!(line(|line| line.last_digits::<8>(high)), format!("{high:08}"));
        assert_eq!(line(|line| line.last_digits::<4>(number % 10_000)), format!("{:04}", number % 10_000));
    }
}

#[test]
fn texts_of_every_length_around_a_piece() {
    for length in 0..100 {
        let text = "abcdefghij".repeat(10)[..length].to_owned();
        let both = line(|line| {
            line.text(&Text::new(&text));
            line.literal(b";");
            line.word(&text);
        });
        assert_eq!(both, format!("{text};{text}"));
        assert_eq!(Text::new(&text).len(), length);
    }
    const { assert!(OVERHANG >= 8, "the digits of a number hang over, too") };
}

/// Halves of the last decimal are exact in binary only as odd multiples of a power of two.
#[test]
fn ties_are_rounded_to_even() {
    for odd in 0..4096 {
        for divisor in [2.0, 32.0, 64.0, 1024.0, 65536.0, 1048576.0] {
            let value = f64::from(odd) / divisor;
            assert_eq!(line(|line| line.four_decimals(value)), format!("{value:.4}"));
        }
    }
    assert_eq!(line(|line| line.four_decimals(0.031_25)), "0.0312");
    assert_eq!(line(|line| line.four_decimals(0.093_75)), "0.0938");
}

#[test]
fn values_at_the_edges() {
    let without_fraction = (1_u64 << 52) as f64;
    let edges =
        [0.0, -0.0, f64::INFINITY, f64::MIN_POSITIVE, f64::EPSILON, 1e15, 1.9e15, without_fraction, -1.5];
    for value in edges {
        assert_eq!(line(|line| line.four_decimals(value)), format!("{value:.4}"));
    }
    for nanos in [0, 1, 999_999, 1_000_000, (1 << 51) - 1, 1 << 51, (1 << 51) + 1, u64::MAX] {
        assert_eq!(line(|line| line.millis(nanos)), format!("{:.6}", nanos as f64 / 1e6));
    }
}

proptest! {
    #[test]
    fn numbers(value: u64, shift in 0_u32..64) {
        let value = value >> shift;
        prop_assert_eq!(line(|line| line.number(value)), value.to_string());
    }

    #[test]
    fn decimals(bits: u64, small in 0.0..1e6_f64) {
        for value in [small, small / 1e7, f64::from_bits(bits)] {
            prop_assert_eq!(line(|line| line.four_decimals(value)), format!("{value:.4}"));
        }
    }

    #[test]
    fn milliseconds(value: u64, shift in 0_u32..64) {
        let nanos = value >> shift;
        prop_assert_eq!(line(|line| line.millis(nanos)), format!("{:.6}", nanos as f64 / 1e6));
    }
}
