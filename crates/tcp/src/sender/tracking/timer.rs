//! One timer for all that a sender waits for, with the resolution of a kernel's timers.

use crate::wheel::WheelTimer;
use seamline_wire::{Duration, Instant};

/// What the timer is for. One thing at a time: arming it for another replaces the former, as in Linux
/// (`icsk_pending`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// Nothing has been acknowledged for a retransmission timeout (RFC 6298).
    Retransmission,
    /// The last segments may be lost (RFC 8985 section 7).
    LossProbe,
    /// What may only be out of order has had its time (RFC 8985 section 6.2, step 5).
    Reordering,
    /// The peer's window is closed (RFC 9293 section 3.8.6.1).
    WindowProbe,
}

/// The timer of a sender.
#[derive(Clone, Copy, Debug)]
pub(super) struct Timer {
    /// Stays where it is when nothing is waited for (Linux, `inet_csk_clear_xmit_timer`).
    wheel: WheelTimer,
    armed: Option<(Purpose, Instant)>,
}

/// The next whole microsecond.
fn round_up(at: Instant) -> Instant {
    Instant::from_nanos(at.as_nanos().div_ceil(1000).saturating_mul(1000))
}

impl Timer {
    pub(super) fn new(tick: Duration) -> Self {
        Timer { wheel: WheelTimer::new(tick), armed: None }
    }
    pub(super) fn purpose(&self) -> Option<Purpose> {
        self.armed.map(|(purpose, _)| purpose)
    }
    /// When it is due, [`Instant::MAX`] for never.
    pub(super) fn due(&self) -> Instant {
        self.armed.map_or(Instant::MAX, |(_, at)| at)
    }
    /// `duration` without the part of a tick.
    pub(super) fn whole_ticks(&self, duration: Duration) -> Duration {
        self.wheel.whole_ticks(duration)
    }
    pub(super) fn arm(&mut self, purpose: Purpose, now: Instant, after: Duration) {
        // The sender sees microseconds.
        self.armed = Some((purpose, round_up(self.wheel.set(now, after))));
    }
    pub(super) fn stop(&mut self) {
        self.armed = None;
    }
    pub(super) fn stop_if(&mut self, purpose: Purpose) {
        if self.purpose() == Some(purpose) {
            self.armed = None;
        }
    }
}
