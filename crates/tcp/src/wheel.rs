//! Timers with the resolution of a kernel's: they are kept in the slots of a wheel, and fire with their slot.

use seamline_wire::{Duration, Instant};

/// A timer wheel has levels of so many slots ...
const SLOTS: u64 = 64;
/// ... each of which lasts eight times as long as one of the level before.
const LEVEL_SHIFT: u32 = 3;
const LEVELS: u32 = 9;

/// A timer of a kernel. It stays in its slot until it fires or is set for another tick.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WheelTimer {
    /// What the kernel's clock counts; zero for a timer that is exact.
    tick: Duration,
    slot: Option<Slot>,
}

#[derive(Clone, Copy, Debug)]
struct Slot {
    expires: Instant,
    fires: Instant,
}

impl WheelTimer {
    pub(crate) fn new(tick: Duration) -> Self {
        WheelTimer { tick, slot: None }
    }

    /// Set it at `now` to expire after so long, a part of a tick counted as one. Returns when it fires. A timer that was set for the
    /// same tick before stays in its slot, which may be a coarser one (Linux, `__mod_timer`).
    pub(crate) fn set(&mut self, now: Instant, after: Duration) -> Instant {
        let new = Slot::new(now, after, self.tick);
        let same = self.slot.filter(|slot| slot.fires > now && slot.expires == new.expires);
        self.slot.insert(same.unwrap_or(new)).fires
    }
    /// For when it was set last.
    pub(crate) fn expires(&self) -> Option<Instant> {
        self.slot.map(|slot| slot.expires)
    }
    /// When it fires.
    pub(crate) fn fires(&self) -> Option<Instant> {
        self.slot.map(|slot| slot.fires)
    }
    /// Whether it fires, once.
    pub(crate) fn take_due(&mut self, now: Instant) -> bool {
        self.slot.take_if(|slot| slot.fires <= now).is_some()
    }
    /// `duration` without the part of a tick.
    pub(crate) fn whole_ticks(&self, duration: Duration) -> Duration {
        match self.tick.as_nanos() {
            0 => duration,
            tick => Duration::from_nanos(duration.as_nanos() / tick * tick),
        }
    }
}

impl Slot {
    /// It fires with the tick after, and the later the longer it takes, because a wheel keeps distant timers in coarser slots (Linux,
    /// `calc_wheel_index`).
    fn new(now: Instant, after: Duration, tick: Duration) -> Self {
        let tick = tick.as_nanos();
        if tick == 0 {
            return Slot { expires: now + after, fires: now + after };
        }
        let ticks = after.as_nanos().div_ceil(tick);
        let expires = now.as_nanos() / tick + ticks;
        let level =
            (1..LEVELS).take_while(|level| ticks >= (SLOTS - 1) << ((level - 1) * LEVEL_SHIFT)).count();
        let shift = level as u32 * LEVEL_SHIFT;
        let slot = ((expires >> shift) + 1) << shift;
        Slot { expires: Instant::from_nanos(expires * tick), fires: Instant::from_nanos(slot * tick) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(timer: &mut WheelTimer, now: u64, after: u64) -> u64 {
        timer.set(Instant::from_millis(now), Duration::from_millis(after)).as_nanos() / 1_000_000
    }

    /// Worked by hand from the levels of the wheel: 1 ms up to 62 ms, 8 ms up to 503 ms, 64 ms up to 4,031 ms.
    #[test]
    fn distant_timers_are_coarser() {
        let at = |now, after| set(&mut WheelTimer::new(Duration::from_millis(1)), now, after);
        assert_eq!(at(1000, 40), 1041);
        assert_eq!(at(1000, 62), 1063);
        assert_eq!(at(1000, 63), 1064);
        assert_eq!(at(1001, 200), 1208);
        assert_eq!(at(1000, 1000), 2048);
        assert_eq!(set(&mut WheelTimer::new(Duration::ZERO), 1000, 1000), 2000);
    }

    #[test]
    fn a_timer_set_for_the_same_tick_stays_in_its_coarser_slot() {
        let mut timer = WheelTimer::new(Duration::from_millis(1));
        assert_eq!(set(&mut timer, 1001, 200), 1208);
        assert_eq!(set(&mut timer, 1168, 33), 1208);
        assert_eq!(set(&mut timer, 1168, 32), 1201);
        assert_eq!(set(&mut timer, 1168, 33), 1202);
    }
}
