//! What identifies a connection.

use seamline_wire::control::RecoveryMessage;
use seamline_wire::{NodeId, Packet, Port, TransportPort};
use std::net::IpAddr;

/// The side of an agent that a packet comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// Where the fixed host is.
    Wired,
    /// Where the mobile node is.
    Wireless,
}

impl Side {
    /// Both, in the order of [`Side::index`].
    pub const BOTH: [Side; 2] = [Side::Wired, Side::Wireless];

    /// Its place in an array that has something for each.
    pub const fn index(self) -> usize {
        match self {
            Side::Wired => 0,
            Side::Wireless => 1,
        }
    }
    /// The side of a port; whatever is not [`crate::WIRELESS`] is wired.
    pub fn of(port: Port) -> Self {
        if port == crate::WIRELESS { Side::Wireless } else { Side::Wired }
    }
    /// Its port.
    pub fn port(self) -> Port {
        match self {
            Side::Wired => crate::WIRED,
            Side::Wireless => crate::WIRELESS,
        }
    }
    /// The other one.
    pub fn other(self) -> Side {
        match self {
            Side::Wired => Side::Wireless,
            Side::Wireless => Side::Wired,
        }
    }
    /// The port on the other side, by which packets from this one are forwarded.
    pub fn onwards(self) -> Port {
        self.other().port()
    }
}

/// The address of one end of a connection.
pub trait End: Copy + Ord {
    /// The network in which one host can have all addresses.
    #[must_use]
    fn network(self) -> Self {
        self
    }
}

impl End for NodeId {}

impl End for IpAddr {
    /// A host has as many IPv6 addresses as it likes in its prefix of 64 bits (RFC 7421).
    fn network(self) -> Self {
        match self {
            IpAddr::V6(ip) => IpAddr::V6((ip.to_bits() >> 64 << 64).into()),
            ip => ip,
        }
    }
}

/// A TCP connection, the same for both of its directions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ConnectionKey<A = NodeId> {
    /// The end on the wireless side.
    pub wireless: (A, TransportPort),
    /// The end on the wired side.
    pub wired: (A, TransportPort),
}

impl<A> ConnectionKey<A> {
    /// The connection of what came from this side, from one end to the other.
    pub fn between(from: Side, source: (A, TransportPort), destination: (A, TransportPort)) -> Self {
        match from {
            Side::Wired => ConnectionKey { wireless: destination, wired: source },
            Side::Wireless => ConnectionKey { wireless: source, wired: destination },
        }
    }
    /// The connection that a message from this side, from one end to the other, is about.
    pub fn of_message_between(from: Side, source: A, destination: A, message: &RecoveryMessage) -> Self {
        let (mobile, fixed) = (message.mobile_port, message.fixed_port);
        let ports = if from == Side::Wired { [fixed, mobile] } else { [mobile, fixed] };
        ConnectionKey::between(from, (source, ports[0]), (destination, ports[1]))
    }
}

impl ConnectionKey {
    /// The connection of a segment that came from this side.
    pub fn of(packet: &Packet, from: Side) -> Self {
        let source = (packet.source, packet.source_port);
        ConnectionKey::between(from, source, (packet.destination, packet.destination_port))
    }
    /// The connection that a message from this side is about.
    pub fn of_message(packet: &Packet, from: Side, message: &RecoveryMessage) -> Self {
        ConnectionKey::of_message_between(from, packet.source, packet.destination, message)
    }
}
