//! What a link has done so far, counted where packets leave it.

use crate::error::ErrorStage;
use seamline_wire::{DropCause, Event, Instant, Outbox, Packet, Port};
use std::ops::Add;

/// Packets and their bytes on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Count {
    /// Packets.
    pub packets: u64,
    /// Bytes, headers included.
    pub bytes: u64,
}

impl Count {
    #[inline]
    pub(crate) fn count(&mut self, bytes: u32) {
        self.packets += 1;
        self.bytes += u64::from(bytes);
    }
}

impl Add for Count {
    type Output = Count;
    fn add(self, other: Count) -> Count {
        Count { packets: self.packets + other.packets, bytes: self.bytes + other.bytes }
    }
}

/// Packets lost at a link, by cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Drops([Count; DropCause::ALL.len()]);

impl Drops {
    /// Those lost for this cause.
    pub fn of(&self, cause: DropCause) -> Count {
        self.0[cause as usize]
    }

    /// All of them.
    pub fn total(&self) -> Count {
        self.0.into_iter().fold(Count::default(), Count::add)
    }

    pub(crate) fn count(&mut self, cause: DropCause, bytes: u32) {
        self.0[cause as usize].count(bytes);
    }
}

/// What a link has done since it was made. At any time
/// `arrived = delivered + dropped.total() + withdrawn + what is inside`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Counters {
    /// Offered to the link.
    pub arrived: Count,
    /// Taken into the queue or straight into service.
    pub accepted: Count,
    /// Handed over at the far end.
    pub delivered: Count,
    /// Lost.
    pub dropped: Drops,
    /// Taken out of the queue again.
    pub withdrawn: Count,
    /// Marked by the queue (CE, RFC 3168); lost or delivered after that.
    pub marked: Count,
    /// Frames sent again by the link layer; each packet counts once above, however often it is sent.
    pub retransmitted: Count,
    /// Frames of redundancy sent by the link layer.
    pub redundancy: Count,
}

/// Whether none of the error models after propagation takes a packet that reaches the far end at `now`.
#[inline]
pub(super) fn survives(end: &mut [ErrorStage], now: Instant, packet: &Packet) -> bool {
    !end.iter_mut().any(|stage| stage.loses(now, packet))
}

/// Where a link's packets end: delivered, or lost for a cause.
#[derive(Debug)]
pub(crate) struct Sink<'a> {
    pub(super) out: &'a mut Outbox,
    pub(super) counters: &'a mut Counters,
    /// Error models after propagation.
    pub(super) end: &'a mut [ErrorStage],
}

impl<'a> Sink<'a> {
    #[cfg(test)]
    pub(crate) fn for_tests(out: &'a mut Outbox, counters: &'a mut Counters) -> Self {
        Sink { out, counters, end: &mut [] }
    }
    /// A packet reaches the far end at `now`, unless an error model takes it.
    #[inline]
    pub(super) fn deliver(&mut self, now: Instant, packet: Box<Packet>) {
        if !self.survives(now, &packet) {
            return self.lose(DropCause::ErrorModel, packet);
        }
        self.hand_over(packet);
    }

    /// Whether no error model takes a packet that reaches the far end at `now`.
    #[inline]
    pub(super) fn survives(&mut self, now: Instant, packet: &Packet) -> bool {
        survives(self.end, now, packet)
    }

    /// A packet leaves the link at the far end.
    #[inline]
    pub(super) fn hand_over(&mut self, packet: Box<Packet>) {
        self.counters.delivered.count(packet.wire_bytes);
        self.out.send(Port(0), packet);
    }

    /// A queue marks a packet; `false` where it is not ECN-capable.
    pub(crate) fn mark(&mut self, packet: &mut Packet) -> bool {
        let is_marked = packet.ecn.mark();
        if is_marked {
            self.counters.marked.count(packet.wire_bytes);
            self.out.event(|| Event::marked(packet));
        }
        is_marked
    }

    /// A packet is lost.
    #[cold]
    pub(crate) fn lose(&mut self, cause: DropCause, packet: Box<Packet>) {
        self.counters.dropped.count(cause, packet.wire_bytes);
        self.out.event(|| Event::dropped(cause, &packet));
        self.out.recycle(packet);
    }
}
