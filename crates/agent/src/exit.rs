//! What an agent does with packets, and its counters.

use crate::key::{ConnectionKey, Side};
use crate::ways::Ways;
use seamline_wire::codec::recovery::RECOVERY_PORT;
use seamline_wire::codec::{fit_sack_blocks, options_length};
use seamline_wire::control::{MissingBytes, RecoveryMessage, SequenceRange, SequenceRanges};
use seamline_wire::{Control, Duration, Extra, Mark, Outbox, Packet, SequenceNumber};
use std::sync::Arc;

/// Counters that are added one by one, so that none is forgotten.
macro_rules! counters {
    ($(#[$about:meta])* $name:ident { $($(#[$doc:meta])* $counter:ident,)* }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct $name { $($(#[$doc])* pub $counter: u64,)* }

        impl std::ops::Add for $name {
            type Output = $name;

            fn add(self, other: $name) -> $name {
                $name { $($counter: self.$counter + other.$counter,)* }
            }
        }
    };
}

counters! {
/// What an agent has done since it began, over all connections.
Counters {
    /// Packets that came in, from either side.
    packets,
    /// Data packets that were kept.
    cached,
    /// Data packets that were not kept because there was no room.
    not_cached,
    /// Data packets sent again over the wireless side.
    local_retransmissions,
    /// Acknowledgments that were not passed on.
    suppressed_acknowledgments,
    /// Acknowledgments in which something was written.
    marked_acknowledgments,
    /// Messages sent to the agent at the other end of a link.
    messages,
    /// Packets forwarded untouched because there was no room for their connection.
    unknown,
    /// Segments and messages of known connections that passed, and changed nothing, because their numbers cannot be distinguished from forged ones.
    implausible,
    /// Connections forgotten because nothing was heard of them for long.
    expired,
    /// Connections that the agent was shown.
    known,
    /// Connections forgotten before the agent was shown them, because another one took their place.
    displaced,
    /// Connections forgotten for those of other hosts, because their host had more of the table than any other.
    evicted,
    /// Times all packets kept of a connection were dropped: its mobile host was silent for long, another one needed the room, or they no
    /// longer fitted its link.
    cleared,
    /// Connections that the agent has split in two.
    split,
}
}

/// The way out of an agent, for one of its connections.
#[derive(Debug)]
pub struct Exit<'a> {
    out: &'a mut Outbox,
    /// What the agent has done.
    pub counters: &'a mut Counters,
    kept_bytes: &'a mut u64,
    most_kept_bytes: u64,
    ways: &'a Ways,
    came: &'a [u8],
    /// The tick of the timestamps in which the time that packets were here is hidden.
    hidden_in: Option<Duration>,
}

