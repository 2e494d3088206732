//! All events of a run as a table in Parquet: the rows of an event list, with values in columns of their own.

use super::events::{connection_names, element_names};
use super::rows::{Kind, Rare, connection_number};
use crate::atomic::WriteError;
use crate::block_file::BlockFile;
use crate::columns::{Encoder, Filling, Presence, Room, Table, Values, about, column, fields, page};
use seamline_scenario::build::Places;
use seamline_scenario::schema::Scenario;
use seamline_sim::ElementId;
use seamline_wire::{Duration, Event, Instant, SenderSample, SequenceNumber, TransportPort};
use std::borrow::Cow;
use std::io;
use std::path::{Path, PathBuf};

/// What the metadata of the file calls it.
pub(crate) const EVENTS: &str = "events";

fields! {
    always {
        TIME "time_ns" Long;
        ELEMENT "element" Words;
        EVENT "event" Words;
    }
    WITH_CONNECTION {
        CONNECTION "connection" Words;
    }
    WITH_SEQUENCE {
        SEQUENCE "sequence" Number;
    }
    WITH_LENGTH {
        LENGTH "length_bytes" Number;
    }
    WITH_DETAIL {
        DETAIL "detail" Words;
    }
    WITH_QUEUE {
        QUEUED "queue_packets" Number;
    }
    WITH_SAMPLE {
        WINDOW "congestion_window_segments" Real;
        THRESHOLD "slow_start_threshold_segments" Real;
        IN_FLIGHT "bytes_in_flight" Number;
        ROUND_TRIP "smoothed_round_trip_ns" Long;
        TIMEOUT "retransmission_timeout_ns" Long;
    }
}

/// The groups of columns that events of a kind have values in.
#[inline]
fn groups(kind: Kind) -> u8 {
    match kind {
        Kind::Sent | Kind::Retransmitted | Kind::Marked => WITH_CONNECTION | WITH_SEQUENCE | WITH_LENGTH,
        Kind::Dropped => WITH_CONNECTION | WITH_SEQUENCE | WITH_LENGTH | WITH_DETAIL,
        Kind::Acknowledgment => WITH_CONNECTION | WITH_SEQUENCE,
        Kind::Delivered => WITH_CONNECTION | WITH_LENGTH,
        Kind::Sender => WITH_CONNECTION | WITH_SAMPLE,
        Kind::Timeout | Kind::Recovery | Kind::CutUndone => WITH_CONNECTION,
        Kind::State | Kind::HandoverAction => WITH_CONNECTION | WITH_DETAIL,
        Kind::Queue => WITH_LENGTH | WITH_QUEUE,
        Kind::Other => 0,
        _ => WITH_DETAIL,
    }
}

/// A table of events that is being written.
#[derive(Debug)]
pub(crate) struct EventTable {
    path: PathBuf,
    pages: Filling<Writer>,
}

impl EventTable {
    /// Create the file.
    pub(crate) fn create(path: &Path, provenance: &str) -> Result<Self, WriteError> {
        let file = BlockFile::create(path)?;
        let table = Table::new(file, FIELDS, about(EVENTS, provenance, &[]));
        let table = table.map_err(|cause| WriteError { path: path.to_owned(), cause })?;
        Ok(EventTable { path: path.to_owned(), pages: Filling::new(Writer::new(table)) })
    }

    /// Register the names of all elements and connections.
    pub(crate) fn prepare(&mut self, scenario: &Scenario, places: &Places) {
        self.pages.encoder.name(element_names(scenario, places), connection_names(scenario));
    }

    /// Likewise in tests.
    #[cfg(test)]
    pub(super) fn name(&mut self, elements: &[(ElementId, String)], connections: &[String]) {
        self.pages.encoder.name(elements.iter().cloned(), connections.iter().cloned());
    }

    /// Record an event.
    #[inline]
    pub(crate) fn write(&mut self, now: Instant, at: ElementId, event: &Event) {
        self.pages.add(|page| {
            page.put(now, at, event);
            Ok(())
        });
    }

    /// Finish the file.
    pub(crate) fn finish(self) -> Result<PathBuf, WriteError> {
        let file = self.pages.finish().and_then(|writer| writer.table.finish());
        file.map_err(|cause| WriteError { path: self.path, cause })?.finish()
    }
}

page! {
    /// Events.
    Page of Row {
        time: i64,
        element: u32,
        kind: u16,
        groups: u8,
        length: i32,
        queued: i32,
    }
    few {
        connections: u16,
        sequences: i32,
        details: Cow<'static, str>,
        samples: SenderSample,
    }
}

impl Page {
    #[inline]
    fn put(&mut self, now: Instant, at: ElementId, event: &Event) {
        let (kind, length, queued) = match *event {
            Event::Queue { packets, bytes } => (Kind::Queue, bytes as i32, packets as i32),
            _ => {
                let (kind, length) = self.other(event);
                (kind, length, 0)
            }
        };
        let (time, element) = (now.as_nanos() as i64, at.0);
        self.push(Row { time, element, kind: kind as u16, groups: groups(kind), length, queued });
    }

