//! The messages of rtnetlink that the lab needs (rtnetlink(7)).

use super::Dropped;
use netlink_packet_route::address::{AddressAttribute, AddressHeaderFlags, AddressMessage, AddressScope};
use netlink_packet_route::link::{
    AfSpecInet6, AfSpecUnspec, In6AddrGenMode, LinkAttribute, LinkFlags, LinkMessage,
};
use netlink_packet_route::route::{
    RouteAttribute, RouteHeader, RouteMessage, RouteMetric, RouteProtocol, RouteScope, RouteType,
};
use netlink_packet_route::{AddressFamily, RouteNetlinkMessage};
use std::net::IpAddr;

pub(super) fn shape(index: u32, mtu: u32, queue_packets: u32) -> RouteNetlinkMessage {
    link(index, vec![LinkAttribute::Mtu(mtu), LinkAttribute::TxQueueLen(queue_packets)])
}

/// Without a link-local address there are no router solicitations and no multicast reports on the link.
pub(super) fn no_own_addresses(index: u32) -> RouteNetlinkMessage {
    let mode = AfSpecInet6::AddrGenMode(In6AddrGenMode::None);
    link(index, vec![LinkAttribute::AfSpecUnspec(vec![AfSpecUnspec::Inet6(vec![mode])])])
}

pub(super) fn up(index: u32) -> RouteNetlinkMessage {
    let mut message = LinkMessage::default();
    message.header.index = index;
    message.header.flags = LinkFlags::Up;
    message.header.change_mask = LinkFlags::Up;
    RouteNetlinkMessage::SetLink(message)
}

fn link(index: u32, attributes: Vec<LinkAttribute>) -> RouteNetlinkMessage {
    let mut message = LinkMessage::default();
    message.header.index = index;
    message.attributes = attributes;
    RouteNetlinkMessage::SetLink(message)
}

pub(super) fn address(index: u32, address: IpAddr, prefix_length: u8) -> RouteNetlinkMessage {
    let mut message = AddressMessage::default();
    message.header.family = family(address);
    message.header.prefix_len = prefix_length;
    message.header.scope = AddressScope::Universe;
    message.header.index = index;
    if address.is_ipv6() {
        // Duplicate address detection would keep the address from being used for a second.
        message.header.flags = AddressHeaderFlags::Nodad;
    }
    message.attributes = vec![AddressAttribute::Local(address), AddressAttribute::Address(address)];
    RouteNetlinkMessage::NewAddress(message)
}

pub(super) fn route(
    index: u32,
    destination: IpAddr,
    prefix_length: u8,
    congestion_control: Option<&str>,
) -> RouteNetlinkMessage {
    let mut message = RouteMessage::default();
    message.header.address_family = family(destination);
    message.header.destination_prefix_length = prefix_length;
    message.header.table = RouteHeader::RT_TABLE_MAIN;
    message.header.protocol = RouteProtocol::Static;
    message.header.scope = if destination.is_ipv4() { RouteScope::Link } else { RouteScope::Universe };
    message.header.kind = RouteType::Unicast;
    message.attributes.push(RouteAttribute::Oif(index));
    if prefix_length > 0 {
        message.attributes.push(RouteAttribute::Destination(destination.into()));
    }
    if let Some(name) = congestion_control {
        message.attributes.push(RouteAttribute::Metrics(vec![RouteMetric::CcAlgo(name.to_owned())]));
    }
    RouteNetlinkMessage::NewRoute(message)
}

fn family(address: IpAddr) -> AddressFamily {
    if address.is_ipv4() { AddressFamily::Inet } else { AddressFamily::Inet6 }
}

pub(super) fn dropped(link: &LinkMessage) -> Option<Dropped> {
    link.attributes.iter().find_map(|attribute| match attribute {
        LinkAttribute::Stats64(counters) => {
            Some(Dropped { received: counters.rx_dropped, sent: counters.tx_dropped })
        }
        _ => None,
    })
}
