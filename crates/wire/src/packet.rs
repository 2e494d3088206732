//! What travels over links.

use crate::control::Control;
use crate::ecn::Ecn;
use crate::segment::Segment;
use std::fmt;
use std::sync::Arc;

/// A node of the network, as the core of the simulator names it. The lab maps it to an IP address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct NodeId(pub u32);

impl NodeId {
    /// Every node on the link: 224.0.0.1 or ff02::1. No router forwards it.
    pub const ALL_SYSTEMS: NodeId = NodeId(u32::MAX);
    /// Every router on the link: 224.0.0.2 or ff02::2. No router forwards it.
    pub const ALL_ROUTERS: NodeId = NodeId(u32::MAX - 1);
}

/// A port number of TCP or UDP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct TransportPort(pub u16);

/// A tunnel that a packet is in: one more IP header in front of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Tunnel {
    /// The node that put the header there (encapsulator): the outer source.
    pub entry: NodeId,
    /// The node that takes it off (decapsulator): the outer destination.
    pub exit: NodeId,
}

impl Tunnel {
    /// What a tunnel through IPv4 adds to a packet: a header without options (RFC 2003 section 3.1).
    pub const BYTES: u32 = 20;
    /// What a tunnel through IPv6 adds: its header (RFC 2473 section 3).
    pub const IPV6_BYTES: u32 = 40;
    /// What the home address adds when it is not among the addresses of the IPv6 header (RFC 6275 sections 6.3 and 6.4).
    pub const HOME_ADDRESS_BYTES: u32 = 24;
}

/// What a tunnel adds to a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TunnelHeader {
    /// An IPv4 header in front ([`Tunnel::BYTES`]).
    Ipv4,
    /// An IPv6 header in front ([`Tunnel::IPV6_BYTES`]).
    Ipv6,
    /// No second header: the ends of the tunnel replace the addresses in the packet's own IPv6 header, and an extension
    /// header keeps the home address ([`Tunnel::HOME_ADDRESS_BYTES`]). From a mobile node that is a Home Address option
    /// (RFC 6275 section 6.3), to a mobile node a routing header of type 2 (section 6.4).
    HomeAddress,
}

impl TunnelHeader {
    /// Bytes that it adds to a packet.
    pub const fn bytes(self) -> u32 {
        match self {
            TunnelHeader::Ipv4 => Tunnel::BYTES,
            TunnelHeader::Ipv6 => Tunnel::IPV6_BYTES,
            TunnelHeader::HomeAddress => Tunnel::HOME_ADDRESS_BYTES,
        }
    }
}

/// The tunnels that a packet is in, at most two.
#[derive(Clone, Copy, Debug, Eq, Default)]
pub struct Tunnels {
    len: u8,
    /// Two bits for each tunnel, innermost lowest: what it adds.
    headers: u8,
    /// Innermost first.
    list: [PackedTunnel; Tunnels::MAX],
}

/// A tunnel in halves of words, which need no padding in a packet.
type PackedTunnel = [[u16; 2]; 2];

fn pack(tunnel: Tunnel) -> PackedTunnel {
    [tunnel.entry, tunnel.exit].map(|NodeId(id)| [id as u16, (id >> 16) as u16])
}

fn unpack(packed: PackedTunnel) -> Tunnel {
    let [entry, exit] = packed.map(|[low, high]| NodeId(u32::from(high) << 16 | u32::from(low)));
    Tunnel { entry, exit }
}

impl Tunnels {
    /// As many tunnels as protocols nest: one to an anchor and one from there to the visited network.
    pub const MAX: usize = 2;
    /// No tunnel.
    pub const NONE: Tunnels = Tunnels { len: 0, headers: 0, list: [[[0; 2]; 2]; Tunnels::MAX] };

