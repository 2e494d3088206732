//! Automatic repeat request: selective repeat with a bounded number of retransmissions.

use super::Framed;
use seamline_wire::{Duration, Instant, Packet};
use std::collections::VecDeque;

/// Retransmission of lost frames.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ArqConfig {
    /// How often a frame is sent again at most. With independent losses of probability `p` a packet is lost with `p^(n+1)`.
    pub retransmissions: u32,
    /// The order in which packets are delivered.
    pub delivery: Delivery,
    /// From one status report of the receiver to the next; zero: it reports each loss at once.
    pub report_interval: Duration,
    /// How long a report takes to the transmitter; `None` is the one-way delay of the link.
    pub report_delay: Option<Duration>,
}

impl Default for ArqConfig {
    /// Three retransmissions, reported at once, and packets in order. The paper states no number of retransmissions.
    fn default() -> Self {
        ArqConfig {
            retransmissions: 3,
            delivery: Delivery::InOrder,
            report_interval: Duration::ZERO,
            report_delay: None,
        }
    }
}

/// The order in which the far end delivers packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// That in which they were first sent. A packet waits for those before it until they are repaired or given up.
    InOrder,
    /// As they arrive.
    OutOfOrder,
}

/// The transmitter's part, and the reports on their way to it.
#[derive(Debug)]
pub(super) struct Arq {
    config: ArqConfig,
    /// Lost frames, each with the time at which the transmitter learns of it.
    reports: VecDeque<(Instant, Framed)>,
}

impl Arq {
    pub(super) fn new(config: ArqConfig) -> Self {
        Arq { config, reports: VecDeque::new() }
    }

    /// Whether a frame is sent again that was sent again so often.
    pub(super) fn repeats(&self, retransmissions: u32) -> bool {
        retransmissions < self.config.retransmissions
    }

    /// The receiver notices a loss.
    pub(super) fn report(&mut self, now: Instant, one_way_delay: Duration, framed: Framed) {
        let at = self.next_status(now) + self.config.report_delay.unwrap_or(one_way_delay);
        // Delays of the link may change: reports keep the order of their arrival.
        let place = self.reports.partition_point(|(known, _)| *known <= at);
        self.reports.insert(place, (at, framed));
    }

    /// The time of the first status report that can say what is known now.
    fn next_status(&self, now: Instant) -> Instant {
        let (now, interval) = (now.as_nanos(), self.config.report_interval.as_nanos());
        let at = if interval == 0 { now } else { now.div_ceil(interval) * interval };
        Instant::ZERO + Duration::from_nanos(at)
    }

    pub(super) fn next_report(&self) -> Option<Instant> {
        self.reports.front().map(|(at, _)| *at)
    }

    /// What the transmitter knows to be lost by then, in the order of its learning.
    pub(super) fn reported_by(&mut self, now: Instant) -> impl Iterator<Item = Framed> {
        let count = self.reports.partition_point(|(at, _)| *at <= now);
        self.reports.drain(..count).map(|(_, framed)| framed)
    }

    pub(super) fn len(&self) -> usize {
        self.reports.len()
    }
}

/// A frame that was sent, at the far end.
#[derive(Debug)]
enum Slot {
    Expected,
    Held(Box<Packet>),
    Lost,
}

/// The receiver that delivers in order.
#[derive(Debug, Default)]
pub(super) struct InOrder {
    /// The number of the first frame in `slots`.
    first: u64,
    /// From the first frame on whose fate is open.
    slots: VecDeque<Slot>,
}

impl InOrder {
    /// One frame more has been sent.
    pub(super) fn expect(&mut self) {
        self.slots.push_back(Slot::Expected);
    }

    /// The fate of a frame; packets that no longer wait are handed over.
    pub(super) fn resolve(
        &mut self,
        number: u64,
        packet: Option<Box<Packet>>,
        mut hand_over: impl FnMut(Box<Packet>),
    ) {
        self.slots[(number - self.first) as usize] = packet.map_or(Slot::Lost, Slot::Held);
        let is_open = |slot: &Slot| matches!(slot, Slot::Expected);
        let settled = self.slots.iter().position(is_open).unwrap_or(self.slots.len());
        self.first += settled as u64;
        for slot in self.slots.drain(..settled) {
            if let Slot::Held(packet) = slot {
                hand_over(packet);
            }
        }
    }

    /// How many packets wait.
    pub(super) fn held(&self) -> usize {
        self.slots.iter().filter(|slot| matches!(slot, Slot::Held(_))).count()
    }
}
