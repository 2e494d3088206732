//! What the targets of the engine share: a reader of the fuzzer's bytes, and connections with payload that shows where it belongs.

use seamline_agent::Side;
use seamline_wire::codec::{Decoded, decode_complete};
use seamline_wire::{Segment, SequenceNumber};
pub(crate) use support::{End, KINDS, ethernet, ip, kinds, packet, segment};

#[path = "../../../crates/bridge/tests/support/mod.rs"]
mod support;

/// The fuzzer's bytes, one after the other; zeros behind their end.
pub(crate) struct Input<'a>(&'a [u8]);

impl<'a> Input<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Input(bytes)
    }
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
    pub(crate) fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        *first
    }
    /// Two bytes.
    pub(crate) fn short(&mut self) -> u16 {
        u16::from_be_bytes([self.byte(), self.byte()])
    }
    /// Four bytes.
    pub(crate) fn word(&mut self) -> u32 {
        u32::from(self.short()) << 16 | u32::from(self.short())
    }
    /// At most so many.
    pub(crate) fn take(&mut self, most: usize) -> &'a [u8] {
        let (taken, rest) = self.0.split_at(most.min(self.0.len()));
        self.0 = rest;
        taken
    }
}

/// A connection from a fixed host to a mobile one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ends {
    pub(crate) version: u8,
    pub(crate) vlan: Option<u16>,
    pub(crate) fixed: End,
    pub(crate) mobile: End,
}

/// Two of one mobile host, in both versions of IP, and one of another host in a VLAN.
pub(crate) const CONNECTIONS: [Ends; 3] = [
    Ends { version: 4, vlan: None, fixed: (1, 80), mobile: (2, 5000) },
    Ends { version: 6, vlan: None, fixed: (1, 80), mobile: (2, 5001) },
    Ends { version: 4, vlan: Some(7), fixed: (1, 443), mobile: (3, 5002) },
];

/// Only connections whose payload is known have them.
const MOBILE_PORTS: std::ops::Range<u16> = 5000..7000;

impl Ends {
    /// A frame that comes from a side, with the payload that belongs there.
    pub(crate) fn frame(&self, from: Side, it: Segment) -> Vec<u8> {
        let ends = if from == Side::Wired { [self.fixed, self.mobile] } else { [self.mobile, self.fixed] };
        let first = it.sequence + u32::from(it.flags.intersects(seamline_wire::Flags::SYN));
        let payload = content(ends[0].1, ends[1].1, first, it.length as usize);
        ethernet(from, self.vlan, &packet(self.version, ends, it, &payload))
    }
}

/// What one end sends at these sequence numbers.
fn content(source: u16, destination: u16, first: SequenceNumber, length: usize) -> Vec<u8> {
    let salt = u32::from(source) << 16 | u32::from(destination);
    let byte = |offset: u32| {
        let mixed = ((first + offset).0 ^ salt).wrapping_mul(0x9e37_79b1);
        (mixed ^ mixed >> 15) as u8
    };
    (0..length as u32).map(byte).collect()
}

/// What is behind the header of Ethernet, with or without a tag.
pub(crate) fn ip_packet(frame: &[u8]) -> Option<&[u8]> {
    frame.get(if frame.get(12..14) == Some(&[0x81, 0]) { 18 } else { 14 }..)
}

/// A segment of one of the connections has the payload that belongs there: nothing that leaves is invented or misplaced.
pub(crate) fn check_payload(frame: &[u8]) {
    let Some(Ok(Decoded { headers, payload })) = ip_packet(frame).map(decode_complete) else { return };
    let ports = [headers.source_port.0, headers.destination_port.0];
    if payload.is_empty() || !ports.iter().any(|port| MOBILE_PORTS.contains(port)) {
        return;
    }
    let first =
        headers.segment.sequence + u32::from(headers.segment.flags.intersects(seamline_wire::Flags::SYN));
    assert!(payload == content(ports[0], ports[1], first, payload.len()), "{headers:?} has other bytes");
}
