//! Frames in which several TCP packets are joined: by the kernel as they came in (GRO), or by a sender that leaves the cutting to its interface (TSO).
//!
//! They are cut as the kernel cuts them (Linux, Documentation/networking/segmentation-offloads.rst), so that an agent sees every packet.

use crate::checksums::{self, TCP};
use crate::frame::{self, Medium};
use seamline_wire::codec::{Checksum, IpVersion};
use std::ops::Range;

/// What stands before a frame at a packet socket: `struct virtio_net_hdr` of linux/virtio_net.h, in the byte order of the host.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Offloads {
    flags: u8,
    kind: u8,
    headers: u16,
    payload: u16,
    checksum_begin: u16,
    checksum_offset: u16,
}

/// `VIRTIO_NET_HDR_F_NEEDS_CSUM`.
const CHECKSUM_NOT_READY: u8 = 1;
/// `VIRTIO_NET_HDR_GSO_TCPV4`, `VIRTIO_NET_HDR_GSO_TCPV6`; and `VIRTIO_NET_HDR_GSO_ECN`, which comes with either.
const TCP_KINDS: [u8; 2] = [1, 4];
const ECN: u8 = 0x80;

/// Of a TCP header: where the sequence number, the length of the header, the flags and the checksum are.
pub(crate) const SEQUENCE: usize = 4;
const LENGTH: usize = 12;
pub(crate) const FLAGS: usize = 13;
pub(crate) const CHECKSUM: usize = 16;
/// These flags are only on the last packet; this one only on the first (RFC 3168 section 6.1.2).
pub(crate) const FIN_AND_PSH: u8 = 0x01 | 0x08;
pub(crate) const CWR: u8 = 0x80;

impl Offloads {
    /// Of a packet that is whole and on its own.
    pub(crate) const NONE: Offloads =
        Offloads { flags: 0, kind: 0, headers: 0, payload: 0, checksum_begin: 0, checksum_offset: 0 };

    /// Whether the frame holds more than one packet.
    pub(crate) fn has_joined(&self) -> bool {
        self.kind != 0
    }
    /// Whether the sender has left the checksum to its interface.
    pub(crate) fn lacks_checksum(&self) -> bool {
        self.flags & CHECKSUM_NOT_READY != 0
    }
    /// The same for a frame into which so many bytes have been put before its IP header.
    pub(crate) fn moved(self, bytes: usize) -> Self {
        let moved = |at: u16| if at == 0 { 0 } else { at + bytes as u16 };
        Offloads { headers: moved(self.headers), checksum_begin: moved(self.checksum_begin), ..self }
    }

    /// Cut a frame, of which `near` holds all headers and `far` what does not fit there, and put the frames behind what is in `out`, the place
    /// of each behind what is in `places`. Whether it could be done: nothing changes otherwise.
    pub(crate) fn cut(
        &self,
        medium: Medium,
        near: &[u8],
        far: &[u8],
        out: &mut Vec<u8>,
        places: &mut Vec<Range<usize>>,
    ) -> bool {
        let Some(headers) = self.headers(medium, near) else { return false };
        let piece = usize::from(self.payload);
        let payload = near.len() + far.len() - headers.end;
        for from in (0..payload).step_by(piece) {
            let until = payload.min(from + piece);
            let begin = out.len();
            out.extend_from_slice(&near[..headers.end]);
            copy(&near[headers.end..], far, from..until, out);
            let at = Piece { from, is_last: until == payload, number: (from / piece) as u16 };
            headers.adapt(&mut out[begin..], at);
            places.push(begin..out.len());
        }
        true
    }

