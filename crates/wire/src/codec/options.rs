//! TCP options: what stands in the up to 40 bytes behind the fixed header.
//!
//! Order on the wire: on a SYN, maximum segment size, SACK-permitted, timestamps, window scale, as
//! Linux orders and pads them; otherwise NOP NOP timestamps (RFC 7323 appendix A). Then the mark, then
//! as many SACK blocks as fit, aligned to words; aligning them costs no block, because both the blocks
//! and the space are whole words. Options that are allowed only on a SYN are neither written
//! nor taken in elsewhere.

use super::error::DecodeError;
use super::mark;
use crate::mark::Mark;
use crate::segment::{Flags, SackBlock, SackBlocks, Segment, Timestamps};
use crate::sequence::SequenceNumber;

/// Bytes that the options of one segment can take: the data offset counts to 15 words, five of them
/// the fixed header (RFC 9293 section 3.1).
pub const OPTION_SPACE: usize = 40;

/// The largest shift count in use; a larger one received counts as this (RFC 7323 section 2.3).
pub const MAX_WINDOW_SHIFT: u8 = 14;

const END_OF_LIST: u8 = 0;
const NO_OPERATION: u8 = 1;
const MAXIMUM_SEGMENT_SIZE: u8 = 2;
const WINDOW_SCALE: u8 = 3;
const SACK_PERMITTED: u8 = 4;
const SACK: u8 = 5;
const TIMESTAMPS: u8 = 8;

const SACK_BLOCK_LENGTH: usize = 8;
const PADDED_TIMESTAMPS_LENGTH: usize = 12;
const WORD: usize = 4;

/// Bytes of options that encoding the segment writes, padding included: a multiple of 4, at most
/// [`OPTION_SPACE`].
#[inline]
pub fn options_length(segment: &Segment) -> usize {
    let front = length_before_sack(segment);
    let fitting = segment.sack.len().min(blocks_that_fit(front));
    match fitting {
        0 => front.next_multiple_of(WORD),
        _ => sack_start(front) + fitting * SACK_BLOCK_LENGTH,
    }
}

/// Keep the SACK blocks that fit into the option space next to the segment's other options, so that a
/// simulated receiver sees what a real one would.
#[inline]
pub fn fit_sack_blocks(segment: &mut Segment) {
    if !segment.sack.is_empty() {
        segment.sack.truncate(blocks_that_fit(length_before_sack(segment)));
    }
}

#[inline]
fn length_before_sack(segment: &Segment) -> usize {
    let times = if segment.timestamps.is_some() { PADDED_TIMESTAMPS_LENGTH } else { 0 };
    let handshake = if segment.flags.intersects(Flags::SYN) { handshake_length(segment) } else { 0 };
    handshake + times + fitting_mark(segment, handshake + times).map_or(0, mark::option_length)
}

/// Bytes of what only a SYN carries. SACK-permitted takes the place of the padding of timestamps.
fn handshake_length(segment: &Segment) -> usize {
    let words = usize::from(segment.maximum_segment_size.is_some())
        + usize::from(segment.window_scale.is_some())
        + usize::from(segment.sack_permitted && segment.timestamps.is_none());
    words * WORD
}

/// The segment's mark, unless a long one does not fit behind everything that a SYN can carry.
fn fitting_mark(segment: &Segment, front: usize) -> Option<Mark> {
    segment.mark.filter(|mark| front + mark::option_length(*mark) <= OPTION_SPACE)
}

/// Where the first block starts when `front` bytes precede the SACK option: on a word boundary, behind
/// the option's kind and length.
const fn sack_start(front: usize) -> usize {
    (front + 2).next_multiple_of(WORD)
}

const fn blocks_that_fit(front: usize) -> usize {
    OPTION_SPACE.saturating_sub(sack_start(front)) / SACK_BLOCK_LENGTH
}

/// Options being written.
#[derive(Debug)]
pub(super) struct OptionBytes {
    bytes: [u8; OPTION_SPACE],
    length: usize,
}

