//! The packets of a capture as a table in Parquet. Columns describe most segments completely. For other packets, and for
//! segments with further options, the table also has the bytes that a capture would show.

use crate::atomic::WriteError;
use crate::block_file::BlockFile;
use crate::columns::{Dictionary, Encoder, Filling, Presence, Table, Values, about, fields, page};
use seamline_capture::front;
use seamline_wire::codec::{IpVersion, ipv4_address};
use seamline_wire::{Flags, Instant, NodeId, Packet, Segment};
use std::collections::BTreeMap;
use std::io;
use std::mem;
use std::path::{Path, PathBuf};

/// What the metadata of the file calls it.
pub(crate) const PACKETS: &str = "packets";

fields! {
    always {
        TIME "time_ns" Long;
        INTERFACE "interface" Words;
        SOURCE "source" Words;
        DESTINATION "destination" Words;
        WIRE "wire_bytes" Number;
        ECN "ecn" Words;
    }
    WITH_SEGMENT {
        SOURCE_PORT "source_port" Number;
        DESTINATION_PORT "destination_port" Number;
        SEQUENCE "sequence" Number;
        ACKNOWLEDGMENT "acknowledgment" Number;
        FLAGS "flags" Words;
        WINDOW "window" Number;
        PAYLOAD "payload_bytes" Number;
    }
    WITH_TIMESTAMPS {
        TIMESTAMP "timestamp" Number;
        ECHO "timestamp_echo" Number;
    }
    WITH_REMARK {
        REMARK "remark" Text;
    }
    WITH_HEADERS {
        HEADERS "headers" Bytes;
    }
}

/// The names of the values of the ECN field, by its bits.
pub(crate) const ECN_NAMES: [&str; 4] = ["Not-ECT", "ECT(1)", "ECT(0)", "CE"];
/// Bits of flags that have letters.
const FLAGS_WITH_LETTERS: u16 = 0x1ff;
/// Payload that fits into any IP packet with any options.
const LONGEST_PAYLOAD: u32 = 65_000;

/// A table of packets that is being written.
#[derive(Debug)]
pub(crate) struct PacketTable {
    path: PathBuf,
    stage: Stage,
}

/// The table starts with the metadata, which has all interfaces.
#[derive(Debug)]
enum Stage {
    /// Interfaces are declared.
    Declaring {
        file: BlockFile,
        provenance: String,
        interfaces: Vec<String>,
    },
    /// Packets are recorded.
    Started(Box<Filling<Writer>>),
    Failed(io::Error),
}

impl PacketTable {
    /// Create the file.
    pub(crate) fn create(path: &Path, provenance: &str) -> Result<Self, WriteError> {
        let file = BlockFile::create(path)?;
        let stage = Stage::Declaring { file, provenance: provenance.to_owned(), interfaces: Vec::new() };
        Ok(PacketTable { path: path.to_owned(), stage })
    }

    /// Declare the next interface, before the first packet.
    pub(super) fn interface(&mut self, name: &str) {
        if let Stage::Declaring { interfaces, .. } = &mut self.stage {
            interfaces.push(name.to_owned());
        }
    }

    /// Record a packet.
    #[inline]
    pub(super) fn packet(&mut self, at: Instant, interface: u16, packet: &Packet, remark: Option<&str>) {
        if let Stage::Declaring { .. } = self.stage {
            self.start();
        }
        if let Stage::Started(pages) = &mut self.stage {
            pages.add(|page| page.put(at, interface, packet, remark));
        }
    }

    #[cold]
    fn start(&mut self) {
        let none = Stage::Failed(io::Error::other("the table was not started"));
        self.stage = match mem::replace(&mut self.stage, none) {
            Stage::Declaring { file, provenance, interfaces } => {
                let table = Table::new(file, FIELDS, about(PACKETS, &provenance, &interfaces));
                let started = |table| Stage::Started(Box::new(Filling::new(Writer::new(table, &interfaces))));
                table.map_or_else(Stage::Failed, started)
            }
            other => other,
        };
    }

