//! Ports and payload length of packets from a real network that cannot be represented as a segment.

use seamline_wire::TransportPort;
use seamline_wire::codec::IpVersion;

const TCP: u8 = 6;
const UDP: u8 = 17;
const ICMP: [u8; 2] = [1, 58];
const UDP_HEADER: usize = 8;

/// Ports and payload of a packet that is only carried.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Carried {
    /// Of UDP or TCP; zero of anything else, and of fragments but the first.
    pub(crate) ports: [TransportPort; 2],
    /// Bytes behind the headers: of UDP and TCP those for the application, of ICMP none, of anything else, fragments and
    /// extension headers among it, all behind the header of IP.
    pub(crate) payload: u32,
}

/// Look at a whole IP packet.
pub(crate) fn carried(packet: &[u8]) -> Carried {
    let Some((protocol, behind)) = behind_ip(packet) else { return Carried::default() };
    let port = |place: usize| {
        behind.get(place..place + 2).map_or(0, |bytes| u16::from_be_bytes([bytes[0], bytes[1]]))
    };
    let with_header = |header: usize| Carried {
        ports: [port(0), port(2)].map(TransportPort),
        payload: behind.len().saturating_sub(header) as u32,
    };
    match protocol {
        Some(UDP) => with_header(UDP_HEADER),
        // RFC 9293 section 3.1: the data offset counts words of four bytes.
        Some(TCP) => with_header(usize::from(behind.get(12).copied().unwrap_or(0) >> 4) * 4),
        Some(protocol) if ICMP.contains(&protocol) => Carried::default(),
        _ => Carried { payload: behind.len() as u32, ..Carried::default() },
    }
}

/// The protocol, unless it is a fragment that does not begin with its header, and what is behind the header of IP.
fn behind_ip(packet: &[u8]) -> Option<(Option<u8>, &[u8])> {
    match IpVersion::of(packet).ok()? {
        IpVersion::V4 => {
            let header = usize::from(packet[0] & 0xf) * 4;
            let offset = u16::from_be_bytes([*packet.get(6)?, *packet.get(7)?]) & 0x1fff;
            let protocol = (offset == 0).then_some(*packet.get(9)?);
            Some((protocol, packet.get(header..)?))
        }
        IpVersion::V6 => Some((Some(*packet.get(6)?), packet.get(IpVersion::V6.header_length()..)?)),
    }
}
