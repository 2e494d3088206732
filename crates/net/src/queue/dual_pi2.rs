//! DualPI2, RFC 9332: a queue for scalable congestion controls (L4S), which get marks early, and one for classic ones. The marks of the first
//! are coupled to the drops of the second, so that both share the link fairly.
//!
//! It follows appendix A with the constants and the weighted round robin of Linux's `sch_dualpi2`.

use super::fifo::{Fifo, Waited};
use super::{Discipline, Limit};
use crate::link::Sink;
use seamline_wire::random::Stream;
use seamline_wire::{DropCause, Duration, Ecn, Instant, Packet};
use std::collections::VecDeque;

/// Parameters of DualPI2.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DualPi2Config {
    /// The delay of the classic queue that it aims at.
    pub target: Duration,
    /// Time from one update of the probability to the next.
    pub update_interval: Duration,
    /// Gain by the deviation from the target, per second.
    pub alpha: f64,
    /// Gain by the change of the delay, per second.
    pub beta: f64,
    /// How much more often low-latency packets are marked than the square root of the classic probability: k.
    pub coupling: f64,
    /// The delay above which each low-latency packet is marked.
    pub step_threshold: Duration,
    /// Share of the rate that the classic queue gets at least, 0 to 1.
    pub classic_share: f64,
    /// Largest packet in bytes, by which turns are weighted.
    pub maximum_packet: u32,
    /// Whether ECN-capable packets of the classic queue are marked in place of being dropped.
    pub ecn: bool,
    /// Room for waiting packets, of both queues.
    pub limit: Limit,
}

impl Default for DualPi2Config {
    /// Those of Linux, for round-trip times of up to 100 ms (RFC 9332 appendix A.1).
    fn default() -> Self {
        DualPi2Config {
            target: Duration::from_millis(15),
            update_interval: Duration::from_millis(16),
            alpha: 0.16,
            beta: 3.2,
            coupling: 2.0,
            step_threshold: Duration::from_millis(1),
            classic_share: 0.1,
            maximum_packet: 1514,
            ecn: true,
            limit: Limit::Packets(10_000),
        }
    }
}

#[derive(Debug)]
pub(super) struct DualPi2 {
    config: DualPi2Config,
    stream: Stream,
    low_latency: Fifo,
    classic: Fifo,
    next_update: Instant,
    /// p', whose square is the classic probability.
    base: f64,
    delay: Duration,
    /// Weighted bytes: it is the turn of the classic queue where this is positive.
    credit: f64,
}

impl DualPi2 {
    pub(super) fn new(config: DualPi2Config, stream: Stream) -> Self {
        DualPi2 {
            config,
            stream,
            low_latency: Fifo::default(),
            classic: Fifo::default(),
            next_update: Instant::ZERO + config.update_interval,
            base: 0.0,
            delay: Duration::ZERO,
            credit: Self::first_credit(&config),
        }
    }

    fn first_credit(config: &DualPi2Config) -> f64 {
        f64::from(config.maximum_packet) * (2.0 * config.classic_share - 1.0)
    }

    /// Whether a packet is of the low-latency service (RFC 9331 section 5.1).
    fn is_low_latency(packet: &Packet) -> bool {
        matches!(packet.ecn, Ecn::Ect1 | Ecn::Ce)
    }
    fn queue_of(&mut self, packet: &Packet) -> &mut Fifo {
        if Self::is_low_latency(packet) { &mut self.low_latency } else { &mut self.classic }
    }

    /// Make the updates that are due. Nothing that they look at has changed since the last packet, but the time.
    fn update(&mut self, now: Instant) {
        while self.next_update <= now {
            let at = self.next_update;
            let delay = self.low_latency.delay(at).max(self.classic.delay(at));
            if self.base == 0.0 && delay.is_zero() && self.delay.is_zero() && self.len() == 0 {
                let interval = self.config.update_interval.as_nanos().max(1);
                let missed = now.saturating_since(at).as_nanos() / interval + 1;
                self.next_update += Duration::from_nanos(missed * interval);
                return;
            }
            self.update_once(delay);
            self.next_update += self.config.update_interval;
        }
    }