    /// Finish the file.
    pub(super) fn finish(mut self) -> Result<PathBuf, WriteError> {
        self.start();
        let written = match self.stage {
            Stage::Started(pages) => pages.finish().and_then(|writer| writer.table.finish()),
            Stage::Failed(cause) => Err(cause),
            Stage::Declaring { .. } => Err(io::Error::other("the table was not started")),
        };
        written.map_err(|cause| WriteError { path: self.path, cause })?.finish()
    }
}

page! {
    /// Packets in columns. Those from the ports on have values only for some packets.
    Page {
        times: i64,
        interfaces: u16,
        sources: NodeId,
        destinations: NodeId,
        wire_bytes: i32,
        ecn: u16,
        columns: u8,
        source_ports: i32,
        destination_ports: i32,
        sequences: i32,
        acknowledgments: i32,
        flags: Flags,
        windows: i32,
        payloads: i32,
        timestamps: i32,
        echoes: i32,
        remarks: Vec<u8>,
        headers: Vec<u8>,
    }
}

impl Page {
    #[inline]
    fn put(&mut self, at: Instant, interface: u16, packet: &Packet, remark: Option<&str>) -> io::Result<()> {
        let mut columns = 0;
        if !is_plain(packet) {
            self.headers.push(front(packet, IpVersion::V4)?);
            columns |= WITH_HEADERS;
        }
        if let Some(remark) = remark {
            self.remarks.push(remark.as_bytes().to_vec());
            columns |= WITH_REMARK;
        }
        if packet.is_segment() {
            columns |= WITH_SEGMENT;
            self.source_ports.push(packet.source_port.0.into());
            self.destination_ports.push(packet.destination_port.0.into());
            columns |= self.segment(&packet.segment);
        }
        self.times.push(at.as_nanos() as i64);
        self.interfaces.push(interface);
        self.sources.push(packet.source);
        self.destinations.push(packet.destination);
        self.wire_bytes.push(packet.wire_bytes as i32);
        self.ecn.push(packet.ecn.bits().into());
        self.columns.push(columns);
        Ok(())
    }

    /// Returns in which further columns it has values.
    #[inline]
    fn segment(&mut self, segment: &Segment) -> u8 {
        self.sequences.push(segment.sequence.0 as i32);
        self.acknowledgments.push(segment.acknowledgment.0 as i32);
        self.flags.push(segment.flags);
        self.windows.push(segment.window.into());
        self.payloads.push(segment.length as i32);
        let Some(timestamps) = segment.timestamps else { return 0 };
        self.timestamps.push(timestamps.value as i32);
        self.echoes.push(timestamps.echo as i32);
        WITH_TIMESTAMPS
    }
}

/// Whether columns tell everything of a packet that its headers do.
#[inline]
fn is_plain(packet: &Packet) -> bool {
    let segment = &packet.segment;
    packet.extra.is_none()
        && packet.tunnels.is_empty()
        && segment.sack.is_empty()
        && segment.window_scale.is_none()
        && segment.maximum_segment_size.is_none()
        && !segment.sack_permitted
        && segment.mark.is_none()
        && segment.length <= LONGEST_PAYLOAD
        && segment.flags.0 & !FLAGS_WITH_LETTERS == 0
}

/// Encodes pages.
#[derive(Debug)]
struct Writer {
    table: Table<BlockFile>,
    /// By number of the interface: its name.
    interfaces: Vec<u16>,
    sources: Places,
    destinations: Places,
    flags: Places,
}

/// The places of the words for numbers, most of which are small.
#[derive(Debug, Default)]
struct Places {
    near: Vec<Option<u16>>,
    far: BTreeMap<u32, u16>,
}

impl Places {
    /// Numbers below are looked up at once.
    const NEAR: usize = 1024;

