//! Links in series. Where nothing but time decides when a link's packets reach the far end, they can be handed over late, each with its
//! time: whoever holds the links need not wake them for it.

use super::{Core, Link, Sink};
use seamline_wire::{Instant, Outbox, Packet};

/// The packet that a link hands over next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct First {
    /// When it reaches the far end.
    pub at: Instant,
    /// Since when it is the first inside the link.
    pub since: Instant,
    /// Its bytes on the wire.
    pub wire_bytes: u32,
}

impl Link {
    /// Whether packets can be handed over late: conditions are constant, and the queue decides on arrival.
    pub fn is_constant(&self) -> bool {
        matches!(self.core, Core::Constant(_))
    }

    /// The packet that is handed over next. `None` of an empty link, and of one that is not constant.
    #[inline]
    pub fn first(&self) -> Option<First> {
        let Core::Constant(core) = &self.core else { return None };
        core.first().map(|(since, first)| First {
            at: first.arrival,
            since,
            wire_bytes: first.packet.wire_bytes,
        })
    }

    /// What the first packet of the link before this one is here, if it is not lost on the way. This link is constant and empty.
    pub fn first_after(&self, before: First) -> Option<First> {
        let Core::Constant(core) = &self.core else { return None };
        let at = core.crossed_at(before.at, before.wire_bytes);
        Some(First { at, since: before.at, ..before })
    }

    /// Hand over the next packet that is due by `now`, with the time of its arrival at the far end, where error models may have taken others
    /// before it.
    #[inline]
    pub fn hand_over_late(&mut self, now: Instant, out: &mut Outbox) -> Option<(Instant, Box<Packet>)> {
        let Core::Constant(core) = &mut self.core else { return None };
        let mut sink = Sink { out, counters: &mut self.counters, end: &mut self.end };
        while let Some(carried) = core.take_due(now) {
            if let Some(packet) = sink.survivor(carried.arrival, carried.packet) {
                return Some((carried.arrival, packet));
            }
        }
        None
    }
}
