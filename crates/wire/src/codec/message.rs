//! Control messages as bytes: the agent discovery and registration of Mobile IPv4 (RFC 5944) in ICMP (RFC
//! 1256) and UDP, behind an IPv4 header. Extensions that [`Control`] has no field for are skipped when read.

use super::checksum::Checksum;
use super::error::{DecodeError, EncodeError};
use super::ip::{IpHeader, UDP};
use super::ipv4::Ipv4Header;
use super::{Checksums, DEFAULT_HOP_LIMIT};
use crate::control::{
    AgentAdvertisement, AgentFlags, Control, Identification, RegistrationFlags, RegistrationReply,
    RegistrationRequest, ReplyCode,
};
use crate::packet::TransportPort;
use std::fmt;
use std::net::Ipv4Addr;

/// The UDP port of registration (RFC 5944 section 3).
pub const REGISTRATION_PORT: TransportPort = TransportPort(434);
/// Bytes that suffice for any message that is written.
pub const MAX_MESSAGE_LENGTH: usize = 76;

const ICMP: u8 = 1;
const ICMP_HEADER: usize = 8;
pub(super) const UDP_HEADER: usize = 8;
const ROUTER_ADVERTISEMENT: u8 = 9;
const ROUTER_SOLICITATION: u8 = 10;
const MOBILITY_AGENT_EXTENSION: u8 = 16;
const ONE_BYTE_PADDING: u8 = 0;
const REQUEST: u8 = 1;
const REQUEST_LENGTH: usize = 24;
const REPLY: u8 = 3;
const REPLY_LENGTH: usize = 20;

/// A message and who sends it to whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message {
    /// Source address.
    pub source: Ipv4Addr,
    /// Destination address.
    pub destination: Ipv4Addr,
    /// Source port, where the message is in UDP; replies go back to it.
    pub source_port: TransportPort,
    /// Destination port, where the message is in UDP.
    pub destination_port: TransportPort,
    /// What it says.
    pub control: Control<Ipv4Addr>,
}

/// Why bytes are not a control message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MessageError {
    /// The IPv4 header is wrong.
    Ip(DecodeError),
    /// Sound as far as looked at, but something else than a message of agent discovery or registration.
    Other,
    /// It ends before it is complete.
    Truncated,
    /// The checksum of ICMP or UDP is wrong.
    Checksum,
}

impl fmt::Display for MessageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MessageError::Ip(error) => error.fmt(f),
            MessageError::Other => f.write_str("not a message of agent discovery or registration"),
            MessageError::Truncated => f.write_str("the message is cut short"),
            MessageError::Checksum => f.write_str("the checksum of the message is wrong"),
        }
    }
}
impl std::error::Error for MessageError {}

