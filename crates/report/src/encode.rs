//! Columns of numbers as text in a page: each value as its difference to the one before, in as few bytes as
//! it takes, all of it compressed (zlib, RFC 1950) and in base64. `assets/decode.js` is the other direction.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use std::io::Write;

/// Collects columns one after the other; they are read back in the same order.
#[derive(Clone, Debug, Default)]
pub struct Columns(Vec<u8>);

impl Columns {
    /// Append a column of whole numbers of at most 2^52, which a script can hold exactly.
    pub fn whole(&mut self, values: impl ExactSizeIterator<Item = i64>) {
        self.varint(values.len() as u64);
        let mut before = 0;
        for value in values {
            let difference = value.wrapping_sub(before);
            before = value;
            // Zigzag: small differences of either sign take one byte.
            self.varint(((difference << 1) ^ (difference >> 63)) as u64);
        }
    }

    /// Append a column of numbers, resolved to `1 / per_unit`. What is infinite becomes -1.
    pub fn numbers(&mut self, values: impl ExactSizeIterator<Item = f64>, per_unit: f64) {
        self.whole(
            values.map(|value| if value.is_finite() { (value * per_unit).round() as i64 } else { -1 }),
        );
    }

    /// All columns as text.
    pub fn finish(&self) -> String {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
        // Writing into memory cannot fail.
        let _ = encoder.write_all(&self.0);
        STANDARD.encode(encoder.finish().unwrap_or_default())
    }

    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }
}
