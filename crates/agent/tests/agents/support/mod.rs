//! An agent between two ends, driven packet by packet.

use seamline_agent::{Agent, Counters, Side, WIRED, WIRELESS};
use seamline_wire::codec::options_length;
use seamline_wire::control::{MissingBytes, RecoveryMessage, SequenceRange, SequenceRanges};
use seamline_wire::{
    Control, Duration, Extra, Flags, Input, Instant, Loss, LossCause, Mark, NodeId, Outbox, Packet, Port,
    SackBlock, Segment, SequenceNumber, Timestamps, TransportPort, Tunnel, Tunnels,
};

const FIXED: NodeId = NodeId(1);
const MOBILE: NodeId = NodeId(2);

/// A segment to be sent.
#[derive(Clone, Debug)]
pub(crate) struct Sent(pub(crate) Segment);

impl Sent {
    pub(crate) fn acknowledging(mut self, acknowledgment: u32) -> Self {
        self.0.acknowledgment = SequenceNumber(acknowledgment);
        self
    }
    /// Telling of these losses, each with its distance from the acknowledgment number and its cause.
    pub(crate) fn losses(mut self, losses: &[(u32, LossCause)]) -> Self {
        let losses = losses.iter().map(|&(offset, cause)| Loss { offset, cause }).collect();
        self.0.mark = Some(Mark::Losses(losses));
        self
    }
    pub(crate) fn mark(mut self, mark: Mark) -> Self {
        self.0.mark = Some(mark);
        self
    }
    pub(crate) fn sack(mut self, blocks: &[(u32, u32)]) -> Self {
        let number = SequenceNumber;
        let block = |&(left, right): &(u32, u32)| SackBlock { left: number(left), right: number(right) };
        self.0.sack = blocks.iter().map(block).collect();
        self
    }
    pub(crate) fn timestamps(mut self, value: u32, echo: u32) -> Self {
        self.0.timestamps = Some(Timestamps { value, echo });
        self
    }
    pub(crate) fn window(mut self, window: u16) -> Self {
        self.0.window = window;
        self
    }
    pub(crate) fn flags(mut self, flags: Flags) -> Self {
        self.0.flags = flags;
        self
    }
}

/// Data from `sequence` on.
pub(crate) fn data(sequence: u32, length: u32) -> Sent {
    let sequence = SequenceNumber(sequence);
    Sent(Segment { sequence, length, flags: Flags::ACK, window: 1000, ..Segment::default() })
}

/// An acknowledgment without data.
pub(crate) fn ack(acknowledgment: u32) -> Sent {
    data(1, 0).acknowledging(acknowledgment)
}

/// A SYN with an initial sequence number.
pub(crate) fn syn(sequence: u32) -> Sent {
    data(sequence, 0).flags(Flags::SYN)
}

/// The agent, the time, and what has come out of it and not been looked at.
#[derive(Debug)]
pub(crate) struct Script {
    agent: Box<dyn Agent>,
    now: Instant,
    out: Outbox,
    /// What was put in last, with the port that it has to leave by to go on.
    last: Option<(Port, Packet)>,
    /// The port of the fixed host.
    fixed_port: u16,
    /// What packets are in downwards and upwards, the agent's own, too.
    tunnels: [Tunnels; 2],
}

