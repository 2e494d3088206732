//! Segments that follow each other leave as one frame. The kernel, or the interface, cuts it again into the same bytes (GSO, TSO).
//!
//! Handing a frame to the kernel costs more than all that an agent does with it, and so does taking it in at the next host. The rules
//! are those by which the kernel joins what it receives (Linux, net/ipv4/tcp_offload.c), but for identifications of IPv4 that do not
//! count upwards, which would leave changed.

use crate::frame::{MAX_LINK_HEADER, Medium};
use crate::joined::{CHECKSUM, CWR, FIN_AND_PSH, FLAGS, Headers, Offloads, SEQUENCE, put, set_length};
use seamline_wire::codec::IpVersion;
use std::ops::Range;

/// The longest IP packet.
const MOST: usize = 65_535;
/// The most segments.
const MOST_SEGMENTS: usize = 64;
/// The longest headers: of the link, of IPv4 and of TCP.
const MOST_HEADERS: usize = MAX_LINK_HEADER + 60 + 60;
/// Segments with one of these leave alone; so do those with CWR, which the kernel cuts by rules of its own.
const ALONE: u8 = 0x02 | 0x04 | 0x20 | CWR;
/// Of a TCP header: the ports; the acknowledgment, the length and reserved bits; the window; the urgent pointer and the options.
const PORTS: Range<usize> = 0..4;
const ACKNOWLEDGMENT: Range<usize> = 8..13;
const WINDOW: Range<usize> = 14..16;
const BEHIND_CHECKSUM: usize = CHECKSUM + 2;
/// Of an IPv4 header: the version, its length and the class of traffic; what is between the identification and the checksum; the addresses.
const IPV4_BEGIN: Range<usize> = 0..2;
const IDENTIFICATION: usize = 4;
const IPV4_MIDDLE: Range<usize> = 6..10;
const IPV4_ADDRESSES: usize = 12;
/// Of an IPv6 header: what is before the length, and behind it.
const IPV6_BEGIN: Range<usize> = 0..4;
const IPV6_END: Range<usize> = 6..40;

/// Segments that can leave as one frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run<'f> {
    headers: Headers,
    first: &'f [u8],
    /// Where the headers of the next one have to be different from the first one's.
    next_sequence: u32,
    next_identification: u16,
    /// Bytes of payload of all together.
    payload: usize,
    flags: u8,
    pub(crate) count: usize,
    is_over: bool,
}

/// The headers of a run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Head {
    pub(crate) offloads: Offloads,
    bytes: [u8; MOST_HEADERS],
    length: usize,
}

impl Head {
    pub(crate) fn as_slice(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}

fn word(bytes: &[u8], at: usize) -> u16 {
    u16::from_be_bytes([bytes[at], bytes[at + 1]])
}

impl<'f> Run<'f> {
    /// One that begins with this frame, which has a TCP segment without errors; `None` if none can.
    pub(crate) fn begun(medium: Medium, frame: &'f [u8]) -> Option<Self> {
        let headers = Headers::of(medium, frame)?;
        let flags = frame[headers.tcp + FLAGS];
        let payload = frame.len() - headers.end;
        let may = payload > 0 && flags & ALONE == 0 && headers.has_all_of(frame);
        let sequence = frame[headers.tcp + SEQUENCE..].first_chunk()?;
        may.then(|| Run {
            headers,
            first: frame,
            next_sequence: u32::from_be_bytes(*sequence).wrapping_add(payload as u32),
            next_identification: word(frame, headers.ip + IDENTIFICATION).wrapping_add(1),
            payload,
            flags,
            count: 1,
            is_over: flags & FIN_AND_PSH != 0,
        })
    }

    /// Whether this frame, which has a TCP segment without errors, belongs to it; then it is the last one.
    pub(crate) fn take(&mut self, frame: &[u8]) -> bool {
        let Headers { ip, end, .. } = self.headers;
        let piece = self.first.len() - end;
        let length = frame.len().saturating_sub(end);
        let has_room = self.count < MOST_SEGMENTS && end - ip + self.payload + length <= MOST;
        let fits = !self.is_over && (1..=piece).contains(&length) && has_room;
        if !fits || !self.continues(frame) {
            return false;
        }
        self.next_sequence = self.next_sequence.wrapping_add(length as u32);
        self.next_identification = self.next_identification.wrapping_add(1);
        self.payload += length;
        self.flags = frame[self.headers.tcp + FLAGS];
        self.count += 1;
        self.is_over = self.flags & FIN_AND_PSH != 0 || length < piece;
        true
    }

    fn continues(&self, frame: &[u8]) -> bool {
        let Headers { version, ip, tcp, end } = self.headers;
        let same = |from: usize, range: Range<usize>| {
            let range = from + range.start..from + range.end;
            self.first[range.clone()] == frame[range]
        };
        let is_same_ip = match version {
            IpVersion::V4 => {
                same(ip, IPV4_BEGIN)
                    && word(frame, ip + IDENTIFICATION) == self.next_identification
                    && same(ip, IPV4_MIDDLE)
                    && same(0, ip + IPV4_ADDRESSES..tcp)
            }
            IpVersion::V6 => same(ip, IPV6_BEGIN) && same(ip, IPV6_END),
        };
        same(0, 0..ip)
            && is_same_ip
            && self.headers.has_all_of(frame)
            && same(tcp, PORTS)
            && frame[tcp + SEQUENCE..].starts_with(&self.next_sequence.to_be_bytes())
            && same(tcp, ACKNOWLEDGMENT)
            && (self.flags ^ frame[tcp + FLAGS]) & !FIN_AND_PSH == 0
            && same(tcp, WINDOW)
            && same(0, tcp + BEHIND_CHECKSUM..end)
    }

    /// What of one of its frames leaves behind the head.
    pub(crate) fn payload_of<'g>(&self, frame: &'g [u8]) -> &'g [u8] {
        &frame[self.headers.end..]
    }

    /// What stands before the payload of all of them.
    pub(crate) fn head(&self) -> Head {
        let Headers { version, ip, tcp, end } = self.headers;
        let mut bytes = [0; MOST_HEADERS];
        bytes[..end].copy_from_slice(&self.first[..end]);
        let pseudo = set_length(&mut bytes[ip..tcp], version, end - tcp + self.payload);
        bytes[tcp + FLAGS] = self.flags;
        // The sum of the pseudo header alone: who cuts the frame adds the rest.
        put(&mut bytes, tcp + CHECKSUM, !pseudo.field());
        let offloads = Offloads::of_segments(&self.headers, self.first.len() - end);
        Head { offloads, bytes, length: end }
    }
}

impl Headers {
    /// Whether a frame with these headers ends where its IP packet does.
    fn has_all_of(&self, frame: &[u8]) -> bool {
        let stated = match self.version {
            IpVersion::V4 => word(frame, self.ip + 2).into(),
            IpVersion::V6 => self.tcp - self.ip + usize::from(word(frame, self.ip + 4)),
        };
        self.ip + stated == frame.len()
    }
}

#[cfg(test)]
mod tests;
