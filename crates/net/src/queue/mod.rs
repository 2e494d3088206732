//! What may wait at a link, and for how long.
//!
//! A packet is *in service* while the transmitter works on it, and *waiting* before that.

mod codel;

pub use codel::CoDelConfig;

use codel::CoDel;
use seamline_wire::Instant;
use seamline_wire::random::Stream;
use std::fmt::Debug;

/// How a link's queue treats the packets that find the transmitter busy.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub enum QueueConfig {
    /// Everything waits its turn.
    #[default]
    Unlimited,
    /// First in, first out; a packet that arrives when the queue is full is lost.
    DropTail(Limit),
    /// Controlled delay, RFC 8289: drops when packets leave the queue.
    CoDel(CoDelConfig),
}

impl QueueConfig {
    /// How much may wait, which is decided on arrival; `None` is without limit.
    pub(crate) fn limit(self) -> Option<Limit> {
        match self {
            QueueConfig::Unlimited => None,
            QueueConfig::DropTail(limit) => Some(limit),
            QueueConfig::CoDel(codel) => codel.limit,
        }
    }

    /// What drops packets as they leave the queue; `None` where all is decided on arrival.
    pub(crate) fn management(self) -> Option<Box<dyn ActiveManagement>> {
        match self {
            QueueConfig::Unlimited | QueueConfig::DropTail(_) => None,
            QueueConfig::CoDel(config) => Some(Box::new(CoDel::new(config))),
        }
    }
}

/// The packet at the head of a queue.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Head {
    /// When it began to wait.
    pub(crate) since: Instant,
    /// Bytes that wait behind it.
    pub(crate) bytes_behind: u64,
}

/// Active queue management: drops packets that have waited.
pub(crate) trait ActiveManagement: Debug + Send {
    /// Drop from the head of the queue before a packet is sent at `now`. `head` is the first packet; `drop_head` drops it and
    /// describes the next, `None` when nothing is left. What is random is drawn from `stream`.
    fn before_sending(
        &mut self,
        now: Instant,
        head: Option<Head>,
        stream: &mut Stream,
        drop_head: &mut dyn FnMut() -> Option<Head>,
    );
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

impl Limit {
    /// Whether a packet of `size` bytes may stay.
    #[inline]
    pub(crate) fn admits(self, found: Backlog, size: u32) -> bool {
        found.transmitter_is_free
            || match self {
                Limit::Packets(limit) => found.packets < u64::from(limit),
                Limit::Bytes(limit) => found.bytes + u64::from(size) <= limit,
            }
    }
}
