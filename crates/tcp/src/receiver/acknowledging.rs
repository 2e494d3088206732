//! When the receiver acknowledges.

use super::Receiver;
use crate::offset::Offset;
use seamline_wire::Instant;

impl Receiver {
    pub(super) fn schedule_acknowledgment(&mut self, now: Instant) {
        let Some(delay) = self.parameters.delayed_acknowledgment else {
            self.acknowledge_now = true;
            return;
        };
        self.segments_unacknowledged += 1;
        if self.segments_unacknowledged >= delay.segments {
            self.acknowledge_now = true;
        } else if self.acknowledge_at.is_none() {
            self.acknowledge_at = Some(now + delay.timeout);
        }
    }

    /// Whether an acknowledgment must leave before anything else happens.
    pub fn must_acknowledge(&self) -> bool {
        self.acknowledge_now
    }

    /// Acknowledge with the next segment, at once.
    pub fn acknowledge_soon(&mut self) {
        self.acknowledge_now = true;
    }

    /// Last.ACK.sent (RFC 7323 section 4.3).
    pub fn last_acknowledged(&self) -> Offset {
        self.last_acknowledged
    }

    /// When a delayed acknowledgment is due.
    pub fn acknowledge_at(&self) -> Option<Instant> {
        self.acknowledge_at
    }

    /// A segment with an acknowledgment has left.
    pub fn acknowledged(&mut self) {
        self.last_acknowledged = self.next;
        self.acknowledge_now = false;
        self.acknowledge_at = None;
        self.segments_unacknowledged = 0;
    }
}