impl OptionBytes {
    /// The options of a segment, padded to whole words.
    pub(super) fn of(segment: &Segment) -> Self {
        let mut options = OptionBytes { bytes: [END_OF_LIST; OPTION_SPACE], length: 0 };
        options.put_handshake_and_timestamps(segment);
        if let Some(mark) = fitting_mark(segment, options.length) {
            mark::write(mark, &mut options);
        }
        options.put_sack(&segment.sack);
        options.length = options.length.next_multiple_of(WORD);
        options
    }
    /// The bytes so far.
    pub(super) fn as_slice(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
    /// Append bytes; what does not fit is left out.
    pub(super) fn put(&mut self, bytes: &[u8]) {
        if let Some(place) = self.bytes.get_mut(self.length..self.length + bytes.len()) {
            place.copy_from_slice(bytes);
            self.length += bytes.len();
        }
    }

    fn put_handshake_and_timestamps(&mut self, segment: &Segment) {
        let syn = segment.flags.intersects(Flags::SYN);
        if let Some(size) = segment.maximum_segment_size.filter(|_| syn) {
            let [high, low] = size.to_be_bytes();
            self.put(&[MAXIMUM_SEGMENT_SIZE, 4, high, low]);
        }
        let sack_permitted = syn && segment.sack_permitted;
        if sack_permitted && segment.timestamps.is_some() {
            self.put(&[SACK_PERMITTED, 2]);
        } else if sack_permitted {
            self.put(&[NO_OPERATION, NO_OPERATION, SACK_PERMITTED, 2]);
        } else if segment.timestamps.is_some() {
            self.put(&[NO_OPERATION, NO_OPERATION]);
        }
        if let Some(times) = segment.timestamps {
            self.put(&[TIMESTAMPS, 10]);
            self.put(&times.value.to_be_bytes());
            self.put(&times.echo.to_be_bytes());
        }
        if let Some(shift) = segment.window_scale.filter(|_| syn) {
            self.put(&[NO_OPERATION, WINDOW_SCALE, 3, shift.min(MAX_WINDOW_SHIFT)]);
        }
    }

    fn put_sack(&mut self, blocks: &SackBlocks) {
        let fitting = blocks.len().min(blocks_that_fit(self.length));
        if fitting == 0 {
            return;
        }
        while self.length + 2 < sack_start(self.length) {
            self.put(&[NO_OPERATION]);
        }
        self.put(&[SACK, (2 + fitting * SACK_BLOCK_LENGTH) as u8]);
        for block in blocks.iter().take(fitting) {
            self.put(&block.left.0.to_be_bytes());
            self.put(&block.right.0.to_be_bytes());
        }
    }
}

/// Take the options in `bytes` into `segment`, whose flags are already set. Unknown options are
/// skipped by their length (RFC 9293 section 3.1, MUST-6); of an option that comes twice the last one
/// counts, as in Linux.
pub(super) fn read(mut bytes: &[u8], segment: &mut Segment) -> Result<(), DecodeError> {
    while let Some((&kind, rest)) = bytes.split_first() {
        bytes = match kind {
            END_OF_LIST => return Ok(()),
            NO_OPERATION => rest,
            _ => {
                let (body, after) = split_body(kind, rest)?;
                take_in(kind, body, segment)?;
                after
            }
        };
    }
    Ok(())
}

/// Whether the segment, read from these options without an error, holds them all, and writing it loses none.
pub(super) fn are_complete(mut bytes: &[u8], segment: &Segment) -> bool {
    let mut seen = [false; 256];
    while let Some((&kind, rest)) = bytes.split_first() {
        bytes = match kind {
            END_OF_LIST if rest.iter().all(|padding| *padding == 0) => break,
            END_OF_LIST => return false,
            NO_OPERATION => rest,
            _ => {
                let Ok((body, after)) = split_body(kind, rest) else { return false };
                let is_repeated = std::mem::replace(&mut seen[usize::from(kind)], true);
                if is_repeated || !is_taken_in(kind, body, segment) {
                    return false;
                }
                after
            }
        };
    }
    let mut again = Segment {
        window_scale: None,
        maximum_segment_size: None,
        sack_permitted: false,
        mark: None,
        timestamps: None,
        sack: SackBlocks::new(),
        ..*segment
    };
    read(OptionBytes::of(segment).as_slice(), &mut again).is_ok() && again == *segment
}

/// Whether an option has gone into the segment as it is.
fn is_taken_in(kind: u8, body: &[u8], segment: &Segment) -> bool {
    let syn = segment.flags.intersects(Flags::SYN);
    match kind {
        MAXIMUM_SEGMENT_SIZE | SACK_PERMITTED => syn,
        WINDOW_SCALE => syn && body.first().is_some_and(|shift| *shift <= MAX_WINDOW_SHIFT),
        TIMESTAMPS | SACK => true,
        mark::MARK_OPTION_KIND => mark::read(body).is_some(),
        _ => false,
    }
}

/// Split what follows an option's kind into the option's body and what comes after the option.
fn split_body(kind: u8, bytes: &[u8]) -> Result<(&[u8], &[u8]), DecodeError> {
    let (&length, rest) = bytes.split_first().ok_or(DecodeError::OptionLength { kind, length: 0 })?;
    usize::from(length)
        .checked_sub(2)
        .and_then(|body| rest.split_at_checked(body))
        .ok_or(DecodeError::OptionLength { kind, length })
}

fn take_in(kind: u8, body: &[u8], segment: &mut Segment) -> Result<(), DecodeError> {
    let syn = segment.flags.intersects(Flags::SYN);
    match (kind, body) {
        (MAXIMUM_SEGMENT_SIZE, &[high, low]) => {
            segment.maximum_segment_size = syn.then_some(u16::from_be_bytes([high, low]));
        }
        (WINDOW_SCALE, &[shift]) => segment.window_scale = syn.then_some(shift.min(MAX_WINDOW_SHIFT)),
        (SACK_PERMITTED, &[]) => segment.sack_permitted = syn,
        (TIMESTAMPS, &[v0, v1, v2, v3, e0, e1, e2, e3]) => {
            let value = u32::from_be_bytes([v0, v1, v2, v3]);
            segment.timestamps = Some(Timestamps { value, echo: u32::from_be_bytes([e0, e1, e2, e3]) });
        }
        (SACK, _) => segment.sack = sack_blocks(body).ok_or_else(|| illegal_length(kind, body))?,
        (mark::MARK_OPTION_KIND, _) => segment.mark = mark::read(body).or(segment.mark),
        (MAXIMUM_SEGMENT_SIZE | WINDOW_SCALE | SACK_PERMITTED | TIMESTAMPS, _) => {
            return Err(illegal_length(kind, body));
        }
        _ => {}
    }
    Ok(())
}

fn illegal_length(kind: u8, body: &[u8]) -> DecodeError {
    DecodeError::OptionLength { kind, length: (body.len() + 2) as u8 }
}

/// The blocks of a SACK option: at least one, eight bytes each (RFC 2018 section 3). Five would not fit
/// into any header.
fn sack_blocks(body: &[u8]) -> Option<SackBlocks> {
    let (blocks, rest) = body.as_chunks::<SACK_BLOCK_LENGTH>();
    if !rest.is_empty() || blocks.is_empty() {
        return None;
    }
    let number = |bytes: [u8; 4]| SequenceNumber(u32::from_be_bytes(bytes));
    let block = |&[a, b, c, d, e, f, g, h]: &[u8; SACK_BLOCK_LENGTH]| SackBlock {
        left: number([a, b, c, d]),
        right: number([e, f, g, h]),
    };
    Some(blocks.iter().map(block).collect())
}
