//! Worlds that an outside clock drives and that exchange packets with the outside.

use crate::world::{ElementId, Observer, World};
use seamline_wire::{Event, Input, Instant, Machine, Outbox, Packet, Port, Signal};

/// Stands for a host outside of the world, and keeps what reaches it until the driver takes it.
#[derive(Debug, Default)]
pub struct HostPort {
    /// Packets, in the order of their arrival, each with its time.
    pub packets: Vec<(Instant, Box<Packet>)>,
    /// Signals from other machines of the node, each with its time.
    pub signals: Vec<(Instant, Signal)>,
}

impl Machine for HostPort {
    fn step(&mut self, now: Instant, input: Input, _out: &mut Outbox) {
        match input {
            Input::Packet(_, packet) => self.packets.push((now, packet)),
            Input::Signal(signal) => self.signals.push((now, signal)),
            Input::Wake => {}
        }
    }
    fn wake_at(&self) -> Option<Instant> {
        None
    }
}

/// Stands for an agent outside of the world: a machine with two ports between links. Keeps what reaches it until the driver takes it.
#[derive(Debug, Default)]
pub struct AgentPort {
    /// By port of arrival: packets in order of arrival, each with its time.
    pub packets: [Vec<(Instant, Box<Packet>)>; 2],
}

impl Machine for AgentPort {
    fn step(&mut self, now: Instant, input: Input, _out: &mut Outbox) {
        if let Input::Packet(Port(port), packet) = input
            && let Some(packets) = self.packets.get_mut(usize::from(port))
        {
            packets.push((now, packet));
        }
    }
    fn wake_at(&self) -> Option<Instant> {
        None
    }
}

impl<M: Machine, O: Observer> World<M, O> {
    /// When something is due, if nothing comes from outside. May be early, never late.
    pub fn wake_at(&self) -> Option<Instant> {
        let (at, _) = self.agenda.next();
        (at != Instant::MAX).then_some(at)
    }

    /// A packet from outside: it continues now as if a host port, or an agent port, had sent it by this port. That of a host port is 0.
    ///
    /// # Panics
    /// When routers lead some destination in a circle without a link.
    pub fn take_in(&mut self, from: ElementId, port: Port, packet: Box<Packet>) {
        self.check_routes();
        if O::LISTENS {
            self.observer.sent(self.now, from, &packet);
        }
        self.carry(from.place(), self.wire(from.place(), port), packet.into());
    }

    /// A packet to fill in and to take in.
    pub fn packet(&mut self) -> Box<Packet> {
        self.outbox.packet()
    }

    /// Give back a packet that was fetched.
    pub fn recycle(&mut self, mut packet: Box<Packet>) {
        packet.extra = None;
        self.outbox.recycle(packet);
    }

    /// Something happened outside, at the host that `host_port` stands for.
    pub fn report_from(&mut self, host_port: ElementId, event: &Event) {
        self.observer.event(self.now, host_port, event);
    }
}
