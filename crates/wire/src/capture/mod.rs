//! Packet captures of simulated packets, for Wireshark and tcptrace: pcapng
//! (draft-ietf-opsawg-pcapng) with real IP and TCP headers, nanoseconds, one interface per observed
//! element and the simulator's remarks as packet comments.
//!
//! Call order: [`Capture::new`], [`Capture::interface`] for every observed element (also later, when
//! one turns up), [`Capture::packet`] for every packet in the order of time, [`Capture::finish`].

mod address;

pub use address::{ip_header, ipv4_address, ipv6_address};

use crate::codec::message::{self, Message};
use crate::codec::{
    EncodeError, Headers, IpVersion, Ipv6Header, MAX_HEADER_LENGTH, encode_headers, encode_tunnel,
};
use crate::control::Control;
use crate::packet::{Packet, Tunnels};
use crate::time::Instant;
use pcap_file::pcapng::blocks::enhanced_packet::{EnhancedPacketBlock, EnhancedPacketOption};
use pcap_file::pcapng::blocks::interface_description::{
    InterfaceDescriptionBlock, InterfaceDescriptionOption, InterfaceTsResolution,
};
use pcap_file::pcapng::blocks::opt_common::CommonOption;
use pcap_file::pcapng::blocks::section_header::{SectionHeaderBlock, SectionHeaderOption};
use pcap_file::pcapng::{PcapNgWriteError, PcapNgWriter};
use pcap_file::{DataLink, Endianness};
use std::borrow::Cow;
use std::fmt;
use std::io::{self, BufWriter, Write};

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

/// A capture being written. Output is buffered; the same calls give the same bytes on every machine.
pub struct Capture<W: Write> {
    writer: PcapNgWriter<BufWriter<W>>,
    snap_length: SnapLength,
    ip_version: IpVersion,
    interfaces: u32,
    bytes: Vec<u8>,
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
            writer: PcapNgWriter::with_section_header(BufWriter::new(writer), section).map_err(io_error)?,
            snap_length: options.snap_length,
            ip_version: options.ip_version,
            interfaces: 0,
            bytes: Vec::new(),
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
        let original_length = self.fill_bytes(packet)?;
        let block = EnhancedPacketBlock {
            interface_id: interface.0,
            timestamp: std::time::Duration::from_nanos(at.as_nanos()),
            original_len: original_length,
            data: Cow::Borrowed(&self.bytes),
            options: remark
                .map(|text| EnhancedPacketOption::Common(comment(first_part(text))))
                .into_iter()
                .collect(),
        };
        self.writer.write_pcapng_block(block).map_err(io_error)?;
        Ok(())
    }

    /// Write out what is buffered and give the writer back.
    ///
    /// # Errors
    /// When writing fails.
    pub fn finish(self) -> io::Result<W> {
        self.writer.into_inner().into_inner().map_err(|error| error.into_error())
    }

    /// Put the captured part of a packet into the buffer; returns the packet's length on the wire.
    fn fill_bytes(&mut self, packet: &Packet) -> io::Result<u32> {
        self.bytes.clear();
        self.bytes.resize(MAX_FRONT_LENGTH, 0);
        let header_length = front(packet, self.ip_version, &mut self.bytes)
            .map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error))?;
        let original_length = packet.wire_bytes.max(header_length as u32 + payload_length(packet));
        let captured = match self.snap_length {
            SnapLength::Headers => header_length,
            SnapLength::Bytes(most) => most.min(original_length) as usize,
        };
        self.bytes.resize(captured, 0);
        Ok(original_length)
    }
}

/// Write all headers of a packet, or all of a control message; returns their length.
fn front(packet: &Packet, version: IpVersion, out: &mut [u8]) -> Result<usize, EncodeError> {
    // Mobile IPv4 speaks IPv4.
    let version = if packet.control.is_some() { IpVersion::V4 } else { version };
    let tunnels = packet.tunnels.as_slice();
    let mut length = tunnels.len() * version.header_length();
    length += match &packet.control {
        Some(control) => message::encode(&as_message(packet, control), &mut out[length..])?,
        None => {
            let headers = Headers {
                ip: ip_header(version, packet.source, packet.destination),
                source_port: packet.source_port,
                destination_port: packet.destination_port,
                segment: packet.segment,
            };
            encode_headers(&headers, &mut out[length..])?
        }
    };
    let (mut at, whole) = (0, length + payload_length(packet) as usize);
    for tunnel in tunnels.iter().rev() {
        let outer = ip_header(version, tunnel.entry, tunnel.exit);
        let inner_length = whole - at - version.header_length();
        at += encode_tunnel(&outer, inner_length, &mut out[at..])?;
    }
    Ok(length)
}

fn payload_length(packet: &Packet) -> u32 {
    if packet.control.is_some() { 0 } else { packet.segment.length }
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
