//! COBALT: CoDel whose count decays as it grew, and BLUE (Feng et al., IEEE/ACM ToN 2002) for flows that do not respond.

use super::CakeConfig;
use crate::link::Sink;
use crate::queue::fifo::Waited;
use seamline_wire::{Duration, Instant};

/// What BLUE's probability gains when the queue is full, and loses when a flow is idle.
const INCREMENT: f64 = 1.0 / 256.0;
const DECREMENT: f64 = 1.0 / 4096.0;

#[derive(Debug, Default)]
pub(super) struct Cobalt {
    count: u32,
    dropping: bool,
    drop_next: Instant,
    /// BLUE: the probability of a drop, and when it changed last.
    blue: f64,
    blue_changed: Instant,
}

fn control_law(last: Instant, interval: Duration, count: u32) -> Instant {
    last + interval.mul_f64(1.0 / libm::sqrt(f64::from(count.max(1))))
}

impl Cobalt {
    /// The buffer is full, and a packet of this flow is dropped for that.
    pub(super) fn note_full(&mut self, now: Instant, target: Duration) {
        if now.saturating_since(self.blue_changed) > target {
            self.blue = (self.blue + INCREMENT).min(1.0);
            self.blue_changed = now;
        }
        self.dropping = true;
        self.drop_next = now;
        self.count = self.count.max(1);
    }

    /// It was the flow's turn, and nothing waited.
    pub(super) fn note_empty(&mut self, now: Instant, target: Duration, interval: Duration) {
        if self.blue > 0.0 && now.saturating_since(self.blue_changed) > target {
            self.blue = (self.blue - DECREMENT).max(0.0);
            self.blue_changed = now;
        }
        self.dropping = false;
        self.step_back(now, interval);
    }

    /// One less in the count, if the time for the next drop has come. Returns whether it had.
    fn step_back(&mut self, now: Instant, interval: Duration) -> bool {
        let is_due = self.count > 0 && now >= self.drop_next;
        if is_due {
            self.count -= 1;
            self.drop_next = control_law(self.drop_next, interval, self.count);
        }
        is_due
    }

    /// Nothing is left of earlier congestion.
    pub(super) fn is_at_rest(&self, now: Instant) -> bool {
        self.blue == 0.0 && self.count == 0 && now >= self.drop_next
    }

    /// Whether to drop a packet that leaves its queue; it may be marked instead. `drawn` is uniform between 0 and 1.
    pub(super) fn should_drop(
        &mut self,
        now: Instant,
        config: &CakeConfig,
        waited: &mut Waited,
        drawn: f64,
        sink: &mut Sink<'_>,
    ) -> bool {
        let is_over_target = now.saturating_since(waited.since) > config.target;
        let is_due = self.count > 0 && now >= self.drop_next;
        if is_over_target && !self.dropping {
            self.drop_next = control_law(now, config.interval, self.count);
        }
        self.dropping = is_over_target;
        if is_over_target {
            self.count = self.count.max(1);
        }
        let mut drops = false;
        if is_due && is_over_target {
            drops = !(config.ecn && sink.mark(&mut waited.packet));
            self.count = self.count.saturating_add(1);
            self.drop_next = control_law(self.drop_next, config.interval, self.count);
        } else if is_due {
            while self.step_back(now, config.interval) {}
        }
        drops |= drawn < self.blue;
        self.note_activity(now, config.interval, drops);
        drops
    }

    /// The time of the next drop is also when an idle flow is forgotten; and it does not lie in the past for long.
    fn note_activity(&mut self, now: Instant, interval: Duration, drops: bool) {
        if self.count == 0 {
            self.drop_next = now + interval;
        } else if now > self.drop_next && !drops {
            self.drop_next = now;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// BLUE gains 1/256 at most once in a target while the buffer is full, and loses 1/4096 at each idle turn after a target.
    #[test]
    fn blue_follows_the_buffer() {
        let [target, interval] = [5, 100].map(Duration::from_millis);
        let mut cobalt = Cobalt::default();
        for millis in [10, 12, 15, 16] {
            cobalt.note_full(Instant::from_millis(millis), target);
        }
        assert_eq!(cobalt.blue, 2.0 / 256.0, "at 10 and 16 ms");
        for millis in [20, 22, 30, 40] {
            cobalt.note_empty(Instant::from_millis(millis), target, interval);
        }
        assert_eq!(cobalt.blue, 2.0 / 256.0 - 3.0 / 4096.0, "at 22, 30 and 40 ms");
        assert!(!cobalt.is_at_rest(Instant::from_secs(10)));
    }
}
