//! One timer for all that a sender waits for, with the resolution of a kernel's timers.

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
    /// Kernel ticks; zero for a timer that is exact.
    tick: Duration,
    armed: Option<(Purpose, Instant)>,
}

/// A timer wheel has levels of so many slots ...
const SLOTS: u64 = 64;
/// ... each of which lasts eight times as long as one of the level before.
const LEVEL_SHIFT: u32 = 3;
const LEVELS: u32 = 9;

/// When a timer of a kernel fires that is set at `now` to expire after `ticks`: with the tick after, and the later the longer it
/// is, because a wheel keeps distant timers in coarser slots (Linux, `calc_wheel_index`).
pub(crate) fn wheel(now: Instant, ticks: u64, tick: Duration) -> Instant {
    let expires = now.as_nanos() / tick.as_nanos() + ticks;
    let level =
        (1..LEVELS).take_while(|level| ticks >= (SLOTS - 1) << ((level - 1) * LEVEL_SHIFT)).count() as u32;
    let shift = level * LEVEL_SHIFT;
    let slot = ((expires >> shift) + 1) << shift;
    Instant::from_nanos(slot * tick.as_nanos())
}

/// `duration` in ticks, a part counted as one.
pub(crate) fn ticks(duration: Duration, tick: Duration) -> u64 {
    duration.as_nanos().div_ceil(tick.as_nanos())
}

/// The next whole microsecond.
pub(super) fn round_up(at: Instant) -> Instant {
    Instant::from_nanos(at.as_nanos().div_ceil(1000).saturating_mul(1000))
}

impl Timer {
    pub(super) fn new(tick: Duration) -> Self {
        Timer { tick, armed: None }
    }
    pub(super) fn purpose(&self) -> Option<Purpose> {
        self.armed.map(|(purpose, _)| purpose)
    }
    /// When it is due, [`Instant::MAX`] for never.
    pub(super) fn due(&self) -> Instant {
        self.armed.map_or(Instant::MAX, |(_, at)| at)
    }
    pub(super) fn arm(&mut self, purpose: Purpose, now: Instant, after: Duration) {
        let at = match self.tick {
            // The sender sees microseconds.
            Duration::ZERO => round_up(now + after),
            tick => wheel(now, ticks(after, tick), tick),
        };
        self.armed = Some((purpose, at));
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Worked by hand from the levels of the wheel: 1 ms up to 62 ms, 8 ms up to 503 ms, 64 ms up to 4,031 ms.
    #[test]
    fn distant_timers_are_coarser() {
        let tick = Duration::from_millis(1);
        let at = |now, after| wheel(Instant::from_millis(now), after, tick).as_nanos() / 1_000_000;
        assert_eq!(at(1000, 40), 1041);
        assert_eq!(at(1000, 62), 1063);
        assert_eq!(at(1000, 63), 1064);
        assert_eq!(at(1001, 200), 1208);
        assert_eq!(at(1000, 1000), 2048);
    }
}
