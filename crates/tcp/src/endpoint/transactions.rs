//! TCP for Transactions at one end of a connection: [`crate::transactions`].

use super::*;
use seamline_wire::ConnectionCount;

/// What an end knows of the counts of its connection.
#[derive(Clone, Copy, Debug)]
pub(super) struct Counted {
    /// What its SYN says.
    mark: Mark,
    /// Since when both ends have counted it.
    agreed_at: Option<Instant>,
}

/// A shortened TIME-WAIT lasts so many retransmission timeouts (RFC 1644 section 3.5).
const TIMEOUTS_OF_TIME_WAIT: u64 = 8;

impl Endpoint {
    /// The SYN of this end says this. To be called before it leaves.
    pub(crate) fn count(&mut self, count: ConnectionCount) {
        self.counted = Some(Box::new(Counted { mark: Mark::ConnectionCount(count), agreed_at: None }));
    }
    /// The peer has counted the connection too.
    pub(crate) fn agree_on_counts(&mut self, now: Instant) {
        if let Some(counted) = &mut self.counted {
            counted.agreed_at = Some(now);
        }
    }
    pub(super) fn mark_of_syn(&self) -> Option<Mark> {
        self.counted.as_ref().map(|counted| counted.mark)
    }
    /// How long TIME-WAIT lasts: where counts tell old segments from new ones, a connection that was shorter than the maximum segment
    /// lifetime need only wait for the peer's retransmissions.
    pub(super) fn time_wait(&self, now: Instant) -> Duration {
        let whole = self.parameters.connection.time_wait;
        let agreed_at = self.counted.as_ref().and_then(|counted| counted.agreed_at);
        match agreed_at.map(|at| now.saturating_since(at)) {
            Some(lasted) if lasted < whole / 2 => {
                whole.min(self.sender.sample().retransmission_timeout * TIMEOUTS_OF_TIME_WAIT)
            }
            _ => whole,
        }
    }
}
