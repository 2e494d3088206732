//! Between bytes on an interface and packets of the emulated network.

use crate::foreign::{Carried, carried};
use seamline_wire::codec::{
    Decoded, Headers, IpVersion, MAX_HEADER_LENGTH, decode, decode_complete, ecn_of, encode_around,
    encode_headers, ip_header, ipv4_address, ipv6_address, with_ecn,
};
use seamline_wire::{Extra, NodeId, Packet, Segment, Tunnels};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::Arc;

/// The addresses of a node in the lab, the same as in captures: of IPv4 and of IPv6.
pub fn addresses(node: NodeId) -> [IpAddr; 2] {
    [ipv4_address(node).into(), ipv6_address(node).into()]
}

/// The node with an address.
fn node_of(address: IpAddr) -> Option<NodeId> {
    let node = match address {
        IpAddr::V4(address) => {
            let [_, a, b, c] = address.octets();
            NodeId(u32::from_be_bytes([0, a, b, c]))
        }
        IpAddr::V6(address) => {
            let [.., a, b, c, d] = address.octets();
            NodeId(u32::from_be_bytes([a, b, c, d]))
        }
    };
    addresses(node).contains(&address).then_some(node)
}

/// Source and destination of an IP packet, if both are nodes of a lab.
fn ends(bytes: &[u8]) -> Option<[NodeId; 2]> {
    let addresses: [IpAddr; 2] = match IpVersion::of(bytes).ok()? {
        IpVersion::V4 => {
            let at = |place: usize| Some(Ipv4Addr::from(*bytes.get(place..)?.first_chunk::<4>()?));
            [at(12)?.into(), at(16)?.into()]
        }
        IpVersion::V6 => {
            let at = |place: usize| Some(Ipv6Addr::from(*bytes.get(place..)?.first_chunk::<16>()?));
            [at(8)?.into(), at(24)?.into()]
        }
    };
    Some([node_of(addresses[0])?, node_of(addresses[1])?])
}

/// Fill in a packet that came from an interface as these bytes: a segment with its fields where they hold all of it, else
/// something foreign that is only carried: its length, its ports if it is UDP or TCP, and how much of it is payload. `false`, and nothing useful in the packet, when it is between other
/// addresses than those of the lab: discovery of neighbours and routers, mostly.
pub fn take_in(bytes: &[u8], packet: &mut Packet) -> bool {
    let Some(ends) = ends(bytes) else { return false };
    [packet.source, packet.destination] = ends;
    packet.wire_bytes = bytes.len() as u32;
    packet.tunnels = Tunnels::NONE;
    packet.ecn = ecn_of(bytes).unwrap_or_default();
    let copy = Arc::<[u8]>::from(bytes);
    let extra = if let Ok(decoded) = decode_complete(bytes) {
        set_segment(packet, &decoded.headers);
        Extra::Segment(copy)
    } else {
        let Carried { ports, payload } = carried(bytes);
        [packet.source_port, packet.destination_port] = ports;
        packet.segment = Segment { length: payload, ..Segment::default() };
        Extra::Foreign(copy)
    };
    packet.extra = Some(Box::new(extra));
    true
}

fn set_segment(packet: &mut Packet, headers: &Headers) {
    (packet.source_port, packet.destination_port) = (headers.source_port, headers.destination_port);
    packet.segment = headers.segment;
}

/// Take in a segment at the end of its way, from the bytes that it came in as. Returns its payload. What an endpoint does not know
/// is skipped, as every TCP has to (RFC 9293 section 3.1, MUST-6): options of Fast Open or of Multipath TCP, an urgent pointer.
/// `None`, and nothing useful in the packet, for anything that is no intact segment between nodes of a lab.
pub fn receive<'a>(bytes: &'a [u8], packet: &mut Packet) -> Option<&'a [u8]> {
    let ends = ends(bytes)?;
    let Decoded { headers, payload } = decode(bytes).ok()?;
    packet.make_bare();
    [packet.source, packet.destination] = ends;
    set_segment(packet, &headers);
    packet.ecn = headers.ip.traffic_class().ecn();
    packet.wire_bytes = bytes.len() as u32;
    Some(payload)
}

/// Why a packet cannot be put on an interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotBytes {
    /// It is a control message, or in a tunnel: nothing that a host is to see.
    NotForHosts,
    /// It has payload, but not the bytes of it: something on its way has made it.
    PayloadUnknown,
}

/// The bytes of a packet for a host: those that it came in as where nothing on its way has changed it, otherwise its fields
/// encoded again around its payload. `out` is scratch space for that.
///
/// # Errors
/// When it has none.
pub fn bytes_of<'a>(packet: &'a Packet, out: &'a mut Vec<u8>) -> Result<&'a [u8], NotBytes> {
    if !packet.tunnels.is_empty() {
        return Err(NotBytes::NotForHosts);
    }
    match packet.extra.as_deref() {
        Some(Extra::Foreign(bytes)) => Ok(with_ecn(bytes, packet.ecn, out).unwrap_or(bytes)),
        Some(Extra::Segment(bytes)) => {
            encode_around(packet, bytes, out).map_err(|_| NotBytes::PayloadUnknown)
        }
        Some(Extra::Control(_)) => Err(NotBytes::NotForHosts),
        None => written_alone(packet, out),
    }
}

/// Packets made by an agent have no payload, and use IPv4.
fn written_alone<'a>(packet: &Packet, out: &'a mut Vec<u8>) -> Result<&'a [u8], NotBytes> {
    if packet.segment.length > 0 {
        return Err(NotBytes::PayloadUnknown);
    }
    let headers = headers(packet, IpVersion::V4);
    out.resize(MAX_HEADER_LENGTH, 0);
    let length = encode_headers(&headers, out).map_err(|_| NotBytes::PayloadUnknown)?;
    Ok(&out[..length])
}

/// All headers of a segment between two nodes.
pub fn headers(packet: &Packet, version: IpVersion) -> Headers {
    Headers {
        ip: ip_header(version, packet.source, packet.destination).with_ecn(packet.ecn),
        source_port: packet.source_port,
        destination_port: packet.destination_port,
        segment: packet.segment,
    }
}
