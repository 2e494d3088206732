//! Where a link's packets end: delivered, or lost for a cause. The only place that counts them.

use super::Port;
use super::counters::Counters;
use crate::error::ErrorStage;
use seamline_wire::{DropCause, Event, Instant, Outbox, Packet};

#[derive(Debug)]
pub(super) struct Sink<'a> {
    pub(super) out: &'a mut Outbox,
    pub(super) counters: &'a mut Counters,
    /// Error models after propagation.
    pub(super) end: &'a mut [ErrorStage],
}

impl Sink<'_> {
    /// A packet reaches the far end at `now`, unless an error model takes it.
    #[inline]
    pub(super) fn deliver(&mut self, now: Instant, packet: Box<Packet>) {
        if self.end.iter_mut().any(|stage| stage.loses(now, &packet)) {
            return self.lose(DropCause::ErrorModel, packet);
        }
        self.counters.delivered.count(packet.wire_bytes);
        self.out.send(Port(0), packet);
    }

    /// A packet is lost.
    #[cold]
    pub(super) fn lose(&mut self, cause: DropCause, packet: Box<Packet>) {
        self.counters.dropped.count(cause, packet.wire_bytes);
        self.out.event(|| Event::dropped(cause, &packet));
        self.out.recycle(packet);
    }
}
