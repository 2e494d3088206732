//! Packet captures of simulated packets, for Wireshark and tcptrace: pcapng (draft-ietf-opsawg-pcapng) with
//! real IP and TCP headers, times in nanoseconds, one interface per observed element, and the simulator's remarks
//! as packet comments.
//!
//! Call order: [`Capture::new`]; [`Capture::interface`] for each observed element, at any time before its first
//! packet; [`Capture::packet`] for each packet in order of time; [`Capture::finish`].
//!
//! ```
//! use seamline_capture::{Capture, CaptureOptions};
//! use seamline_wire::{Instant, NodeId, Packet};
//!
//! let mut capture = Capture::new(Vec::new(), &CaptureOptions::default())?;
//! let air = capture.interface("air")?;
//! let packet = Packet { source: NodeId(1), destination: NodeId(2), ..Packet::default() };
//! capture.packet(air, Instant::from_millis(5), &packet, Some("sent again"))?;
//! let file = capture.finish();
//! assert_eq!(file[..4], [0x0a, 0x0d, 0x0d, 0x0a]); // The block type of a section header.
//! # Ok::<(), std::io::Error>(())
//! ```

mod block;
mod headers;

use block::{Block, MAX_OPTION_LENGTH};
use headers::{payload_length, write_headers};
use seamline_wire::codec::{IpVersion, Ipv6Header, MAX_HEADER_LENGTH, with_ecn};
use seamline_wire::{Extra, Instant, Packet, Tunnels};
use std::io::{self, Write};

/// Bytes that suffice for the headers of any packet in all its tunnels, and for a whole control message.
const MAX_FRONT_LENGTH: usize = Tunnels::MAX * Ipv6Header::LENGTH + MAX_HEADER_LENGTH;
/// Fields of an Enhanced Packet Block before the packet: interface, time (2 words), captured and original length.
const PACKET_FIELDS: usize = 5 * block::WORD;

/// How much of each packet is kept. The length on the wire is recorded in any case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum SnapLength {
    /// The headers only.
    #[default]
    Headers,
    /// At most this many bytes. Payload is zeros.
    Bytes(u32),
}

/// How a capture is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaptureOptions {
    /// Where the capture comes from (version, scenario, seed, command), as the section's comment.
    /// Long text becomes several comments, broken at the ends of lines.
    pub provenance: String,
    /// How much of each packet is kept.
    pub snap_length: SnapLength,
    /// Which headers the packets get.
    pub ip_version: IpVersion,
}

impl Default for CaptureOptions {
    fn default() -> Self {
        CaptureOptions {
            provenance: String::new(),
            snap_length: SnapLength::Headers,
            ip_version: IpVersion::V4,
        }
    }
}

/// An observed element of one capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Interface(u32);

/// A capture being written, in small pieces: the writer should be buffered. The same calls give the same
/// bytes on every machine.
#[derive(Debug)]
pub struct Capture<W> {
    writer: W,
    snap_length: SnapLength,
    ip_version: IpVersion,
    interfaces: u32,
    block: Block,
}

impl<W: Write> Capture<W> {
    /// Start a capture.
    ///
    /// # Errors
    /// When writing fails.
    pub fn new(mut writer: W, options: &CaptureOptions) -> io::Result<Self> {
        const BYTE_ORDER: u32 = 0x1a2b_3c4d;
        const VERSION: u32 = 1; // Major 1, minor 0.
        const UNKNOWN_LENGTH: u32 = u32::MAX;
        let mut block = Block::default();
        block.begin(block::SECTION_HEADER);
        for word in [BYTE_ORDER, VERSION, UNKNOWN_LENGTH, UNKNOWN_LENGTH] {
            block.word(word);
        }
        for part in split_comment(&options.provenance) {
            block.option(block::COMMENT, part.as_bytes());
        }
        let application = concat!("seamline ", env!("CARGO_PKG_VERSION"));
        block.option(block::USER_APPLICATION, application.as_bytes());
        block.end_of_options();
        writer.write_all(block.finish())?;
        let CaptureOptions { snap_length, ip_version, .. } = *options;
        Ok(Capture { writer, snap_length, ip_version, interfaces: 0, block })
    }

    /// Add an interface: an element of the network that packets are seen at, by its name.
    ///
    /// # Errors
    /// When writing fails.
    pub fn interface(&mut self, name: &str) -> io::Result<Interface> {
        const LINK_TYPE_RAW: u32 = 101;
        const NANOSECONDS: [u8; 1] = [9];
        let block = &mut self.block;
        block.begin(block::INTERFACE_DESCRIPTION);
        block.word(LINK_TYPE_RAW);
        block.word(match self.snap_length {
            SnapLength::Headers => MAX_FRONT_LENGTH as u32,
            SnapLength::Bytes(most) => most,
        });
        block.option(block::INTERFACE_NAME, first_part(name).as_bytes());
        block.option(block::TIME_RESOLUTION, &NANOSECONDS);
        block.end_of_options();
        self.writer.write_all(block.finish())?;
        self.interfaces += 1;
        Ok(Interface(self.interfaces - 1))
    }

