//! What may wait at a link, and for how long.
//!
//! A packet is *in service* while the transmitter works on it, and *waiting* before that.

pub(crate) mod codel;

pub use codel::CoDelConfig;

/// How a link's queue treats the packets that find the transmitter busy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum QueueConfig {
    /// Everything waits its turn.
    #[default]
    Unlimited,
    /// First in, first out; a packet that arrives when the queue is full is lost.
    DropTail(Limit),
    /// Controlled delay, RFC 8289: drops when packets leave the queue.
    CoDel(CoDelConfig),
}

/// How much may wait, in addition to the packet in service. A packet that finds the transmitter free goes into service at once
/// and is never refused: a limit of `n` packets holds `n + 1`, and a limit of zero is a link without a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// A number of packets.
    Packets(u32),
    /// A number of bytes, headers included.
    Bytes(u64),
}

/// What a packet finds when it arrives at the queue.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Backlog {
    /// Whether the packet would go straight into service.
    pub(crate) transmitter_is_free: bool,
    /// Packets waiting, the one in service not counted.
    pub(crate) packets: u64,
    /// Their bytes.
    pub(crate) bytes: u64,
}

/// The part of a discipline that decides on arrival.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Room {
    Unlimited,
    Limited(Limit),
}

impl Room {
    /// Whether a packet of `size` bytes may stay.
    #[inline]
    pub(crate) fn admits(self, found: Backlog, size: u32) -> bool {
        found.transmitter_is_free
            || match self {
                Room::Unlimited => true,
                Room::Limited(Limit::Packets(limit)) => found.packets < u64::from(limit),
                Room::Limited(Limit::Bytes(limit)) => found.bytes + u64::from(size) <= limit,
            }
    }
}