impl Script {
    pub(crate) fn new(agent: Box<dyn Agent>) -> Self {
        Script {
            agent,
            now: Instant::ZERO,
            out: Outbox::new(),
            last: None,
            fixed_port: 80,
            tunnels: [Tunnels::NONE; 2],
        }
    }
    pub(crate) fn counters(&self) -> Counters {
        self.agent.counters()
    }
    /// It is so many milliseconds; nothing was to happen since.
    pub(crate) fn at(&mut self, millis: u64) -> &mut Self {
        self.is_quiet();
        let to = Instant::from_millis(millis);
        while let Some(at) = self.agent.wake_at().filter(|at| *at <= to) {
            self.now = self.now.max(at);
            self.agent.step(self.now, Input::Wake, &mut self.out);
            self.is_quiet();
        }
        self.now = to;
        self
    }
    /// When it sends what by itself until then.
    pub(crate) fn wakes_until(&mut self, millis: u64) -> Vec<(Duration, Vec<u32>)> {
        let mut all = Vec::new();
        while let Some(at) = self.agent.wake_at().filter(|at| *at <= Instant::from_millis(millis)) {
            self.now = self.now.max(at);
            self.agent.step(self.now, Input::Wake, &mut self.out);
            let sent: Vec<u32> =
                self.out.packets.drain(..).map(|(_, packet)| packet.segment.sequence.0).collect();
            if !sent.is_empty() {
                all.push((self.now.saturating_since(Instant::ZERO), sent));
            }
        }
        all
    }
    /// It wakes until it sends something; when that is, and what.
    pub(crate) fn next_sent(&mut self) -> (Duration, Vec<u32>) {
        loop {
            let at = self.next_wake();
            let sent: Vec<u32> =
                self.out.packets.drain(..).map(|(_, packet)| packet.segment.sequence.0).collect();
            if !sent.is_empty() {
                return (at.saturating_since(Instant::ZERO), sent);
            }
        }
    }
    /// From now on it is about the connection to this port of the fixed host.
    pub(crate) fn fixed_port(&mut self, port: u16) -> &mut Self {
        self.fixed_port = port;
        self
    }
    /// From now on packets come, and have to go, in these tunnels through IPv6, innermost first; upwards the other way round.
    pub(crate) fn tunnels(&mut self, downwards: &[Tunnel]) -> &mut Self {
        let mut packets = [Packet::default(), Packet::default()];
        for &Tunnel { entry, exit } in downwards {
            assert!(packets[0].encapsulate_in_ipv6(Tunnel { entry, exit }));
            assert!(packets[1].encapsulate_in_ipv6(Tunnel { entry: exit, exit: entry }));
        }
        self.tunnels = packets.map(|packet| packet.tunnels);
        self
    }
    /// The tunnels of what leaves by a port, or comes in by the other.
    fn tunnels_by(&self, port: Port) -> Tunnels {
        self.tunnels[usize::from(port == WIRED)]
    }
    /// From the fixed host.
    pub(crate) fn wired(&mut self, sent: Sent) -> &mut Self {
        self.put(WIRED, WIRELESS, [FIXED, MOBILE], sent)
    }
    /// From the mobile host.
    pub(crate) fn wireless(&mut self, sent: Sent) -> &mut Self {
        self.put(WIRELESS, WIRED, [MOBILE, FIXED], sent)
    }
    fn put(
        &mut self,
        from: Port,
        onwards: Port,
        [source, destination]: [NodeId; 2],
        sent: Sent,
    ) -> &mut Self {
        self.is_quiet();
        let fixed_port = self.fixed_port;
        let ports = |node| TransportPort(if node == FIXED { fixed_port } else { 5000 });
        let mut packet = Packet {
            source,
            destination,
            source_port: ports(source),
            destination_port: ports(destination),
            wire_bytes: 40 + options_length(&sent.0) as u32 + sent.0.length,
            segment: sent.0,
            ..Packet::default()
        };
        packet.set_tunnels(self.tunnels_by(onwards));
        self.last = Some((onwards, packet.clone()));
        self.agent.step(self.now, Input::Packet(from, Box::new(packet)), &mut self.out);
        self
    }
    /// What was put in goes on unchanged.
    pub(crate) fn onwards(&mut self) -> &mut Self {
        let expected = self.last.take().expect("something was put in");
        let found = self
            .out
            .packets
            .iter()
            .position(|(port, packet)| (*port, &**packet) == (expected.0, &expected.1));
        let Some(found) = found else { panic!("{:?} does not go on: {:?}", expected, self.out.packets) };
        self.out.packets.remove(found);
        self
    }
    /// What was put in goes on as this.
    pub(crate) fn onwards_as(&mut self, sent: Sent) -> &mut Self {
        if let Some((_, packet)) = &mut self.last {
            packet.wire_bytes += options_length(&sent.0) as u32 + sent.0.length;
            packet.wire_bytes -= options_length(&packet.segment) as u32 + packet.segment.length;
            packet.segment = sent.0;
        }
        self.onwards()
    }
    /// What was put in goes no further, and nothing else happens.
    pub(crate) fn ends_here(&mut self) -> &mut Self {
        self.is_quiet()
    }
    /// Data is sent again over the air.
    pub(crate) fn sends_again(&mut self, sequence: u32) -> &mut Self {
        let again = |(port, packet): &(Port, Box<Packet>)| {
            *port == WIRELESS && packet.segment.sequence.0 == sequence && packet.segment.length > 0
        };
        let found = self.out.packets.iter().position(again);
        let Some(found) = found else { panic!("{sequence} is not sent again: {:?}", self.out.packets) };
        let (port, packet) = self.out.packets.remove(found);
        assert_eq!(packet.tunnels, self.tunnels_by(port));
        let bytes = 40 * (1 + packet.tunnels.iter().len() as u32) + packet.segment.length;
        assert_eq!(packet.wire_bytes, bytes + options_length(&packet.segment) as u32);
        self
    }
    /// The segments that leave by each side, as `[wired, wireless]`.
    pub(crate) fn sent_by_side(&mut self) -> [Vec<Segment>; 2] {
        let sent: Vec<_> = self.out.packets.drain(..).collect();
        Side::BOTH.map(|side| {
            let of_this = sent.iter().filter(|(port, _)| *port == side.port());
            of_this.map(|(_, packet)| packet.segment).collect()
        })
    }
    /// Let it act by itself until then, whatever it sends.
    pub(crate) fn pass(&mut self, millis: u64) -> &mut Self {
        while let Some(at) = self.agent.wake_at().filter(|at| *at <= Instant::from_millis(millis)) {
            self.now = self.now.max(at);
            self.agent.step(self.now, Input::Wake, &mut self.out);
        }
        self.now = Instant::from_millis(millis);
        self
    }
    pub(crate) fn is_quiet(&mut self) -> &mut Self {
        assert!(self.out.packets.is_empty(), "at {:?}: {:?}", self.now, self.out.packets);
        self
    }
}

