//! What may wait at a link, in which order it leaves, and what is dropped or marked.
//!
//! A packet is *in service* while the transmitter works on it, and *waiting* before that. A [`QueueConfig`] selects a discipline. Each
//! packet that arrives at one leaves it in exactly one way: it passes, it passes with a mark (CE, RFC 3168), or it is dropped.
//! Packets of one flow keep their order. All disciplines are work-conserving: while a packet waits, the next can be sent at once.

mod cake;
mod codel;
mod dual_pi2;
mod fifo;
mod flows;
mod fq;
mod fq_codel;
mod hash;
mod pie;
mod step;

pub use cake::CakeConfig;
pub use codel::CoDelConfig;
pub use dual_pi2::DualPi2Config;
pub(crate) use fifo::Waited;
pub use fq::FqConfig;
pub use fq_codel::FqCoDelConfig;
pub use pie::PieConfig;
pub use step::StepConfig;

use crate::link::Sink;
use cake::Cake;
use codel::CoDel;
use dual_pi2::DualPi2;
use fifo::Single;
use fq::Fq;
use fq_codel::FqCoDel;
use pie::Pie;
use seamline_wire::random::Stream;
use seamline_wire::{Instant, Packet};
use std::collections::VecDeque;
use std::fmt::Debug;
use step::Step;

/// How a link's queue treats the packets that find the transmitter busy.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub enum QueueConfig {
    /// Everything waits its turn.
    #[default]
    Unlimited,
    /// First in, first out; a packet that arrives when the queue is full is lost.
    DropTail(Limit),
    /// Controlled delay, RFC 8289: drops or marks when packets leave the queue.
    CoDel(CoDelConfig),
    /// RFC 8290: a queue for each flow, with CoDel.
    FqCoDel(FqCoDelConfig),
    /// RFC 8033: drops or marks on arrival, by the delay.
    Pie(PieConfig),
    /// RFC 9332: two queues for low-latency and classic flows.
    DualPi2(DualPi2Config),
    /// A queue for each flow, without queue management.
    Fq(FqConfig),
    /// Fair between hosts and flows, with COBALT.
    Cake(CakeConfig),
    /// Drops or marks above a threshold on arrival.
    Step(StepConfig),
}

impl QueueConfig {
    /// One of each discipline, with what it has without settings. Tests of all disciplines iterate over them.
    pub fn all() -> [(&'static str, QueueConfig); 9] {
        let threshold = Limit::Packets(65);
        [
            ("unlimited", QueueConfig::Unlimited),
            ("drop-tail", QueueConfig::DropTail(Limit::Packets(100))),
            ("codel", QueueConfig::CoDel(CoDelConfig::default())),
            ("fq-codel", QueueConfig::FqCoDel(FqCoDelConfig::default())),
            ("pie", QueueConfig::Pie(PieConfig::default())),
            ("dualpi2", QueueConfig::DualPi2(DualPi2Config::default())),
            ("fq", QueueConfig::Fq(FqConfig::default())),
            ("cake", QueueConfig::Cake(CakeConfig::default())),
            ("step", QueueConfig::Step(StepConfig { threshold, ecn: true, limit: None })),
        ]
    }

    /// The limit of a queue that is first in, first out and decides nothing after a packet's arrival; `None` for any other.
    pub(crate) fn plain(self) -> Option<Option<Limit>> {
        match self {
            QueueConfig::Unlimited => Some(None),
            QueueConfig::DropTail(limit) => Some(Some(limit)),
            _ => None,
        }
    }

    /// The discipline; it draws its random numbers from `stream`.
    pub(crate) fn build(self, stream: Stream) -> Box<dyn Discipline> {
        match self {
            QueueConfig::Unlimited => Box::new(Single::new(None, ())),
            QueueConfig::DropTail(limit) => Box::new(Single::new(Some(limit), ())),
            QueueConfig::CoDel(config) => Box::new(Single::new(config.limit, CoDel::new(config))),
            QueueConfig::FqCoDel(config) => Box::new(FqCoDel::new(config, stream)),
            QueueConfig::Pie(config) => Box::new(Single::new(Some(config.limit), Pie::new(config, stream))),
            QueueConfig::DualPi2(config) => Box::new(DualPi2::new(config, stream)),
            QueueConfig::Fq(config) => Box::new(Fq::new(config)),
            QueueConfig::Cake(config) => Box::new(Cake::new(config, stream)),
            QueueConfig::Step(config) => Box::new(Single::new(config.limit, Step(config))),
        }
    }

    /// How many packets of `size` bytes may wait; `None` for any number.
    pub fn most_waiting(self, size: u64) -> Option<u64> {
        let packets = |limit| match limit {
            Limit::Packets(packets) => u64::from(packets),
            Limit::Bytes(bytes) => bytes.div_ceil(size),
        };
        match self {
            QueueConfig::Unlimited => None,
            QueueConfig::DropTail(limit) => Some(packets(limit)),
            QueueConfig::CoDel(config) => config.limit.map(packets),
            QueueConfig::FqCoDel(config) => Some(config.limit.into()),
            QueueConfig::Pie(config) => Some(packets(config.limit)),
            QueueConfig::DualPi2(config) => Some(packets(config.limit)),
            QueueConfig::Fq(config) => Some(config.limit.into()),
            QueueConfig::Cake(config) => Some(config.memory_limit.div_ceil(size)),
            QueueConfig::Step(config) => config.limit.map(packets),
        }
    }
}

/// A queue discipline. It passes each packet, marks it and passes it, or drops it: marks and drops go to the [`Sink`], which counts and
/// reports them. A packet that waits may still be dropped; one that was dequeued may not.
pub(crate) trait Discipline: Debug + Send {
    /// Take a packet in; returns `false` where it is dropped instead. Others may be dropped to make room.
    fn enqueue(
        &mut self,
        now: Instant,
        packet: Box<Packet>,
        transmitter_is_free: bool,
        sink: &mut Sink<'_>,
    ) -> bool;
    /// The packet to send at `now`. `None` only where nothing is left to wait.
    fn dequeue(&mut self, now: Instant, sink: &mut Sink<'_>) -> Option<Waited>;
    /// Put a packet back whose transmission was broken off, in front of its flow.
    fn put_back(&mut self, waited: Waited);
    /// Take out those that are wanted.
    fn withdraw(&mut self, wanted: &mut dyn FnMut(&Packet) -> bool) -> VecDeque<Box<Packet>>;
    /// How many wait.
    fn len(&self) -> usize;
    /// Their bytes.
    fn bytes(&self) -> u64;
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