    fn headers(&self, medium: Medium, near: &[u8]) -> Option<Headers> {
        let is_sound = TCP_KINDS.contains(&(self.kind & !ECN)) && self.lacks_checksum() && self.payload > 0;
        // Within a tunnel, headers lie between these two; so may extensions of IPv6, with which nothing is joined in practice.
        Headers::of(medium, near).filter(|it| is_sound && it.tcp == usize::from(self.checksum_begin))
    }
    /// Of TCP segments with so many bytes of payload each, and these headers.
    pub(crate) fn of_segments(headers: &Headers, payload: usize) -> Self {
        let kind = match headers.version {
            IpVersion::V4 => TCP_KINDS[0],
            IpVersion::V6 => TCP_KINDS[1],
        };
        Offloads {
            flags: CHECKSUM_NOT_READY,
            kind,
            headers: headers.end as u16,
            payload: payload as u16,
            checksum_begin: headers.tcp as u16,
            checksum_offset: CHECKSUM as u16,
        }
    }
}

/// Where the headers are in a frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Headers {
    pub(crate) version: IpVersion,
    pub(crate) ip: usize,
    pub(crate) tcp: usize,
    pub(crate) end: usize,
}

/// Which part of the payload a packet gets.
#[derive(Clone, Copy)]
struct Piece {
    from: usize,
    is_last: bool,
    number: u16,
}

impl Headers {
    /// Those of a frame with a TCP segment, behind nothing but its IP header.
    pub(crate) fn of(medium: Medium, frame: &[u8]) -> Option<Self> {
        let (link, packet) = frame::split(medium, frame)?;
        let ip = link.as_slice().len();
        let version = IpVersion::of(packet).ok()?;
        let (length, protocol) = checksums::behind_ip(packet)?;
        let tcp = ip + length;
        let end = tcp + usize::from(*frame.get(tcp + LENGTH)? >> 4) * 4;
        let is_next = length >= version.header_length() && protocol == TCP;
        let is_whole = is_next && end >= tcp + CHECKSUM + 4 && end <= frame.len();
        is_whole.then_some(Headers { version, ip, tcp, end })
    }

    /// Make the headers those of a packet of its own.
    fn adapt(&self, frame: &mut [u8], piece: Piece) {
        let (ip, tcp) = frame[self.ip..].split_at_mut(self.tcp - self.ip);
        if self.version == IpVersion::V4 {
            // Each has an identification of its own (RFC 6864 section 4.3).
            put(ip, 4, u16::from_be_bytes([ip[4], ip[5]]).wrapping_add(piece.number));
        }
        let pseudo = set_length(ip, self.version, tcp.len());
        let sequence: &mut [u8; 4] = (&mut tcp[SEQUENCE..SEQUENCE + 4]).try_into().expect("four bytes");
        *sequence = u32::from_be_bytes(*sequence).wrapping_add(piece.from as u32).to_be_bytes();
        if !piece.is_last {
            tcp[FLAGS] &= !FIN_AND_PSH;
        }
        if piece.number > 0 {
            tcp[FLAGS] &= !CWR;
        }
        put(tcp, CHECKSUM, 0);
        put(tcp, CHECKSUM, pseudo.over(tcp).field());
    }
}

/// Complete an IP header before so many bytes of TCP. Returns the sum of the pseudo header.
pub(crate) fn set_length(ip: &mut [u8], version: IpVersion, behind: usize) -> Checksum {
    let length = ip.len() + behind;
    let addresses = match version {
        IpVersion::V4 => {
            put(ip, 2, length as u16);
            put(ip, 10, 0);
            let sum = Checksum::new().over(ip).field();
            put(ip, 10, sum);
            &ip[12..20]
        }
        IpVersion::V6 => {
            put(ip, 4, (length - IpVersion::V6.header_length()) as u16);
            &ip[8..40]
        }
    };
    Checksum::new().over(addresses).over(&[0, TCP]).over(&(behind as u16).to_be_bytes())
}

pub(crate) fn put(bytes: &mut [u8], at: usize, value: u16) {
    bytes[at..at + 2].copy_from_slice(&value.to_be_bytes());
}