    /// Returns the kind and the length of what is not of a queue. Apart, so that events of queues do not pay for it.
    #[inline(never)]
    fn other(&mut self, event: &Event) -> (Kind, i32) {
        match *event {
            Event::SegmentSent { port, sequence, length, retransmission } => {
                self.segment(port, sequence);
                (if retransmission { Kind::Retransmitted } else { Kind::Sent }, length as i32)
            }
            Event::AckReceived { port, acknowledgment } => {
                self.segment(port, acknowledgment);
                (Kind::Acknowledgment, 0)
            }
            Event::Delivered { port, bytes } => {
                self.connections.push(connection_number(port));
                (Kind::Delivered, bytes as i32)
            }
            Event::Sender { port, sample } => {
                self.connections.push(connection_number(port));
                self.samples.push(sample);
                (Kind::Sender, 0)
            }
            _ => self.rare(event),
        }
    }

    #[inline]
    fn segment(&mut self, port: TransportPort, sequence: SequenceNumber) {
        self.connections.push(connection_number(port));
        self.sequences.push(sequence.0 as i32);
    }

    fn rare(&mut self, event: &Event) -> (Kind, i32) {
        let Rare { kind, port, segment, detail } = Rare::of(event);
        self.connections.extend(port.map(connection_number));
        self.sequences.extend(segment.map(|(sequence, _)| sequence.0 as i32));
        self.details.extend((groups(kind) & WITH_DETAIL != 0).then_some(detail));
        (kind, segment.map_or(0, |(_, length)| length as i32))
    }
}

/// Encodes pages.
#[derive(Debug)]
struct Writer {
    table: Table<BlockFile>,
    /// By element: its name. The last entry is for elements without a name.
    elements: Vec<u16>,
    /// By number: the name of the connection.
    connections: Vec<u16>,
    room: Room,
}

impl Writer {
    fn new(mut table: Table<BlockFile>) -> Self {
        for name in Kind::NAMES {
            table.dictionary(EVENT).place(name);
        }
        let unnamed = table.dictionary(ELEMENT).place("");
        Writer { table, elements: vec![unnamed], connections: Vec::new(), room: Room::default() }
    }

    /// Name elements, and the connections in order.
    fn name(
        &mut self,
        elements: impl IntoIterator<Item = (ElementId, String)>,
        connections: impl Iterator<Item = String>,
    ) {
        let unnamed = self.elements[0];
        for (element, name) in elements {
            let index = element.0 as usize;
            if self.elements.len() <= index + 1 {
                self.elements.resize(index + 2, unnamed);
            }
            self.elements[index] = self.table.dictionary(ELEMENT).place(&name);
        }
        self.connections = connections.map(|name| self.table.dictionary(CONNECTION).place(&name)).collect();
    }

    /// The names of the connections of a page. Rows of connections that are not known have none.
    fn connections(&self, page: &Page, groups_of_rows: &mut [u8]) -> Vec<u16> {
        let mut names = Vec::with_capacity(page.connections.len());
        let rows = groups_of_rows.iter_mut().filter(|groups| **groups & WITH_CONNECTION != 0);
        for (groups, number) in rows.zip(&page.connections) {
            match self.connections.get(usize::from(*number)) {
                Some(name) => names.push(*name),
                None => *groups &= !WITH_CONNECTION,
            }
        }
        names
    }
}

impl Encoder for Writer {
    type Page = Page;

    fn encode(&mut self, page: &Page) -> io::Result<()> {
        let mut groups = page.groups().to_vec();
        let connections = self.connections(page, &mut groups);
        let [connection, sequence, length, detail, queue, sample, ..] = Presence::all(&groups);
        let Writer { table, elements, room, .. } = self;
        let unnamed = elements.len() - 1;
        let elements = column(page.element(), |element| elements[(*element as usize).min(unnamed)]);
        let details = column(&page.details, |detail| table.dictionary(DETAIL).place(detail));
        let samples = &page.samples;
        let long = |value: fn(&SenderSample) -> Duration| column(samples, |it| value(it).as_nanos() as i64);
        let mut put = |column, presence: Option<&Presence>, values: Values<'_>| {
            table.put(column, groups.len(), presence, values)
        };
        put(TIME, None, Values::Long(page.time()))?;
        put(ELEMENT, None, Values::Words(&elements))?;
        put(EVENT, None, Values::Words(page.kind()))?;
        put(CONNECTION, Some(&connection), Values::Words(&connections))?;
        put(SEQUENCE, Some(&sequence), Values::Number(&page.sequences))?;
        put(LENGTH, Some(&length), Values::Number(room.present(&groups, WITH_LENGTH, page.length())))?;
        put(DETAIL, Some(&detail), Values::Words(&details))?;
        put(QUEUED, Some(&queue), Values::Number(room.present(&groups, WITH_QUEUE, page.queued())))?;
        put(WINDOW, Some(&sample), Values::Real(&column(samples, |it| it.congestion_window)))?;
        put(THRESHOLD, Some(&sample), Values::Real(&column(samples, |it| it.slow_start_threshold)))?;
        put(IN_FLIGHT, Some(&sample), Values::Number(&column(samples, |it| it.bytes_in_flight as i32)))?;
        put(ROUND_TRIP, Some(&sample), Values::Long(&long(|it| it.smoothed_round_trip_time)))?;
        put(TIMEOUT, Some(&sample), Values::Long(&long(|it| it.retransmission_timeout)))?;
        table.end_page()
    }
}