/// Write a message to the front of `out` and return its length, which is [`Control::wire_bytes`].
///
/// # Errors
/// When `out` is too small, [`MAX_MESSAGE_LENGTH`] bytes sufficing, or the message is one of IPv6
/// ([`super::message6`]).
pub fn encode(message: &Message, out: &mut [u8]) -> Result<usize, EncodeError> {
    let needed = message.control.wire_bytes() as usize;
    let place = out.get_mut(..needed).ok_or(EncodeError::BufferTooSmall { needed })?;
    let (ip_place, body) = place.split_at_mut(Ipv4Header::LENGTH);
    body.fill(0);
    let (protocol, hop_limit) = match &message.control {
        Control::AgentAdvertisement(advertisement) => {
            write_advertisement(advertisement, body);
            (ICMP, 1)
        }
        Control::AgentSolicitation => {
            body[0] = ROUTER_SOLICITATION;
            (ICMP, 1)
        }
        Control::RegistrationRequest(request) => {
            write_request(request, &mut body[UDP_HEADER..]);
            (UDP, DEFAULT_HOP_LIMIT)
        }
        Control::Ipv6(_) => return Err(EncodeError::IpVersion),
        Control::Recovery(it) => {
            return super::recovery::encode(&IpHeader::v4(message.source, message.destination), it, place);
        }
        Control::RegistrationReply(reply) => {
            write_reply(reply, &mut body[UDP_HEADER..]);
            (UDP, DEFAULT_HOP_LIMIT)
        }
    };
    let ip = Ipv4Header { time_to_live: hop_limit, ..Ipv4Header::new(message.source, message.destination) };
    if protocol == UDP {
        finish_datagram(&IpHeader::V4(ip), message.source_port, message.destination_port, body);
    } else {
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

fn write_advertisement(advertisement: &AgentAdvertisement<Ipv4Addr>, body: &mut [u8]) {
    const WORDS_PER_ADDRESS: u8 = 2;
    body[0] = ROUTER_ADVERTISEMENT;
    body[4..6].copy_from_slice(&[1, WORDS_PER_ADDRESS]);
    body[6..8].copy_from_slice(&advertisement.lifetime_s.to_be_bytes());
    body[8..12].copy_from_slice(&advertisement.agent.octets());
    let extension = &mut body[16..];
    extension[0] = MOBILITY_AGENT_EXTENSION;
    extension[1] = extension.len() as u8 - 2;
    extension[2..4].copy_from_slice(&advertisement.sequence.to_be_bytes());
    extension[4..6].copy_from_slice(&advertisement.registration_lifetime_s.to_be_bytes());
    extension[6] = advertisement.flags.0;
    if let Some(care_of) = advertisement.care_of_address {
        extension[8..12].copy_from_slice(&care_of.octets());
    }
}

fn write_request(request: &RegistrationRequest<Ipv4Addr>, body: &mut [u8]) {
    body[0] = REQUEST;
    body[1] = request.flags.0;
    body[2..4].copy_from_slice(&request.lifetime_s.to_be_bytes());
    body[4..8].copy_from_slice(&request.home_address.octets());
    body[8..12].copy_from_slice(&request.home_agent.octets());
    body[12..16].copy_from_slice(&request.care_of_address.octets());
    body[16..24].copy_from_slice(&request.identification.0.to_be_bytes());
}

fn write_reply(reply: &RegistrationReply<Ipv4Addr>, body: &mut [u8]) {
    body[0] = REPLY;
    body[1] = reply.code.0;
    body[2..4].copy_from_slice(&reply.lifetime_s.to_be_bytes());
    body[4..8].copy_from_slice(&reply.home_address.octets());
    body[8..12].copy_from_slice(&reply.home_agent.octets());
    body[12..20].copy_from_slice(&reply.identification.0.to_be_bytes());
}

/// Read an IPv4 packet that holds a control message. Never panics, never allocates.
///
/// # Errors
/// The first thing found wrong, from the outermost header inwards.
pub fn decode(packet: &[u8]) -> Result<Message, MessageError> {
    let (ip, protocol, body) = Ipv4Header::read(packet, Checksums::Verify).map_err(MessageError::Ip)?;
    let (source_port, destination_port, control) = match protocol {
        ICMP => (TransportPort(0), TransportPort(0), read_icmp(body)?),
        UDP => read_udp(&ip, body)?,
        _ => return Err(MessageError::Other),
    };
    Ok(Message { source: ip.source, destination: ip.destination, source_port, destination_port, control })
}

fn read_icmp(body: &[u8]) -> Result<Control<Ipv4Addr>, MessageError> {
    if body.len() < ICMP_HEADER {
        return Err(MessageError::Truncated);
    }
    if !Checksum::new().over(body).is_valid() {
        return Err(MessageError::Checksum);
    }
    match body[0] {
        ROUTER_SOLICITATION => Ok(Control::AgentSolicitation),
        ROUTER_ADVERTISEMENT => read_advertisement(body).map(Control::AgentAdvertisement),
        _ => Err(MessageError::Other),
    }
}

fn read_advertisement(body: &[u8]) -> Result<AgentAdvertisement<Ipv4Addr>, MessageError> {
    let addresses = usize::from(body[4]) * usize::from(body[5]) * 4;
    let agent = address(body, ICMP_HEADER)?;
    let mut rest = body.get(ICMP_HEADER + addresses..).ok_or(MessageError::Truncated)?;
    // Without an address there is an extension where one was looked for.
    let agent = if body[4] == 0 { Ipv4Addr::UNSPECIFIED } else { agent };
    loop {
        match rest {
            // An ordinary router, no agent.
            [] => return Err(MessageError::Other),
            [ONE_BYTE_PADDING, after @ ..] => rest = after,
            [kind, length, after @ ..] => {
                let extension = after.get(..usize::from(*length)).ok_or(MessageError::Truncated)?;
                if *kind == MOBILITY_AGENT_EXTENSION {
                    return read_agent(agent, &body[6..8], extension);
                }
                rest = &after[extension.len()..];
            }
            [_] => return Err(MessageError::Truncated),
        }
    }
}

fn read_agent(
    agent: Ipv4Addr,
    lifetime: &[u8],
    extension: &[u8],
) -> Result<AgentAdvertisement<Ipv4Addr>, MessageError> {
    let Some(fixed) = extension.first_chunk::<6>() else { return Err(MessageError::Truncated) };
    Ok(AgentAdvertisement {
        agent,
        lifetime_s: half(lifetime),
        sequence: half(&fixed[0..]),
        registration_lifetime_s: half(&fixed[2..]),
        flags: AgentFlags(fixed[4]),
        care_of_address: address(extension, 6).ok(),
    })
}

fn read_udp(
    ip: &Ipv4Header,
    body: &[u8],
) -> Result<(TransportPort, TransportPort, Control<Ipv4Addr>), MessageError> {
    let Some(header) = body.first_chunk::<UDP_HEADER>() else { return Err(MessageError::Truncated) };
    let (source, destination) = (TransportPort(half(header)), TransportPort(half(&header[2..])));
    if ![source, destination].contains(&REGISTRATION_PORT) {
        return Err(MessageError::Other);
    }
    let datagram = body.get(..usize::from(half(&header[4..]))).ok_or(MessageError::Truncated)?;
    let has_checksum = header[6..8] != [0, 0];
    let sum = IpHeader::V4(*ip).pseudo_header(UDP, datagram.len()).over(datagram);
    if has_checksum && !sum.is_valid() {
        return Err(MessageError::Checksum);
    }
    let message = datagram.get(UDP_HEADER..).ok_or(MessageError::Truncated)?;
    Ok((source, destination, read_registration(message)?))
}

fn read_registration(message: &[u8]) -> Result<Control<Ipv4Addr>, MessageError> {
    match message.first() {
        Some(&REQUEST) => {
            let fixed = message.first_chunk::<REQUEST_LENGTH>().ok_or(MessageError::Truncated)?;
            Ok(Control::RegistrationRequest(RegistrationRequest {
                flags: RegistrationFlags(fixed[1]),
                lifetime_s: half(&fixed[2..]),
                home_address: address(fixed, 4)?,
                home_agent: address(fixed, 8)?,
                care_of_address: address(fixed, 12)?,
                identification: identification(&fixed[16..]),
            }))
        }
        Some(&REPLY) => {
            let fixed = message.first_chunk::<REPLY_LENGTH>().ok_or(MessageError::Truncated)?;
            Ok(Control::RegistrationReply(RegistrationReply {
                code: ReplyCode(fixed[1]),
                lifetime_s: half(&fixed[2..]),
                home_address: address(fixed, 4)?,
                home_agent: address(fixed, 8)?,
                identification: identification(&fixed[12..]),
            }))
        }
        Some(_) => Err(MessageError::Other),
        None => Err(MessageError::Truncated),
    }
}

/// The two bytes at the front, which the caller knows to be there.
fn half(bytes: &[u8]) -> u16 {
    bytes.first_chunk().map_or(0, |bytes| u16::from_be_bytes(*bytes))
}

fn identification(bytes: &[u8]) -> Identification {
    Identification(bytes.first_chunk().map_or(0, |bytes| u64::from_be_bytes(*bytes)))
}

fn address(bytes: &[u8], at: usize) -> Result<Ipv4Addr, MessageError> {
    let octets = bytes.get(at..).and_then(|rest| rest.first_chunk::<4>());
    octets.map(|octets| Ipv4Addr::from(*octets)).ok_or(MessageError::Truncated)
}
