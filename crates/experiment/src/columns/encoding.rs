//! Encodings of Parquet (apache/parquet-format, Encodings.md) that take a few nanoseconds for a value. The library that
//! writes the rest of a file has them too, but takes several times as long where values are absent.

use std::ops::BitOr;

#[cfg(test)]
mod tests;

/// Values in a block of differences, and in one of its parts; readers expect these.
const BLOCK: usize = 128;
const PARTS: usize = 4;
const PART: usize = BLOCK / PARTS;

/// Room for the packed values of a block.
type Room = [u8; BLOCK * size_of::<u64>()];

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

/// Bits that fill words from the lowest on.
struct Bits<'a> {
    words: &'a mut [[u8; 8]],
    full: usize,
    word: u64,
    bits: u32,
}

impl<'a> Bits<'a> {
    /// Into whole words.
    fn new(bytes: &'a mut [u8]) -> Self {
        Bits { words: bytes.as_chunks_mut::<8>().0, full: 0, word: 0, bits: 0 }
    }

    /// Append a value of `width` bits, which are at least one.
    #[inline]
    fn put(&mut self, value: u64, width: u32) {
        self.word |= value << self.bits;
        self.bits += width;
        if self.bits >= u64::BITS {
            self.words[self.full] = self.word.to_le_bytes();
            self.full += 1;
            self.bits -= u64::BITS;
            // What did not fit: the upper bits of the value.
            self.word = value.checked_shr(width - self.bits).unwrap_or(0);
        }
    }

    /// Write what is left.
    fn finish(self) {
        if let Some(last) = self.words.get_mut(self.full) {
            *last = self.word.to_le_bytes();
        }
    }
}

/// Write values of `width` bits each, the lowest bit first, into whole words. Several are put at once where they fit into one word.
#[inline]
fn pack<T: Copy + Into<u64>>(values: &[T], width: u32, into: &mut [u8]) {
    let mut bits = Bits::new(into);
    let pair = |[low, high]: [T; 2]| low.into() | high.into() << width;
    let rest = if width <= u64::BITS / 4 {
        let (fours, rest) = values.as_chunks::<4>();
        for [first, second, third, fourth] in fours {
            let (low, high) = (pair([*first, *second]), pair([*third, *fourth]));
            bits.put(low | high << (2 * width), 4 * width);
        }
        rest
    } else if width <= u64::BITS / 2 {
        let (twos, rest) = values.as_chunks::<2>();
        twos.iter().for_each(|two| bits.put(pair(*two), 2 * width));
        rest
    } else {
        values
    };
    rest.iter().for_each(|value| bits.put((*value).into(), width));
    bits.finish();
}

/// The bytes of so many values of `width` bits, and those of the words that hold them.
fn packed_length(values: usize, width: u32) -> [usize; 2] {
    let bytes = (values * width as usize).div_ceil(8);
    [bytes, bytes.next_multiple_of(8)]
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
    /// Append a block of so many differences; the others are zero.
    fn append(differences: &mut [Self; BLOCK], count: usize, room: &mut Room, out: &mut Vec<u8>) {
        block_of_differences(differences, count, room, out);
    }
}

macro_rules! whole {
    ($number:ty, $bits:ty; $($append:item)?) => {
        impl Whole for $number {
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
            $($append)?
        }
    };
}

whole! { i32, u32; }

whole! { i64, u64;
    /// Most differences fit into 32 bits, of which a processor compares several at once.
    fn append(differences: &mut [Self; BLOCK], count: usize, room: &mut Room, out: &mut Vec<u8>) {
        let mut short = [0_i32; BLOCK];
        let mut upper_bits = 0;
        for (short, difference) in short.iter_mut().zip(&*differences) {
            *short = *difference as i32;
            upper_bits |= difference.wrapping_add(1 << 31) as u64 >> 32;
        }
        match upper_bits {
            0 => block_of_differences(&mut short, count, room, out),
            _ => block_of_differences(differences, count, room, out),
        }
    }
}

/// Append numbers as differences from the one before (DELTA_BINARY_PACKED).
pub(super) fn differences<T: Whole>(values: &[T], out: &mut Vec<u8>) {
    for size in [BLOCK, PARTS, values.len()] {
        leb(size as u64, out);
    }
    let Some(first) = values.first() else { return leb(0, out) };
    leb(zigzag(first.widened()), out);
    let (mut differences, mut room) = ([T::default(); BLOCK], [0; _]);
    for (earlier, later) in values.chunks(BLOCK).zip(values[1..].chunks(BLOCK)) {
        differences[later.len()..].fill(T::default());
        for (difference, (later, earlier)) in differences.iter_mut().zip(later.iter().zip(earlier)) {
            *difference = later.minus(*earlier);
        }
        T::append(&mut differences, later.len(), &mut room, out);
    }
}

/// The least difference, how many bits each part needs, and how much each difference exceeds the least.
fn block_of_differences<T: Whole>(
    differences: &mut [T; BLOCK],
    count: usize,
    room: &mut Room,
    out: &mut Vec<u8>,
) {
    // The least of the whole array is found faster than that of its beginning, so those beyond the end must not change it. Then they fill
    // up the last part.
    let first = differences[0];
    differences[count..].fill(first);
    let least = differences.iter().fold(first, |least, difference| least.min(*difference));
    differences[count..].fill(least);
    leb(zigzag(least.widened()), out);
    let mut excess = [T::Bits::default(); BLOCK];
    for (excess, difference) in excess.iter_mut().zip(&*differences) {
        *excess = difference.minus(least).bits();
    }
    let (mut widths, mut end) = ([0; PARTS], 0);
    for (number, part) in excess.as_chunks::<PART>().0.iter().enumerate().take(count.div_ceil(PART)) {
        let width = width(part.iter().fold(T::Bits::default(), |all, bits| all | *bits).into());
        widths[number] = width as u8;
        if width > 0 {
            let [bytes, of_words] = packed_length(PART, width);
            pack(part, width, &mut room[end..end + of_words]);
            end += bytes;
        }
    }
    out.extend_from_slice(&widths);
    out.extend_from_slice(&room[..end]);
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
    let begin = out.len();
    let [bytes, of_words] = packed_length(8 * groups, width);
    out.resize(begin + of_words, 0);
    pack(values, width, &mut out[begin..]);
    out.truncate(begin + bytes);
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
