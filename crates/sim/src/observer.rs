//! Observers of a run.

use crate::world::ElementId;
use seamline_wire::{Event, Instant, Packet};

/// Sees the events and packets of a run. Chosen by type, so that a run without an observer costs nothing.
pub trait Observer {
    /// Whether elements should build events and packets be shown.
    const LISTENS: bool = true;
    /// Something happened at an element.
    fn event(&mut self, now: Instant, at: ElementId, event: &Event);
    /// A packet leaves a machine.
    fn sent(&mut self, _now: Instant, _from: ElementId, _packet: &Packet) {}
    /// A packet arrives at a machine.
    fn arrived(&mut self, _now: Instant, _at: ElementId, _packet: &Packet) {}
}

/// Observes nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoObserver;

impl Observer for NoObserver {
    const LISTENS: bool = false;
    fn event(&mut self, _now: Instant, _at: ElementId, _event: &Event) {}
}
