//! Drives one machine as the simulator does: each wake at its time, packets in order of arrival.
#![allow(dead_code, reason = "each test file uses a part of it")]

use seamline_net::{Link, LinkConfig, Schedule, Scheduled};
use seamline_wire::random::Stream;
use seamline_wire::{
    DropCause, Duration, Event, Input, Instant, Machine, Outbox, Port, Rate, SequenceNumber, Signal,
};

/// 1000 bytes take one millisecond.
pub(crate) const RATE: Rate = Rate::from_megabits_per_second(8);
pub(crate) const SIZE: u32 = 1000;

pub(crate) fn ms(millis: f64) -> Instant {
    Instant::ZERO + Duration::from_secs_f64(millis / 1e3)
}

pub(crate) fn span(millis: f64) -> Duration {
    Duration::from_secs_f64(millis / 1e3)
}

pub(crate) fn config(one_way_delay_millis: f64) -> LinkConfig {
    LinkConfig::new(RATE, span(one_way_delay_millis))
}

pub(crate) fn scheduled(config: LinkConfig, schedule: Schedule) -> LinkConfig {
    let loss_stream = Stream::new(1, "scheduled loss");
    LinkConfig { scheduled: Some(Scheduled { schedule, loss_stream }), ..config }
}

/// A packet to offer: when, which, how large.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Offer {
    pub(crate) at: Instant,
    pub(crate) id: u32,
    pub(crate) size: u32,
}

pub(crate) fn burst(at_millis: f64, ids: std::ops::Range<u32>) -> Vec<Offer> {
    ids.map(|id| Offer { at: ms(at_millis), id, size: SIZE }).collect()
}

#[derive(Debug, Default, PartialEq)]
pub(crate) struct Log {
    pub(crate) delivered: Vec<(Instant, u32)>,
    pub(crate) dropped: Vec<(Instant, u32, DropCause)>,
    pub(crate) events: Vec<(Instant, Event)>,
    pub(crate) signals: Vec<(Instant, Signal)>,
}

impl Log {
    pub(crate) fn ids(&self) -> Vec<u32> {
        self.delivered.iter().map(|(_, id)| *id).collect()
    }
    pub(crate) fn dropped_ids(&self) -> Vec<u32> {
        self.dropped.iter().map(|(_, id, _)| *id).collect()
    }
    pub(crate) fn delivered_millis(&self) -> Vec<(f64, u32)> {
        self.delivered.iter().map(|(at, id)| (at.as_nanos() as f64 / 1e6, *id)).collect()
    }

    fn take(&mut self, at: Instant, out: &mut Outbox) {
        for (port, packet) in out.packets.drain(..) {
            assert_eq!(port, Port(0));
            self.delivered.push((at, packet.segment.sequence.0));
        }
        for event in out.events.drain(..) {
            if let Event::Dropped { cause, sequence, .. } = event {
                self.dropped.push((at, sequence.0, cause));
            }
            self.events.push((at, event));
        }
        self.signals.extend(out.signals.drain(..).map(|signal| (at, signal)));
    }
}

/// Offer packets, in order of time, and run until `end` or until nothing is left to happen.
pub(crate) fn run_until(machine: &mut dyn Machine, offers: &[Offer], end: Instant) -> Log {
    let mut out = Outbox::new();
    out.set_listening(true);
    let mut log = Log::default();
    let mut offers = offers.iter().peekable();
    loop {
        let wake = machine.wake_at();
        let offer = offers.peek().map(|offer| offer.at);
        let now = match (wake, offer) {
            (None, None) => return log,
            (wake, offer) => wake.unwrap_or(Instant::MAX).min(offer.unwrap_or(Instant::MAX)),
        };
        if now > end {
            return log;
        }
        if wake == Some(now) {
            machine.step(now, Input::Wake, &mut out);
        } else if let Some(offer) = offers.next() {
            let mut packet = out.packet();
            packet.wire_bytes = offer.size;
            packet.segment.length = offer.size.saturating_sub(40);
            packet.segment.sequence = SequenceNumber(offer.id);
            machine.step(now, Input::Packet(Port(3), packet), &mut out);
        }
        log.take(now, &mut out);
    }
}

pub(crate) fn run(link: &mut Link, offers: &[Offer]) -> Log {
    let log = run_until(link, offers, Instant::from_secs(1_000_000));
    let counters = link.counters();
    assert_eq!(counters.arrived.packets, offers.len() as u64);
    assert_eq!(counters.delivered.packets, log.delivered.len() as u64);
    assert_eq!(counters.dropped.total().packets, log.dropped.len() as u64);
    let ends = counters.delivered + counters.dropped.total();
    assert_eq!(counters.arrived.packets, ends.packets + link.packets_inside() as u64);
    log
}
