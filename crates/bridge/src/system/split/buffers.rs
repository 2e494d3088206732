//! The sizes of a connection's buffers, in the kernel: small at first, and larger as its ends acknowledge what they get. So who reads nothing keeps little.

use super::connection::Half;
use seamline_host::socket::{set_receive_buffer, set_send_buffer, unacknowledged};

/// What each begins with, unless less is set: as much as a peer may send that does not scale its window (RFC 9293 section 3.1).
const FIRST: u32 = 64 << 10;
/// However little memory is left.
const LEAST: u32 = 4096;

/// Of both directions: what one half receives, and what the other half sends of it. Shrinking drops nothing: what is there stays until it is read.
#[derive(Debug)]
pub(super) struct Buffers {
    /// What is set.
    most: u32,
    /// Of that, what there is memory for.
    allowed: u32,
    /// By the half that sends.
    ways: [Way; 2],
}

#[derive(Clone, Copy, Debug)]
struct Way {
    size: u32,
    /// Bytes that were handed to the kernel.
    written: u64,
    /// What it is worth: twice what was acknowledged, as a window that doubles in each round trip.
    earned: u32,
}

impl Buffers {
    /// The sockets have that size.
    pub(super) fn new(most: u32) -> Self {
        let way = Way { size: most, written: 0, earned: FIRST.min(most) };
        Buffers { most, allowed: most, ways: [way; 2] }
    }

    /// So much was written to each half.
    pub(super) fn grow(&mut self, written: [u64; 2], halves: &[Half; 2]) {
        for to in 0..2 {
            let way = &mut self.ways[to];
            way.written += written[to];
            if way.earned < self.most && written[to] > 0 {
                let left = unacknowledged(&halves[to].stream).unwrap_or(0);
                let acknowledged = way.written.saturating_sub(left.into());
                while u64::from(way.earned) <= acknowledged && way.earned < self.most {
                    way.earned = way.earned.saturating_mul(2).min(self.most);
                }
            }
        }
        self.set(halves);
    }

    /// What all four can take, in bytes. The kernel counts each byte twice.
    pub(super) fn memory(&self) -> u64 {
        self.ways.iter().map(|way| 2 * (u64::from(way.size) + u64::from(received(way.size, self.most)))).sum()
    }

    /// There is memory for so much in all four buffers together; `None` for all that is set. Whether they are smaller now.
    pub(super) fn allow(&mut self, memory: Option<u64>, halves: &[Half; 2]) -> bool {
        let each = memory.map_or(self.most, |bytes| u32::try_from(bytes / 12).unwrap_or(u32::MAX));
        self.allowed = each.clamp(LEAST.min(self.most), self.most);
        let before = self.ways.map(|way| way.size);
        self.set(halves);
        self.ways.iter().zip(before).any(|(way, before)| way.size < before)
    }

    fn set(&mut self, halves: &[Half; 2]) {
        for to in 0..2 {
            let way = &mut self.ways[to];
            let size = way.earned.min(self.allowed);
            if size != std::mem::replace(&mut way.size, size) {
                // The kernel refuses no size.
                let _ = set_receive_buffer(&halves[1 - to].stream, received(size, self.most) as usize);
                let _ = set_send_buffer(&halves[to].stream, size as usize);
            }
        }
    }
}

/// The size of the receive buffer next to a send buffer: twice as much. What a window of that size holds in short packets must fit, for what does not is dropped,
/// and its sender waits for a doubled timer.
fn received(size: u32, most: u32) -> u32 {
    size.saturating_mul(2).min(most)
}
