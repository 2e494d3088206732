//! Control messages as bytes: the agent discovery and registration of Mobile IPv4 (RFC 5944) in ICMP (RFC 1256) and UDP, behind an
//! IPv4 header, and an error of ICMP (RFC 792). Those of IPv6 and those between agents have modules of their own.

use super::address::{ip_header, ipv4_address};
use super::checksum::Checksum;
use super::error::EncodeError;
use super::ip::{IpHeader, IpVersion, TCP, UDP};
use super::ipv4::Ipv4Header;
use super::{message6, recovery};
use crate::control::{
    AgentAdvertisement, Control, HandoffReply, HandoffRequest, Identification, RegistrationReply,
    RegistrationRequest, UndeliveredSegment,
};
use crate::packet::{NodeId, Packet, TransportPort};

/// The UDP port of registration (RFC 5944 section 3).
pub const REGISTRATION_PORT: TransportPort = TransportPort(434);

const ICMP: u8 = 1;
pub(super) const UDP_HEADER: usize = 8;
const DESTINATION_UNREACHABLE: u8 = 3;
const HOST_UNREACHABLE: u8 = 1;
const ROUTER_ADVERTISEMENT: u8 = 9;
const ROUTER_SOLICITATION: u8 = 10;
const MOBILITY_AGENT_EXTENSION: u8 = 16;
/// Bytes of an extension with the address of an access point.
const LINK_LAYER_LENGTH: usize = 9;
const REQUEST: u8 = 1;
const REPLY: u8 = 3;
const HANDOFF_REQUEST: u8 = 16;
const HANDOFF_REPLY: u8 = 17;

/// Write the control message of a packet to the front of `out` and return its length: [`Control::wire_bytes`], but for messages
/// between agents, which have the given IP version; that of all others follows from their protocol. The headers of
/// tunnels are not written.
///
/// # Errors
/// When `out` is too small.
pub fn encode(
    packet: &Packet,
    control: &Control,
    version: IpVersion,
    out: &mut [u8],
) -> Result<usize, EncodeError> {
    let needed = control.wire_bytes() as usize;
    let place = out.get_mut(..needed).ok_or(EncodeError::BufferTooSmall { needed })?;
    let (ip_place, body) = place.split_at_mut(Ipv4Header::LENGTH);
    body.fill(0);
    let protocol = match control {
        Control::Ipv6(message) => return message6::encode(packet, message, out),
        Control::Recovery(message) => {
            return recovery::encode(&ip_header(version, packet.source, packet.destination), message, out);
        }
        Control::AgentAdvertisement(advertisement) => {
            write_advertisement(advertisement, body);
            ICMP
        }
        Control::AgentSolicitation => {
            body[0] = ROUTER_SOLICITATION;
            ICMP
        }
        Control::HostUnreachable(undelivered) => {
            write_unreachable(undelivered, body)?;
            ICMP
        }
        Control::ProxyAgentSolicitation(access_point) => {
            body[0] = ROUTER_SOLICITATION;
            write_access_point(*access_point, &mut body[8..]);
            ICMP
        }
        Control::ProxyAgentAdvertisement(access_point, advertisement) => {
            let (front, extension) = body.split_at_mut(body.len() - LINK_LAYER_LENGTH);
            write_advertisement(advertisement, front);
            write_access_point(*access_point, extension);
            ICMP
        }
        Control::HandoffRequest(request) => {
            let HandoffRequest { lifetime_s, home_address, identification } = *request;
            let fields = (HANDOFF_REQUEST, 0, lifetime_s, home_address, identification);
            write_handoff(fields, &mut body[UDP_HEADER..]);
            UDP
        }
        Control::HandoffReply(reply) => {
            let HandoffReply { code, lifetime_s, home_address, identification } = *reply;
            let fields = (HANDOFF_REPLY, code, lifetime_s, home_address, identification);
            write_handoff(fields, &mut body[UDP_HEADER..]);
            UDP
        }
        Control::RegistrationRequest(request) => {
            write_request(request, &mut body[UDP_HEADER..]);
            UDP
        }
        Control::RegistrationReply(reply) => {
            write_reply(reply, &mut body[UDP_HEADER..]);
            UDP
        }
    };
    let mut ip = Ipv4Header::new(ipv4_address(packet.source), ipv4_address(packet.destination));
    if protocol == UDP {
        finish_datagram(&IpHeader::V4(ip), packet.source_port, packet.destination_port, body);
    } else {
        if !matches!(control, Control::HostUnreachable(_)) {
            ip.time_to_live = 1;
        }
        let sum = Checksum::new().over(body).field();
        body[2..4].copy_from_slice(&sum.to_be_bytes());
    }
    ip_place.copy_from_slice(&ip.write(protocol, body.len())?);
    Ok(needed)
}

