//! The packets of a capture as a table in Parquet. Columns describe most segments completely. For other packets, and for
//! segments with further options, the table also has the bytes that a capture would show.

use crate::atomic::WriteError;
use crate::block_file::BlockFile;
use crate::columns::{
    Dictionary, Encoder, Filling, Presence, Room, Table, Values, about, column, fields, page,
};
use seamline_capture::front;
use seamline_wire::codec::{IpVersion, ipv4_address};
use seamline_wire::{Flags, Instant, NodeId, Packet, Timestamps};
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
    /// Packets. `groups` says which of the columns from `source_port` on count.
    Page of Row {
        time: i64,
        interface: u16,
        source: u32,
        destination: u32,
        wire_bytes: i32,
        ecn: u16,
        groups: u8,
        source_port: i32,
        destination_port: i32,
        sequence: i32,
        acknowledgment: i32,
        flags: i32,
        window: i32,
        payload: i32,
        timestamp: i32,
        echo: i32,
    }
    few {
        remarks: Vec<u8>,
        headers: Vec<u8>,
    }
}

impl Page {
    #[inline]
    fn put(&mut self, at: Instant, interface: u16, packet: &Packet, remark: Option<&str>) -> io::Result<()> {
        let segment = &packet.segment;
        let mut groups = 0;
        if !is_plain(packet) {
            self.headers.push(front(packet, IpVersion::V4)?);
            groups |= WITH_HEADERS;
        }
        if let Some(remark) = remark {
            self.remarks.push(remark.as_bytes().to_vec());
            groups |= WITH_REMARK;
        }
        if packet.is_segment() {
            groups |= WITH_SEGMENT;
            if segment.timestamps.is_some() {
                groups |= WITH_TIMESTAMPS;
            }
        }
        let Timestamps { value, echo } = segment.timestamps.unwrap_or_default();
        self.push(Row {
            time: at.as_nanos() as i64,
            interface,
            source: packet.source.0,
            destination: packet.destination.0,
            wire_bytes: packet.wire_bytes as i32,
            ecn: packet.ecn.bits().into(),
            groups,
            source_port: packet.source_port.0.into(),
            destination_port: packet.destination_port.0.into(),
            sequence: segment.sequence.0 as i32,
            acknowledgment: segment.acknowledgment.0 as i32,
            flags: segment.flags.0.into(),
            window: segment.window.into(),
            payload: segment.length as i32,
            timestamp: value as i32,
            echo: echo as i32,
        });
        Ok(())
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
    room: Room,
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

    #[inline]
    fn address(&mut self, node: NodeId, dictionary: &mut Dictionary) -> u16 {
        self.place(node.0, || ipv4_address(node).to_string(), dictionary)
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
            room: Room::default(),
        }
    }
}

impl Encoder for Writer {
    type Page = Page;

    fn encode(&mut self, page: &Page) -> io::Result<()> {
        let groups = page.groups();
        let Writer { table, interfaces, sources, destinations, flags, room } = self;
        let [segment, timestamps, remark, headers, ..] = Presence::all(groups);
        let interfaces = column(page.interface(), |number| interfaces[usize::from(*number)]);
        let dictionary = table.dictionary(SOURCE);
        let sources = column(page.source(), |node| sources.address(NodeId(*node), dictionary));
        let dictionary = table.dictionary(DESTINATION);
        let destinations = column(page.destination(), |node| destinations.address(NodeId(*node), dictionary));
        let dictionary = table.dictionary(FLAGS);
        let letters = column(room.present(groups, WITH_SEGMENT, page.flags()), |bits| {
            flags.place(*bits as u32, || format!("{:?}", Flags(*bits as u16)), dictionary)
        });
        let mut put = |column, presence: Option<&Presence>, values: Values<'_>| {
            table.put(column, groups.len(), presence, values)
        };
        put(TIME, None, Values::Long(page.time()))?;
        put(INTERFACE, None, Values::Words(&interfaces))?;
        put(SOURCE, None, Values::Words(&sources))?;
        put(DESTINATION, None, Values::Words(&destinations))?;
        put(WIRE, None, Values::Number(page.wire_bytes()))?;
        put(ECN, None, Values::Words(page.ecn()))?;
        put(FLAGS, Some(&segment), Values::Words(&letters))?;
        put(REMARK, Some(&remark), Values::Bytes(&page.remarks))?;
        put(HEADERS, Some(&headers), Values::Bytes(&page.headers))?;
        for (place, numbers) in [
            (SOURCE_PORT, page.source_port()),
            (DESTINATION_PORT, page.destination_port()),
            (SEQUENCE, page.sequence()),
            (ACKNOWLEDGMENT, page.acknowledgment()),
            (WINDOW, page.window()),
            (PAYLOAD, page.payload()),
        ] {
            put(place, Some(&segment), Values::Number(room.present(groups, WITH_SEGMENT, numbers)))?;
        }
        for (place, numbers) in [(TIMESTAMP, page.timestamp()), (ECHO, page.echo())] {
            put(place, Some(&timestamps), Values::Number(room.present(groups, WITH_TIMESTAMPS, numbers)))?;
        }
        table.end_page()
    }
}
