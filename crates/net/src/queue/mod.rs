//! What may wait at a link, and for how long.
//!
//! A packet is *in service* while the transmitter works on it, and *waiting* before that. The limit of a
//! queue counts waiting packets only, as in ns-2, where the packet in transmission has left the queue.

pub(crate) mod codel;

pub use codel::CoDelConfig;

/// How a link's queue treats the packets that find the transmitter busy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum QueueConfig {
    /// Everything waits its turn.
    #[default]
    Unlimited,
    /// A packet that finds no room is lost (first in, first out; the newcomer is the one to go).
    DropTail {
        /// How much may wait.
        limit: Limit,
        /// What the limit means.
        meaning: LimitMeaning,
    },
    /// Controlled delay, RFC 8289: drops when packets leave the queue.
    CoDel(CoDelConfig),
}

/// The size of a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// A number of packets.
    Packets(u32),
    /// A number of bytes, headers included.
    Bytes(u64),
}

/// When exactly a queue is full.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum LimitMeaning {
    /// The plain meaning: up to the limit may wait, besides the packet in service. A packet that finds
    /// the transmitter free goes straight into service and is never refused, so a limit of `n` packets
    /// holds `n + 1`, and a limit of zero is a link without a queue.
    #[default]
    Waiting,
    /// The meaning of `DropTail` in ns-2 2.35 (`queue/drop-tail.cc`): every packet passes through the
    /// queue, and is refused when it would make the waiting ones reach the limit (`waiting + 1 >= limit`,
    /// or `waiting_bytes + size >= limit`). A limit of `n` packets holds `n` with the one in service; a
    /// limit of one refuses everything.
    Ns2,
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
    Packets { limit: u64, meaning: LimitMeaning },
    Bytes { limit: u64, meaning: LimitMeaning },
}

impl Room {
    pub(crate) fn new(limit: Limit, meaning: LimitMeaning) -> Self {
        match limit {
            Limit::Packets(packets) => Room::Packets { limit: u64::from(packets), meaning },
            Limit::Bytes(limit) => Room::Bytes { limit, meaning },
        }
    }

    /// Whether a packet of `size` bytes may stay.
    #[inline]
    pub(crate) fn admits(self, found: Backlog, size: u32) -> bool {
        match self {
            Room::Unlimited => true,
            Room::Packets { limit, meaning: LimitMeaning::Waiting } => {
                found.transmitter_is_free || found.packets < limit
            }
            Room::Packets { limit, meaning: LimitMeaning::Ns2 } => found.packets + 1 < limit,
            Room::Bytes { limit, meaning: LimitMeaning::Waiting } => {
                found.transmitter_is_free || found.bytes + u64::from(size) <= limit
            }
            Room::Bytes { limit, meaning: LimitMeaning::Ns2 } => found.bytes + u64::from(size) < limit,
        }
    }
}
