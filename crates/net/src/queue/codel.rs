//! Controlled delay (CoDel), RFC 8289: a queue whose packets have all waited longer than a target for a
//! whole interval drops one, then drops at intervals that shrink with the square root of their number.

use super::{ActiveManagement, Head, Limit};
use seamline_wire::random::Stream;
use seamline_wire::{Duration, Instant};

/// Parameters of CoDel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CoDelConfig {
    /// Acceptable standing time in the queue (RFC 8289 section 4.3).
    pub target: Duration,
    /// Time in which a standing queue must be seen; about the worst round-trip time (section 4.3).
    pub interval: Duration,
    /// Largest packet in bytes; a backlog of not more than one such packet is never dropped from.
    pub maximum_packet: u32,
    /// Room for waiting packets.
    pub limit: Option<Limit>,
}

impl Default for CoDelConfig {
    /// The recommended values: 5 ms and 100 ms, packets of 1500 bytes, no other limit.
    fn default() -> Self {
        CoDelConfig {
            target: Duration::from_millis(5),
            interval: Duration::from_millis(100),
            maximum_packet: 1500,
            limit: None,
        }
    }
}

/// The state of RFC 8289 section 5.3, under the names used there.
#[derive(Debug)]
pub(super) struct CoDel {
    config: CoDelConfig,
    first_above_time: Option<Instant>,
    drop_next: Instant,
    count: u32,
    lastcount: u32,
    dropping: bool,
}

impl CoDel {
    pub(super) fn new(config: CoDelConfig) -> Self {
        CoDel {
            config,
            first_above_time: None,
            drop_next: Instant::ZERO,
            count: 0,
            lastcount: 0,
            dropping: false,
        }
    }

    /// Section 5.5, `dodequeue`: whether the packets have been above target for a whole interval.
    fn may_drop(&mut self, now: Instant, head: Option<Head>) -> bool {
        let below = head.is_none_or(|head| {
            now.saturating_since(head.since) < self.config.target
                || head.bytes_behind <= u64::from(self.config.maximum_packet)
        });
        if below {
            self.first_above_time = None;
            return false;
        }
        match self.first_above_time {
            None => {
                self.first_above_time = Some(now + self.config.interval);
                false
            }
            Some(since) => now >= since,
        }
    }

    /// Starts from the drop rate of the last cycle when that one ended a short while ago.
    fn enter_drop_state(&mut self, now: Instant) {
        self.dropping = true;
        let delta = self.count - self.lastcount;
        let recent = now.saturating_since(self.drop_next) < self.config.interval * 16;
        self.count = if delta > 1 && recent { delta } else { 1 };
        self.drop_next = self.control_law(now);
        self.lastcount = self.count;
    }

    /// Section 5.4: the next drop follows `interval / sqrt(count)` after the last.
    fn control_law(&self, last: Instant) -> Instant {
        last + self.config.interval.mul_f64(1.0 / libm::sqrt(f64::from(self.count)))
    }
}

impl ActiveManagement for CoDel {
    /// Section 5.5, `dequeue`.
    fn before_sending(
        &mut self,
        now: Instant,
        head: Option<Head>,
        _: &mut Stream,
        drop_head: &mut dyn FnMut() -> Option<Head>,
    ) {
        let mut ok_to_drop = self.may_drop(now, head);
        if self.dropping {
            self.dropping = ok_to_drop;
            while self.dropping && now >= self.drop_next {
                self.count += 1;
                ok_to_drop = self.may_drop(now, drop_head());
                if ok_to_drop {
                    self.drop_next = self.control_law(self.drop_next);
                } else {
                    self.dropping = false;
                }
            }
        } else if ok_to_drop {
            self.may_drop(now, drop_head());
            self.enter_drop_state(now);
        }
    }
}
