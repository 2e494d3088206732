//! Losses from a recording, packet by packet.

use super::{Arrival, ErrorModel};
use std::sync::Arc;

/// Replays a recorded sequence of losses, from the start again at its end. An empty one loses nothing.
#[derive(Clone, Debug)]
pub struct LossTrace {
    lost: Arc<[bool]>,
    next: usize,
}

impl LossTrace {
    /// The fate of each packet in turn: `true` is lost.
    pub fn new(lost: impl Into<Arc<[bool]>>) -> Self {
        LossTrace { lost: lost.into(), next: 0 }
    }
}

impl ErrorModel for LossTrace {
    fn loses(&mut self, _: Arrival<'_>) -> bool {
        let Some(&lost) = self.lost.get(self.next) else { return false };
        self.next += 1;
        if self.next == self.lost.len() {
            self.next = 0;
        }
        lost
    }
}
