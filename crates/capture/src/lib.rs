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

mod headers;

use headers::{payload_length, write_headers};
use pcap_file::pcapng::blocks::ENHANCED_PACKET_BLOCK;
use pcap_file::pcapng::blocks::enhanced_packet::{EnhancedPacketBlock, EnhancedPacketOption};
use pcap_file::pcapng::blocks::interface_description::{
    InterfaceDescriptionBlock, InterfaceDescriptionOption, InterfaceTsResolution,
};
use pcap_file::pcapng::blocks::opt_common::CommonOption;
use pcap_file::pcapng::blocks::section_header::{SectionHeaderBlock, SectionHeaderOption};
use pcap_file::pcapng::{PcapNgWriteError, PcapNgWriter, RawBlock};
use pcap_file::{DataLink, Endianness};
use seamline_wire::codec::{IpVersion, Ipv6Header, MAX_HEADER_LENGTH};
use seamline_wire::{Aside, Instant, Packet, Tunnels};
use std::borrow::Cow;
use std::fmt;
use std::io::{self, Write};

/// What a packet's block has in front of the packet (section 4.3): interface, time, both lengths.
const FIELDS: usize = 20;
/// What every block has around its body: type and length, and the length again (section 3.1).
const FRAME: usize = 12;
/// Blocks are made of words.
const WORD: usize = 4;

/// What a pcapng option can hold: its length field has 16 bits.
const MAX_OPTION_LENGTH: usize = u16::MAX as usize;

/// Bytes that suffice for the headers of any packet in all its tunnels, and for a whole control message.
const MAX_FRONT_LENGTH: usize = Tunnels::MAX * Ipv6Header::LENGTH + MAX_HEADER_LENGTH;

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

/// A capture being written, in small pieces: the writer should have a buffer. The same calls give the same
/// bytes on every machine.
pub struct Capture<W: Write> {
    writer: PcapNgWriter<W>,
    snap_length: SnapLength,
    ip_version: IpVersion,
    interfaces: u32,
    /// The body of a packet's block.
    body: Vec<u8>,
}

impl<W: Write> Capture<W> {
    /// Start a capture.
    ///
    /// # Errors
    /// When writing fails.
    pub fn new(writer: W, options: &CaptureOptions) -> io::Result<Self> {
        let application = concat!("seamline ", env!("CARGO_PKG_VERSION"));
        let comments =
            split_comment(&options.provenance).map(|text| SectionHeaderOption::Common(comment(text)));
        let section = SectionHeaderBlock {
            endianness: Endianness::Little,
            options: comments.chain([SectionHeaderOption::UserApplication(application.into())]).collect(),
            ..SectionHeaderBlock::default()
        };
        Ok(Capture {
            writer: PcapNgWriter::with_section_header(writer, section).map_err(io_error)?,
            snap_length: options.snap_length,
            ip_version: options.ip_version,
            interfaces: 0,
            body: Vec::new(),
        })
    }

    /// Add an interface: an element of the network that packets are seen at, by its name.
    ///
    /// # Errors
    /// When writing fails.
    pub fn interface(&mut self, name: &str) -> io::Result<Interface> {
        let block = InterfaceDescriptionBlock {
            linktype: DataLink::RAW,
            snaplen: match self.snap_length {
                SnapLength::Headers => MAX_FRONT_LENGTH as u32,
                SnapLength::Bytes(most) => most,
            },
            options: vec![
                InterfaceDescriptionOption::IfName(first_part(name).into()),
                InterfaceDescriptionOption::IfTsResol(InterfaceTsResolution::NANO),
            ],
        };
        self.writer.write_pcapng_block(block).map_err(io_error)?;
        let interface = Interface(self.interfaces);
        self.interfaces += 1;
        Ok(interface)
    }

    /// Record that `packet` was seen at `interface`, with a remark if there is one. The length on the
    /// wire is [`Packet::wire_bytes`], but never less than what the headers say.
    ///
    /// # Errors
    /// When writing fails, the interface belongs to another capture ([`io::ErrorKind::InvalidInput`])
    /// or the segment is too long for an IP packet (likewise).
    pub fn packet(
        &mut self,
        interface: Interface,
        at: Instant,
        packet: &Packet,
        remark: Option<&str>,
    ) -> io::Result<()> {
        let lengths = self.fill_body(packet)?;
        match remark {
            None => self.write_plain(interface, at, lengths),
            Some(text) => self.write_remarked(interface, at, lengths, text),
        }
    }

