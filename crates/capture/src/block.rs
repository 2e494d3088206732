//! Blocks of a pcapng file (draft-ietf-opsawg-pcapng section 3), in little-endian byte order.

use std::ops::Range;

/// Blocks consist of words.
pub(crate) const WORD: usize = 4;
/// Section 4.1.
pub(crate) const SECTION_HEADER: u32 = 0x0a0d_0d0a;
/// Section 4.2.
pub(crate) const INTERFACE_DESCRIPTION: u32 = 1;
/// Section 4.3.
pub(crate) const ENHANCED_PACKET: u32 = 6;
/// The length field of an option has 16 bits.
pub(crate) const MAX_OPTION_LENGTH: usize = u16::MAX as usize;

/// Codes of options; the numbers repeat between kinds of blocks.
const END_OF_OPTIONS: u16 = 0;
pub(crate) const COMMENT: u16 = 1;
/// Of a section header.
pub(crate) const USER_APPLICATION: u16 = 4;
/// Of an interface.
pub(crate) const INTERFACE_NAME: u16 = 2;
/// Of an interface.
pub(crate) const TIME_RESOLUTION: u16 = 9;

/// One block, whose memory is used again for the next.
#[derive(Debug, Default)]
pub(crate) struct Block(Vec<u8>);

impl Block {
    /// Begin a block of this type. Its length is filled in at the end.
    pub(crate) fn begin(&mut self, block_type: u32) {
        self.0.clear();
        self.word(block_type);
        self.word(0);
    }
    pub(crate) fn word(&mut self, word: u32) {
        self.0.extend(word.to_le_bytes());
    }
    /// Any bytes, padded to whole words.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        self.0.extend(bytes);
        self.truncate_or_pad(self.0.len());
    }
    /// An option, padded to whole words. `value` has at most [`MAX_OPTION_LENGTH`] bytes.
    pub(crate) fn option(&mut self, code: u16, value: &[u8]) {
        self.0.extend(code.to_le_bytes());
        self.0.extend((value.len() as u16).to_le_bytes());
        self.0.extend(value);
        self.truncate_or_pad(self.0.len());
    }
    pub(crate) fn end_of_options(&mut self) {
        self.option(END_OF_OPTIONS, &[]);
    }
    /// So many zero bytes, to be filled in by [`Block::at`].
    pub(crate) fn reserve(&mut self, bytes: usize) -> Range<usize> {
        let start = self.0.len();
        self.0.resize(start + bytes, 0);
        start..start + bytes
    }
    pub(crate) fn at(&mut self, range: Range<usize>) -> &mut [u8] {
        &mut self.0[range]
    }
    /// End the block's content here, padded with zeros to whole words.
    pub(crate) fn truncate_or_pad(&mut self, length: usize) {
        self.0.truncate(length);
        self.0.resize(length.next_multiple_of(WORD), 0);
    }
    /// The whole block, with its length at both ends.
    pub(crate) fn finish(&mut self) -> &[u8] {
        let length = (self.0.len() + WORD) as u32;
        self.0[WORD..2 * WORD].copy_from_slice(&length.to_le_bytes());
        self.word(length);
        &self.0
    }
}
