//! What travels over links.

use crate::segment::Segment;

/// A node of the network, as the core of the simulator names it. The lab maps it to an IP address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct NodeId(pub u32);

/// A TCP port number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct TransportPort(pub u16);

/// A packet on its way. Packets move as recycled boxes ([`crate::Outbox::packet`]); the body stays
/// within 128 bytes because moving more is measurably slower.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Packet {
    /// The node that sent it.
    pub source: NodeId,
    /// The node it is addressed to.
    pub destination: NodeId,
    /// Port of the sending connection.
    pub source_port: TransportPort,
    /// Port of the receiving connection.
    pub destination_port: TransportPort,
    /// Bytes on the wire, IP and TCP headers included.
    pub wire_bytes: u32,
    /// The TCP segment.
    pub segment: Segment,
}

const _: () = assert!(size_of::<Packet>() <= 128, "a packet must fit into 128 bytes");

impl Packet {
    /// Whether the packet carries payload.
    pub fn has_payload(&self) -> bool {
        self.segment.length > 0
    }
}