    /// The tunnels, innermost first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = Tunnel> + ExactSizeIterator {
        self.list[..self.len.into()].iter().map(|packed| unpack(*packed))
    }
    /// The tunnel whose header stands first in the packet.
    #[inline]
    pub fn outermost(&self) -> Option<Tunnel> {
        self.iter().next_back()
    }
    /// Change each tunnel, innermost first.
    pub fn change(&mut self, mut change: impl FnMut(&mut Tunnel)) {
        for packed in &mut self.list[..self.len.into()] {
            let mut tunnel = unpack(*packed);
            change(&mut tunnel);
            *packed = pack(tunnel);
        }
    }
    /// The same tunnels the other way: what goes back through bidirectional tunnels (RFC 3963 section 3) is in these.
    #[must_use]
    pub fn reversed(mut self) -> Tunnels {
        self.change(|Tunnel { entry, exit }| std::mem::swap(entry, exit));
        self
    }
    /// What the tunnel at this place, counted from the innermost, adds.
    pub fn header(&self, place: usize) -> TunnelHeader {
        match self.headers >> (2 * place) & 3 {
            0 => TunnelHeader::Ipv4,
            1 => TunnelHeader::Ipv6,
            _ => TunnelHeader::HomeAddress,
        }
    }
    /// Bytes that the tunnel at a place adds.
    fn bytes(&self, place: u8) -> u32 {
        self.header(place.into()).bytes()
    }
    /// Bytes that all of them add.
    fn total_bytes(&self) -> u32 {
        (0..self.len).map(|place| self.bytes(place)).sum()
    }
    /// Whether there is none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

impl PartialEq for Tunnels {
    /// Places beyond the length may hold tunnels that were left; they do not count.
    fn eq(&self, other: &Self) -> bool {
        let headers = |it: &Self| it.headers & ((1 << (2 * it.len)) - 1);
        self.iter().eq(other.iter()) && headers(self) == headers(other)
    }
}

/// What a packet carries in addition to its fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Extra {
    /// A control message in place of a TCP segment. Nodes that it is not addressed to ignore it.
    Control(Control),
    /// The bytes as which this TCP segment came in from a real network, its IP header first: its payload is there, and
    /// what the fields do not hold. Code that changes a field leaves the bytes as they are.
    Segment(Arc<[u8]>),
    /// The bytes of a packet from a real network that is no TCP segment, or none that the fields hold: another
    /// protocol, a fragment, an unknown option. It is only carried.
    Foreign(Arc<[u8]>),
}

impl Extra {
    /// What a packet with this control message has.
    pub fn control(control: Control) -> Option<Box<Extra>> {
        Some(Box::new(Extra::Control(control)))
    }
}

/// A packet on its way: a TCP segment, or a control message and no segment. Packets move as recycled
/// boxes ([`crate::Outbox::packet`]); the body stays within 128 bytes because moving more is measurably
/// slower.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Packet {
    /// The node that sent it.
    pub source: NodeId,
    /// The node it is addressed to.
    pub destination: NodeId,
    /// Port of the sending connection.
    pub source_port: TransportPort,
    /// Port of the receiving connection.
    pub destination_port: TransportPort,
    /// Bytes on the wire, all IP headers and the TCP header included.
    pub wire_bytes: u32,
    /// The ECN field of its IP header. In tunnels it stands in all headers: an entry copies it, and an exit keeps a mark
    /// (normal mode of RFC 6040).
    pub ecn: Ecn,
    /// The TCP segment; nothing of it but its length counts when the packet is none ([`Packet::is_segment`]).
    pub segment: Segment,
    /// The tunnels it is in ([`Packet::encapsulate`]).
    pub tunnels: Tunnels,
    /// What else it has: a control message, or the bytes that it came in as. Nothing in a simulated segment.
    pub extra: Option<Box<Extra>>,
}

const _: () = assert!(size_of::<Packet>() <= 128, "a packet must fit into 128 bytes");

/// A packet, and what links and routers need of it: so those touch the packet itself only where they look into it or change it. In networks of
/// thousands of flows it is mostly not in the cache.
#[derive(Clone, Debug)]
pub struct Parcel {
    packet: Box<Packet>,
    /// [`Packet::wire_bytes`] and, in the upper half, [`Packet::next_destination`]: a structure of two words is passed in registers.
    facts: u64,
}

impl Parcel {
    /// [`Packet::wire_bytes`].
    #[inline]
    pub fn wire_bytes(&self) -> u32 {
        self.facts as u32
    }
    /// [`Packet::next_destination`].
    #[inline]
    pub fn next_destination(&self) -> NodeId {
        NodeId((self.facts >> 32) as u32)
    }
    /// The packet, which stays as it is until it is taken out.
    #[inline]
    pub fn packet(&self) -> &Packet {
        &self.packet
    }
    /// Take it out.
    #[inline]
    pub fn into_packet(self) -> Box<Packet> {
        self.packet
    }
}

