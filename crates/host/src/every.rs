//! How often something is done.

use seamline_wire::{Duration, Instant};

/// Something that is done once in a period.
#[derive(Clone, Copy, Debug)]
pub struct Every {
    period: Duration,
    last: Option<Instant>,
}

impl Every {
    /// It is due at once, then once in each period.
    pub const fn new(period: Duration) -> Self {
        Every { period, last: None }
    }
    /// Whether it is due. If so, the next period begins.
    pub fn is_due(&mut self, now: Instant) -> bool {
        let is_due = self.last.is_none_or(|last| now.saturating_since(last) >= self.period);
        if is_due {
            self.last = Some(now);
        }
        is_due
    }
    /// It was done now, whether or not it was due.
    pub fn restart(&mut self, now: Instant) {
        self.last = Some(now);
    }
}
