//! Controlled delay (CoDel), RFC 8289: a queue whose packets have all waited longer than a target for a
//! whole interval drops one, then drops at intervals that shrink with the square root of their number. With ECN it marks
//! where it would drop, as in Linux, if the packet is ECN-capable.

use super::Limit;
use super::fifo::{Fifo, Management, Waited};
use crate::link::Sink;
use seamline_wire::{DropCause, Duration, Instant};

/// Parameters of CoDel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CoDelConfig {
    /// Acceptable standing time in the queue (RFC 8289 section 4.3).
    pub target: Duration,
    /// Time in which a standing queue must be seen; about the worst round-trip time (section 4.3).
    pub interval: Duration,
    /// Largest packet in bytes; a backlog of not more than one such packet is never dropped from.
    pub maximum_packet: u32,
    /// Whether ECN-capable packets are marked in place of being dropped.
    pub ecn: bool,
    /// Room for waiting packets.
    pub limit: Option<Limit>,
}

impl Default for CoDelConfig {
    /// The recommended values: 5 ms and 100 ms, packets of 1500 bytes, no other limit. No marks, as in Linux.
    fn default() -> Self {
        CoDelConfig {
            target: Duration::from_millis(5),
            interval: Duration::from_millis(100),
            maximum_packet: 1500,
            ecn: false,
            limit: None,
        }
    }
}

/// What decides when packets are dropped.
#[derive(Clone, Copy, Debug)]
pub(super) struct Law {
    pub(super) target: Duration,
    pub(super) interval: Duration,
    pub(super) maximum_packet: u32,
    pub(super) ecn: bool,
}

impl From<CoDelConfig> for Law {
    fn from(CoDelConfig { target, interval, maximum_packet, ecn, .. }: CoDelConfig) -> Self {
        Law { target, interval, maximum_packet, ecn }
    }
}

impl Law {
    /// RFC 8289 section 5.4: the next drop follows `interval / sqrt(count)` after the last.
    pub(super) fn next(&self, last: Instant, count: u32) -> Instant {
        last + self.interval.mul_f64(1.0 / libm::sqrt(f64::from(count)))
    }
}

/// The state of RFC 8289 section 5.3, under the names used there.
#[derive(Debug, Default)]
pub(super) struct Control {
    first_above_time: Option<Instant>,
    drop_next: Instant,
    count: u32,
    lastcount: u32,
    dropping: bool,
}

impl Control {
    /// Section 5.5, `dequeue`: the packet to send next from `queue`. So many bytes wait `elsewhere` for the same transmitter.
    pub(super) fn take(
        &mut self,
        now: Instant,
        law: &Law,
        queue: &mut Fifo,
        elsewhere: u64,
        sink: &mut Sink<'_>,
    ) -> Option<Waited> {
        let ok_to_drop = self.may_drop(now, law, queue, elsewhere);
        if self.dropping {
            self.dropping = ok_to_drop;
            while self.dropping && now >= self.drop_next {
                self.count += 1;
                let is_marked = law.ecn && queue.mark_first(sink);
                self.dropping = is_marked || self.drop_first(now, law, queue, elsewhere, sink);
                if self.dropping {
                    self.drop_next = law.next(self.drop_next, self.count);
                }
                if is_marked {
                    break;
                }
            }
        } else if ok_to_drop {
            if !(law.ecn && queue.mark_first(sink)) {
                self.drop_first(now, law, queue, elsewhere, sink);
            }
            self.enter_drop_state(now, law);
        }
        queue.pop()
    }

    /// These were dropped because the queue was full: the control law goes on from there.
    pub(super) fn note_overflow(&mut self, packets: u32) {
        self.count += packets;
    }

    /// Whether one more may be dropped.
    fn drop_first(
        &mut self,
        now: Instant,
        law: &Law,
        queue: &mut Fifo,
        elsewhere: u64,
        sink: &mut Sink<'_>,
    ) -> bool {
        queue.lose_first(DropCause::ActiveQueueManagement, sink);
        self.may_drop(now, law, queue, elsewhere)
    }

    /// Section 5.5, `dodequeue`: whether the packets have been above target for a whole interval.
    fn may_drop(&mut self, now: Instant, law: &Law, queue: &Fifo, elsewhere: u64) -> bool {
        let below = queue.first().is_none_or(|first| {
            now.saturating_since(first.since) < law.target
                || queue.bytes() - first.size() + elsewhere <= u64::from(law.maximum_packet)
        });
        if below {
            self.first_above_time = None;
            return false;
        }
        match self.first_above_time {
            None => {
                self.first_above_time = Some(now + law.interval);
                false
            }
            Some(since) => now >= since,
        }
    }

    /// Starts from the drop rate of the last cycle when that one ended a short while ago.
    fn enter_drop_state(&mut self, now: Instant, law: &Law) {
        self.dropping = true;
        let delta = self.count - self.lastcount;
        let recent = now.saturating_since(self.drop_next) < law.interval * 16;
        self.count = if delta > 1 && recent { delta } else { 1 };
        self.drop_next = law.next(now, self.count);
        self.lastcount = self.count;
    }
}

/// CoDel on the only queue of a link.
#[derive(Debug)]
pub(super) struct CoDel {
    law: Law,
    control: Control,
}

impl CoDel {
    pub(super) fn new(config: CoDelConfig) -> Self {
        CoDel { law: config.into(), control: Control::default() }
    }
}

impl Management for CoDel {
    fn take(&mut self, now: Instant, queue: &mut Fifo, sink: &mut Sink<'_>) -> Option<Waited> {
        self.control.take(now, &self.law, queue, 0, sink)
    }
}
