//! Encodings of Parquet (apache/parquet-format, Encodings.md) that take a few nanoseconds for a value. The library that
//! writes the rest of a file has them too, but takes several times as long where values are absent.

use std::ops::BitOr;

#[cfg(test)]
mod tests;

/// Values in a block of differences, and in one of its parts; readers expect these.
const BLOCK: usize = 128;
const PARTS: usize = 4;
const PART: usize = BLOCK / PARTS;

/// Append an unsigned LEB128 number.
fn leb(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

fn zigzag(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)) as u64
}

/// Append values of `width` bits each, the lowest bit first, filled up to whole bytes.
#[inline]
fn pack<T: Copy + Into<u64>>(values: &[T], width: u32, out: &mut Vec<u8>) {
    let begin = out.len();
    let bytes = (values.len() * width as usize).div_ceil(8);
    out.resize(begin + bytes.next_multiple_of(8), 0);
    let words = out[begin..].as_chunks_mut::<8>().0;
    let (mut word, mut bits, mut place) = (0_u64, 0, 0);
    for value in values {
        let value: u64 = (*value).into();
        word |= value << bits;
        bits += width;
        if bits >= u64::BITS {
            words[place] = word.to_le_bytes();
            place += 1;
            bits -= u64::BITS;
            // What did not fit: the upper bits of the value.
            word = value.checked_shr(width - bits).unwrap_or(0);
        }
    }
    if let Some(last) = words.get_mut(place) {
        *last = word.to_le_bytes();
    }
    out.truncate(begin + bytes);
}

/// How many bits the largest of these needs.
fn width(all_bits: u64) -> u32 {
    u64::BITS - all_bits.leading_zeros()
}

/// Whole numbers whose differences wrap around.
pub(super) trait Whole: Copy + Ord + Default {
    /// The same bits.
    type Bits: Copy + Default + Into<u64> + BitOr<Output = Self::Bits>;
    fn widened(self) -> i64;
    fn minus(self, other: Self) -> Self;
    fn bits(self) -> Self::Bits;
}

macro_rules! whole {
    ($($number:ty, $bits:ty;)*) => {
        $(impl Whole for $number {
            type Bits = $bits;
            #[inline]
            fn widened(self) -> i64 {
                self.into()
            }
            #[inline]
            fn minus(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }
            #[inline]
            fn bits(self) -> $bits {
                self as $bits
            }
        })*
    };
}

whole! {
    i32, u32;
    i64, u64;
}

/// Append numbers as differences from the one before (DELTA_BINARY_PACKED).
pub(super) fn differences<T: Whole>(values: &[T], out: &mut Vec<u8>) {
    for size in [BLOCK, PARTS, values.len()] {
        leb(size as u64, out);
    }
    let Some(first) = values.first() else { return leb(0, out) };
    leb(zigzag(first.widened()), out);
    for (earlier, later) in values.chunks(BLOCK).zip(values[1..].chunks(BLOCK)) {
        let mut differences = [T::default(); BLOCK];
        for (difference, (later, earlier)) in differences.iter_mut().zip(later.iter().zip(earlier)) {
            *difference = later.minus(*earlier);
        }
        block_of_differences(&mut differences, later.len(), out);
    }
}

/// The least difference, how many bits each part needs, and how much each difference exceeds the least.
fn block_of_differences<T: Whole>(differences: &mut [T; BLOCK], count: usize, out: &mut Vec<u8>) {
    let least = differences[..count].iter().fold(differences[0], |least, difference| least.min(*difference));
    leb(zigzag(least.widened()), out);
    // Those beyond the end fill up the last part.
    differences[count..].fill(least);
    let mut excess = [T::Bits::default(); BLOCK];
    for (excess, difference) in excess.iter_mut().zip(&*differences) {
        *excess = difference.minus(least).bits();
    }
    let widths_at = out.len();
    out.extend_from_slice(&[0; PARTS]);
    for (number, part) in excess.as_chunks::<PART>().0.iter().enumerate().take(count.div_ceil(PART)) {
        let width = width(part.iter().fold(T::Bits::default(), |all, bits| all | *bits).into());
        out[widths_at + number] = width as u8;
        if width > 0 {
            pack(part, width, out);
        }
    }
}

/// Append numbers below `count` as they refer to a dictionary (RLE_DICTIONARY): one run, of a number that repeats or of
/// packed ones.
pub(super) fn references(values: &[u16], count: usize, out: &mut Vec<u8>) {
    let width = width(count.saturating_sub(1) as u64).max(1);
    out.push(width as u8);
    let Some(first) = values.first() else { return };
    if values.iter().all(|value| value == first) {
        leb((values.len() as u64) << 1, out);
        return out.extend_from_slice(&first.to_le_bytes()[..width.div_ceil(8) as usize]);
    }
    let groups = values.len().div_ceil(8);
    leb((groups as u64) << 1 | 1, out);
    let end = out.len() + groups * width as usize;
    pack(values, width, out);
    out.resize(end, 0);
}

/// Which rows of a page have a value: definition levels, encoded once for all columns that have the same.
#[derive(Clone, Debug)]
pub(crate) struct Presence {
    /// With the length in front, as a page begins with them.
    pub(super) levels: Vec<u8>,
}

impl Presence {
    /// Eight of them, from a bit for each in every row.
    pub(crate) fn all(rows: &[u8]) -> [Self; 8] {
        let (mut always, mut ever) = (u8::MAX, 0);
        for row in rows {
            always &= row;
            ever |= row;
        }
        let mut packed = vec![[0; 8]; rows.len().div_ceil(8)];
        let (eights, rest) = rows.as_chunks::<8>();
        for (packed, rows) in packed.iter_mut().zip(eights) {
            *packed = transpose(u64::from_le_bytes(*rows)).to_le_bytes();
        }
        if let Some(last) = packed.get_mut(eights.len()) {
            let mut rows = [0; 8];
            rows[..rest.len()].copy_from_slice(rest);
            *last = transpose(u64::from_le_bytes(rows)).to_le_bytes();
        }
        std::array::from_fn(|place| {
            let bit = 1 << place;
            let one = (always & bit != 0 || ever & bit == 0).then_some(always & bit != 0);
            let packed = packed.iter().map(|columns| columns[place]);
            Presence { levels: levels(rows.len(), one, packed) }
        })
    }
}

/// Either one level of all rows, or packed ones.
fn levels(rows: usize, one: Option<bool>, packed: impl ExactSizeIterator<Item = u8>) -> Vec<u8> {
    let mut levels = vec![0; 4];
    match one {
        Some(level) => {
            leb((rows as u64) << 1, &mut levels);
            levels.push(level.into());
        }
        None => {
            leb((packed.len() as u64) << 1 | 1, &mut levels);
            levels.extend(packed);
        }
    }
    let length = levels.len() as u32 - 4;
    levels[..4].copy_from_slice(&length.to_le_bytes());
    levels
}

/// Eight rows of eight bits, as columns (Hacker's Delight, section 7-3).
fn transpose(rows: u64) -> u64 {
    let swap = |bits: u64, shift: u32, mask: u64| {
        let changed = (bits ^ (bits >> shift)) & mask;
        bits ^ changed ^ (changed << shift)
    };
    let twos = swap(rows, 7, 0x00aa_00aa_00aa_00aa);
    let fours = swap(twos, 14, 0x0000_cccc_0000_cccc);
    swap(fours, 28, 0x0000_0000_f0f0_f0f0)
}