/// Write the header of the UDP datagram in `body`, whose payload is there.
pub(super) fn finish_datagram(
    ip: &IpHeader,
    source: TransportPort,
    destination: TransportPort,
    body: &mut [u8],
) {
    let length = body.len();
    body[0..2].copy_from_slice(&source.0.to_be_bytes());
    body[2..4].copy_from_slice(&destination.0.to_be_bytes());
    body[4..6].copy_from_slice(&(length as u16).to_be_bytes());
    body[6..8].fill(0);
    // Zero would say that there is no checksum (RFC 768).
    let sum = match ip.pseudo_header(UDP, length).over(body).field() {
        0 => u16::MAX,
        sum => sum,
    };
    body[6..8].copy_from_slice(&sum.to_be_bytes());
}

fn write_advertisement(advertisement: &AgentAdvertisement, body: &mut [u8]) {
    const WORDS_PER_ADDRESS: u8 = 2;
    body[0] = ROUTER_ADVERTISEMENT;
    body[4..6].copy_from_slice(&[1, WORDS_PER_ADDRESS]);
    body[6..8].copy_from_slice(&advertisement.lifetime_s.to_be_bytes());
    body[8..12].copy_from_slice(&ipv4_address(advertisement.agent).octets());
    let extension = &mut body[16..];
    extension[0] = MOBILITY_AGENT_EXTENSION;
    extension[1] = extension.len() as u8 - 2;
    extension[2..4].copy_from_slice(&advertisement.sequence.to_be_bytes());
    extension[4..6].copy_from_slice(&advertisement.registration_lifetime_s.to_be_bytes());
    extension[6] = advertisement.flags.0;
    if let Some(care_of) = advertisement.care_of_address {
        extension[8..12].copy_from_slice(&ipv4_address(care_of).octets());
    }
}

fn write_unreachable(undelivered: &UndeliveredSegment, body: &mut [u8]) -> Result<(), EncodeError> {
    body[0] = DESTINATION_UNREACHABLE;
    body[1] = HOST_UNREACHABLE;
    let (header, quoted) = body[8..].split_at_mut(Ipv4Header::LENGTH);
    let behind_header = (undelivered.wire_bytes as usize).saturating_sub(Ipv4Header::LENGTH);
    let ip = Ipv4Header::new(ipv4_address(undelivered.source), ipv4_address(undelivered.destination));
    header.copy_from_slice(&ip.write(TCP, behind_header)?);
    quoted[0..2].copy_from_slice(&undelivered.source_port.0.to_be_bytes());
    quoted[2..4].copy_from_slice(&undelivered.destination_port.0.to_be_bytes());
    quoted[4..8].copy_from_slice(&undelivered.sequence.0.to_be_bytes());
    Ok(())
}

/// Generalized Link Layer and IPv4 Address extension of ICMP messages (RFC 4881 section 9), with a locally administered
/// address of 48 bits.
fn write_access_point(number: u32, extension: &mut [u8]) {
    const EXTENSION: u8 = 140;
    const ETHERNET: u8 = 3;
    extension[..5].copy_from_slice(&[EXTENSION, LINK_LAYER_LENGTH as u8 - 2, ETHERNET, 2, 1]);
    extension[5..].copy_from_slice(&number.to_be_bytes());
}

/// Both messages have the same fields but for the code of the reply; the home agent is left open.
fn write_handoff(
    (kind, code, lifetime_s, home_address, identification): (u8, u8, u16, NodeId, Identification),
    body: &mut [u8],
) {
    const TARGET_TRIGGERED: u8 = 0x40;
    const EXTENSION: u8 = 138;
    const ETHERNET: u8 = 3;
    body[..4].copy_from_slice(&[kind, TARGET_TRIGGERED, 0, code]);
    body[4..6].copy_from_slice(&lifetime_s.to_be_bytes());
    body[8..12].copy_from_slice(&ipv4_address(home_address).octets());
    body[16..24].copy_from_slice(&identification.0.to_be_bytes());
    body[24..29].copy_from_slice(&[EXTENSION, LINK_LAYER_LENGTH as u8 - 2, ETHERNET, 2, 0]);
    body[29..].copy_from_slice(&home_address.0.to_be_bytes());
}

fn write_request(request: &RegistrationRequest, body: &mut [u8]) {
    body[0] = REQUEST;
    body[1] = request.flags.0;
    body[2..4].copy_from_slice(&request.lifetime_s.to_be_bytes());
    body[4..8].copy_from_slice(&ipv4_address(request.home_address).octets());
    body[8..12].copy_from_slice(&ipv4_address(request.home_agent).octets());
    body[12..16].copy_from_slice(&ipv4_address(request.care_of_address).octets());
    body[16..24].copy_from_slice(&request.identification.0.to_be_bytes());
}

fn write_reply(reply: &RegistrationReply, body: &mut [u8]) {
    body[0] = REPLY;
    body[1] = reply.code.0;
    body[2..4].copy_from_slice(&reply.lifetime_s.to_be_bytes());
    body[4..8].copy_from_slice(&ipv4_address(reply.home_address).octets());
    body[8..12].copy_from_slice(&ipv4_address(reply.home_agent).octets());
    body[12..20].copy_from_slice(&reply.identification.0.to_be_bytes());
}
