//! Where the error models of a link are.

use crate::error::ErrorStage;
use seamline_wire::{Instant, Packet};

/// The error models of a link that has any.
#[derive(Clone, Debug, Default)]
pub(super) struct Errors {
    /// Before the queue.
    pub(super) head: Option<ErrorStage>,
    /// After propagation, in this order.
    pub(super) end: Vec<ErrorStage>,
}

impl Errors {
    /// Whether a packet is lost before the queue.
    pub(super) fn lose_at_head(&mut self, now: Instant, packet: &Packet) -> bool {
        self.head.as_mut().is_some_and(|head| head.loses(now, packet))
    }

    /// Whether a packet that reaches the far end at `now` is lost there.
    pub(super) fn lose_at_end(&mut self, now: Instant, packet: &Packet) -> bool {
        self.end.iter_mut().any(|stage| stage.loses(now, packet))
    }
}
