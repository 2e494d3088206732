//! Frames that are to leave, in order.

use seamline_agent::Side;
use std::ops::Range;

/// Frames on their way out. Reused, so that nothing is allocated for them in steady state.
#[derive(Debug, Default)]
pub struct Outgoing {
    bytes: Vec<u8>,
    frames: Vec<(Side, Range<usize>)>,
}

impl Outgoing {
    /// None.
    pub fn new() -> Self {
        Self::default()
    }
    /// One more, of these parts, by this side.
    pub fn push(&mut self, towards: Side, parts: &[&[u8]]) {
        let begin = self.bytes.len();
        parts.iter().for_each(|part| self.bytes.extend_from_slice(part));
        self.frames.push((towards, begin..self.bytes.len()));
    }
    /// All of them, each with the side by which it leaves.
    pub fn iter(&self) -> impl Iterator<Item = (Side, &[u8])> {
        self.frames.iter().map(|(towards, place)| (*towards, &self.bytes[place.clone()]))
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
        self.bytes.clear();
        self.frames.clear();
    }
}
