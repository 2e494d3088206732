//! Frames that are to leave, in order.

use seamline_agent::Side;
use std::ops::Range;

/// Frames on their way out. Those that leave as they came are borrowed from where they were received. Reused, so that nothing is allocated
/// in steady state.
#[derive(Debug, Default)]
pub struct Outgoing<'f> {
    made: Vec<u8>,
    frames: Vec<(Side, Bytes<'f>)>,
}

/// A frame that leaves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Leaving<'a> {
    pub(crate) bytes: &'a [u8],
    /// It is a TCP segment, whose checksums were verified.
    pub(crate) is_segment: bool,
}

#[derive(Debug)]
enum Bytes<'f> {
    Received(&'f [u8]),
    Segment(&'f [u8]),
    Made(Range<usize>),
}

impl<'f> Outgoing<'f> {
    /// None.
    pub fn new() -> Self {
        Self::default()
    }
    /// A frame leaves by this side as it came.
    pub fn pass(&mut self, towards: Side, frame: &'f [u8]) {
        self.frames.push((towards, Bytes::Received(frame)));
    }
    /// The same for a frame with a TCP segment whose checksums are right, no longer than what can leave there: it may leave joined with its neighbors, from
    /// which the same frames are made again.
    pub(crate) fn pass_segment(&mut self, towards: Side, frame: &'f [u8]) {
        self.frames.push((towards, Bytes::Segment(frame)));
    }
    /// A frame of these parts leaves by this side.
    pub fn push(&mut self, towards: Side, parts: &[&[u8]]) {
        let begin = self.made.len();
        parts.iter().for_each(|part| self.made.extend_from_slice(part));
        self.frames.push((towards, Bytes::Made(begin..self.made.len())));
    }
    /// All of them, each with the side by which it leaves.
    pub fn iter(&self) -> impl Iterator<Item = (Side, &[u8])> + Clone {
        self.frames.iter().map(|(towards, bytes)| match bytes {
            Bytes::Received(frame) | Bytes::Segment(frame) => (*towards, *frame),
            Bytes::Made(range) => (*towards, &self.made[range.clone()]),
        })
    }
    /// Those that leave by this side.
    pub(crate) fn leaving(&self, by: Side) -> impl Iterator<Item = Leaving<'_>> + Clone {
        self.frames.iter().filter(move |(towards, _)| *towards == by).map(|(_, bytes)| match bytes {
            Bytes::Received(frame) => Leaving { bytes: frame, is_segment: false },
            Bytes::Segment(frame) => Leaving { bytes: frame, is_segment: true },
            Bytes::Made(range) => Leaving { bytes: &self.made[range.clone()], is_segment: false },
        })
    }
    /// How many there are.
    pub fn len(&self) -> usize {
        self.frames.len()
    }
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }
    /// They have left.
    pub fn clear(&mut self) {
        self.made.clear();
        self.frames.clear();
    }
    /// They have left, and the next ones come from elsewhere.
    #[must_use]
    pub fn reused<'g>(mut self) -> Outgoing<'g> {
        self.clear();
        // Of an empty list this keeps the allocation.
        let frames = self.frames.into_iter().map(|_| unreachable!("it was cleared")).collect();
        Outgoing { made: self.made, frames }
    }
}
