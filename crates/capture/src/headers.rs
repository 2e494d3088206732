//! Headers and control messages of simulated packets as bytes.

use seamline_wire::codec::{
    EncodeError, Headers, IpVersion, encode_headers, encode_tunnel, ip_header, message,
};
use seamline_wire::{Control, Packet};

/// Write all headers of a packet, or all of a control message; returns their length.
pub(crate) fn write_headers(
    packet: &Packet,
    version: IpVersion,
    out: &mut [u8],
) -> Result<usize, EncodeError> {
    let inner = inner_version(packet, version);
    let tunnels = packet.tunnels.iter();
    let through = |place: usize| match packet.tunnels.is_through_ipv6(place) {
        true => IpVersion::V6,
        false if packet.control().is_some() => IpVersion::V4,
        false => version,
    };
    let mut length: usize = (0..tunnels.len()).map(|place| through(place).header_length()).sum();
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
        let outer = ip_header(through(place), tunnel.entry, tunnel.exit).with_ecn(packet.ecn);
        let around = if place == 0 { inner } else { through(place - 1) };
        let inner_length = whole - at - outer.version().header_length();
        at += encode_tunnel(&outer, around, inner_length, &mut out[at..])?;
    }
    Ok(length)
}

/// Control messages have the IP version of their protocol; those between agents and segments that of the capture.
fn inner_version(packet: &Packet, version: IpVersion) -> IpVersion {
    match packet.control() {
        None => version,
        Some(Control::Ipv6(_)) => IpVersion::V6,
        Some(Control::Recovery(_)) => version,
        Some(_) => IpVersion::V4,
    }
}

pub(crate) fn payload_length(packet: &Packet) -> u32 {
    if packet.is_segment() { packet.segment.length } else { 0 }
}
