//! What tells connections apart.

use seamline_wire::control::RecoveryMessage;
use seamline_wire::{NodeId, Packet, Port, TransportPort};

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
    /// The port on the other side, where what came from this one goes on.
    pub fn onwards(self) -> Port {
        self.other().port()
    }
}

/// A TCP connection, the same for both of its directions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ConnectionKey {
    /// The end on the wireless side.
    pub wireless: (NodeId, TransportPort),
    /// The end on the wired side.
    pub wired: (NodeId, TransportPort),
}

impl ConnectionKey {
    /// The connection of a segment that came from this side.
    pub fn of(packet: &Packet, from: Side) -> Self {
        let source = (packet.source, packet.source_port);
        let destination = (packet.destination, packet.destination_port);
        match from {
            Side::Wired => ConnectionKey { wireless: destination, wired: source },
            Side::Wireless => ConnectionKey { wireless: source, wired: destination },
        }
    }
    /// The connection that a message from this side is about.
    pub fn of_message(packet: &Packet, from: Side, message: &RecoveryMessage) -> Self {
        let (wireless, wired) = match from {
            Side::Wired => (packet.destination, packet.source),
            Side::Wireless => (packet.source, packet.destination),
        };
        ConnectionKey { wireless: (wireless, message.mobile_port), wired: (wired, message.fixed_port) }
    }
}
