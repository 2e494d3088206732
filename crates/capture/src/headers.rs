//! Headers and control messages of simulated packets as bytes.

use seamline_wire::codec::{
    EncodeError, Headers, IpVersion, encode_headers, encode_home_address, encode_tunnel, ip_header, message,
};
use seamline_wire::{Control, Packet, Tunnel, TunnelHeader};

/// Write all headers of a packet, or all of a control message; returns their length.
pub(crate) fn write_headers(
    packet: &Packet,
    version: IpVersion,
    out: &mut [u8],
) -> Result<usize, EncodeError> {
    let inner = inner_version(packet, version);
    let tunnels = packet.tunnels.iter();
    let through = |place: usize| match packet.tunnels.header(place) {
        TunnelHeader::Ipv6 | TunnelHeader::HomeAddress => IpVersion::V6,
        TunnelHeader::Ipv4 if packet.control().is_some() => IpVersion::V4,
        TunnelHeader::Ipv4 => version,
    };
    let adds = |place: usize| match packet.tunnels.header(place) {
        TunnelHeader::HomeAddress => Tunnel::HOME_ADDRESS_BYTES as usize,
        TunnelHeader::Ipv4 | TunnelHeader::Ipv6 => through(place).header_length(),
    };
    let mut length: usize = (0..tunnels.len()).map(adds).sum();
    length += match packet.control() {
        Some(control) => message::encode(packet, control, version, &mut out[length..])?,
        None => {
            let headers = Headers {
                ip: ip_header(inner, packet.source, packet.destination).with_ecn(packet.ecn),
                source_port: packet.source_port,
                destination_port: packet.destination_port,
                segment: packet.segment,
            };
            encode_headers(&headers, &mut out[length..])?
        }
    };
    let (mut at, whole) = (0, length + payload_length(packet) as usize);
    for (place, tunnel) in tunnels.enumerate().rev() {
        if packet.tunnels.header(place) == TunnelHeader::HomeAddress {
            at += encode_home_address(tunnel, whole - at - adds(place), &mut out[at..])?;
            continue;
        }
        let outer = ip_header(through(place), tunnel.entry, tunnel.exit).with_ecn(packet.ecn);
        let around = if place == 0 { inner } else { through(place - 1) };
        let inner_length = whole - at - outer.version().header_length();
        at += encode_tunnel(&outer, around, inner_length, &mut out[at..])?;
    }
    Ok(length)
}

/// Control messages have the IP version of their protocol; those between agents and segments that of the capture, unless
/// an extension header of IPv6 keeps an address of theirs.
fn inner_version(packet: &Packet, version: IpVersion) -> IpVersion {
    let keeps_home_address = packet.tunnels.header(0) == TunnelHeader::HomeAddress;
    match packet.control() {
        _ if keeps_home_address && !packet.tunnels.is_empty() => IpVersion::V6,
        None => version,
        Some(Control::Ipv6(_)) => IpVersion::V6,
        Some(Control::Recovery(_)) => version,
        Some(_) => IpVersion::V4,
    }
}

pub(crate) fn payload_length(packet: &Packet) -> u32 {
    if packet.is_segment() { packet.segment.length } else { 0 }
}