    fn write_plain(&mut self, interface: Interface, at: Instant, lengths: Lengths) -> io::Result<()> {
        if interface.0 >= self.interfaces {
            let error = "the interface belongs to another capture";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, error));
        }
        let nanos = at.as_nanos();
        let fields =
            [interface.0, (nanos >> 32) as u32, nanos as u32, lengths.captured as u32, lengths.original];
        for (place, field) in self.body.as_chunks_mut::<WORD>().0.iter_mut().zip(fields) {
            *place = field.to_le_bytes();
        }
        let length = (self.body.len() + FRAME) as u32;
        let block = RawBlock {
            type_: ENHANCED_PACKET_BLOCK,
            initial_len: length,
            body: Cow::Borrowed(&self.body),
            trailer_len: length,
        };
        self.writer.write_raw_block(&block).map_err(io_error)?;
        Ok(())
    }

    fn write_remarked(
        &mut self,
        interface: Interface,
        at: Instant,
        lengths: Lengths,
        remark: &str,
    ) -> io::Result<()> {
        let block = EnhancedPacketBlock {
            interface_id: interface.0,
            timestamp: std::time::Duration::from_nanos(at.as_nanos()),
            original_len: lengths.original,
            data: Cow::Borrowed(&self.body[FIELDS..FIELDS + lengths.captured]),
            options: vec![EnhancedPacketOption::Common(comment(first_part(remark)))],
        };
        self.writer.write_pcapng_block(block).map_err(io_error)?;
        Ok(())
    }

    /// Give the writer back.
    pub fn finish(self) -> W {
        self.writer.into_inner()
    }

    /// Put the captured part of a packet into the body, behind the place of its fields and filled up to a
    /// whole word.
    fn fill_body(&mut self, packet: &Packet) -> io::Result<Lengths> {
        self.body.clear();
        self.body.resize(FIELDS + MAX_FRONT_LENGTH, 0);
        let place = &mut self.body[FIELDS..];
        let header_length = match packet.aside.as_deref() {
            Some(Aside::Foreign(bytes)) => {
                let length = bytes.len().min(place.len());
                place[..length].copy_from_slice(&bytes[..length]);
                Ok(length)
            }
            Some(Aside::Segment(bytes)) => {
                write_headers(packet, IpVersion::of(bytes).unwrap_or(self.ip_version), place)
            }
            _ => write_headers(packet, self.ip_version, place),
        }
        .map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error))?;
        let original = packet.wire_bytes.max(header_length as u32 + payload_length(packet));
        let captured = match self.snap_length {
            SnapLength::Headers => header_length,
            SnapLength::Bytes(most) => most.min(original) as usize,
        };
        self.body.truncate(FIELDS + captured);
        self.body.resize(FIELDS + captured.next_multiple_of(WORD), 0);
        Ok(Lengths { captured, original })
    }
}

/// Bytes of a packet.
#[derive(Clone, Copy)]
struct Lengths {
    captured: usize,
    original: u32,
}

impl<W: Write> fmt::Debug for Capture<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Capture")
            .field("snap_length", &self.snap_length)
            .field("ip_version", &self.ip_version)
            .field("interfaces", &self.interfaces)
            .finish_non_exhaustive()
    }
}

fn comment(text: &str) -> CommonOption<'_> {
    CommonOption::Comment(Cow::Borrowed(text))
}

/// The text in parts that each fit into an option; nothing for no text.
fn split_comment(mut text: &str) -> impl Iterator<Item = &str> {
    std::iter::from_fn(move || {
        let (part, rest) = text.split_at(part_end(text));
        text = rest;
        (!part.is_empty()).then_some(part)
    })
}

/// What of the text fits into one option.
fn first_part(text: &str) -> &str {
    &text[..part_end(text)]
}

/// Where to break a text that is too long for an option: after a line if there is one, otherwise
/// between two characters.
fn part_end(text: &str) -> usize {
    if text.len() <= MAX_OPTION_LENGTH {
        return text.len();
    }
    let end = text.floor_char_boundary(MAX_OPTION_LENGTH);
    text[..end].rfind('\n').map_or(end, |line_end| line_end + 1)
}

fn io_error(error: PcapNgWriteError) -> io::Error {
    match error {
        PcapNgWriteError::Io(error) => error,
        other => io::Error::new(io::ErrorKind::InvalidInput, other),
    }
}