impl From<Box<Packet>> for Parcel {
    #[inline]
    fn from(packet: Box<Packet>) -> Self {
        let facts = u64::from(packet.next_destination().0) << 32 | u64::from(packet.wire_bytes);
        Parcel { packet, facts }
    }
}

impl Packet {
    /// Whether the packet carries payload: of TCP, or, of a packet from a real network that is no segment, whatever its
    /// reader counts as such.
    pub fn has_payload(&self) -> bool {
        self.segment.length > 0
    }

    /// Where routers send it: to the exit of its outermost tunnel, or else to its destination.
    #[inline]
    pub fn next_destination(&self) -> NodeId {
        if self.tunnels.is_empty() {
            return self.destination;
        }
        self.exit_of_outermost_tunnel()
    }

    #[cold]
    fn exit_of_outermost_tunnel(&self) -> NodeId {
        self.tunnels.outermost().map_or(self.destination, |tunnel| tunnel.exit)
    }

    /// The control message that it is.
    pub fn control(&self) -> Option<&Control> {
        match self.extra.as_deref() {
            Some(Extra::Control(control)) => Some(control),
            _ => None,
        }
    }

    /// The bytes that it came in as from a real network.
    pub fn bytes(&self) -> Option<&Arc<[u8]>> {
        match self.extra.as_deref() {
            Some(Extra::Segment(bytes) | Extra::Foreign(bytes)) => Some(bytes),
            _ => None,
        }
    }

    /// Whether it is a TCP segment, in tunnels or not.
    #[inline]
    pub fn is_segment(&self) -> bool {
        self.extra.as_ref().is_none_or(|extra| matches!(**extra, Extra::Segment(_)))
    }

    /// Whether it is what a TCP endpoint takes in: a segment outside of any tunnel.
    #[inline]
    pub fn is_bare_segment(&self) -> bool {
        self.is_segment() && self.tunnels.is_empty()
    }

    /// Make it a segment outside of any tunnel, whatever it was in an earlier life. The other fields stay.
    #[inline]
    pub fn make_bare(&mut self) {
        self.tunnels.len = 0;
        if self.extra.is_some() {
            self.drop_extra();
        }
    }

    #[cold]
    fn drop_extra(&mut self) {
        self.extra = None;
    }

    /// Put the packet into a tunnel through IPv4, which makes it [`Tunnel::BYTES`] longer; returns `false`, changing
    /// nothing, when it is in [`Tunnels::MAX`] already.
    pub fn encapsulate(&mut self, tunnel: Tunnel) -> bool {
        self.enter(tunnel, TunnelHeader::Ipv4)
    }

    /// Put the packet into a tunnel through IPv6, which makes it [`Tunnel::IPV6_BYTES`] longer; returns `false`,
    /// changing nothing, when it is in [`Tunnels::MAX`] already.
    pub fn encapsulate_in_ipv6(&mut self, tunnel: Tunnel) -> bool {
        self.enter(tunnel, TunnelHeader::Ipv6)
    }

    /// Put the packet into a tunnel that adds this header; returns `false`, changing nothing, when it is in
    /// [`Tunnels::MAX`] already.
    pub fn enter(&mut self, tunnel: Tunnel, header: TunnelHeader) -> bool {
        let len = self.tunnels.len;
        let Some(place) = self.tunnels.list.get_mut(usize::from(len)) else { return false };
        *place = pack(tunnel);
        self.tunnels.headers &= !(3 << (2 * len));
        self.tunnels.headers |= (header as u8) << (2 * len);
        self.tunnels.len += 1;
        self.wire_bytes += self.tunnels.bytes(len);
        true
    }

    /// Take the packet out of all tunnels that it is in, and put it into these.
    pub fn set_tunnels(&mut self, tunnels: Tunnels) {
        self.wire_bytes = self.wire_bytes - self.tunnels.total_bytes() + tunnels.total_bytes();
        self.tunnels = tunnels;
    }

    /// Take the packet out of its outermost tunnel and say which that was.
    pub fn decapsulate(&mut self) -> Option<Tunnel> {
        let tunnel = self.tunnels.outermost()?;
        self.tunnels.len -= 1;
        self.wire_bytes -= self.tunnels.bytes(self.tunnels.len);
        Some(tunnel)
    }
}

