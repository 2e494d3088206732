//! ns-2's send log: an array of one window's length, indexed by segment number.

use crate::offset::Offset;
use crate::send_log::Sent;

/// More than any window that a receiver can offer at a usual segment size. A window limit that means "none" must not become an
/// array of that length.
const MOST_SEGMENTS: u32 = 1 << 18;

#[derive(Clone, Debug)]
pub(crate) struct Ring {
    segment_size: u64,
    origin: Offset,
    entries: Vec<Sent>,
}

impl Ring {
    /// An array of `segments` entries, for a connection whose data begins at `origin`.
    pub(crate) fn new(segments: u32, origin: Offset, segment_size: u32) -> Self {
        let entries = vec![Sent::default(); segments.clamp(1, MOST_SEGMENTS) as usize];
        let mut ring = Ring { segment_size: 1, origin, entries };
        ring.set_segment_size(segment_size);
        ring
    }
    pub(crate) fn set_segment_size(&mut self, segment_size: u32) {
        self.segment_size = u64::from(segment_size.max(1));
    }
    pub(crate) fn get(&self, offset: Offset) -> Sent {
        self.entries[self.place(self.number(offset))]
    }
    /// Whether the segment at `offset` is the very first.
    pub(crate) fn is_first(&self, offset: Offset) -> bool {
        self.number(offset) == 0
    }
    pub(crate) fn clear(&mut self) {
        self.entries.fill(Sent::default());
    }
    pub(crate) fn record(&mut self, offset: Offset, sent: Sent) {
        let place = self.place(self.number(offset));
        let before = self.entries[place].transmissions;
        self.entries[place] = Sent { transmissions: before + sent.transmissions, ..sent };
    }
    /// Forget from the segment at `from` to the one that ends at `to`, but stop early where the sweep
    /// would wrap around. Returns the entry of the last.
    pub(crate) fn acknowledge(&mut self, from: Offset, to: Offset) -> Option<Sent> {
        let (first, end) = (self.number(from), self.number_rounding_up(to));
        let last = end.checked_sub(1).filter(|last| *last >= first)?;
        let newest = self.entries[self.place(last)];
        let length = self.entries.len() as u64;
        let (mut place, end) = (first % length, last % length);
        let mut left = last + 1 - first;
        while place <= end && left > 0 {
            self.entries[place as usize] = Sent::default();
            place = (place + 1) % length;
            left -= 1;
        }
        Some(newest)
    }
    fn number(&self, offset: Offset) -> u64 {
        offset.saturating_since(self.origin) / self.segment_size
    }
    fn number_rounding_up(&self, offset: Offset) -> u64 {
        offset.saturating_since(self.origin).div_ceil(self.segment_size)
    }
    fn place(&self, number: u64) -> usize {
        (number % self.entries.len() as u64) as usize
    }
}
