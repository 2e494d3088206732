//! A watch over an agent: what leaves it towards one host has come from the other before. It also is the place where the
//! mobile host goes out of reach.

use seamline_agent::{Agent, Counters, WIRELESS};
use seamline_wire::{Flags, Input, Instant, Machine, Outbox, Packet, Port, SequenceNumber};
use std::collections::BTreeMap;
use std::ops::Range;

/// A stream of bytes on one side of the agent, by positions that begin at 0.
#[derive(Debug, Default)]
struct Stream {
    initial: Option<SequenceNumber>,
    /// Everything before has been seen.
    complete: u64,
    /// What has been seen beyond: from, to.
    beyond: BTreeMap<u64, u64>,
    end: Option<u64>,
}

impl Stream {
    /// Where a segment begins and ends.
    fn positions(&self, packet: &Packet) -> Range<u64> {
        let start = self.position(packet.segment.sequence);
        start..start + u64::from(packet.segment.length)
    }
    fn position(&self, sequence: SequenceNumber) -> u64 {
        let initial = self.initial.expect("data follows a SYN");
        let expected = initial + 1 + self.complete as u32;
        let distance = i64::from(sequence.0.wrapping_sub(expected.0) as i32);
        self.complete.saturating_add_signed(distance)
    }
    fn see(&mut self, packet: &Packet) {
        let segment = &packet.segment;
        if segment.flags.contains(Flags::SYN) {
            self.initial = Some(segment.sequence);
            return;
        }
        if self.initial.is_none() || segment.flags.contains(Flags::RST) {
            return;
        }
        let Range { start, end } = self.positions(packet);
        if segment.flags.contains(Flags::FIN) {
            assert!(self.end.is_none_or(|known| known == end), "another end");
            self.end = Some(end);
        }
        if segment.length > 0 {
            let known = self.beyond.entry(start).or_default();
            *known = end.max(*known);
        }
        while let Some((&from, &to)) =
            self.beyond.first_key_value().filter(|(from, _)| **from <= self.complete)
        {
            self.complete = self.complete.max(to);
            self.beyond.remove(&from);
        }
    }
}

/// What is offered to one host.
#[derive(Debug, Default)]
struct Offer {
    /// That of the agent's SYN, and that of the host's.
    scales: [Option<u8>; 2],
    /// The furthest right edge, as a position of the host's stream.
    edge: u64,
}

impl Offer {
    fn see(&mut self, stream: &Stream, packet: &Packet) {
        let segment = &packet.segment;
        if segment.flags.contains(Flags::SYN) {
            self.scales[0] = segment.window_scale;
        } else if segment.flags.contains(Flags::ACK)
            && !segment.flags.contains(Flags::RST)
            && stream.end.is_none()
        {
            let shift = self.scales[0].filter(|_| self.scales[1].is_some()).unwrap_or(0);
            let acknowledged = stream.position(segment.acknowledgment);
            let edge = acknowledged + (u64::from(segment.window) << shift);
            // RFC 7323 section 2.4: what a unit of the window field is, may be lost to rounding.
            assert!(edge + (1 << shift) > self.edge, "the right edge goes from {} to {edge}", self.edge);
            self.edge = self.edge.max(edge);
        }
    }
}

#[derive(Debug)]
pub(crate) struct Watch {
    agent: Box<dyn Agent>,
    outage: Option<Range<Instant>>,
    /// By port: what comes from the host there, and what goes to it.
    from: [Stream; 2],
    to: [Stream; 2],
    offers: [Offer; 2],
    /// Up to where each host has acknowledged.
    acknowledged: [u64; 2],
    memory: u64,
}

impl Watch {
    pub(crate) fn new(agent: Box<dyn Agent>, outage: Option<Range<Instant>>, memory: u64) -> Self {
        let (from, to, offers) = Default::default();
        Watch { agent, outage, from, to, offers, acknowledged: [0; 2], memory }
    }
    pub(crate) fn counters(&self) -> Counters {
        self.agent.counters()
    }

    fn is_out(&self, now: Instant, port: Port) -> bool {
        port == WIRELESS && self.outage.as_ref().is_some_and(|outage| outage.contains(&now))
    }

    fn hear(&mut self, port: Port, packet: &Packet) {
        let (place, segment) = (usize::from(port.0), &packet.segment);
        self.from[place].see(packet);
        if segment.flags.contains(Flags::SYN) {
            self.offers[place].scales[1] = segment.window_scale;
        }
        let to = &self.to[place];
        if segment.flags.contains(Flags::ACK) && to.initial.is_some() {
            let acknowledged = to.position(segment.acknowledgment).min(to.complete);
            self.acknowledged[place] = self.acknowledged[place].max(acknowledged);
        }
    }

    /// What has been offered to either host, and what waits for the other, is no more than there is memory.
    fn fits(&self) {
        let promised = |place: usize| {
            let edge =
                self.from[place].end.map_or(self.offers[place].edge, |end| end.min(self.offers[place].edge));
            edge.saturating_sub(self.acknowledged[1 - place])
        };
        assert!(promised(0) + promised(1) <= self.memory, "{} and {}", promised(0), promised(1));
    }

    /// Not a byte more than has come from the other host, and no end but its end.
    fn inspect(&mut self, port: Port, packet: &Packet) {
        self.offers[usize::from(port.0)].see(&self.from[usize::from(port.0)], packet);
        let to = &mut self.to[usize::from(port.0)];
        let source = &self.from[1 - usize::from(port.0)];
        let segment = &packet.segment;
        to.see(packet);
        if segment.length > 0 || segment.flags.contains(Flags::FIN) {
            let Range { end, .. } = to.positions(packet);
            assert!(end <= source.complete, "{end} leaves, of {} that have come", source.complete);
            if segment.flags.contains(Flags::FIN) {
                assert_eq!(Some(end), source.end, "a FIN leaves");
            }
        }
    }
}

impl Machine for Watch {
    fn step(&mut self, now: Instant, input: Input, out: &mut Outbox) {
        if let Input::Packet(port, packet) = &input {
            if self.is_out(now, *port) {
                return;
            }
            self.hear(*port, packet);
        }
        let before = out.packets.len();
        self.agent.step(now, input, out);
        for (port, packet) in &out.packets[before..] {
            self.inspect(*port, packet);
        }
        self.fits();
        if self.is_out(now, WIRELESS) {
            out.packets.retain(|(port, _)| *port != WIRELESS);
        }
    }
    fn wake_at(&self) -> Option<Instant> {
        self.agent.wake_at()
    }
}