    /// The PI controller of appendix A.1.
    fn update_once(&mut self, delay: Duration) {
        let [now, before, target] = [delay, self.delay, self.config.target].map(Duration::as_secs_f64);
        let step = self.config.alpha * (now - target) + self.config.beta * (now - before);
        self.base = (self.base + step).clamp(0.0, 1.0);
        self.delay = delay;
    }

    /// The probability of low-latency packets by the classic queue.
    fn coupled(&self) -> f64 {
        self.base * self.config.coupling
    }

    /// Weighted round robin: the queue whose turn it is.
    fn take_turn(&mut self) -> Option<(bool, Waited)> {
        let share = self.config.classic_share;
        let takes_low_latency =
            !self.low_latency.is_empty() && (self.credit <= 0.0 || self.classic.is_empty());
        let (other_waits, waited, weight) = if takes_low_latency {
            (!self.classic.is_empty(), self.low_latency.pop(), share)
        } else {
            (!self.low_latency.is_empty(), self.classic.pop(), share - 1.0)
        };
        let Some(waited) = waited else {
            self.credit = Self::first_credit(&self.config);
            return None;
        };
        if other_waits {
            self.credit += weight * waited.size() as f64;
        }
        Some((takes_low_latency, waited))
    }

    /// Appendix A.2, for a packet of the low-latency queue: whether it passes. Each draws two numbers.
    fn passes_low_latency(&mut self, now: Instant, waited: &mut Waited, sink: &mut Sink<'_>) -> bool {
        let (first, second) = (self.stream.uniform(), self.stream.uniform());
        let is_late = now.saturating_since(waited.since) > self.config.step_threshold;
        if self.coupled() >= 1.0 && first.max(second) < self.base {
            return false;
        }
        if is_late || first < self.coupled() {
            sink.mark(&mut waited.packet);
        }
        true
    }

    /// Appendix A.2, for a packet of the classic queue: whether it passes. Two numbers below p' stand for one below its square.
    fn passes_classic(&mut self, waited: &mut Waited, sink: &mut Sink<'_>) -> bool {
        let is_signalled = self.stream.uniform().max(self.stream.uniform()) < self.base;
        let may_mark = self.config.ecn && self.coupled() < 1.0;
        !is_signalled || (may_mark && sink.mark(&mut waited.packet))
    }
}

impl Discipline for DualPi2 {
    fn enqueue(&mut self, now: Instant, packet: Box<Packet>, is_free: bool, sink: &mut Sink<'_>) -> bool {
        self.update(now);
        let (packets, bytes) = (self.len() as u64, self.bytes());
        let found = super::Backlog { transmitter_is_free: is_free, packets, bytes };
        let has_room = self.config.limit.admits(found, packet.wire_bytes);
        match has_room {
            true => self.queue_of(&packet).push(now, packet),
            false => sink.lose(DropCause::QueueOverflow, packet),
        }
        has_room
    }
    fn dequeue(&mut self, now: Instant, sink: &mut Sink<'_>) -> Option<Waited> {
        self.update(now);
        loop {
            let (is_low_latency, mut waited) = self.take_turn()?;
            let passes = match is_low_latency {
                true => self.passes_low_latency(now, &mut waited, sink),
                false => self.passes_classic(&mut waited, sink),
            };
            if passes {
                return Some(waited);
            }
            sink.lose(DropCause::ActiveQueueManagement, waited.packet);
        }
    }
    fn put_back(&mut self, waited: Waited) {
        self.queue_of(&waited.packet).push_front(waited);
    }
    fn withdraw(&mut self, wanted: &mut dyn FnMut(&Packet) -> bool) -> VecDeque<Box<Packet>> {
        let mut taken = VecDeque::new();
        self.low_latency.withdraw(wanted, &mut taken);
        self.classic.withdraw(wanted, &mut taken);
        taken
    }
    fn len(&self) -> usize {
        self.low_latency.len() + self.classic.len()
    }
    fn bytes(&self) -> u64 {
        self.low_latency.bytes() + self.classic.bytes()
    }
}

#[cfg(test)]
#[path = "dual_pi2/tests.rs"]
mod tests;
