//! Headers and control messages of simulated packets as bytes.

use seamline_wire::codec::message::{self, Message};
use seamline_wire::codec::message6::{self, Ipv6Message};
use seamline_wire::codec::recovery;
use seamline_wire::codec::{
    EncodeError, Headers, IpVersion, encode_headers, encode_tunnel_around, ip_header, ipv4_address,
    ipv6_address,
};
use seamline_wire::control::Ipv6Control;
use seamline_wire::{Control, Packet};

/// Write all headers of a packet, or all of a control message; returns their length.
pub(crate) fn write_headers(
    packet: &Packet,
    version: IpVersion,
    out: &mut [u8],
) -> Result<usize, EncodeError> {
    let inner = inner_version(packet, version);
    let tunnels = packet.tunnels.as_slice();
    let through = |place: usize| match packet.tunnels.is_through_ipv6(place) {
        true => IpVersion::V6,
        false if packet.control().is_some() => IpVersion::V4,
        false => version,
    };
    let mut length: usize = (0..tunnels.len()).map(|place| through(place).header_length()).sum();
    length += match packet.control() {
        Some(control) => encode_message(packet, control, inner, &mut out[length..])?,
        None => {
            let headers = Headers {
                ip: ip_header(inner, packet.source, packet.destination),
                source_port: packet.source_port,
                destination_port: packet.destination_port,
                segment: packet.segment,
            };
            encode_headers(&headers, &mut out[length..])?
        }
    };
    let (mut at, whole) = (0, length + payload_length(packet) as usize);
    for (place, tunnel) in tunnels.iter().enumerate().rev() {
        let outer = ip_header(through(place), tunnel.entry, tunnel.exit);
        let around = if place == 0 { inner } else { through(place - 1) };
        let inner_length = whole - at - outer.version().header_length();
        at += encode_tunnel_around(&outer, around, inner_length, &mut out[at..])?;
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

fn encode_message(
    packet: &Packet,
    control: &Control,
    version: IpVersion,
    out: &mut [u8],
) -> Result<usize, EncodeError> {
    match control {
        Control::Recovery(message) => {
            recovery::encode(&ip_header(version, packet.source, packet.destination), message, out)
        }
        Control::Ipv6(message) => message6::encode(&as_ipv6_message(packet, message), out),
        _ => message::encode(&as_message(packet, control), out),
    }
}

fn as_ipv6_message(packet: &Packet, message: &Ipv6Control) -> Ipv6Message {
    Ipv6Message {
        source: ipv6_address(packet.source),
        destination: ipv6_address(packet.destination),
        control: message.map(ipv6_address),
    }
}

pub(crate) fn payload_length(packet: &Packet) -> u32 {
    if packet.is_segment() { packet.segment.length } else { 0 }
}

fn as_message(packet: &Packet, control: &Control) -> Message {
    Message {
        source: ipv4_address(packet.source),
        destination: ipv4_address(packet.destination),
        source_port: packet.source_port,
        destination_port: packet.destination_port,
        control: control.map(ipv4_address),
    }
}
