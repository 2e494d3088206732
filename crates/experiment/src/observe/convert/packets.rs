//! From a table of packets to a capture.

use super::Failure;
use crate::atomic::WriteError;
use crate::block_file::BlockFile;
use crate::columns::{Group, TableFile, damaged};
use crate::observe::packet_table::{
    ACKNOWLEDGMENT, DESTINATION, DESTINATION_PORT, ECHO, ECN, ECN_NAMES, FIELDS, FLAGS, HEADERS, INTERFACE,
    PAYLOAD, REMARK, SEQUENCE, SOURCE, SOURCE_PORT, TIME, TIMESTAMP, WINDOW, WIRE,
};
use parquet::data_type::ByteArray;
use seamline_capture::{Capture, CaptureOptions, Interface};
use seamline_wire::{
    Ecn, Flags, Instant, NodeId, Packet, Segment, SequenceNumber, Timestamps, TransportPort,
};
use std::collections::BTreeMap;
use std::io;
use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};

/// A capture that is being written.
pub(super) struct PacketRows {
    capture: Capture<BlockFile>,
    interfaces: BTreeMap<String, Interface>,
}

/// The fixed columns of a row.
struct Front {
    at: Instant,
    interface: Interface,
    wire_bytes: u32,
    source: NodeId,
    destination: NodeId,
    ecn: Ecn,
}

impl PacketRows {
    pub(super) fn create(path: &Path, table: &TableFile) -> Result<Self, WriteError> {
        let unwritten = |cause| WriteError { path: path.to_owned(), cause };
        let options = CaptureOptions { provenance: table.provenance.clone(), ..CaptureOptions::default() };
        let mut capture = Capture::new(BlockFile::create(path)?, &options).map_err(unwritten)?;
        let mut interfaces = BTreeMap::new();
        for name in &table.interfaces {
            interfaces.insert(name.clone(), capture.interface(name).map_err(unwritten)?);
        }
        Ok(PacketRows { capture, interfaces })
    }

    pub(super) fn group(&mut self, table: &TableFile, number: usize) -> Result<(), Failure> {
        let mut group = table.group(number, FIELDS).map_err(Failure::Reading)?;
        (0..group.rows).try_for_each(|_| self.row(&mut group))
    }

    fn row(&mut self, group: &mut Group) -> Result<(), Failure> {
        let front = self.front(group).ok_or_else(|| Failure::Reading(damaged("a packet lacks a field")))?;
        let segment = segment(group);
        let remark = group.bytes(REMARK);
        let remark = remark.as_ref().map(ByteArray::as_utf8).transpose();
        let remark = remark.map_err(|error| Failure::Reading(damaged(error)))?;
        let ports = [SOURCE_PORT, DESTINATION_PORT]
            .map(|column| TransportPort(group.number(column).unwrap_or(0) as u16));
        let Front { at, interface, wire_bytes, source, destination, ecn } = front;
        let Some(headers) = group.bytes(HEADERS) else {
            let [source_port, destination_port] = ports;
            let packet = Packet {
                source,
                destination,
                source_port,
                destination_port,
                wire_bytes,
                ecn,
                segment: segment.unwrap_or_default(),
                ..Packet::default()
            };
            return self.capture.packet(interface, at, &packet, remark).map_err(failure);
        };
        let payload = segment.map_or(0, |segment| segment.length);
        let original = wire_bytes.max(payload.saturating_add(headers.len() as u32));
        self.capture.encoded(interface, at, headers.data(), original, remark).map_err(failure)
    }

    fn front(&self, group: &mut Group) -> Option<Front> {
        let (time, interface) = (group.long(TIME), group.bytes(INTERFACE));
        let (source, destination) = (group.bytes(SOURCE), group.bytes(DESTINATION));
        let (wire_bytes, ecn) = (group.number(WIRE), group.bytes(ECN));
        let ecn = ecn?;
        let bits = ECN_NAMES.iter().position(|name| name.as_bytes() == ecn.data())?;
        Some(Front {
            at: Instant::from_nanos(time?),
            interface: *self.interfaces.get(interface?.as_utf8().ok()?)?,
            wire_bytes: wire_bytes?,
            source: node(&source?)?,
            destination: node(&destination?)?,
            ecn: Ecn::from_bits(bits as u8),
        })
    }

    pub(super) fn finish(self) -> Result<PathBuf, WriteError> {
        self.capture.finish().finish()
    }
}

/// A segment that cannot be encoded was none when it was recorded.
fn failure(cause: io::Error) -> Failure {
    match cause.kind() {
        io::ErrorKind::InvalidInput => Failure::Reading(damaged(cause)),
        _ => Failure::Writing(cause),
    }
}

/// The fields of a segment, if the packet is one.
fn segment(group: &mut Group) -> Option<Segment> {
    let (sequence, acknowledgment) = (group.number(SEQUENCE), group.number(ACKNOWLEDGMENT));
    let (flags, window, length) = (group.bytes(FLAGS), group.number(WINDOW), group.number(PAYLOAD));
    let (value, echo) = (group.number(TIMESTAMP), group.number(ECHO));
    Some(Segment {
        sequence: SequenceNumber(sequence?),
        acknowledgment: SequenceNumber(acknowledgment?),
        flags: Flags::of_letters(flags?.as_utf8().ok()?)?,
        window: window? as u16,
        length: length?,
        timestamps: value.zip(echo).map(|(value, echo)| Timestamps { value, echo }),
        ..Segment::default()
    })
}

/// The node with an address, as far as a capture shows it.
fn node(address: &ByteArray) -> Option<NodeId> {
    let address: Ipv4Addr = address.as_utf8().ok()?.parse().ok()?;
    match address.octets() {
        [224, 0, 0, 1] => Some(NodeId::ALL_SYSTEMS),
        [224, 0, 0, 2] => Some(NodeId::ALL_ROUTERS),
        [_, a, b, c] => Some(NodeId(u32::from_be_bytes([0, a, b, c]))),
    }
}
