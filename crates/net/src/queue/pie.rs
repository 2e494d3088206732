//! PIE, RFC 8033, with the choices of Linux's `sch_pie`: packets are dropped, or marked, as they arrive, with a probability that a
//! proportional integral controller derives from the delay of the queue.
//!
//! Left out: the estimator of the departure rate (the delay is that of the packet that left last, as is the default in Linux) and
//! probabilities by size.

use super::Limit;
use super::fifo::{Fifo, Management, Waited};
use crate::link::Sink;
use seamline_wire::random::Stream;
use seamline_wire::{Duration, Instant, Packet};

/// Parameters of PIE.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PieConfig {
    /// The delay of the queue that it aims at.
    pub target: Duration,
    /// Time from one update of the probability to the next.
    pub update_interval: Duration,
    /// Gain by the deviation from the target, per second.
    pub alpha: f64,
    /// Gain by the change of the delay, per second.
    pub beta: f64,
    /// Time for which a queue that was empty passes everything.
    pub burst_allowance: Duration,
    /// Largest packet in bytes; while less than two such packets wait, nothing is dropped.
    pub maximum_packet: u32,
    /// Whether ECN-capable packets are marked in place of being dropped, while the probability is at most 10 %.
    pub ecn: bool,
    /// Room for waiting packets.
    pub limit: Limit,
}

impl Default for PieConfig {
    /// Those of RFC 8033 section 5.1 and of Linux: no marks, 1000 packets.
    fn default() -> Self {
        PieConfig {
            target: Duration::from_millis(15),
            update_interval: Duration::from_millis(15),
            alpha: 0.125,
            beta: 1.25,
            burst_allowance: Duration::from_millis(150),
            maximum_packet: 1514,
            ecn: false,
            limit: Limit::Packets(1000),
        }
    }
}

/// A delay above which the probability rises in large steps (section 5.2).
const LONG: Duration = Duration::from_millis(250);
const LARGE_STEP: f64 = 0.02;

#[derive(Debug)]
pub(super) struct Pie {
    config: PieConfig,
    stream: Stream,
    next_update: Instant,
    probability: f64,
    /// The probabilities since the last drop, added up.
    accumulated: f64,
    burst_left: Duration,
    delay: Duration,
    previous_delay: Duration,
    last_departure: Option<Instant>,
}

impl Pie {
    pub(super) fn new(config: PieConfig, stream: Stream) -> Self {
        Pie {
            config,
            stream,
            next_update: Instant::ZERO + config.update_interval,
            probability: 0.0,
            accumulated: 0.0,
            burst_left: config.burst_allowance,
            delay: Duration::ZERO,
            previous_delay: Duration::ZERO,
            last_departure: None,
        }
    }

    /// Make the updates that are due. Nothing that they look at has changed since the last packet.
    fn update(&mut self, now: Instant, has_backlog: bool) {
        while self.next_update <= now {
            if self.is_at_rest() {
                let interval = self.config.update_interval.as_nanos().max(1);
                let missed = now.saturating_since(self.next_update).as_nanos() / interval + 1;
                self.next_update += Duration::from_nanos(missed * interval);
                return;
            }
            self.update_once(has_backlog);
            self.next_update += self.config.update_interval;
        }
    }

    /// Whether an update changes nothing.
    fn is_at_rest(&self) -> bool {
        self.probability == 0.0
            && (self.delay, self.previous_delay) == (Duration::ZERO, Duration::ZERO)
            && self.burst_left == self.config.burst_allowance
            && self.last_departure.is_none()
    }

    /// RFC 8033 section 5.2.
    fn update_once(&mut self, has_backlog: bool) {
        let [delay, previous, target] =
            [self.delay, self.previous_delay, self.config.target].map(Duration::as_secs_f64);
        let step = self.config.alpha * (delay - target) + self.config.beta * (delay - previous);
        let mut step = step * scale(self.probability);
        if step > LARGE_STEP && self.probability >= 0.1 {
            step = LARGE_STEP;
        }
        if self.delay > LONG {
            step += LARGE_STEP;
        }
        self.probability = (self.probability + step).clamp(0.0, 1.0);
        let was_empty = self.delay.is_zero() && self.previous_delay.is_zero();
        if was_empty && !has_backlog {
            self.probability -= self.probability / 64.0;
        }
        let low = |delay: Duration| delay * 2 < self.config.target;
        if low(self.delay) && low(self.previous_delay) && self.probability == 0.0 {
            self.accumulated = 0.0;
            self.burst_left = self.config.burst_allowance;
            self.last_departure = None;
        }
        self.previous_delay = self.delay;
    }

    /// Section 5.1: whether chance takes a packet that finds so many bytes. It draws one number for each packet.
    fn is_unlucky(&mut self, backlog: u64) -> bool {
        let drawn = self.stream.uniform();
        let is_calm = self.delay * 2 < self.config.target && self.probability < 0.2;
        if !self.burst_left.is_zero() || is_calm || backlog < 2 * u64::from(self.config.maximum_packet) {
            return false;
        }
        self.accumulated = if self.probability == 0.0 { 0.0 } else { self.accumulated + self.probability };
        // Section 5.4: drops are neither too close to each other nor too far apart.
        let is_taken = match self.accumulated {
            sum if sum < 0.85 => return false,
            sum if sum >= 8.5 => true,
            _ => drawn < self.probability,
        };
        if is_taken {
            self.accumulated = 0.0;
        }
        is_taken
    }
}

/// Section 5.2: gains are smaller for small probabilities.
fn scale(probability: f64) -> f64 {
    const STEPS: [(f64, f64); 6] =
        [(1e-6, 2048.0), (1e-5, 512.0), (1e-4, 128.0), (1e-3, 32.0), (1e-2, 8.0), (1e-1, 2.0)];
    STEPS.iter().find(|(below, _)| probability < *below).map_or(1.0, |(_, divisor)| 1.0 / divisor)
}

impl Management for Pie {
    fn admits(&mut self, now: Instant, packet: &mut Packet, queue: &Fifo, sink: &mut Sink<'_>) -> bool {
        self.update(now, !queue.is_empty());
        if !self.is_unlucky(queue.bytes()) {
            return true;
        }
        self.config.ecn && self.probability <= 0.1 && sink.mark(packet)
    }
    fn take(&mut self, now: Instant, queue: &mut Fifo, _: &mut Sink<'_>) -> Option<Waited> {
        self.update(now, !queue.is_empty());
        let waited = queue.pop()?;
        self.delay = if queue.is_empty() { Duration::ZERO } else { now.saturating_since(waited.since) };
        let since_last = self.last_departure.map_or(Duration::ZERO, |last| now.saturating_since(last));
        self.last_departure = Some(now);
        self.burst_left -= since_last;
        Some(waited)
    }
}

#[cfg(test)]
#[path = "pie/tests.rs"]
mod tests;
