//! What flows carry: bytes that follow from their place alone, so that a lost, doubled, moved or damaged byte is noticed
//! by the reader, without anything being kept.

const WORD: usize = 8;
/// The odd part of the golden ratio, as in SplitMix64: successive words are far apart.
const STRIDE: u64 = 0x9e37_79b9_7f4a_7c15;

/// The bytes of one direction of one connection. Word `n` of eight bytes (little-endian) is a one-to-one mixture of `n` and a key
/// made of seed and connection, hence no two of its words are equal; words of two connections are as good as random to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Content {
    key: u64,
}

/// A byte that should be another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// Its offset in the connection. After a lost or doubled byte the first that differs may by chance come a little later.
    pub offset: u64,
}

impl Content {
    /// The bytes of connection number `connection` in a run with this seed.
    pub const fn new(seed: u64, connection: u64) -> Self {
        Content { key: mix(mix(seed ^ STRIDE).wrapping_add(connection)) }
    }

    /// Write the bytes that belong at `offset` and behind it.
    pub fn fill(&self, offset: u64, bytes: &mut [u8]) {
        let (head, words, tail) = split_at_words(offset, bytes.len());
        let (first, rest) = bytes.split_at_mut(head);
        let within = (offset % WORD as u64) as usize;
        first.copy_from_slice(&self.word(offset / WORD as u64)[within..within + head]);
        let (middle, last) = rest.split_at_mut(rest.len() - tail);
        let mut number = words;
        for chunk in middle.chunks_exact_mut(WORD) {
            chunk.copy_from_slice(&self.word(number));
            number = number.wrapping_add(1);
        }
        last.copy_from_slice(&self.word(number)[..tail]);
    }

    /// Compare bytes with those that belong at `offset` and behind it.
    ///
    /// # Errors
    /// At the first byte that differs.
    pub fn check(&self, offset: u64, bytes: &[u8]) -> Result<(), Mismatch> {
        const BLOCK: usize = 4096;
        let mut expected = [0; BLOCK];
        let mut at = offset;
        for block in bytes.chunks(BLOCK) {
            let expected = &mut expected[..block.len()];
            self.fill(at, expected);
            if expected != block {
                let same = expected.iter().zip(block).take_while(|(left, right)| left == right).count();
                return Err(Mismatch { offset: at + same as u64 });
            }
            at += block.len() as u64;
        }
        Ok(())
    }

    fn word(&self, number: u64) -> [u8; WORD] {
        mix(self.key.wrapping_add(number.wrapping_mul(STRIDE))).to_le_bytes()
    }
}

/// Bytes before the first whole word, the number of that word, and bytes after the last one.
fn split_at_words(offset: u64, length: usize) -> (usize, u64, usize) {
    let within = (offset % WORD as u64) as usize;
    let head = if within == 0 { 0 } else { (WORD - within).min(length) };
    (head, offset.div_ceil(WORD as u64), (length - head) % WORD)
}

/// The finalizer of SplitMix64 (Steele, Lea and Flood, 2014): a bijection.
const fn mix(word: u64) -> u64 {
    let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

#[cfg(test)]
#[path = "content/tests.rs"]
mod tests;
