//! IP addresses of simulated nodes, which have only a number.

use super::{IpHeader, IpVersion};
use crate::packet::NodeId;
use std::net::{Ipv4Addr, Ipv6Addr};

/// The IPv4 address of a node: 10.0.0.0/8 (RFC 1918) with the low 24 bits of its number.
pub const fn ipv4_address(node: NodeId) -> Ipv4Addr {
    let [_, a, b, c] = node.0.to_be_bytes();
    match node {
        NodeId::ALL_SYSTEMS => Ipv4Addr::new(224, 0, 0, 1),
        NodeId::ALL_ROUTERS => Ipv4Addr::new(224, 0, 0, 2),
        _ => Ipv4Addr::new(10, a, b, c),
    }
}

/// The IPv6 address of a node: fd00::/96, unique local (RFC 4193), with its number.
pub const fn ipv6_address(node: NodeId) -> Ipv6Addr {
    let [a, b, c, d] = node.0.to_be_bytes();
    let words = [u16::from_be_bytes([a, b]), u16::from_be_bytes([c, d])];
    match node {
        NodeId::ALL_SYSTEMS => Ipv6Addr::new(0xff02, 0, 0, 0, 0, 0, 0, 1),
        NodeId::ALL_ROUTERS => Ipv6Addr::new(0xff02, 0, 0, 0, 0, 0, 0, 2),
        _ => Ipv6Addr::new(0xfd00, 0, 0, 0, 0, 0, words[0], words[1]),
    }
}

/// The IP header of a packet between two nodes.
pub fn ip_header(version: IpVersion, source: NodeId, destination: NodeId) -> IpHeader {
    match version {
        IpVersion::V4 => IpHeader::v4(ipv4_address(source), ipv4_address(destination)),
        IpVersion::V6 => IpHeader::v6(ipv6_address(source), ipv6_address(destination)),
    }
}
