//! Forward error correction over packets: an erasure code, the outermost of the paper's three levels of coding.

use super::super::counters::Sink;
use super::Framed;
use seamline_wire::{Duration, Instant, Packet};
use std::collections::BTreeMap;

/// A block code over packets. Of a block with `data` packets and `redundancy` frames any `data` that arrive restore all packets, as with a
/// Reed-Solomon code. Frames that are sent again are in no block.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FecConfig {
    /// Packets of a block.
    pub data: u32,
    /// Frames that follow them, each as long as the longest of the packets: the overhead is `redundancy / data`.
    pub redundancy: u32,
    /// Time from the first packet of a block after which its redundancy follows even if the block has fewer packets.
    pub timeout: Duration,
}

impl Default for FecConfig {
    /// Corrects two losses among twelve frames. The paper changes its code with the channel, and states no fixed one.
    fn default() -> Self {
        FecConfig { data: 10, redundancy: 2, timeout: Duration::from_millis(50) }
    }
}

/// The place of a frame in a block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Block {
    number: u64,
    pub(super) is_redundancy: bool,
}

/// What happens to a frame of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Member {
    Arrived,
    /// It carries a packet, and may be restored.
    Missing,
    /// It cannot be restored.
    Lost,
}

/// Frames whose fate a block has decided.
#[derive(Debug, Default)]
pub(super) struct Settled {
    /// Their packets are known by now.
    pub(super) restored: Vec<Framed>,
    /// The redundancy does not suffice.
    pub(super) failed: Vec<Framed>,
}

/// The block that is being filled.
#[derive(Debug)]
struct Filling {
    packets: u32,
    largest: Box<Packet>,
    ends_at: Instant,
}

/// A block that the receiver has not seen to its end.
#[derive(Debug)]
struct Open {
    missing: Vec<Framed>,
    /// Packets sent in it.
    sent: u32,
    /// Of these, how many have arrived or were lost.
    seen: u32,
    /// Redundancy that has arrived and restored nothing yet.
    spare: usize,
    redundancy_seen: u32,
}

/// Encoder and decoder.
#[derive(Debug)]
pub(super) struct Fec {
    config: FecConfig,
    filling: Option<Filling>,
    /// The number of the block that is being filled, or the next one.
    number: u64,
    open: BTreeMap<u64, Open>,
}

impl Fec {
    pub(super) fn new(config: FecConfig) -> Self {
        Fec { config, filling: None, number: 0, open: BTreeMap::new() }
    }

    /// A packet is sent for the first time: its place, and whether the block is full with it.
    pub(super) fn add(&mut self, now: Instant, packet: &Packet, sink: &mut Sink<'_>) -> (Block, bool) {
        let filling = self.filling.get_or_insert_with(|| {
            let ends_at = now + self.config.timeout;
            let mut largest = sink.out.packet();
            largest.wire_bytes = 0;
            Filling { packets: 0, largest, ends_at }
        });
        filling.packets += 1;
        if packet.wire_bytes > filling.largest.wire_bytes {
            Packet::clone_from(&mut filling.largest, packet);
        }
        let is_full = filling.packets == self.config.data;
        let open = self.open.entry(self.number).or_insert(Open {
            missing: Vec::new(),
            sent: 0,
            seen: 0,
            spare: 0,
            redundancy_seen: 0,
        });
        open.sent += 1;
        (Block { number: self.number, is_redundancy: false }, is_full)
    }

    /// No further packet joins the block that is being filled: its redundancy, as long as its longest packet.
    pub(super) fn end_block(&mut self, sink: &mut Sink<'_>, mut send: impl FnMut(Block, Box<Packet>)) {
        let Some(Filling { largest, .. }) = self.filling.take() else { return };
        let block = Block { number: self.number, is_redundancy: true };
        self.number += 1;
        for _ in 1..self.config.redundancy {
            let mut copy = sink.out.packet();
            Packet::clone_from(&mut copy, &largest);
            send(block, copy);
        }
        send(block, largest);
    }

    /// When the block that is being filled ends at the latest.
    pub(super) fn ends_at(&self) -> Option<Instant> {
        self.filling.as_ref().map(|filling| filling.ends_at)
    }

    /// A frame of a block reaches the far end, or is lost. A missing one is kept.
    pub(super) fn on_member(&mut self, block: Block, outcome: Member, kept: Option<Framed>) -> Settled {
        let Some(open) = self.open.get_mut(&block.number) else { return Settled::default() };
        if block.is_redundancy {
            open.redundancy_seen += 1;
            open.spare += usize::from(outcome == Member::Arrived);
        } else {
            open.seen += 1;
            open.missing.extend(kept);
        }
        let settled = open.settle(self.config.redundancy);
        let is_filled = block.number < self.number;
        if is_filled && open.redundancy_seen == self.config.redundancy && open.seen == open.sent {
            self.open.remove(&block.number);
        }
        settled
    }

    /// How many missing packets it keeps.
    pub(super) fn len(&self) -> usize {
        self.open.values().map(|open| open.missing.len()).sum()
    }
}

impl Open {
    /// What can be restored now, or cannot any more.
    fn settle(&mut self, redundancy: u32) -> Settled {
        let mut settled = Settled::default();
        if self.missing.len() <= self.spare {
            self.spare -= self.missing.len();
            settled.restored = std::mem::take(&mut self.missing);
        } else if self.redundancy_seen == redundancy {
            settled.failed = std::mem::take(&mut self.missing);
        }
        settled
    }
}
