//! The table as the machine of an agent in a simulated network, where the ends of connections are nodes.

use super::{Admission, Connections};
use crate::key::{ConnectionKey, Side};
use crate::passed::PassedSyns;
use seamline_wire::{Control, Input, Instant, Machine, Outbox, Packet};

impl Connections {
    /// It ends connections: one whose SYN has passed it must not take in when that SYN comes again.
    #[must_use]
    pub(crate) fn ending_connections(mut self) -> Self {
        self.passed = Some(PassedSyns::default());
        self
    }
    /// It helps segments inside of plain tunnels (IP in IP), too; otherwise they pass untouched.
    ///
    /// Connections are those of the innermost headers, whatever tunnels they are in. What the agent itself sends is in the tunnels of
    /// the connection's newest packet in that direction.
    #[must_use]
    pub(crate) fn helping_inside_tunnels(mut self) -> Self {
        self.inside_tunnels = true;
        self
    }

    fn on_packet(&mut self, now: Instant, from: Side, packet: Box<Packet>, out: &mut Outbox) {
        let is_helped = packet.is_bare_segment() || (self.inside_tunnels && packet.is_segment());
        if !is_helped {
            return self.on_other(now, from, packet, out);
        }
        let key = ConnectionKey::of(&packet, from);
        match self.admit(now, from, key, &packet.segment, None, out) {
            Admission::Shown(place) => self.show(now, from, place, packet, &[], out),
            Admission::Unknown | Admission::NoRoom | Admission::Implausible => {
                out.send(from.onwards(), packet)
            }
        }
    }

    /// A message about a known connection, or another packet, which is forwarded.
    #[cold]
    fn on_other(&mut self, now: Instant, from: Side, packet: Box<Packet>, out: &mut Outbox) {
        self.counters.packets += 1;
        let message = match packet.control() {
            Some(Control::Recovery(message)) if self.inside_tunnels || packet.tunnels.is_empty() => *message,
            _ => return out.send(from.onwards(), packet),
        };
        match self.find_shown(&ConnectionKey::of_message(&packet, from, &message)) {
            Some(place) => self.show_message(now, from, place, message, packet, out),
            None => out.send(from.onwards(), packet),
        }
    }
}

impl Machine for Connections {
    fn step(&mut self, now: Instant, input: Input, out: &mut Outbox) {
        match input {
            Input::Packet(port, packet) => self.on_packet(now, Side::of(port), packet, out),
            Input::Wake => self.wake(now, out),
            Input::Signal(_) => {}
        }
    }
    fn wake_at(&self) -> Option<Instant> {
        Connections::wake_at(self)
    }
}