/// Put a range of what two parts hold together behind what is in `out`.
fn copy(near: &[u8], far: &[u8], Range { start, end }: Range<usize>, out: &mut Vec<u8>) {
    let middle = near.len();
    out.extend_from_slice(&near[start.min(middle)..end.min(middle)]);
    out.extend_from_slice(&far[start.saturating_sub(middle)..end.saturating_sub(middle)]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use seamline_wire::codec::{Headers, IpHeader, decode_complete, encode_to_vec};
    use seamline_wire::{Flags, Segment, SequenceNumber, TransportPort};

    fn packet(ip: IpHeader, sequence: u32, flags: Flags, payload: &[u8]) -> Vec<u8> {
        let segment = Segment {
            flags,
            sequence: SequenceNumber(sequence),
            length: payload.len() as u32,
            ..Segment::default()
        };
        let ports = [TransportPort(7), TransportPort(8)];
        let headers = Headers { ip, source_port: ports[0], destination_port: ports[1], segment };
        encode_to_vec(&headers, payload).unwrap()
    }

    fn offloads(kind: u8, payload: u16, tcp: usize) -> Offloads {
        Offloads {
            flags: 1,
            kind,
            payload,
            checksum_begin: tcp as u16,
            checksum_offset: 16,
            ..Default::default()
        }
    }

    /// Wherever the part ends that holds the headers; the flags that belong to the first or the last packet only are there.
    #[test]
    fn what_comes_out_are_the_packets_that_were_joined() {
        let payload: Vec<u8> = (0..2500).map(|byte| (byte % 251) as u8).collect();
        for (ip, kind, header) in [
            (IpHeader::v4([192, 0, 2, 1].into(), [192, 0, 2, 2].into()), 1, 20),
            (IpHeader::v6([1; 16].into(), [2; 16].into()), 4, 40),
        ] {
            let flags = Flags::ACK | Flags::PSH | Flags::FIN | Flags::CWR;
            let joined = packet(ip, u32::MAX - 999, flags, &payload);
            for near in [header + 20, header + 520, joined.len()] {
                let (near, far) = joined.split_at(near);
                let (mut out, mut places) = (b"before".to_vec(), Vec::new());
                assert!(offloads(kind, 1000, header).cut(Medium::Bare, near, far, &mut out, &mut places));
                assert_eq!(places.len(), 3);
                for (number, place) in places.iter().enumerate() {
                    let from = number * 1000;
                    let decoded = decode_complete(&out[place.clone()]).unwrap();
                    let segment = decoded.headers.segment;
                    assert_eq!(segment.sequence.0, (u32::MAX - 999).wrapping_add(from as u32));
                    assert_eq!(decoded.payload, &payload[from..payload.len().min(from + 1000)]);
                    let expected = match number {
                        0 => Flags::ACK | Flags::CWR,
                        1 => Flags::ACK,
                        _ => Flags::ACK | Flags::PSH | Flags::FIN,
                    };
                    assert_eq!(segment.flags, expected);
                }
            }
        }
    }

    #[test]
    fn what_cannot_be_cut_is_left_alone() {
        let ip = IpHeader::v4([192, 0, 2, 1].into(), [192, 0, 2, 2].into());
        let joined = packet(ip, 1, Flags::ACK, &[7; 3000]);
        for (offloads, near) in [
            (offloads(5, 1000, 20), joined.len()),
            (offloads(1, 0, 20), joined.len()),
            (offloads(1, 1000, 19), joined.len()),
            (offloads(1, 1000, 2990), joined.len()),
            (offloads(1, 1000, 20), 30),
            (Offloads { flags: 0, ..offloads(1, 1000, 20) }, joined.len()),
            // As of a packet in a tunnel.
            (offloads(1, 1000, 48), joined.len()),
        ] {
            let (near, far) = joined.split_at(near);
            let (mut out, mut places) = (Vec::new(), Vec::new());
            assert!(!offloads.cut(Medium::Bare, near, far, &mut out, &mut places));
            assert!(out.is_empty() && places.is_empty());
        }
    }

    #[test]
    fn a_tag_moves_what_is_behind_it() {
        let before = Offloads { headers: 54, ..offloads(1, 1000, 34) };
        let after = Offloads { headers: 58, checksum_begin: 38, ..before };
        assert_eq!(before.moved(4), after);
        assert_eq!(Offloads::default().moved(4), Offloads::default());
    }
}
