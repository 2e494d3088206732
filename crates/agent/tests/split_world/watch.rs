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
        let initial = self.initial.expect("data follows a SYN");
        let expected = initial + 1 + self.complete as u32;
        let distance = i64::from(packet.segment.sequence.0.wrapping_sub(expected.0) as i32);
        let start = self.complete.saturating_add_signed(distance);
        start..start + u64::from(packet.segment.length)
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

#[derive(Debug)]
pub(crate) struct Watch {
    agent: Box<dyn Agent>,
    outage: Option<Range<Instant>>,
    /// By port: what comes from the host there, and what goes to it.
    from: [Stream; 2],
    to: [Stream; 2],
}

impl Watch {
    pub(crate) fn new(agent: Box<dyn Agent>, outage: Option<Range<Instant>>) -> Self {
        Watch { agent, outage, from: Default::default(), to: Default::default() }
    }
    pub(crate) fn counters(&self) -> Counters {
        self.agent.counters()
    }

    fn is_out(&self, now: Instant, port: Port) -> bool {
        port == WIRELESS && self.outage.as_ref().is_some_and(|outage| outage.contains(&now))
    }

    /// Not a byte more than has come from the other host, and no end but its end.
    fn inspect(&mut self, port: Port, packet: &Packet) {
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
            self.from[usize::from(port.0)].see(packet);
        }
        let before = out.packets.len();
        self.agent.step(now, input, out);
        for (port, packet) in &out.packets[before..] {
            self.inspect(*port, packet);
        }
        if self.is_out(now, WIRELESS) {
            out.packets.retain(|(port, _)| *port != WIRELESS);
        }
    }
    fn wake_at(&self) -> Option<Instant> {
        self.agent.wake_at()
    }
}