    #[inline]
    fn place(&mut self, number: u32, word: impl FnOnce() -> String, dictionary: &mut Dictionary) -> u16 {
        match self.near.get(number as usize) {
            Some(Some(place)) => *place,
            _ => self.look(number, word, dictionary),
        }
    }

    #[inline(never)]
    fn look(&mut self, number: u32, word: impl FnOnce() -> String, dictionary: &mut Dictionary) -> u16 {
        self.near.resize(Self::NEAR, None);
        let place = *self.far.entry(number).or_insert_with(|| dictionary.place(&word()));
        self.near.get_mut(number as usize).into_iter().for_each(|near| *near = Some(place));
        place
    }
}

impl Writer {
    fn new(mut table: Table<BlockFile>, interfaces: &[String]) -> Self {
        let interfaces = interfaces.iter().map(|name| table.dictionary(INTERFACE).place(name)).collect();
        for name in ECN_NAMES {
            table.dictionary(ECN).place(name);
        }
        Writer {
            table,
            interfaces,
            sources: Places::default(),
            destinations: Places::default(),
            flags: Places::default(),
        }
    }
}

impl Encoder for Writer {
    type Page = Page;

    fn encode(&mut self, page: &Page) -> io::Result<()> {
        let rows = page.times.len();
        let Writer { table, interfaces, sources, destinations, flags } = self;
        let [segment, timestamps, remark, headers, ..] = Presence::all(&page.columns);
        let interfaces: Vec<u16> =
            page.interfaces.iter().map(|number| interfaces[usize::from(*number)]).collect();
        let sources = addresses(&page.sources, sources, table.dictionary(SOURCE));
        let destinations = addresses(&page.destinations, destinations, table.dictionary(DESTINATION));
        let dictionary = table.dictionary(FLAGS);
        let mut letters = Vec::with_capacity(page.flags.len());
        for set in &page.flags {
            letters.push(flags.place(set.0.into(), || format!("{set:?}"), dictionary));
        }
        let mut put = |column, presence, values| table.put(column, rows, presence, values);
        put(TIME, None, Values::Long(&page.times))?;
        put(INTERFACE, None, Values::Words(&interfaces))?;
        put(SOURCE, None, Values::Words(&sources))?;
        put(DESTINATION, None, Values::Words(&destinations))?;
        put(WIRE, None, Values::Number(&page.wire_bytes))?;
        put(ECN, None, Values::Words(&page.ecn))?;
        put(SOURCE_PORT, Some(&segment), Values::Number(&page.source_ports))?;
        put(DESTINATION_PORT, Some(&segment), Values::Number(&page.destination_ports))?;
        put(SEQUENCE, Some(&segment), Values::Number(&page.sequences))?;
        put(ACKNOWLEDGMENT, Some(&segment), Values::Number(&page.acknowledgments))?;
        put(FLAGS, Some(&segment), Values::Words(&letters))?;
        put(WINDOW, Some(&segment), Values::Number(&page.windows))?;
        put(PAYLOAD, Some(&segment), Values::Number(&page.payloads))?;
        put(TIMESTAMP, Some(&timestamps), Values::Number(&page.timestamps))?;
        put(ECHO, Some(&timestamps), Values::Number(&page.echoes))?;
        put(REMARK, Some(&remark), Values::Bytes(&page.remarks))?;
        put(HEADERS, Some(&headers), Values::Bytes(&page.headers))?;
        table.end_page()
    }
}

/// The places of the addresses of nodes.
fn addresses(nodes: &[NodeId], places: &mut Places, dictionary: &mut Dictionary) -> Vec<u16> {
    let mut addresses = Vec::with_capacity(nodes.len());
    for node in nodes {
        addresses.push(places.place(node.0, || address(*node), dictionary));
    }
    addresses
}

/// How captures show the address of a node.
fn address(node: NodeId) -> String {
    ipv4_address(node).to_string()
}