impl Script {
    /// The mobile host goes from this agent to another, arriving so many milliseconds after the beginning; what is known of its
    /// connections goes with it.
    pub(crate) fn moves_to(&mut self, other: Script, millis: u64) -> Script {
        self.moves_to_care_of(other, millis, &[], None)
    }
    /// As it does, and has left these care-of addresses for another one, or for home.
    pub(crate) fn moves_to_care_of(
        &mut self,
        mut other: Script,
        millis: u64,
        left: &[NodeId],
        care_of_address: Option<NodeId>,
    ) -> Script {
        self.is_quiet();
        let mut moved = self.agent.hand_out(&[MOBILE]);
        moved.iter_mut().for_each(|moved| moved.follow(left, care_of_address));
        other.agent.take_in(moved);
        other.now = Instant::from_millis(millis);
        other.agent.step(other.now, Input::Wake, &mut other.out);
        other
    }
    /// Nothing is known and nothing wakes it.
    pub(crate) fn knows_nothing(&self) {
        assert_eq!(self.agent.wake_at(), None);
    }
}

impl Script {
    /// A message between agents comes from this side.
    pub(crate) fn hears(&mut self, from: Side, about: MissingBytes, ranges: &[(u32, u32)]) -> &mut Self {
        self.is_quiet();
        let ranges: Vec<SequenceRange> = ranges
            .iter()
            .map(|(first, end)| SequenceRange { first: SequenceNumber(*first), end: SequenceNumber(*end) })
            .collect();
        let message = RecoveryMessage {
            about,
            mobile_port: TransportPort(5000),
            fixed_port: TransportPort(80),
            ranges: SequenceRanges::of(&ranges),
        };
        let ends = [FIXED, MOBILE];
        let (port, [source, destination]) = match from {
            Side::Wired => (WIRED, ends),
            Side::Wireless => (WIRELESS, [ends[1], ends[0]]),
        };
        let control = Control::Recovery(message);
        let mut packet = Packet {
            source,
            destination,
            wire_bytes: control.wire_bytes(),
            extra: Extra::control(control),
            ..Packet::default()
        };
        packet.set_tunnels(self.tunnels_by(from.onwards()));
        self.last = Some((from.onwards(), packet.clone()));
        self.agent.step(self.now, Input::Packet(port, Box::new(packet)), &mut self.out);
        self
    }
    /// It has sent one message towards this side, between the ends of the connection, before anything else.
    pub(crate) fn tells(&mut self, towards: Side, about: MissingBytes, ranges: &[(u32, u32)]) -> &mut Self {
        assert!(!self.out.packets.is_empty(), "no signal is sent at {:?}", self.now);
        let (port, packet) = self.out.packets.remove(0);
        let Some(Control::Recovery(message)) = packet.control() else { panic!("{packet:?}") };
        let found: Vec<(u32, u32)> =
            message.ranges.as_slice().iter().map(|range| (range.first.0, range.end.0)).collect();
        let (towards, ends) = match towards {
            Side::Wired => (WIRED, [MOBILE, FIXED]),
            Side::Wireless => (WIRELESS, [FIXED, MOBILE]),
        };
        assert_eq!((port, message.about, found.as_slice()), (towards, about, ranges));
        assert_eq!([packet.source, packet.destination], ends);
        assert_eq!(packet.tunnels, self.tunnels_by(port));
        assert_eq!((message.mobile_port.0, message.fixed_port.0), (5000, 80));
        self
    }
    /// When it wants to be woken.
    pub(crate) fn wakes_at(&self) -> Option<Instant> {
        self.agent.wake_at()
    }
    /// It wakes at the next time it has asked for; when that is.
    pub(crate) fn next_wake(&mut self) -> Instant {
        self.is_quiet();
        self.now = self.agent.wake_at().expect("it waits for something").max(self.now);
        self.agent.step(self.now, Input::Wake, &mut self.out);
        self.now
    }
}
