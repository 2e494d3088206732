//! When a message is sent again that nobody has answered: RFC 5568's schedule between nodes and access routers.

use seamline_wire::{Duration, Instant};

/// The time before the first retransmission when the round-trip time is unknown (sections 6.1.1 and 6.2.1.1); it doubles each time.
pub(crate) const FIRST_WAIT: Duration = Duration::from_millis(100);
/// RTSOLPR_RETRIES and HI_RETRIES (section 9).
const RETRIES: u32 = 3;

/// The retransmissions of a message that are left.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Retransmission {
    /// When the next is due, or the wait for an answer ends.
    pub(crate) at: Instant,
    wait: Duration,
    left: u32,
}

impl Retransmission {
    /// The message has just been sent.
    pub(crate) fn after(now: Instant) -> Self {
        Retransmission { at: now + FIRST_WAIT, wait: FIRST_WAIT * 2, left: RETRIES }
    }
    /// The message is to be sent now, and counts like the others.
    pub(crate) fn at_once(now: Instant) -> Self {
        Retransmission { at: now, wait: FIRST_WAIT, left: RETRIES + 1 }
    }
    /// Whether there was no answer to the last one in its time.
    pub(crate) fn is_over(&self, now: Instant) -> bool {
        self.at <= now && self.left == 0
    }
    /// Whether the message is due; then it counts as sent.
    pub(crate) fn take_due(&mut self, now: Instant) -> bool {
        let is_due = self.at <= now;
        if is_due {
            self.at = now + self.wait;
            self.wait = self.wait * 2;
            self.left -= 1;
        }
        is_due
    }
}
