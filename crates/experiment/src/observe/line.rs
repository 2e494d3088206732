//! Formats one line into a preallocated buffer. Numbers and names are most of the cost of a recording, so digits are
//! written eight at a time, and copies have constant length.

use std::io::{self, Write};

#[cfg(test)]
mod tests;

/// Bytes copied at once.
const PIECE: usize = 32;
/// The maximum number of bytes written past the end of a line, which the next write overwrites.
pub(super) const OVERHANG: usize = PIECE;
pub(super) const TEN_TO_THE_8: u64 = 100_000_000;
/// Up to this limit, milliseconds as `f64` with six decimals are exact: the relative error of at most 2^-53 is less
/// than half of the last digit.
const EXACT_NANOS: u64 = 1 << 51;

/// A text that is written often, split into padded pieces of constant length.
#[derive(Clone, Debug)]
pub(super) struct Text {
    pieces: Box<[[u8; PIECE]]>,
    length: usize,
}

impl Text {
    pub(super) fn new(text: &str) -> Self {
        let piece = |bytes: &[u8]| {
            let mut piece = [0; PIECE];
            piece[..bytes.len()].copy_from_slice(bytes);
            piece
        };
        Text { pieces: text.as_bytes().chunks(PIECE).map(piece).collect(), length: text.len() }
    }
    /// Its length in bytes.
    pub(super) fn len(&self) -> usize {
        self.length
    }
}

/// A line that is being formatted. The buffer must have room for it and [`OVERHANG`] more bytes.
#[derive(Debug)]
pub(super) struct Line<'a> {
    bytes: &'a mut [u8],
    length: usize,
}

impl<'a> Line<'a> {
    pub(super) fn new(bytes: &'a mut [u8]) -> Self {
        Line { bytes, length: 0 }
    }
    /// Its length so far.
    pub(super) fn len(&self) -> usize {
        self.length
    }

    /// Copy all of `bytes`; only the first `length` of them count.
    #[inline(always)]
    pub(super) fn part<const N: usize>(&mut self, bytes: &[u8; N], length: usize) {
        self.bytes[self.length..self.length + N].copy_from_slice(bytes);
        self.length += length;
    }
    #[inline(always)]
    pub(super) fn literal<const N: usize>(&mut self, text: &[u8; N]) {
        self.part(text, N);
    }
    #[inline(always)]
    pub(super) fn text(&mut self, text: &Text) {
        let end = self.length + text.length;
        for piece in &text.pieces {
            self.part(piece, PIECE);
        }
        self.length = end;
    }
    /// A text that is written rarely.
    pub(super) fn word(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }
    pub(super) fn bytes(&mut self, text: &[u8]) {
        self.bytes[self.length..self.length + text.len()].copy_from_slice(text);
        self.length += text.len();
    }

    /// A number without leading zeros.
    #[inline(always)]
    pub(super) fn number(&mut self, value: u64) {
        if value >= TEN_TO_THE_8 {
            return self.long_number(value);
        }
        let digits = digits(value);
        let leading_zeros = (digits.trailing_zeros() / 8).min(7);
        let text = (digits | ZEROS) >> (8 * leading_zeros);
        self.part(&text.to_le_bytes(), 8 - leading_zeros as usize);
    }

    fn long_number(&mut self, value: u64) {
        self.number(value / TEN_TO_THE_8);
        self.last_digits::<8>(value % TEN_TO_THE_8);
    }

    /// The last `N` of the eight digits of a number, with leading zeros.
    #[inline(always)]
    pub(super) fn last_digits<const N: usize>(&mut self, value: u64) {
        let text = (digits(value) | ZEROS) >> (8 * (8 - N));
        self.part(&text.to_le_bytes(), N);
    }

    /// Same output as `{:.4}`: the nearest decimal, ties to even.
    pub(super) fn four_decimals(&mut self, value: f64) {
        const UNIT: u64 = 10_000;
        match scaled(value, UNIT) {
            Some(scaled) => {
                self.number(scaled / UNIT);
                self.literal(b".");
                self.last_digits::<4>(scaled % UNIT);
            }
            None => self.display(format_args!("{value:.4}")),
        }
    }

    /// Nanoseconds as milliseconds with six decimals.
    pub(super) fn millis(&mut self, nanos: u64) {
        if nanos > EXACT_NANOS {
            return self.display(format_args!("{:.6}", nanos as f64 / 1e6));
        }
        self.number(nanos / 1_000_000);
        self.literal(b".");
        self.last_digits::<6>(nanos % 1_000_000);
    }

    #[cold]
    fn display(&mut self, text: std::fmt::Arguments<'_>) {
        let mut rest = &mut self.bytes[self.length..];
        let room = rest.len();
        let written: io::Result<()> = rest.write_fmt(text);
        debug_assert!(written.is_ok(), "no room for {text}");
        self.length += room - rest.len();
    }
}

/// The digit zero, eight times.
const ZEROS: u64 = 0x3030_3030_3030_3030;

/// A number below 10^8 with leading zeros.
#[inline(always)]
pub(super) fn eight_digits(value: u64) -> [u8; 8] {
    (digits(value) | ZEROS).to_le_bytes()
}

/// The eight decimal digits of a number below 10^8, one per byte, the first in the lowest byte. The number is split
/// into halves three times, all parts at once. Quotients use multiplication by the rounded reciprocal, which is exact
/// for numbers this small.
#[inline(always)]
fn digits(value: u64) -> u64 {
    let fours = (value / 10_000) | ((value % 10_000) << 32);
    let hundreds = ((fours * 10_486) >> 20) & 0x0000_007f_0000_007f;
    let twos = hundreds | ((fours - hundreds * 100) << 16);
    let tens = ((twos * 103) >> 10) & 0x000f_000f_000f_000f;
    tens | ((twos - tens * 10) << 8)
}

/// `value * unit`, exactly rounded to the nearest integer, ties to even. `None` for negative, non-finite, extremely
/// small or extremely large values.
fn scaled(value: f64, unit: u64) -> Option<u64> {
    const FRACTION_BITS: u64 = 52;
    let bits = value.to_bits();
    let mantissa = (bits & ((1 << FRACTION_BITS) - 1)) | 1 << FRACTION_BITS;
    // The value is the mantissa divided by 2^shift. A sign bit makes the shift negative.
    let shift = 1075 - (bits >> FRACTION_BITS) as i64;
    if !(1..=116).contains(&shift) {
        return None;
    }
    let product = u128::from(mantissa) * u128::from(unit);
    let whole = u64::try_from(product >> shift).ok()?;
    let rest = product & ((1 << shift) - 1);
    let half = 1 << (shift - 1);
    whole.checked_add(u64::from(rest > half || rest == half && whole % 2 == 1))
}