impl fmt::Debug for Packet {
    /// Tunnels, ECN, the control message and the length of the bytes that it came in as are shown when there are any.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Packet");
        shown.field("source", &self.source).field("destination", &self.destination);
        shown.field("source_port", &self.source_port).field("destination_port", &self.destination_port);
        shown.field("wire_bytes", &self.wire_bytes);
        if self.is_segment() {
            shown.field("segment", &self.segment);
        }
        match self.extra.as_deref() {
            None => {}
            Some(Extra::Control(control)) => drop(shown.field("control", control)),
            Some(Extra::Segment(bytes) | Extra::Foreign(bytes)) => drop(shown.field("bytes", &bytes.len())),
        }
        if !self.tunnels.is_empty() {
            shown.field("tunnels", &self.tunnels.iter().collect::<Vec<_>>());
        }
        if self.ecn.is_capable() {
            shown.field("ecn", &self.ecn);
        }
        shown.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tunnels_nest_and_the_outermost_routes() {
        let mut packet = Packet { destination: NodeId(9), wire_bytes: 1000, ..Packet::default() };
        let (inner, outer) =
            (Tunnel { entry: NodeId(1), exit: NodeId(2) }, Tunnel { entry: NodeId(2), exit: NodeId(3) });
        assert_eq!(packet.next_destination(), NodeId(9));
        assert!(packet.encapsulate(inner) && packet.encapsulate(outer));
        assert!(!packet.encapsulate(Tunnel::default()), "two at most");
        assert_eq!((packet.next_destination(), packet.wire_bytes), (NodeId(3), 1040));
        assert!(packet.tunnels.iter().eq([inner, outer]));
        assert_eq!(packet.decapsulate(), Some(outer));
        assert_eq!((packet.next_destination(), packet.wire_bytes), (NodeId(2), 1020));
        assert_eq!((packet.decapsulate(), packet.decapsulate()), (Some(inner), None));
        assert_eq!(packet, Packet { destination: NodeId(9), wire_bytes: 1000, ..Packet::default() });
    }

    /// RFC 6275 sections 6.3 and 6.4: 24 bytes, not a header of 40.
    #[test]
    fn a_home_address_costs_less_than_a_tunnel() {
        let mut packet = Packet { destination: NodeId(9), wire_bytes: 1000, ..Packet::default() };
        let (inner, outer) =
            (Tunnel { entry: NodeId(1), exit: NodeId(2) }, Tunnel { entry: NodeId(2), exit: NodeId(3) });
        assert!(packet.enter(inner, TunnelHeader::HomeAddress));
        assert_eq!((packet.next_destination(), packet.wire_bytes), (NodeId(2), 1024));
        let tunnels = packet.tunnels;
        assert!(packet.enter(outer, TunnelHeader::Ipv6));
        assert_eq!(
            (packet.tunnels.header(0), packet.tunnels.header(1)),
            (TunnelHeader::HomeAddress, TunnelHeader::Ipv6)
        );
        assert_eq!((packet.decapsulate(), packet.tunnels, packet.wire_bytes), (Some(outer), tunnels, 1024));
        assert_eq!((packet.decapsulate(), packet.wire_bytes), (Some(inner), 1000));
        assert!(packet.encapsulate(inner));
        assert_ne!(packet.tunnels, tunnels, "other headers between the same ends");
    }

    #[test]
    fn tunnels_are_exchanged_with_their_bytes() {
        let mut packet = Packet { wire_bytes: 1000, ..Packet::default() };
        let mut other = packet.clone();
        assert!(packet.encapsulate(Tunnel::default()) && packet.encapsulate_in_ipv6(Tunnel::default()));
        other.set_tunnels(packet.tunnels);
        assert_eq!((other.wire_bytes, &other), (1060, &packet));
        other.tunnels.change(|tunnel| tunnel.exit = NodeId(0x7000_0007));
        assert_eq!((other.next_destination(), packet.next_destination()), (NodeId(0x7000_0007), NodeId(0)));
        let back = Tunnel { entry: NodeId(0x7000_0007), exit: NodeId(0) };
        assert!(other.tunnels.reversed().iter().eq([back, back]));
        assert_eq!(other.tunnels.reversed().header(1), TunnelHeader::Ipv6);
        other.set_tunnels(Tunnels::NONE);
        assert_eq!(other, Packet { wire_bytes: 1000, ..Packet::default() });
    }
}
