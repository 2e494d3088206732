//! Checksums that a sender has left to its hardware, which frames between virtual interfaces never meet.

use crate::frame;
use seamline_wire::codec::{Checksum, IpVersion};

/// Numbers of protocols behind IP.
pub(crate) const TCP: u8 = 6;
pub(crate) const UDP: u8 = 17;

/// Where what is behind an IP header begins, and its protocol; `None` for fragments. What is behind an extension header is not looked for.
pub(crate) fn behind_ip(packet: &[u8]) -> Option<(usize, u8)> {
    match IpVersion::of(packet).ok()? {
        IpVersion::V4 => {
            let fragment = packet.get(6..8)?;
            let is_fragment = fragment != [0x40, 0] && fragment != [0, 0];
            (!is_fragment).then_some((usize::from(packet[0] & 15) * 4, *packet.get(9)?))
        }
        IpVersion::V6 => Some((IpVersion::V6.header_length(), *packet.get(6)?)),
    }
}

/// Where an IP packet's transport header begins, and its checksum in it; `None` for fragments, extension headers and other protocols.
fn place(packet: &[u8]) -> Option<(usize, usize, usize)> {
    let (begin, protocol) = behind_ip(packet)?;
    let end = frame::ip_length(packet)?;
    let field = match protocol {
        TCP => begin + 16,
        UDP => begin + 6,
        _ => return None,
    };
    (field + 2 <= end && end <= packet.len()).then_some((begin, field, end))
}

/// Fill in the checksum of TCP or UDP, where the sum of the pseudo header stands in its place. Whether it was done.
pub(crate) fn complete(packet: &mut [u8]) -> bool {
    let Some((begin, field, end)) = place(packet) else { return false };
    let sum = match Checksum::new().over(&packet[begin..end]).field() {
        // Zero would say that there is none (RFC 768); for TCP both are the same.
        0 => u16::MAX,
        sum => sum,
    };
    packet[field..field + 2].copy_from_slice(&sum.to_be_bytes());
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use seamline_wire::codec::{Headers, IpHeader, decode, encode_to_vec};
    use seamline_wire::{Flags, Segment, TransportPort};

    /// As Linux leaves it: the sum of addresses, protocol and length, not complemented.
    #[test]
    fn what_linux_leaves_becomes_right() {
        for ip in [
            IpHeader::v4([192, 0, 2, 1].into(), [192, 0, 2, 2].into()),
            IpHeader::v6([1; 16].into(), [2; 16].into()),
        ] {
            let segment = Segment { flags: Flags::ACK, length: 5, ..Segment::default() };
            let ports = [TransportPort(7), TransportPort(8)];
            let headers = Headers { ip, source_port: ports[0], destination_port: ports[1], segment };
            let right = encode_to_vec(&headers, b"hello").unwrap();
            let (begin, addresses) = if right[0] >> 4 == 4 { (20, 12..20) } else { (40, 8..40) };
            let length = (right.len() - begin) as u16;
            let pseudo = Checksum::new().over(&right[addresses]).over(&[0, 6]).over(&length.to_be_bytes());
            let mut left = right.clone();
            left[begin + 16..begin + 18].copy_from_slice(&(!pseudo.field()).to_be_bytes());
            assert!(decode(&left).is_err());
            assert!(complete(&mut left));
            assert_eq!(left, right);
        }
        assert!(!complete(&mut [0x45; 30]));
        assert!(!complete(&mut []));
    }
}