    /// Record that `packet` was seen at `interface`, with a remark if there is one. The length on the
    /// wire is [`Packet::wire_bytes`], but never less than the headers and the payload need.
    ///
    /// # Errors
    /// When writing fails; [`io::ErrorKind::InvalidInput`] when the interface belongs to another capture or the
    /// segment is too long for an IP packet.
    pub fn packet(
        &mut self,
        interface: Interface,
        at: Instant,
        packet: &Packet,
        remark: Option<&str>,
    ) -> io::Result<()> {
        if interface.0 >= self.interfaces {
            return Err(invalid("the interface belongs to another capture"));
        }
        let snap_length = self.snap_length;
        let block = &mut self.block;
        block.begin(block::ENHANCED_PACKET);
        let fields = block.reserve(PACKET_FIELDS);
        let front = block.reserve(MAX_FRONT_LENGTH);
        let header_length = write_front(packet, self.ip_version, block.at(front.clone()))?;
        let original = original_length(packet, header_length);
        let captured = match snap_length {
            SnapLength::Headers => header_length,
            SnapLength::Bytes(most) => most.min(original) as usize,
        };
        block.at(fields).copy_from_slice(&packet_fields(interface, at, captured, original));
        block.truncate_or_pad(front.start + captured);
        self.finish_packet(remark)
    }

    /// Record a packet that begins with these bytes and whose length on the wire is `original`.
    ///
    /// # Errors
    /// As [`Capture::packet`].
    pub fn encoded(
        &mut self,
        interface: Interface,
        at: Instant,
        front: &[u8],
        original: u32,
        remark: Option<&str>,
    ) -> io::Result<()> {
        if interface.0 >= self.interfaces {
            return Err(invalid("the interface belongs to another capture"));
        }
        let block = &mut self.block;
        block.begin(block::ENHANCED_PACKET);
        block.bytes(&packet_fields(interface, at, front.len(), original));
        block.bytes(front);
        self.finish_packet(remark)
    }

    fn finish_packet(&mut self, remark: Option<&str>) -> io::Result<()> {
        let block = &mut self.block;
        if let Some(remark) = remark {
            block.option(block::COMMENT, first_part(remark).as_bytes());
            block.end_of_options();
        }
        self.writer.write_all(block.finish())
    }

    /// Give the writer back.
    pub fn finish(self) -> W {
        self.writer
    }
}

/// The fields of an Enhanced Packet Block before the packet.
fn packet_fields(interface: Interface, at: Instant, captured: usize, original: u32) -> [u8; PACKET_FIELDS] {
    let nanos = at.as_nanos();
    let words = [interface.0, (nanos >> 32) as u32, nanos as u32, captured as u32, original];
    let mut fields = [0; PACKET_FIELDS];
    fields.copy_from_slice(words.map(u32::to_le_bytes).as_flattened());
    fields
}

/// What a capture keeps of a packet under [`SnapLength::Headers`]: its headers, or a whole control message.
///
/// # Errors
/// [`io::ErrorKind::InvalidInput`] when the segment is too long for an IP packet.
pub fn front(packet: &Packet, version: IpVersion) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; MAX_FRONT_LENGTH];
    let length = write_front(packet, version, &mut bytes)?;
    bytes.truncate(length);
    Ok(bytes)
}

/// The length on the wire of a packet with a front of this length, as captures have it.
fn original_length(packet: &Packet, front: usize) -> u32 {
    packet.wire_bytes.max(front as u32 + payload_length(packet))
}

/// The headers of a packet, or as much of a packet from a real network as there is room for. Returns its length.
fn write_front(packet: &Packet, version: IpVersion, out: &mut [u8]) -> io::Result<usize> {
    let version = match packet.extra.as_deref() {
        Some(Extra::Foreign(bytes)) => {
            let mut changed = Vec::new();
            let bytes = with_ecn(bytes, packet.ecn, &mut changed).unwrap_or(bytes);
            let length = bytes.len().min(out.len());
            out[..length].copy_from_slice(&bytes[..length]);
            return Ok(length);
        }
        Some(Extra::Segment(bytes)) => IpVersion::of(bytes).unwrap_or(version),
        _ => version,
    };
    write_headers(packet, version, out).map_err(invalid)
}

fn invalid(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, error)
}

/// The text in parts that each fit into an option; nothing for no text.
fn split_comment(mut text: &str) -> impl Iterator<Item = &str> {
    std::iter::from_fn(move || {
        let (part, rest) = text.split_at(part_end(text));
        text = rest;
        (!part.is_empty()).then_some(part)
    })
}

/// The beginning of the text, as long as fits into one option.
fn first_part(text: &str) -> &str {
    &text[..part_end(text)]
}

/// Where to break a text that is too long for an option: after a line if there is one, otherwise
/// between two characters.
fn part_end(text: &str) -> usize {
    if text.len() <= MAX_OPTION_LENGTH {
        return text.len();
    }
    let end = (0..=MAX_OPTION_LENGTH).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    text[..end].rfind('\n').map_or(end, |line_end| line_end + 1)
}