impl<'a> Exit<'a> {
    pub(crate) fn new(
        out: &'a mut Outbox,
        counters: &'a mut Counters,
        kept_bytes: &'a mut u64,
        most_kept_bytes: u64,
        ways: &'a Ways,
    ) -> Self {
        Exit { out, counters, kept_bytes, most_kept_bytes, ways, came: &[], hidden_in: None }
    }
    /// The packet that the agent is shown has these bytes on a real network.
    pub(crate) fn with_bytes(self, came: &'a [u8]) -> Self {
        Exit { came, ..self }
    }
    /// Forward the packet.
    pub fn forward(&mut self, from: Side, packet: Box<Packet>) {
        self.out.send(from.onwards(), packet);
    }
    /// Suppress an acknowledgment, unless it carries a mark: signals of a handover between the ends must get through, and a duplicate
    /// may be the only packet that carries one. A list of losses is suppressed: the agent retransmits the first missing byte, and the next
    /// acknowledgment lists what is missing then.
    pub fn suppress(&mut self, from: Side, packet: Box<Packet>) {
        if packet.segment.mark.is_some_and(|mark| mark.losses().is_none()) {
            return self.forward(from, packet);
        }
        self.counters.suppressed_acknowledgments += 1;
        self.absorb(packet);
    }
    /// Write a mark into a packet. SACK blocks give way if there is no other room.
    pub fn mark(&mut self, packet: &mut Packet, mark: Mark) {
        let segment = &mut packet.segment;
        let before = options_length(segment);
        segment.mark = Some(mark);
        fit_sack_blocks(segment);
        packet.wire_bytes =
            (packet.wire_bytes + options_length(segment) as u32).saturating_sub(before as u32);
        self.counters.marked_acknowledgments += 1;
    }
    /// Report missing bytes to the agent on that side, as many as fit into a message.
    ///
    /// The message has the addresses of the connection and the tunnels of its packets, so it follows their path to that agent. If there is
    /// no agent, it reaches a host, which ignores it.
    pub fn report(
        &mut self,
        towards: Side,
        key: ConnectionKey,
        about: MissingBytes,
        ranges: &[SequenceRange],
    ) {
        self.counters.messages += 1;
        let message = RecoveryMessage {
            about,
            mobile_port: key.wireless.1,
            fixed_port: key.wired.1,
            ranges: SequenceRanges::of(ranges),
        };
        let control = Control::Recovery(message);
        let (port, source, destination) = match towards {
            Side::Wired => (crate::WIRED, key.wireless.0, key.wired.0),
            Side::Wireless => (crate::WIRELESS, key.wired.0, key.wireless.0),
        };
        let mut packet = self.out.packet();
        *packet = Packet {
            source,
            destination,
            source_port: RECOVERY_PORT,
            destination_port: RECOVERY_PORT,
            wire_bytes: control.wire_bytes(),
            extra: Extra::control(control),
            ..Packet::default()
        };
        packet.set_tunnels(self.ways.towards(towards));
        self.out.send(port, packet);
    }
    /// A copy to keep of the packet at hand, with its bytes, until [`Exit::release`]; `None` if the agent's memory is full.
    pub fn keep(&mut self, packet: &Packet) -> Option<Box<Packet>> {
        if !self.set_aside(u64::from(packet.wire_bytes)) {
            self.counters.not_cached += 1;
            return None;
        }
        self.counters.cached += 1;
        let mut copy = self.copy(packet);
        if copy.extra.is_none() && !self.came.is_empty() {
            copy.extra = Some(Box::new(Extra::Segment(Arc::from(self.came))));
        }
        Some(copy)
    }
    /// Give back a kept packet.
    pub fn release(&mut self, packet: Box<Packet>) {
        self.free(u64::from(packet.wire_bytes));
        self.absorb(packet);
    }
    /// Send a copy of a kept packet over the wireless side again, as [`Exit::send_kept`] does.
    pub fn retransmit(&mut self, packet: &Packet, time_here: Duration) {
        self.counters.local_retransmissions += 1;
        self.send_kept(packet, time_here);
    }
    /// Send a copy of a kept packet over the wireless side, in the tunnels of the newest packet that went there: the mobile node may
    /// have moved since.
    pub fn send_kept(&mut self, packet: &Packet, time_here: Duration) {
        let mut copy = self.copy(packet);
        copy.set_tunnels(self.ways.towards(Side::Wireless));
        if let (Some(tick), Some(timestamps)) = (self.hidden_in, &mut copy.segment.timestamps) {
            timestamps.value = timestamps.value.wrapping_add((time_here.as_nanos() / tick.as_nanos()) as u32);
        }
        self.out.send(crate::WIRELESS, copy);
    }
    /// From now on the timestamps of kept packets are later by the time for which they were here, in ticks of the sender's clock. The echoes
    /// do not show that time then. A tick of zero changes nothing.
    pub fn hide_time_here(&mut self, tick: Duration) {
        self.hidden_in = Some(tick).filter(|tick| !tick.is_zero());
    }
    /// Send an acknowledgment of the agent's own over the wired side, made from this one with another number and window.
    pub fn acknowledge(&mut self, from: &Packet, acknowledgment: SequenceNumber, window: u16) {
        self.counters.marked_acknowledgments += 1;
        let mut copy = self.copy(from);
        copy.segment.acknowledgment = acknowledgment;
        copy.segment.window = window;
        copy.set_tunnels(self.ways.towards(Side::Wired));
        self.out.send(crate::WIRED, copy);
    }
    /// The packet was for this agent and goes no further. It returns to the pool without the bytes of a real packet, which the pool
    /// does not count.
    pub fn absorb(&mut self, mut packet: Box<Packet>) {
        packet.make_bare();
        self.out.recycle(packet);
    }
    /// Let one of the agent's own endpoints act; its packets leave by this side. It emits no events, because events name a connection by
    /// its port, and it has the port of the host that it stands for.
    pub fn act<R>(&mut self, side: Side, act: impl FnOnce(&mut Outbox) -> R) -> R {
        let listening = self.out.is_listening();
        let before = self.out.packets.len();
        self.out.set_listening(false);
        let result = act(self.out);
        self.out.set_listening(listening);
        for (port, _) in &mut self.out.packets[before..] {
            *port = side.port();
        }
        result
    }
    /// Set memory aside, which [`Exit::free`] gives back; `false` when there is not so much.
    pub fn set_aside(&mut self, bytes: u64) -> bool {
        let kept = *self.kept_bytes + bytes;
        let fits = kept <= self.most_kept_bytes;
        if fits {
            *self.kept_bytes = kept;
        }
        fits
    }
    /// How much memory could be set aside.
    pub fn left(&self) -> u64 {
        self.most_kept_bytes.saturating_sub(*self.kept_bytes)
    }
    /// Give memory back that was set aside.
    pub fn free(&mut self, bytes: u64) {
        *self.kept_bytes -= bytes;
    }
    fn copy(&mut self, packet: &Packet) -> Box<Packet> {
        let mut copy = self.out.packet();
        Packet::clone_from(&mut copy, packet);
        copy
    }
}
