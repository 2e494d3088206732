//! Where a link's packets end: delivered, or lost for a cause. The only place that counts them.

use super::Port;
use super::counters::{Cause, Counters};
use crate::error::ErrorStage;
use seamline_wire::{Event, Instant, Outbox, Packet};

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
            return self.lose(Cause::ErrorModel, packet);
        }
        self.counters.delivered.add(packet.wire_bytes);
        self.out.send(Port(0), packet);
    }

    /// A packet is lost.
    #[cold]
    pub(super) fn lose(&mut self, cause: Cause, packet: Box<Packet>) {
        self.counters.dropped.of(cause).add(packet.wire_bytes);
        self.out.event(|| Event::dropped(cause.into(), &packet));
        self.out.recycle(packet);
    }
}
