//! One direction of one connection of our own endpoint, as bytes: the endpoint counts, and this knows which bytes those are.

use crate::traffic::{Content, Mismatch};
use seamline_wire::{Flags, Segment, SequenceNumber};

/// Places the payload of segments in a stream, by their sequence numbers.
#[derive(Debug)]
pub struct Stream {
    content: Content,
    /// The sequence number of the first byte, once a SYN has passed.
    start: Option<SequenceNumber>,
    /// The end of what was placed, so that numbers may wrap.
    highest: u64,
}

impl Stream {
    /// A stream of this content that has not begun.
    pub fn new(content: Content) -> Self {
        Stream { content, start: None, highest: 0 }
    }

    /// Where in the stream the payload of a segment begins; `None` when no SYN came before it.
    fn place(&mut self, segment: &Segment) -> Option<u64> {
        if segment.flags.contains(Flags::SYN) && self.highest == 0 {
            self.start = Some(segment.sequence + 1);
        }
        let syn = u32::from(segment.flags.contains(Flags::SYN));
        let near = self.start? + self.highest as u32;
        let distance = (segment.sequence + syn).0.wrapping_sub(near.0).cast_signed();
        let place = self.highest.checked_add_signed(i64::from(distance))?;
        if segment.length > 0 {
            self.highest = self.highest.max(place + u64::from(segment.length));
        }
        Some(place)
    }

    /// Write the payload of a segment into `payload`, which is as long. `false` when no SYN came before it.
    pub fn fill(&mut self, segment: &Segment, payload: &mut [u8]) -> bool {
        let place = self.place(segment);
        if let Some(place) = place {
            self.content.fill(place, payload);
        }
        place.is_some()
    }

    /// Compare the payload of a segment with what it should be.
    ///
    /// # Errors
    /// When it is something else.
    pub fn check(&mut self, segment: &Segment, payload: &[u8]) -> Result<(), Mismatch> {
        match self.place(segment) {
            Some(place) => self.content.check(place, payload),
            None => Ok(()),
        }
    }
}
