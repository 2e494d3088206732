//! A link that computes ns-2's time of each arrival.

use super::ns2_clock::Ns2Clock;
use seamline_net::error::{Arrival, ErrorModel};
use seamline_net::{Counters, Link, LinkConfig};
use seamline_wire::{DropCause, Input, Instant, Machine, Outbox};
use std::collections::VecDeque;

/// A link, and what ns-2's clock would show when packets leave its transmitter and arrive: the sums of
/// `link/delay.cc`, in its order.
#[derive(Debug)]
pub(super) struct TimedLink {
    link: Link,
    clock: Ns2Clock,
    bits_per_second: f64,
    one_way_delay: f64,
    inside: VecDeque<Passage>,
}

/// Times of one packet in seconds.
#[derive(Clone, Copy, Debug)]
struct Passage {
    transmitter_free: f64,
    arrival: f64,
}

impl TimedLink {
    pub(super) fn new(config: LinkConfig, clock: Ns2Clock) -> Self {
        TimedLink {
            bits_per_second: config.rate.bits_per_second() as f64,
            one_way_delay: config.one_way_delay.as_millis_f64() * 1e-3,
            link: Link::new(config),
            clock,
            inside: VecDeque::new(),
        }
    }

    fn accept(&mut self, bytes: u32) {
        let now = self.clock.read();
        let start = self.inside.back().map_or(now, |last| last.transmitter_free.max(now));
        let transmission = 8.0 * f64::from(bytes) / self.bits_per_second;
        self.inside.push_back(Passage {
            transmitter_free: start + transmission,
            arrival: start + (transmission + self.one_way_delay),
        });
    }

    /// Take note of what the link has let go, and turn the clock to the latest arrival.
    fn follow(&mut self) {
        while self.inside.len() > self.link.packets_inside() {
            if let Some(passage) = self.inside.pop_front() {
                self.clock.set(passage.arrival);
            }
        }
    }
}

/// Loses what arrives in `[k * period, k * period + length)` seconds, k >= 1, by ns-2's clock: its commands
/// at the ends of an outage were scheduled before any packet.
#[derive(Clone, Debug)]
pub(super) struct TimedOutage {
    pub(super) period: f64,
    pub(super) length: f64,
    pub(super) clock: Ns2Clock,
}

impl ErrorModel for TimedOutage {
    fn loses(&mut self, _: Arrival<'_>) -> bool {
        let now = self.clock.read();
        let start = (now / self.period).floor() * self.period;
        start >= self.period && now < start + self.length
    }
}

impl Machine for TimedLink {
    fn step(&mut self, now: Instant, input: Input, out: &mut Outbox) {
        let bytes = match &input {
            Input::Packet(_, packet) => packet.wire_bytes,
            _ => 0,
        };
        if let (Input::Wake, Some(first)) = (&input, self.inside.front()) {
            self.clock.set(first.arrival);
        }
        let before = self.link.counters();
        self.link.step(now, input, out);
        let after = self.link.counters();
        let lost = |counters: &Counters| counters.dropped.of(DropCause::LinkDown).packets;
        let emptied = lost(&after) - lost(&before);
        self.inside.truncate(self.inside.len().saturating_sub(emptied as usize));
        if after.accepted.packets > before.accepted.packets {
            self.accept(bytes);
        }
        self.follow();
    }
    fn wake_at(&self) -> Option<Instant> {
        self.link.wake_at()
    }
}
